//! A reference where it stands: what is written for it, who else must know of it, and why it may be refused.

use super::names::Way;
use super::place::{Frame, Operator};
use super::scan::Scan;
use super::word::Reference;
use super::{Output, Reason, Symbol, variable};

/// Things inside things that a reference may stand in.
const FRAMES_MAX: usize = 64;

/// Letters of a name in `${name=...}` that are looked at, as every reference inside notes it.
const NAME_MAX: usize = 1024;

impl Scan<'_> {
    pub(super) fn reference(&mut self, output: &mut Output, part: usize, index: usize) {
        self.at += 1;
        if let Some(reason) = self.refusal(output) {
            return output.refuse(part, reason);
        }
        let name = variable(index);
        if let Some(Frame::Arithmetic { references, .. }) = self.frames.last_mut() {
            references.push(part);
            output.numbers.insert(index);
            output.text.push_str(&format!("(${{{name}}})"));
            return;
        }
        self.mark_quoted();
        self.note(Symbol::Reference { part, index }, false, output);
        let is_bare = self.command().is_some();
        output.text.push_str(&if is_bare { format!("\"${{{name}}}\"") } else { format!("${{{name}}}") });
    }

    /// Tells every list of commands that is open of a reference in its word.
    pub(super) fn note(&mut self, symbol: Symbol, mut is_nested: bool, output: &mut Output) {
        for frame in self.frames.iter_mut().rev() {
            match frame {
                Frame::Command(command) => {
                    command.word.refer(symbol, is_nested);
                    is_nested = true;
                }
                Frame::Expansion { operator: Operator::Given, start } => {
                    give(&self.input[*start..], &[symbol], output);
                }
                _ => {}
            }
        }
    }

    /// Tells of the references in a text that another walk has read, from the innermost list but so many on.
    pub(super) fn note_inside(&mut self, text: &[Symbol], skipped: usize, output: &mut Output) {
        if self.frames.len() > FRAMES_MAX {
            return;
        }
        for frame in &self.frames {
            if let Frame::Expansion { operator: Operator::Given, start } = frame {
                give(&self.input[*start..], text, output);
            }
        }
        let is_command = |frame: &&mut Frame| matches!(frame, Frame::Command(_));
        let commands = self.frames.iter_mut().rev().filter(is_command).skip(skipped);
        for frame in commands {
            let Frame::Command(command) = frame else { continue };
            text.iter().for_each(|symbol| command.word.refer(*symbol, true));
        }
    }

    /// Why no reference may stand here, whatever the quotes.
    pub(super) fn refusal(&self, output: &Output) -> Option<Reason> {
        if output.is_lost {
            return Some(Reason::Unclear);
        }
        self.evaluated(output, false)
    }

    /// Why what stands here would be evaluated; `is_nested` if it stands in a command inside.
    pub(super) fn evaluated(&self, output: &Output, mut is_nested: bool) -> Option<Reason> {
        if self.frames.len() > FRAMES_MAX {
            return Some(Reason::Unclear);
        }
        if self.at <= self.bash_until {
            return Some(Reason::Bash);
        }
        for frame in self.frames.iter().rev() {
            match frame {
                Frame::Command(command) if command.is_conditional || command.arithmetic.is_some() => {
                    return Some(Reason::Bash);
                }
                Frame::Command(command) if command.subscript > 0 => return Some(Reason::Subscript),
                Frame::Command(_) => is_nested = true,
                // Its references are numbers, or the script ends before anything else.
                Frame::Arithmetic { .. } if !is_nested => return None,
                Frame::Arithmetic { .. } => return Some(Reason::Result),
                Frame::Expansion { .. } if !is_nested => return Some(Reason::Expansion),
                Frame::Expansion { operator: Operator::Text | Operator::Given, .. } => {}
                Frame::Expansion { .. } => return Some(Reason::Result),
                _ => {}
            }
        }
        output.outside
    }
}

/// Notes that the variable of `${name=...}` gets what is in this text.
fn give(inside: &[Symbol], text: &[Symbol], output: &mut Output) {
    let letters = inside.iter().map_while(|symbol| match symbol {
        Symbol::Char(letter) if letter.is_ascii_alphanumeric() || *letter == '_' => Some(*letter),
        _ => None,
    });
    let name: String = letters.take(NAME_MAX).collect();
    let references: Vec<Reference> = text.iter().filter_map(|symbol| Reference::nested(*symbol)).collect();
    output.names.give([name.into()], Way::Assigned, &references);
}
