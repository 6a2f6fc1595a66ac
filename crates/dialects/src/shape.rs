//! The shape of a definition's parts: which keys a mapping may have, and what kind of value stands where.
//!
//! Every dialect asks these questions and gives the same answers to the same mistakes. Of a key that is
//! written twice only the first counts here: that it is written twice is reported elsewhere, once.

use crate::diagnostic::Diagnostic;
use crate::mistakes::Mistakes;
use crate::near::nearest;
use crate::text::{Node, Span};
use std::collections::BTreeSet;

/// The characters a name may have.
pub(crate) const NAME_CHARS_MAX: usize = 64;

/// A kind of mapping.
pub(crate) struct Shape {
    /// What is said of an unknown key, up to the key: `a block has no key`.
    pub(crate) has_no: &'static str,
    /// The keys it may have.
    pub(crate) keys: &'static [&'static str],
    /// Keys that are known elsewhere, and what to say of them here.
    pub(crate) elsewhere: &'static [(&'static str, &'static str)],
}

/// Reports the keys that a mapping cannot have; returns the keys that were probably meant by them, so that
/// their absence is not reported too.
pub(crate) fn check_keys(mistakes: &mut Mistakes<'_>, map: &Node, shape: &Shape) -> BTreeSet<&'static str> {
    let mut meant = BTreeSet::new();
    for (text, key, _) in unique(map) {
        if shape.keys.contains(&text) {
            continue;
        }
        let elsewhere = shape.elsewhere.iter().find(|(word, _)| *word == text).map(|(_, label)| *label);
        let near = nearest(text, shape.keys.iter().copied()).filter(|_| elsewhere.is_none());
        meant.extend(near);
        mistakes.error(|sheet| {
            let message = format!("{} `{text}`", shape.has_no);
            let diagnostic = sheet.error("unknown-key", key.place(), message);
            match (elsewhere, near) {
                (Some(label), _) => diagnostic.label(label),
                (None, Some(word)) => diagnostic.label(did_you_mean(word)),
                (None, None) => diagnostic.hint(format!("known are {}", listed(shape.keys.iter().copied()))),
            }
        });
    }
    meant
}

/// Returns the entries of a mapping, of a repeated key the first.
pub(crate) fn unique(map: &Node) -> impl Iterator<Item = (&str, &Node, &Node)> {
    let mut seen = BTreeSet::new();
    map.entries().filter(move |(text, ..)| seen.insert(*text))
}

/// Reports that a key is missing; `span` is where it should be.
pub(crate) fn missing(mistakes: &mut Mistakes<'_>, span: Span, owner: &str, key: &str, hint: &str) {
    mistakes.error(|sheet| sheet.error("missing-key", span, format!("{owner} has no `{key}`")).hint(hint));
}

/// Reports that a value is of another kind: `` `name` is text, and this is a list ``.
pub(crate) fn wrong_kind(mistakes: &mut Mistakes<'_>, node: &Node, what: &str, kind: &str, hint: &str) {
    mistakes.error(|sheet| {
        let message = format!("{what} is {kind}, and this is {}", node.kind_name());
        hinted(sheet.error("wrong-type", node.place(), message), hint)
    });
}

/// Returns the text of a node, or reports that it is not text.
pub(crate) fn text<'n>(mistakes: &mut Mistakes<'_>, node: &'n Node, what: &str) -> Option<&'n str> {
    let found = node.as_string();
    if found.is_none() {
        let is_scalar = node.as_scalar().is_some() && !node.is_null();
        wrong_kind(mistakes, node, what, "text", if is_scalar { "put quotes around it" } else { "" });
    }
    found
}

/// Tells whether there is a value, and reports it if not: `key:` with nothing behind it is most likely forgotten.
pub(crate) fn has_value(mistakes: &mut Mistakes<'_>, node: &Node, what: &str, hint: &str) -> bool {
    if node.is_null() {
        let message = format!("{what} has no value, and one is needed here");
        mistakes.error(|sheet| sheet.error("wrong-type", node.place(), message).hint(hint));
    }
    !node.is_null()
}

/// Tells whether a node is a mapping, and reports it if not. Nothing at all counts as an empty mapping.
pub(crate) fn is_map(mistakes: &mut Mistakes<'_>, node: &Node, what: &str, hint: &str) -> bool {
    if node.as_map().is_some() || node.is_null() {
        return true;
    }
    wrong_kind(mistakes, node, what, "a mapping", hint);
    false
}

/// Reports a name that cannot be one.
pub(crate) fn check_name(mistakes: &mut Mistakes<'_>, name: &str, node: &Node, what: &str) {
    if is_name(name) {
        return;
    }
    mistakes.error(|sheet| {
        let shown: String = name.chars().take(NAME_CHARS_MAX).collect();
        let rest = if shown.len() < name.len() { "..." } else { "" };
        sheet.error("bad-name", node.place(), format!("`{shown}{rest}` cannot be {what}")).hint(format!(
            "a name begins with a letter and goes on with letters, digits, `_` and `-`, up to {NAME_CHARS_MAX}"
        ))
    });
}

/// Tells whether a text can be a name: `^[A-Za-z][A-Za-z0-9_-]*$`, not too long.
pub(crate) fn is_name(name: &str) -> bool {
    let inner = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    name.len() <= NAME_CHARS_MAX
        && name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.bytes().all(inner)
}

/// Adds a hint, if there is one.
pub(crate) fn hinted(diagnostic: Diagnostic, hint: &str) -> Diagnostic {
    if hint.is_empty() { diagnostic } else { diagnostic.hint(hint) }
}

/// The words for a near name.
pub(crate) fn did_you_mean(word: &str) -> String {
    format!("did you mean `{word}`?")
}

/// Names some words for a person: `` `a`, `b` and `c` ``; of many, the first.
pub(crate) fn listed<'w>(words: impl IntoIterator<Item = &'w str>) -> String {
    const SHOWN_MAX: usize = 12;
    let all: Vec<String> = words.into_iter().map(|word| format!("`{word}`")).collect();
    match all.as_slice() {
        [] => "none".to_owned(),
        [one] => one.clone(),
        [first @ .., last] if all.len() <= SHOWN_MAX => format!("{} and {last}", first.join(", ")),
        _ => format!("{} and {} more", all[..SHOWN_MAX].join(", "), all.len() - SHOWN_MAX),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_narrow() {
        for good in ["a", "Z9", "run_tests", "git-checkout-branch", &"x".repeat(64)] {
            assert!(is_name(good), "{good}");
        }
        for bad in ["", "9a", "_a", "-a", "a b", "a.b", "é", "a/b", "a\n", &"x".repeat(65)] {
            assert!(!is_name(bad), "{bad}");
        }
    }

    #[test]
    fn lists_read_as_sentences() {
        assert_eq!(listed([]), "none");
        assert_eq!(listed(["a"]), "`a`");
        assert_eq!(listed(["a", "b", "c"]), "`a`, `b` and `c`");
        assert!(listed(vec!["a"; 20]).ends_with("and 8 more"));
    }
}
