//! Mistakes as a dialect finds them: collected all, shown up to a bound.
//!
//! A mistake is drawn up only when it will be shown: to find the place of a word inside a scalar costs the
//! length of that scalar, and a hostile text can hold a hundred thousand mistakes. A reader that must work to
//! find mistakes asks [`Mistakes::is_full`] first.

use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::text::{Lines, Node, Source, Span, limits, locate};
use std::ops::Range;

/// The source that mistakes are drawn up on.
#[derive(Debug)]
pub(crate) struct Sheet<'s> {
    source: &'s Source,
    lines: Lines<'s>,
}

impl Sheet<'_> {
    /// Makes an error.
    pub(crate) fn error(&self, code: &'static str, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic::error(code, self.source, span, message)
    }

    /// Makes a warning.
    pub(crate) fn warning(&self, code: &'static str, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic::warning(code, self.source, span, message)
    }

    /// Returns the line on which a span begins.
    pub(crate) fn line(&self, span: Span) -> usize {
        self.lines.position(span.start).line
    }

    /// Returns where a part of a scalar's text is written.
    pub(crate) fn locate(&self, place: &Place<'_>) -> Span {
        locate(self.source, place.node, place.range.clone())
    }
}

/// A part of a scalar's text.
#[derive(Debug, Clone)]
pub(crate) struct Place<'n> {
    /// The scalar.
    pub(crate) node: &'n Node,
    /// The bytes of its text.
    pub(crate) range: Range<usize>,
}

/// All mistakes of one source.
#[derive(Debug)]
pub(crate) struct Mistakes<'s> {
    sheet: Sheet<'s>,
    found: Diagnostics,
    errors: usize,
    warnings: usize,
}

impl<'s> Mistakes<'s> {
    /// Starts without any.
    pub(crate) fn new(source: &'s Source) -> Self {
        let sheet = Sheet { source, lines: Lines::new(&source.text) };
        Self { sheet, found: Diagnostics::new(), errors: 0, warnings: 0 }
    }

    /// Adds an error, which is drawn up if there is room for it.
    pub(crate) fn error(&mut self, draw: impl FnOnce(&Sheet<'s>) -> Diagnostic) {
        self.errors += 1;
        if self.errors <= limits::MISTAKES_MAX {
            self.found.push(draw(&self.sheet));
        }
    }

    /// Adds a warning, which is drawn up if there is room for it.
    pub(crate) fn warn(&mut self, draw: impl FnOnce(&Sheet<'s>) -> Diagnostic) {
        self.warnings += 1;
        if self.warnings <= limits::MISTAKES_MAX {
            self.found.push(draw(&self.sheet));
        }
    }

    /// Counts the errors so far.
    pub(crate) fn errors(&self) -> usize {
        self.errors
    }

    /// Tells whether further errors will not be shown.
    pub(crate) fn is_full(&self) -> bool {
        self.errors >= limits::MISTAKES_MAX
    }

    /// Returns what was found, with a word about what is not shown.
    pub(crate) fn finish(mut self) -> Diagnostics {
        let end = self.sheet.source.text.len();
        if self.is_full() {
            let message = format!("only {} mistakes are shown, and there may be more", limits::MISTAKES_MAX);
            self.found.push(self.sheet.error("too-many-mistakes", Span::new(end, end), message));
        }
        self.found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::Severity;

    #[test]
    fn more_than_can_be_shown_is_said() {
        let source = Source::new("a.yaml", "x".repeat(500));
        let mut mistakes = Mistakes::new(&source);
        for at in 0..130 {
            mistakes.warn(|sheet| sheet.warning("odd", Span::new(at, at + 1), "odd"));
            mistakes.error(|sheet| sheet.error("bad", Span::new(at, at + 1), "bad"));
        }
        let found = mistakes.finish();
        assert_eq!((found.count(Severity::Error), found.count(Severity::Warning)), (101, 100));
        assert_eq!(found.iter().last().map(|one| one.code), Some("too-many-mistakes"));
    }
}
