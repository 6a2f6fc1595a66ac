//! The `shell` of a Shell block: who reads its command.

use super::shell::Inputs;
use crate::blocks::reader::{By, Piece, Reader};
use crate::blocks::shell::{self, Interpreter, KNOWN, interpreter};
use crate::mistakes::Place;
use crate::near::nearest;
use crate::shape::{self, did_you_mean};
use crate::text::Node;
use kernel::language::{Path, Segment, Syntax};
use kernel::plan::Expr;
use serde_json::Value;

impl<'n> Reader<'_, 'n> {
    /// Reads who is to read the command; none where it is the default, or a mistake that is told.
    pub(super) fn interpreter(&mut self, inputs: &'n Node) -> Option<(&'n str, &'static Interpreter)> {
        let node = inputs.get("shell")?;
        let name = shape::text(&mut self.mistakes, node, "`shell`")?;
        if let Some(known) = interpreter(name) {
            return Some((name, known));
        }
        let first = name.split_whitespace().next().unwrap_or_default();
        let names: Vec<String> = KNOWN.iter().map(|known| format!("`{}`", known.name)).collect();
        let known = names.join(", ");
        let (message, hint) = if name.contains("${") {
            let message = "`shell` is fixed when the file is read, so no reference can stand here".to_owned();
            (message, format!("known are {known}"))
        } else if first != name && interpreter(first).is_some() {
            let message = format!("`{name}` is a program with its options");
            (message, format!("write `shell: {first}`, and set options in the command: `set -eu`"))
        } else {
            (
                format!("`{name}` is no interpreter that is known"),
                format!("known are {known}, also by a path"),
            )
        };
        let near = nearest(name, KNOWN.iter().map(|known| known.name));
        self.mistakes.error(|sheet| {
            let diagnostic = sheet.error("bad-value", node.place(), message).hint(hint);
            match near {
                Some(near) => diagnostic.label(did_you_mean(near)),
                None => diagnostic,
            }
        });
        None
    }

    /// Reads a command in another language than that of a POSIX shell: it has no references.
    pub(super) fn program(&mut self, node: &'n Node, by: By, name: &str, reads: &str) -> Inputs {
        let Some(text) = self.command_text(node) else { return Vec::new() };
        let Some(pieces) = self.pieces(node, by, Syntax::DollarAmong(by.namespaces())) else {
            return Vec::new();
        };
        for piece in &pieces {
            let Piece::Reference(path, range) = piece else { continue };
            let (variable, written) = (variable(path), &text[range.clone()]);
            let place = Place { node, range: range.clone() };
            self.mistakes.error(|sheet| {
                let message = format!("in a command for {name} a value would be code");
                let read = reads.replace("NAME", &variable);
                let hint =
                    format!("write `env: {{{variable}: \"${{{written}}}\"}}` and in the command `{read}`");
                sheet.error("misplaced-reference", sheet.locate(&place), message).hint(hint)
            });
        }
        let program = pieces.iter().map(|piece| match piece {
            Piece::Text(text) => text.as_str(),
            Piece::Reference(..) => "",
        });
        let constant = |text: String| Expr::Const(Value::String(text));
        vec![
            ("script".to_owned(), constant(program.collect())),
            ("command".to_owned(), constant(text.to_owned())),
        ]
    }
}

/// A name for the variable that carries the value of a path: its last word in capital letters.
fn variable(path: &Path) -> String {
    let last = path.segments.iter().rev().find_map(|segment| match segment {
        Segment::Key(key) => Some(key.as_str()),
        Segment::Value(_) => None,
        _ => None,
    });
    let inner = |letter: char| if letter.is_ascii_alphanumeric() { letter.to_ascii_uppercase() } else { '_' };
    let name: String = last.unwrap_or(&path.root).chars().map(inner).collect();
    let begins = name.starts_with(|letter: char| letter.is_ascii_alphabetic() || letter == '_');
    if begins && !shell::is_variable(&name) { name } else { "VALUE".to_owned() }
}
