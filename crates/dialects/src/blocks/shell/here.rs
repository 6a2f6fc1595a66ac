//! Here-documents: their mark, and the lines up to it.
//!
//! The shell finds the end of a here-document by whole lines before it looks into them, and so does this.

use super::names::Way;
use super::scan::{self, Scan};
use super::word::Reference;
use super::{Doubt, Output, Reason, Symbol};
use std::ops::Range;
use std::rc::Rc;

/// A here-document that has been announced.
#[derive(Debug)]
pub(super) struct Here {
    mark: String,
    is_quoted: bool,
    /// `<<-`: tabs before a line do not count.
    strips_tabs: bool,
    reader: Reader,
}

impl Here {
    /// Notes that whoever reads what its command passes on runs it.
    pub(super) fn is_code(&mut self, doubt: Doubt) {
        self.reader.code.get_or_insert(doubt);
    }
}

/// The command that reads a here-document.
#[derive(Debug)]
pub(super) struct Reader {
    /// What is said of references there, if it runs what it reads.
    pub(super) code: Option<Doubt>,
    /// The variables that get what it reads.
    pub(super) names: Vec<Rc<str>>,
}

/// Reads what follows `<<`: the mark of a here-document, copied as it stands.
pub(super) fn announce(scan: &mut Scan<'_>, output: &mut Output, reader: Reader) -> Here {
    let strips_tabs = scan.take_if('-', output);
    while scan.take_if(' ', output) || scan.take_if('\t', output) {}
    let mut here = Here { mark: String::new(), is_quoted: false, strips_tabs, reader };
    while let Some(symbol) = scan.peek(0) {
        match symbol {
            Symbol::Char(' ' | '\t' | '\n' | ';' | '&' | '|' | '<' | '>' | '(' | ')') => break,
            Symbol::Char(quote @ ('\'' | '"')) => quoted_mark(scan, output, &mut here, quote),
            Symbol::Char('\\') => {
                here.is_quoted = true;
                scan.copy_one(output);
                push_mark(scan, output, &mut here);
            }
            Symbol::Char('`' | '$') => {
                output.is_lost = true;
                push_mark(scan, output, &mut here);
            }
            Symbol::Char(_) => push_mark(scan, output, &mut here),
            Symbol::Reference { part, .. } => {
                output.refuse(part, Reason::HereDocumentMark);
                scan.at += 1;
            }
        }
    }
    here
}

fn quoted_mark(scan: &mut Scan<'_>, output: &mut Output, here: &mut Here, quote: char) {
    here.is_quoted = true;
    scan.copy_one(output);
    while let Some(symbol) = scan.peek(0) {
        match symbol {
            Symbol::Char(character) if character == quote => return scan.copy_one(output),
            Symbol::Char('\\') => output.is_lost = true,
            Symbol::Char(_) => {}
            Symbol::Reference { part, .. } => output.refuse(part, Reason::HereDocumentMark),
        }
        push_mark(scan, output, here);
    }
}

fn push_mark(scan: &mut Scan<'_>, output: &mut Output, here: &mut Here) {
    if let Some(Symbol::Char(character)) = scan.peek(0) {
        here.mark.push(character);
    }
    scan.copy_one(output);
}

/// Reads the text of a here-document, which begins here, and the line that ends it.
pub(super) fn body(scan: &mut Scan<'_>, output: &mut Output, here: &Here) {
    let start = scan.at;
    let mut at = start;
    let mut before: Option<String> = None;
    while at < scan.input.len() {
        let end = line_end(scan.input, at);
        let line = line_text(&scan.input[at..end], here);
        let ends_here = line == here.mark;
        let is_joined = before.is_some();
        let joined = before.take().unwrap_or_default() + &line;
        // Shells differ in whether a line that continues another can be the mark.
        output.is_lost |= is_joined && (ends_here || joined == here.mark);
        if ends_here {
            text(scan, output, start..at, here);
            output.copy(&scan.input[at..end], Reason::HereDocumentMark);
            scan.at = end;
            return;
        }
        if !here.is_quoted && continues(&line) {
            before = Some(joined[..joined.len() - 1].to_owned());
        }
        at = end + 1;
    }
    text(scan, output, start..scan.input.len(), here);
    scan.at = scan.input.len();
}

/// Whether a backslash at its end joins a line with the next one.
fn continues(line: &str) -> bool {
    (line.len() - line.trim_end_matches('\\').len()) % 2 == 1
}

fn text(scan: &Scan<'_>, output: &mut Output, lines: Range<usize>, here: &Here) {
    let lines = &scan.input[lines];
    if here.is_quoted {
        return output.copy(lines, Reason::QuotedHereDocument);
    }
    if let Some(doubt) = here.reader.code {
        output.doubt(lines, doubt);
    }
    let references: Vec<Reference> = lines.iter().filter_map(|symbol| Reference::nested(*symbol)).collect();
    output.names.give(here.reader.names.iter().cloned(), Way::Assigned, &references);
    scan::here_text(output, lines, scan.evaluated(output, false));
}

fn line_end(input: &[Symbol], from: usize) -> usize {
    let length = input[from..].iter().position(|symbol| *symbol == Symbol::Char('\n'));
    length.map_or(input.len(), |length| from + length)
}

/// The text of a line as it is compared with the mark; a line with a reference in it is never the mark.
fn line_text(line: &[Symbol], here: &Here) -> String {
    let characters = line.iter().map(|symbol| match symbol {
        Symbol::Char(character) => *character,
        Symbol::Reference { .. } => '\0',
    });
    let is_tab = |character: &char| here.strips_tabs && *character == '\t';
    characters.skip_while(is_tab).collect()
}
