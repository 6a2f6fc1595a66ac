//! A reference where it stands: what is written for it, who else must know of it, and why it may be refused.

use super::place::{Frame, Operator};
use super::scan::Scan;
use super::{Output, Reason, Symbol, variable};

/// Things inside things that a reference may stand in.
const FRAMES_MAX: usize = 64;

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
        self.note(Symbol::Reference { part, index }, false);
        let is_bare = self.command().is_some();
        output.text.push_str(&if is_bare { format!("\"${{{name}}}\"") } else { format!("${{{name}}}") });
    }

    /// Tells every list of commands that is open of a reference in its word.
    pub(super) fn note(&mut self, symbol: Symbol, mut is_nested: bool) {
        for frame in self.frames.iter_mut().rev() {
            if let Frame::Command(command) = frame {
                command.word.refer(symbol, is_nested);
                is_nested = true;
            }
        }
    }

    /// Tells of the references in a text that another walk has read, from the innermost list but so many on.
    pub(super) fn note_inside(&mut self, text: &[Symbol], skipped: usize) {
        if self.frames.len() > FRAMES_MAX {
            return;
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
                Frame::Expansion(_) if !is_nested => return Some(Reason::Expansion),
                Frame::Expansion(operator) if *operator != Operator::Text => return Some(Reason::Result),
                _ => {}
            }
        }
        output.outside
    }
}
