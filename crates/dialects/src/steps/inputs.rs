//! The `inputs` of a workflow or a task: what may be given at its start, and the rules that it must fit.

use super::head::{description, flag};
use super::rules;
use crate::mistakes::Mistakes;
use crate::near::nearest;
use crate::schema::Schema;
use crate::shape::{self, Shape, did_you_mean, listed};
use crate::text::Node;
use kernel::plan::{Input, InputKind};
use serde_json::Value;

const DECLARATION: Shape = Shape {
    has_no: "an input has no key",
    keys: &["type", "required", "default", "validation", "description"],
    elsewhere: &[
        ("pattern", rules::BELOW),
        ("min_length", rules::BELOW),
        ("max_length", rules::BELOW),
        ("enum", rules::BELOW),
        ("min", rules::BELOW),
        ("max", rules::BELOW),
        ("min_items", rules::BELOW),
        ("max_items", rules::BELOW),
        ("item_type", rules::BELOW),
        ("required_keys", rules::BELOW),
        ("properties", rules::BELOW),
    ],
};

/// The types and what they are called.
pub(crate) const KINDS: [(&str, InputKind); 7] = [
    ("string", InputKind::String),
    ("number", InputKind::Number),
    ("boolean", InputKind::Boolean),
    ("array", InputKind::List),
    ("object", InputKind::Object),
    ("integer", InputKind::Integer),
    ("any", InputKind::Any),
];

/// What a type is called in this dialect.
pub(super) fn word(kind: InputKind) -> &'static str {
    KINDS.into_iter().find(|(_, known)| *known == kind).map_or("any", |(word, _)| word)
}

/// Reads them in the order written; nothing if they cannot be read at all.
pub(crate) fn read(mistakes: &mut Mistakes<'_>, unit: &Node) -> Option<Vec<Input>> {
    let Some(node) = unit.get("inputs") else { return Some(Vec::new()) };
    let hint = "name each input: `inputs: {who: {type: string}}`";
    shape::is_map(mistakes, node, "`inputs`", hint)
        .then(|| shape::unique(node).map(|(name, key, value)| input(mistakes, name, key, value)).collect())
}

/// Reads those of some inputs that are declared and not given; one with nothing behind its name may be anything.
pub(crate) fn declared(
    mistakes: &mut Mistakes<'_>,
    node: &Node,
    is_declared: fn(&Node) -> bool,
) -> Vec<Input> {
    let declared = shape::unique(node).filter(|(_, _, value)| is_declared(value));
    declared
        .map(|(name, key, value)| match value.is_null() {
            true => Input {
                name: name.to_owned(),
                description: String::new(),
                kind: InputKind::Any,
                required: false,
                default: None,
                rules: None,
            },
            false => input(mistakes, name, key, value),
        })
        .collect()
}

fn input(mistakes: &mut Mistakes<'_>, name: &str, key: &Node, node: &Node) -> Input {
    shape::check_name(mistakes, name, key, "the name of an input");
    let mut input = Input {
        name: name.to_owned(),
        description: String::new(),
        kind: InputKind::Any,
        required: false,
        default: None,
        rules: None,
    };
    let hint = format!("write `{name}: {{type: string}}`, with `default` or `required` where needed");
    if !shape::is_map(mistakes, node, &format!("the input `{name}`"), &hint) {
        return input;
    }
    let meant = shape::check_keys(mistakes, node, &DECLARATION);
    match node.get("type").filter(|kind| !kind.is_null()) {
        Some(kind) => input.kind = read_kind(mistakes, kind, "the type of an input"),
        None if meant.contains("type") => {}
        None => {
            let hint = "say what it is: `type: string`";
            shape::missing(mistakes, key.place(), &format!("the input `{name}`"), "type", hint);
        }
    }
    input.description = description(mistakes, node);
    input.required = node.get("required").is_some_and(|node| flag(mistakes, node, "required"));
    if let Some(validation) = node.get("validation").filter(|node| !node.is_null()) {
        input.rules = rules::read(mistakes, validation, name, input.kind);
    }
    input.default = node.get("default").and_then(|value| default(mistakes, &input, value));
    input
}

/// A type that is not known is taken for the nearest one, so that the rest is still checked.
pub(super) fn read_kind(mistakes: &mut Mistakes<'_>, node: &Node, what: &str) -> InputKind {
    let Some(word) = shape::text(mistakes, node, what) else { return InputKind::Any };
    let named = |word: &str| KINDS.into_iter().find(|(name, _)| *name == word).map(|(_, kind)| kind);
    if let Some(kind) = named(word) {
        return kind;
    }
    let names = KINDS.map(|(name, _)| name);
    let near = if word == "list" { Some("array") } else { nearest(word, names) };
    mistakes.error(|sheet| {
        let message = format!("no type of inputs is called `{word}`");
        let diagnostic = sheet.error("unknown-type", node.place(), message);
        match near {
            Some(near) => diagnostic.label(did_you_mean(near)),
            None => diagnostic.hint(format!("types are {}", listed(names))),
        }
    });
    near.and_then(named).unwrap_or(InputKind::Any)
}

/// A default of `null` is none.
fn default(mistakes: &mut Mistakes<'_>, input: &Input, node: &Node) -> Option<Value> {
    let value = node.to_value();
    if value.is_null() {
        return None;
    }
    let (name, kind) = (&input.name, input.kind);
    if !kind.accepts(&value) {
        mistakes.error(|sheet| {
            let message =
                format!("`{name}` is declared as {}, and its default is {}", word(kind), node.kind_name());
            let diagnostic = sheet.error("wrong-type", node.place(), message);
            diagnostic.hint(match (kind, node.as_scalar().is_some()) {
                (InputKind::String, true) => "put quotes around it".to_owned(),
                _ => "mend the default, or declare another type".to_owned(),
            })
        });
        return None;
    }
    let rules = input.rules.as_ref().and_then(|rules| Schema::new(rules).ok());
    if let Some(problem) = rules.and_then(|rules| rules.problems(&value).into_iter().next()) {
        mistakes.error(|sheet| {
            let message = format!("the default of `{name}` breaks its own rules: {}", problem.message);
            sheet.error("bad-value", node.place(), message).hint("mend the default, or the rule")
        });
    }
    Some(value)
}
