//! Diagnostics for people: all of them at once, each with its line, and a last line that counts them.
//!
//! The marks are drawn by annotate-snippets; the hint below them is ours. Only the lines that are shown are
//! handed over, so that a thousand diagnostics in a large file cost a thousand lines and not a thousand files.

use super::{Diagnostic, Diagnostics, Severity};
use crate::text::{Lines, Source, Span};
use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet, normalize_untrusted_str};
use std::collections::BTreeMap;
use std::ops::Range;

/// The bytes from one mark to another that are shown together; a place farther off is named by its line
/// alone, and of a line that is longer only the part around the mark is looked at.
const SHOWN_BYTES_MAX: usize = 8 * 1024;

/// How rendered text looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Look {
    /// Whether to use terminal colours.
    pub colour: bool,
    /// The columns a line may have; what does not fit is cut around the mark.
    pub width: usize,
}

impl Default for Look {
    fn default() -> Self {
        Self { colour: false, width: 120 }
    }
}

impl Diagnostics {
    /// Renders all of them and the line that counts them.
    pub fn render(&self, sources: &[Source], look: Look) -> String {
        let by_name: BTreeMap<&str, (&Source, Lines<'_>)> = self
            .texts()
            .iter()
            .chain(sources)
            .map(|source| (source.name.as_str(), (source, Lines::new(&source.text))))
            .collect();
        let mut out = String::new();
        for diagnostic in self {
            let page = by_name.get(diagnostic.file.as_str()).map(|(source, lines)| Page { source, lines });
            out.push_str(&one(diagnostic, page.as_ref(), look));
            out.push_str("\n\n");
        }
        out.push_str(&self.summary());
        out
    }

    /// Says how many there are and what that means: `3 errors in deploy.yaml. Nothing was run.`
    pub fn summary(&self) -> String {
        let (errors, warnings) = (self.count(Severity::Error), self.count(Severity::Warning));
        let counts: Vec<String> = [(errors, "error"), (warnings, "warning")]
            .into_iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, word)| plural(count, word))
            .collect();
        if counts.is_empty() {
            return "No mistakes found.".to_owned();
        }
        let end = if errors > 0 { " Nothing was run." } else { "" };
        format!("{} in {}.{end}", counts.join(" and "), self.files())
    }

    fn files(&self) -> String {
        let mut names: Vec<&str> = self.iter().map(|diagnostic| diagnostic.file.as_str()).collect();
        names.dedup();
        match names.as_slice() {
            [name] => clean(name),
            names => plural(names.len(), "file"),
        }
    }
}

fn plural(count: usize, word: &str) -> String {
    let end = if count == 1 { "" } else { "s" };
    format!("{count} {word}{end}")
}

/// A source and where its lines begin.
struct Page<'a> {
    source: &'a Source,
    lines: &'a Lines<'a>,
}

fn one(diagnostic: &Diagnostic, page: Option<&Page<'_>>, look: Look) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let title = level.primary_title(clean(&diagnostic.message)).id(diagnostic.code);
    let renderer = if look.colour { Renderer::styled() } else { Renderer::plain() }.term_width(look.width);
    let (mut out, digits) = match page {
        Some(page) => with_lines(Group::with_title(title), diagnostic, page, &renderer),
        None => (renderer.render(&[title.element(Origin::path(clean(&diagnostic.file)))]), 1),
    };
    out = out.lines().map(str::trim_end).collect::<Vec<_>>().join("\n");
    if let Some(hint) = &diagnostic.hint {
        out.push_str(&hint_lines(hint, digits, look));
    }
    out
}

/// Draws the marked lines; returns with them how many digits the largest line number has.
fn with_lines(
    group: Group<'_>,
    diagnostic: &Diagnostic,
    page: &Page<'_>,
    renderer: &Renderer,
) -> (String, usize) {
    let (line, column) = page.place(diagnostic.span);
    let is_near = |span: Span| page.range(line, page.place(span).0).len() <= SHOWN_BYTES_MAX;
    let shown: Vec<&(Span, String)> = diagnostic.related.iter().filter(|(span, _)| is_near(*span)).collect();
    let numbers = shown.iter().map(|(span, _)| page.place(*span).0);
    let (first, last) = numbers.fold((line, line), |(low, high), at| (low.min(at), high.max(at)));
    let range = page.around(page.range(first, last), diagnostic.span);

    let text = &page.source.text[range.clone()];
    // What is shown in place of a character may have more bytes.
    let at = |offset: usize| without_controls(&text[..offset]).len();
    let mark = |kind: AnnotationKind, span: Span| {
        let Range { start, end } = page.within_line(span, &range);
        kind.span(at(start)..at(end))
    };
    let mut primary = mark(AnnotationKind::Primary, diagnostic.span);
    if let Some(label) = label(diagnostic, page, &is_near) {
        primary = primary.label(label);
    }
    let others =
        shown.into_iter().map(|(span, text)| mark(AnnotationKind::Context, *span).label(clean(text)));
    let name = clean(&page.source.name);
    let shown = without_controls(text);
    let snippet =
        Snippet::source(shown.as_str()).line_start(first).path(&name).annotation(primary).annotations(others);
    let drawn = renderer.render(&[group.element(snippet)]);

    // Where the line was cut, the column was counted from the cut.
    let cut = column - Lines::new(text).position(diagnostic.span.start.saturating_sub(range.start)).column;
    let drawn = match (first == last).then_some(cut) {
        None | Some(0) => drawn,
        Some(cut) => {
            drawn.replacen(&format!("{name}:{line}:{}", column - cut), &format!("{name}:{line}:{column}"), 1)
        }
    };
    (drawn, last.to_string().len())
}

impl Page<'_> {
    /// The line and column where a span begins.
    fn place(&self, span: Span) -> (usize, usize) {
        let position = self.lines.position(span.start);
        (position.line, position.column)
    }

    /// The bytes of all lines from one to another.
    fn range(&self, one: usize, other: usize) -> Range<usize> {
        self.lines.line(one.min(other)).start..self.lines.line(one.max(other)).end
    }

    /// The range itself or, where it is too long to be looked at, the part of it around a span.
    fn around(&self, range: Range<usize>, span: Span) -> Range<usize> {
        if range.len() <= SHOWN_BYTES_MAX {
            return range;
        }
        let text = &self.source.text;
        let start = text.floor_char_boundary(span.start.saturating_sub(SHOWN_BYTES_MAX / 2));
        let end = text.floor_char_boundary(span.start + SHOWN_BYTES_MAX / 2);
        start.max(range.start)..end.min(range.end)
    }

    /// The part of a span that lies on its first line, counted from the start of what is shown.
    fn within_line(&self, span: Span, shown: &Range<usize>) -> Range<usize> {
        let span = span.clamp(&self.source.text);
        let line = self.lines.line(self.lines.position(span.start).line);
        let end = line.end.min(shown.end);
        let from = span.start.clamp(shown.start, end);
        let to = span.end.clamp(from, end);
        from - shown.start..to - shown.start
    }
}

/// The words beside the mark; places too far off to be shown are named here.
fn label(diagnostic: &Diagnostic, page: &Page<'_>, is_near: &dyn Fn(Span) -> bool) -> Option<String> {
    let far = diagnostic
        .related
        .iter()
        .filter(|(span, _)| !is_near(*span))
        .map(|(span, text)| format!("{} (line {})", clean(text), page.place(*span).0));
    let words: Vec<String> = diagnostic.label.iter().map(|text| clean(text)).chain(far).collect();
    (!words.is_empty()).then(|| words.join("; "))
}

fn hint_lines(hint: &str, digits: usize, look: Look) -> String {
    let (on, off) = if look.colour { ("\u{1b}[1m\u{1b}[94m", "\u{1b}[0m") } else { ("", "") };
    let indent = " ".repeat(digits + 1);
    let mut out = String::new();
    for (number, line) in hint.lines().enumerate() {
        let sign = if number == 0 { format!("{on}= {off}") } else { "  ".to_owned() };
        out.push_str(&format!("\n{indent}{sign}{}", clean(line)));
    }
    out
}

/// Takes away what could move a terminal's cursor: names and texts come from files of strangers.
fn clean(text: &str) -> String {
    without_controls(&normalize_untrusted_str(text)).replace(['\n', '\r'], " ")
}

/// Shows a sign for each control character beyond those of ASCII, as the renderer does for others: to some terminals U+009B
/// begins an escape sequence.
fn without_controls(text: &str) -> String {
    text.replace(|letter: char| !letter.is_ascii() && letter.is_control(), "\u{fffd}")
}
