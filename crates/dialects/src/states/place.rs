//! Where in a document something stands, as a path of keys.

use crate::diagnostic::Diagnostic;
use crate::text::{Node, Source, Span, load};

/// The path of what a diagnostic is about: `states.start.action`.
pub fn path(source: &Source, told: &Diagnostic) -> String {
    let Ok(root) = load(source) else { return String::new() };
    let mut keys = Vec::new();
    walk(&root, told.span, &mut keys);
    // What is missing belongs to what it is missing in.
    if told.code == "missing-key" && keys.len() == 1 {
        keys.clear();
    }
    keys.join(".")
}

fn walk(node: &Node, span: Span, keys: &mut Vec<String>) {
    let is_inside = |outer: Span| outer.start <= span.start && span.end <= outer.end;
    for (text, key, value) in node.entries() {
        if is_inside(key.span) || is_inside(value.span) {
            keys.push(text.to_owned());
            return walk(value, span, keys);
        }
    }
    for (position, item) in node.items().iter().enumerate() {
        if is_inside(item.span) {
            keys.push(position.to_string());
            return walk(item, span, keys);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::states::{Entry, read};

    #[test]
    fn paths_lead_to_mistakes() {
        let text = r#"{"name": "t", "description": "d", "initial_state": "a",
            "states": {"a": {"action": {"tool": "exit_terminal"}, "transitions": [{"condition": "maybe", "next_state": "a"}]}}}"#;
        let paths = |text: &str| {
            let source = Source::new("x.json", text);
            let found =
                read(&source, &load(&source).unwrap(), Entry::Create).map(|read| read.plan).unwrap_err();
            found.iter().map(|told| path(&source, told)).collect::<Vec<_>>()
        };
        assert_eq!(paths(text), ["states.a.transitions.0.condition"]);
        assert_eq!(paths(&text.replace(r#""name": "t", "#, "").replace("maybe", "success")), [""]);
    }
}
