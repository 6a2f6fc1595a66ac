//! Conditions of transitions, in three forms: an object whose keys must all hold, one of five words, and a description for the
//! agent, which counts as success.

use super::pattern;
use crate::mistakes::Mistakes;
use crate::near::nearest;
use crate::shape::{self, did_you_mean, listed, wrong_kind};
use crate::text::Node;
use kernel::plan::Test;
use serde_json::Value;

const KEYS: [&str; 8] = [
    "success",
    "pattern_match",
    "pattern_not_match",
    "pattern_no_match",
    "field_equals",
    "field_contains",
    "timeout_occurred",
    "description",
];

const WORDS: [&str; 6] =
    ["success", "failure", "timeout", "pattern_match", "pattern_no_match", "pattern_not_match"];

/// The longest description.
const DESCRIPTION_CHARS_MAX: usize = 200;

const EXAMPLE: &str = "write `{success: true}`, or one of the words `success`, `failure`, `timeout`";

/// Reads the condition of a transition; `pattern` belongs to its word.
pub(super) fn read(mistakes: &mut Mistakes<'_>, transition: &Node, node: &Node) -> Vec<Test> {
    match (node.as_map(), node.as_string()) {
        (Some(_), _) => object(mistakes, transition, node),
        (None, Some(text)) => word(mistakes, transition, node, text),
        (None, None) => {
            wrong_kind(mistakes, node, "`condition`", "a mapping or a word", EXAMPLE);
            Vec::new()
        }
    }
}

fn success(value: bool) -> Test {
    Test::Equals { field: "success".into(), value: value.into() }
}

fn word(mistakes: &mut Mistakes<'_>, transition: &Node, node: &Node, text: &str) -> Vec<Test> {
    let tests = match text {
        "success" => vec![success(true)],
        "failure" => vec![success(false)],
        "timeout" => vec![Test::TimedOut(true)],
        "pattern_match" => return searched(mistakes, transition, node, true),
        "pattern_no_match" | "pattern_not_match" => return searched(mistakes, transition, node, false),
        _ => {
            mistakes.error(|sheet| {
                let message = format!("no condition is called `{text}`");
                let diagnostic = sheet.error("unknown-condition", node.place(), message);
                match nearest(text, WORDS) {
                    Some(word) => diagnostic.label(did_you_mean(word)),
                    None => diagnostic.hint(format!("known are {}", listed(WORDS))),
                }
            });
            Vec::new()
        }
    };
    if let Some((key, _)) = transition.entry("pattern") {
        mistakes.error(|sheet| {
            let message = "`pattern` belongs to `pattern_match` and `pattern_no_match`";
            sheet.error("unknown-key", key.place(), message)
        });
    }
    tests
}

/// The pattern that stands beside its word.
fn searched(mistakes: &mut Mistakes<'_>, transition: &Node, node: &Node, found: bool) -> Vec<Test> {
    match transition.get("pattern") {
        Some(given) => one_pattern(mistakes, given, "`pattern`", found).into_iter().collect(),
        None => {
            let hint = "write the regular expression beside it: `pattern: SUCCESS`";
            shape::missing(mistakes, node.place(), "a condition that searches", "pattern", hint);
            Vec::new()
        }
    }
}

fn one_pattern(mistakes: &mut Mistakes<'_>, node: &Node, what: &str, found: bool) -> Option<Test> {
    let text = shape::text(mistakes, node, what)?;
    pattern::check(mistakes, node, text, what).then(|| Test::Found { pattern: text.to_owned(), found })
}

fn object(mistakes: &mut Mistakes<'_>, transition: &Node, node: &Node) -> Vec<Test> {
    let mut tests = Vec::new();
    let (mut known, before) = (0, mistakes.errors());
    for (key, key_node, value) in shape::unique(node) {
        known += 1;
        match key {
            "success" => tests.extend(truth(mistakes, value, key).map(success)),
            "timeout_occurred" => tests.extend(truth(mistakes, value, key).map(Test::TimedOut)),
            "pattern_match" => tests.extend(one_pattern(mistakes, value, "`pattern_match`", true)),
            "pattern_not_match" | "pattern_no_match" => {
                tests.extend(one_pattern(mistakes, value, &format!("`{key}`"), false));
            }
            "field_equals" => tests.extend(fields(mistakes, value, key, equals)),
            "field_contains" => tests.extend(fields(mistakes, value, key, contains)),
            "description" => described(mistakes, value),
            _ => unknown(mistakes, key, key_node),
        }
    }
    if known == 0 {
        mistakes.error(|sheet| {
            sheet.error("empty-condition", node.place(), "a condition says at least one thing").hint(EXAMPLE)
        });
    }
    if let Some((key, _)) = transition.entry("pattern") {
        mistakes.error(|sheet| {
            let message = "`pattern` stands beside a word; in a mapping it is `pattern_match`";
            sheet.error("unknown-key", key.place(), message)
        });
    }
    if tests.is_empty() && mistakes.errors() == before { vec![success(true)] } else { tests }
}

fn unknown(mistakes: &mut Mistakes<'_>, key: &str, node: &Node) {
    mistakes.error(|sheet| {
        let diagnostic = sheet.error("unknown-key", node.place(), format!("a condition has no key `{key}`"));
        match nearest(key, KEYS) {
            Some(word) => diagnostic.label(did_you_mean(word)),
            None => diagnostic.hint(format!("known are {}", listed(KEYS))),
        }
    });
}

fn truth(mistakes: &mut Mistakes<'_>, node: &Node, key: &str) -> Option<bool> {
    let truth = node.as_bool().filter(|_| node.as_string().is_none());
    if truth.is_none() {
        wrong_kind(mistakes, node, &format!("`{key}`"), "true or false", "");
    }
    truth
}

fn described(mistakes: &mut Mistakes<'_>, node: &Node) {
    let Some(text) = shape::text(mistakes, node, "`description`") else { return };
    let chars = text.chars().count();
    if chars > DESCRIPTION_CHARS_MAX {
        mistakes.error(|sheet| {
            let message =
                format!("`description` has {chars} characters; at most {DESCRIPTION_CHARS_MAX} are allowed");
            sheet.error("too-long", node.place(), message)
        });
    }
}

/// Tests of fields of the result, all of which must hold.
fn fields(
    mistakes: &mut Mistakes<'_>,
    node: &Node,
    key: &str,
    test: fn(&mut Mistakes<'_>, &str, &Node) -> Option<Test>,
) -> Vec<Test> {
    let Some(entries) = node.as_map() else {
        wrong_kind(
            mistakes,
            node,
            &format!("`{key}`"),
            "a mapping",
            &format!("write `{key}: {{field: value}}`"),
        );
        return Vec::new();
    };
    if entries.is_empty() {
        mistakes
            .error(|sheet| sheet.error("empty-condition", node.place(), format!("`{key}` names no field")));
    }
    shape::unique(node).filter_map(|(name, _, value)| test(mistakes, name, value)).collect()
}

fn equals(_: &mut Mistakes<'_>, field: &str, value: &Node) -> Option<Test> {
    Some(Test::Equals { field: field.to_owned(), value: value.to_value() })
}

fn contains(mistakes: &mut Mistakes<'_>, field: &str, value: &Node) -> Option<Test> {
    let text = match value.to_value() {
        Value::String(text) => text,
        Value::Null | Value::Array(_) | Value::Object(_) => {
            wrong_kind(mistakes, value, &format!("what `{field}` contains"), "text", "");
            return None;
        }
        other => other.to_string(),
    };
    Some(Test::Contains { field: field.to_owned(), text })
}
