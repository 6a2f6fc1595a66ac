//! Numbers that a definition does not keep as they are written. None is changed without a word.

use crate::diagnostic::Diagnostic;
use crate::text::{Node, Source, Style, is_beyond, is_exact};
use serde_json::Value;

/// Warns of each number that is rounded, or is text because no number can hold it.
pub(crate) fn doubts(source: &Source, root: &Node) -> Vec<Diagnostic> {
    let (mut found, mut left) = (Vec::new(), vec![root]);
    while let Some(node) = left.pop() {
        left.extend(node.items());
        left.extend(node.as_map().into_iter().flatten().flat_map(|(key, value)| [key, value]));
        found.extend(doubt(source, node));
    }
    found
}

fn doubt(source: &Source, node: &Node) -> Option<Diagnostic> {
    let scalar = node.as_scalar().filter(|scalar| scalar.style == Style::Plain)?;
    let text = scalar.text.as_str();
    let warning = |code, message: String| Diagnostic::warning(code, source, node.place(), message);
    match scalar.value() {
        Value::Number(held) if held.is_f64() && !is_exact(text) => {
            let message = format!("`{text}` is kept as {held}: a number has some seventeen digits");
            Some(warning("number-rounded", message).hint("write it in quotes to keep all of them"))
        }
        Value::String(_) if is_beyond(text) => {
            let message = format!("`{text}` is kept as text: no number here can hold it");
            Some(warning("number-as-text", message).hint("write it in quotes if text is meant"))
        }
        _ => None,
    }
}

/// The text of a number as it is written, where the number itself would be written in another way: `1.10`.
pub(crate) fn as_written(node: &Node) -> Option<&str> {
    let scalar = node.as_scalar()?;
    match scalar.value() {
        Value::Number(held) if held.to_string() != scalar.text => Some(&scalar.text),
        _ => None,
    }
}
