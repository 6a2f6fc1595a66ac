//! Follows a template letter by letter: text, tags, literals, comments, raw text.

use super::{Compiled, Fault, Part, Use};
use crate::blocks::shell::variable;
use crate::jinja::Nest;

/// The faults of one template that are told; the rest is left alone.
const FAULTS_MAX: usize = 20;

/// Turns a template into one in which every reference is a variable, or says what is wrong with it.
pub(in crate::blocks) fn compile(parts: &[Part<'_>]) -> Result<Compiled, Vec<Fault>> {
    let mut scan =
        Scan { symbols: symbols(parts), at: 0, out: String::new(), uses: Vec::new(), faults: Vec::new() };
    let mut nest = Nest::new();
    while scan.at < scan.symbols.len() {
        scan.text(&mut nest);
    }
    for (begin, end, (from, length)) in nest.rest() {
        scan.fault(from, length, format!("`{begin}` is never ended"), format!("end it: {{% {end} %}}"));
    }
    if !scan.faults.is_empty() {
        scan.faults.sort_by_key(|fault| (fault.part, fault.at));
        scan.faults.truncate(FAULTS_MAX);
        return Err(scan.faults);
    }
    Ok(Compiled { source: as_text(scan.out), uses: scan.uses })
}

/// A template that is one whole expression would give a value with its type; a comment at its end makes it text.
fn as_text(source: String) -> String {
    if !source.starts_with("{{") {
        return source;
    }
    let end = source
        .strip_suffix('\n')
        .map_or(source.as_str(), |rest| rest.strip_suffix('\r').unwrap_or(rest))
        .len();
    format!("{}{{##}}{}", &source[..end], &source[end..])
}

#[derive(Debug, Clone, Copy)]
enum Symbol<'a> {
    /// A letter, with the part it is in and where.
    Letter {
        letter: char,
        part: usize,
        at: usize,
    },
    Reference {
        written: &'a str,
        part: usize,
    },
}

fn symbols<'a>(parts: &[Part<'a>]) -> Vec<Symbol<'a>> {
    let mut all = Vec::new();
    for (part, piece) in parts.iter().enumerate() {
        match *piece {
            Part::Text(text) => {
                all.extend(text.char_indices().map(|(at, letter)| Symbol::Letter { letter, part, at }));
            }
            Part::Reference(written) => all.push(Symbol::Reference { written, part }),
        }
    }
    all
}

/// Where a tag begins, and how many symbols its opening has.
type Place = (usize, usize);

struct Scan<'a> {
    symbols: Vec<Symbol<'a>>,
    at: usize,
    out: String,
    uses: Vec<Use>,
    faults: Vec<Fault>,
}

impl Scan<'_> {
    fn letter(&self, ahead: usize) -> Option<char> {
        match self.symbols.get(self.at + ahead)? {
            Symbol::Letter { letter, .. } => Some(*letter),
            Symbol::Reference { .. } => None,
        }
    }

    fn starts_with(&self, text: &str) -> bool {
        text.chars().enumerate().all(|(ahead, letter)| self.letter(ahead) == Some(letter))
    }

    fn take(&mut self, count: usize) {
        for _ in 0..count {
            if let Some(letter) = self.letter(0) {
                self.out.push(letter);
            }
            self.at += 1;
        }
    }

    /// The variable of the next reference.
    fn name(&mut self, used: Use) -> String {
        self.uses.push(used);
        variable(self.uses.len() - 1)
    }

    fn fault(&mut self, at: usize, length: usize, message: String, hint: String) {
        let (part, at, length) = match self.symbols.get(at) {
            Some(Symbol::Letter { part, at, .. }) => (*part, *at, length),
            Some(Symbol::Reference { part, written }) => (*part, 0, written.len()),
            None => (0, 0, 0),
        };
        self.faults.push(Fault { part, at, length, message, hint });
    }

    /// Text up to the next tag or reference, and that.
    fn text(&mut self, nest: &mut Nest<Place>) {
        let begins = self.at;
        if let Symbol::Reference { .. } = self.symbols[self.at] {
            let name = self.name(Use::Text);
            // A brace of the text must not join those of the tag.
            let brace = if self.out.ends_with('{') { "'{' ~ " } else { "" };
            self.out.truncate(self.out.len() - usize::from(!brace.is_empty()));
            self.out.push_str(&format!("{{{{ {brace}{name} }}}}"));
            self.at += 1;
        } else if self.starts_with("{#") {
            self.comment();
        } else if self.starts_with("{{") {
            self.code("{{", "}}");
        } else if self.starts_with("{%") {
            match self.raw_tag() {
                Some(length) => self.raw(begins, length),
                None => {
                    let inside = self.out.len() + 2;
                    if self.code("{%", "%}") {
                        self.statement(nest, begins, inside);
                    }
                }
            }
        } else {
            self.take(1);
        }
    }

    fn statement(&mut self, nest: &mut Nest<Place>, begins: usize, inside: usize) {
        let tag = self.out[inside..self.out.len() - 2].trim_matches(['-', '+']);
        if let Err((message, hint)) = nest.take(tag, (begins, 2)) {
            self.fault(begins, 2, message, hint);
        }
    }

    fn comment(&mut self) {
        let begins = self.at;
        self.take(2);
        while self.at < self.symbols.len() {
            if self.starts_with("#}") {
                return self.take(2);
            }
            match self.symbols[self.at] {
                Symbol::Letter { .. } => self.take(1),
                Symbol::Reference { written, .. } => {
                    self.uses.push(Use::Nothing);
                    self.out.push_str(&format!("${{{written}}}"));
                    self.at += 1;
                }
            }
        }
        self.fault(begins, 2, "this comment is never closed".to_owned(), "close it: `#}`".to_owned());
    }

    /// How many symbols the `{% raw %}` has that begins here, if one does.
    fn raw_tag(&self) -> Option<usize> {
        self.tag("raw")
    }

    fn tag(&self, name: &str) -> Option<usize> {
        let mut ahead = 2;
        let skip = |mut ahead: usize, scan: &Self| {
            while scan.letter(ahead).is_some_and(char::is_whitespace) {
                ahead += 1;
            }
            ahead
        };
        let sign =
            |ahead: usize, scan: &Self| ahead + usize::from(matches!(scan.letter(ahead), Some('-' | '+')));
        ahead = skip(sign(ahead, self), self);
        let named = name.chars().enumerate().all(|(more, letter)| self.letter(ahead + more) == Some(letter));
        ahead = sign(skip(ahead + name.len(), self), self);
        let closed = self.letter(ahead) == Some('%') && self.letter(ahead + 1) == Some('}');
        (self.starts_with("{%") && named && closed).then_some(ahead + 2)
    }

    fn raw(&mut self, begins: usize, length: usize) {
        self.take(length);
        while self.at < self.symbols.len() {
            if let Some(length) = self.tag("endraw") {
                return self.take(length);
            }
            match self.symbols[self.at] {
                Symbol::Letter { .. } => self.take(1),
                Symbol::Reference { .. } => {
                    let name = self.name(Use::Text);
                    self.out.push_str(&format!("{{% endraw %}}{{{{ {name} }}}}{{% raw %}}"));
                    self.at += 1;
                }
            }
        }
        let hint = "end it: {% endraw %}".to_owned();
        self.fault(begins, 2, "`raw` is never ended".to_owned(), hint);
    }

    /// A tag with its braces; whether it is closed.
    fn code(&mut self, opening: &str, closing: &str) -> bool {
        let (begins, mut depth) = (self.at, 0_usize);
        self.take(opening.len());
        while self.at < self.symbols.len() {
            if depth == 0 && self.starts_with(closing) {
                self.take(closing.len());
                return true;
            }
            match self.letter(0) {
                None => self.named(),
                Some('"' | '\'') => {
                    if !self.literal() {
                        return false;
                    }
                }
                Some(letter) => {
                    match letter {
                        '(' | '[' | '{' => depth += 1,
                        ')' | ']' | '}' => depth = depth.saturating_sub(1),
                        _ => {}
                    }
                    self.take(1);
                }
            }
        }
        self.fault(begins, 2, format!("`{opening}` is never closed"), format!("close it: `{closing}`"));
        false
    }

    /// A reference in a tag. It must not grow together with a name beside it, or be taken for the name of a part or filter.
    fn named(&mut self) {
        let is_name = |letter: char| letter.is_alphanumeric() || letter == '_';
        let beside = self.out.ends_with(is_name) || self.letter(1).is_some_and(is_name);
        let before = self.out.trim_end();
        if beside || before.ends_with(['.', '|']) {
            let hint = "a reference is a value here: give it room, and write `x[${...}]` for a part of `x`"
                .to_owned();
            self.fault(self.at, 0, "a reference cannot be a part of a name".to_owned(), hint);
        }
        let name = self.name(Use::Value);
        self.out.push_str(&name);
        self.at += 1;
    }

    /// A literal of a tag; whether it is closed. One with references becomes a sum of texts.
    fn literal(&mut self) -> bool {
        let (Some(quote), begins) = (self.letter(0), self.at) else { return true };
        let raw = self.is_raw_prefix();
        let from = self.out.len() - usize::from(raw);
        let (opening, mut summed, mut escaped) =
            (if raw { format!("r{quote}") } else { quote.to_string() }, false, false);
        self.take(1);
        while self.at < self.symbols.len() {
            let Some(letter) = self.letter(0) else {
                if escaped {
                    let hint = "take the backslash away".to_owned();
                    self.fault(self.at, 0, "a backslash cannot stand before a reference".to_owned(), hint);
                }
                let name = self.name(Use::Text);
                self.out.push_str(&format!("{quote} ~ {name} ~ {opening}"));
                (summed, escaped) = (true, false);
                self.at += 1;
                continue;
            };
            self.take(1);
            if letter == quote && !escaped {
                if summed {
                    self.out.insert(from, '(');
                    self.out.push(')');
                }
                return true;
            }
            escaped = letter == '\\' && !escaped;
        }
        self.fault(begins, 1, "this literal is never closed".to_owned(), format!("close it: `{quote}`"));
        false
    }

    /// Whether the literal that begins here is `r"..."`.
    fn is_raw_prefix(&self) -> bool {
        let is_name = |letter: char| letter.is_alphanumeric() || letter == '_';
        self.out.strip_suffix('r').is_some_and(|before| !before.ends_with(is_name))
    }
}
