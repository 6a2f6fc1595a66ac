//! The first look at a source: is it one whole `{{ expression }}`, and where are `r'..'` literals? Jinja has no raw
//! literals; they are rewritten to plain ones, and so are `%` behind a text, comparisons and what is looped over. Everything else is
//! left to the engine, mistakes too.

use super::loops::around;
use super::order::calls;

/// What a source is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// One whole expression: its value keeps its type.
    Expression,
    /// Text, with or without code in it.
    Text,
}

/// A source as the engine gets it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Scanned {
    pub(super) form: Form,
    /// The expression without its braces, or the text.
    pub(super) text: String,
    /// A statement that reads another text, and where it stands.
    pub(super) elsewhere: Option<(usize, &'static str)>,
    /// Where it begins in the source.
    start: usize,
    /// Bytes in it that are not in the source, by their place, in order.
    added: Vec<usize>,
}

impl Scanned {
    /// The place in the source of a place in the text.
    pub(super) fn place(&self, at: usize) -> usize {
        self.start + at - self.added.partition_point(|added| *added < at)
    }
}

/// Statements of Jinja that read other texts. There are none to read.
const ELSEWHERE: [&str; 4] = ["include", "import", "from", "extends"];

/// Looks at a source.
pub(super) fn scan(source: &str) -> Scanned {
    let mut scanner = Scanner { source, at: 0, text: String::with_capacity(source.len()), added: Vec::new() };
    let (mut whole, mut elsewhere) = (None, None);
    while let Some(opening) = scanner.opening() {
        let begins = scanner.text.len();
        match opening {
            "{#" => scanner.take_past("#}"),
            "{%" if scanner.is_tag("raw") => scanner.take_raw(),
            "{%" => {
                elsewhere = elsewhere.or_else(|| Some((begins, scanner.elsewhere()?)));
                scanner.take_code("%}");
            }
            _ => {
                let inside = scanner.take_code("}}");
                if begins == 0 && scanner.is_over() {
                    whole = inside;
                }
            }
        }
    }
    let Scanner { text, added, .. } = scanner;
    match whole {
        None => Scanned { form: Form::Text, text, elsewhere, start: 0, added },
        Some((from, to)) => {
            let before = added.partition_point(|place| *place < from);
            let added = added[before..].iter().map(|place| place - from).collect();
            let text = text[from..to].to_owned();
            Scanned { form: Form::Expression, text, elsewhere, start: from - before, added }
        }
    }
}

/// Goes through a source, and writes down what the engine gets.
pub(super) struct Scanner<'s> {
    source: &'s str,
    at: usize,
    pub(super) text: String,
    added: Vec<usize>,
}

impl<'s> Scanner<'s> {
    pub(super) fn rest(&self) -> &'s str {
        &self.source[self.at..]
    }

    /// Whether nothing is left but the line break that Jinja drops at the end.
    fn is_over(&self) -> bool {
        matches!(self.rest(), "" | "\n" | "\r\n")
    }

    pub(super) fn take(&mut self, bytes: usize) {
        self.text.push_str(&self.rest()[..bytes]);
        self.at += bytes;
    }

    /// Writes a letter in the place of one of the source, which is as long.
    pub(super) fn put(&mut self, letter: char) {
        self.text.push(letter);
        self.at += letter.len_utf8();
    }

    /// Writes a letter that is not in the source.
    pub(super) fn add(&mut self, letter: char) {
        self.added.push(self.text.len());
        self.text.push(letter);
    }

    /// Takes text up to the next opening braces, which stay.
    fn opening(&mut self) -> Option<&'static str> {
        let rest = self.rest();
        let found =
            ["{{", "{%", "{#"].into_iter().filter_map(|braces| Some((rest.find(braces)?, braces))).min();
        self.take(found.map_or(rest.len(), |(place, _)| place));
        found.map(|(_, braces)| braces)
    }

    fn take_past(&mut self, closing: &str) {
        let rest = self.rest();
        self.take(rest.find(closing).map_or(rest.len(), |place| place + closing.len()));
    }

    /// What stands in the tag that begins here.
    fn tag(&self) -> &'s str {
        let inside = self.rest().trim_start_matches("{%");
        inside.strip_prefix(['-', '+']).unwrap_or(inside).trim_start()
    }

    /// The statement that begins here, if it reads another text.
    fn elsewhere(&self) -> Option<&'static str> {
        let tag = self.tag();
        let end = tag.find(|letter: char| !(letter.is_alphanumeric() || letter == '_')).unwrap_or(tag.len());
        ELSEWHERE.into_iter().find(|name| tag[..end] == **name)
    }

    /// Whether the tag that begins here is `{% name %}`.
    fn is_tag(&self, name: &str) -> bool {
        let after =
            self.tag().strip_prefix(name).map(|rest| rest.trim_start().trim_start_matches(['-', '+']));
        after.is_some_and(|after| after.starts_with("%}"))
    }

    fn take_raw(&mut self) {
        self.take_past("%}");
        while !self.rest().is_empty() {
            let rest = self.rest();
            self.take(rest.find("{%").unwrap_or(rest.len()));
            let ends = self.is_tag("endraw");
            self.take_past("%}");
            if ends {
                return;
            }
        }
    }

    /// Takes code with its braces; gives where its inside lies in the text, if it is closed.
    fn take_code(&mut self, closing: &str) -> Option<(usize, usize)> {
        self.take(2);
        if self.rest().starts_with(['-', '+']) {
            self.take(1);
        }
        let (from, mut depth) = (self.text.len(), 0_usize);
        while let Some(letter) = self.rest().chars().next() {
            let rest = self.rest();
            if depth == 0 {
                let marked = rest.strip_prefix(['-', '+']).is_some_and(|rest| rest.starts_with(closing));
                if marked || rest.starts_with(closing) {
                    self.put_calls(from, closing);
                    let to = self.text.len();
                    self.take(closing.len() + usize::from(marked));
                    return Some((from, to));
                }
            }
            self.take_letter(letter, &mut depth);
        }
        None
    }

    /// Makes calls of the comparisons in the code that begins here, and of what a statement loops over.
    fn put_calls(&mut self, from: usize, closing: &str) {
        let code = &self.text[from..];
        let mut calls = calls(code);
        if closing == "%}" {
            calls.extend(around(code));
            calls.sort_by_key(|(place, _)| *place);
        }
        if calls.is_empty() {
            return;
        }
        let before = self.added.partition_point(|place| *place < from);
        let (code, added) = (self.text.split_off(from), self.added.split_off(before));
        let (mut at, mut added) = (0, added.into_iter().map(|place| place - from).peekable());
        let mut take_until = |scanner: &mut Self, to: usize| {
            while let Some(place) = added.next_if(|place| *place < to) {
                scanner.added.push(scanner.text.len() + place - at);
            }
            scanner.text.push_str(&code[at..to]);
            at = to;
        };
        for (place, letters) in calls {
            take_until(self, place);
            letters.chars().for_each(|letter| self.add(letter));
        }
        take_until(self, code.len());
    }

    /// Takes the next letter of code, and with it the literal that it begins.
    pub(super) fn take_letter(&mut self, letter: char, depth: &mut usize) {
        match letter {
            '(' | '[' | '{' => *depth += 1,
            ')' | ']' | '}' => *depth = depth.saturating_sub(1),
            '\'' | '"' => {
                let is_operand = self.follows_operator();
                self.take_literal(letter);
                if !is_operand {
                    self.take_percents();
                }
                return;
            }
            'r' if self.rest()[1..].starts_with(['\'', '"']) && !self.follows_name() => {
                return self.take_raw_literal();
            }
            _ => {}
        }
        self.take(letter.len_utf8());
    }

    fn follows_name(&self) -> bool {
        self.text.ends_with(|letter: char| letter.is_alphanumeric() || letter == '_')
    }

    /// Takes a plain literal.
    pub(super) fn take_literal(&mut self, quote: char) {
        let mut escaped = true;
        let end = self.rest().find(|letter| {
            let ends = letter == quote && !escaped;
            escaped = letter == '\\' && !escaped;
            ends
        });
        self.take(end.map_or(self.rest().len(), |end| end + 1));
    }

    /// Takes a raw literal as a plain one: the `r` becomes a space, and a backslash stays a backslash.
    fn take_raw_literal(&mut self) {
        self.at += 1;
        self.text.push(' ');
        let mut letters = self.rest().chars();
        let quote = letters.next();
        self.take(1);
        while let Some(letter) = self.rest().chars().next() {
            self.take(letter.len_utf8());
            if Some(letter) == quote {
                return;
            }
            if letter == '\\' {
                self.add('\\');
                self.take_behind_backslash(quote);
            }
        }
    }

    /// What stands behind a backslash belongs to it: a quote there does not end the literal, and both stay.
    fn take_behind_backslash(&mut self, quote: Option<char>) {
        match self.rest().chars().next() {
            Some('\\') => {
                self.take(1);
                self.add('\\');
            }
            next if next.is_some() && next == quote => {
                self.add('\\');
                self.take(1);
            }
            _ => {}
        }
    }
}
