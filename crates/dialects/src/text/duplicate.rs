//! Repeated keys: a mistake, except where a dialect gives a repeated key a meaning.

use super::{Kind, Node, Source};
use crate::diagnostic::Diagnostic;
use std::collections::BTreeMap;

/// Finds every key that is written twice in one mapping, anywhere in the tree.
///
/// `tolerates` is asked with the mapping and the key; where it says yes, the key is let through.
pub fn duplicate_keys(
    source: &Source,
    root: &Node,
    tolerates: &dyn Fn(&Node, &str) -> bool,
) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    let mut open = vec![root];
    while let Some(node) = open.pop() {
        match &node.kind {
            Kind::Scalar(_) => {}
            Kind::List(items) => open.extend(items),
            Kind::Map(entries) => {
                found.extend(repeated(source, node, tolerates));
                open.extend(entries.iter().map(|(_, value)| value));
            }
        }
    }
    found.sort_by_key(|diagnostic| diagnostic.span);
    // An alias repeats its mapping: the same two lines are one mistake.
    found.dedup_by_key(|diagnostic| diagnostic.span);
    found
}

fn repeated(source: &Source, map: &Node, tolerates: &dyn Fn(&Node, &str) -> bool) -> Vec<Diagnostic> {
    let mut first = BTreeMap::new();
    let mut found = Vec::new();
    for (text, key, _) in map.entries() {
        let Some(span) = first.insert(text, key.span) else { continue };
        first.insert(text, span);
        if !tolerates(map, text) {
            let message = format!("`{text}` is written twice in the same mapping");
            found.push(
                Diagnostic::error("duplicate-key", source, key.span, message)
                    .label("written again")
                    .related(span, "first written here"),
            );
        }
    }
    found
}
