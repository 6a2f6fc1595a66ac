//! The `inputs` of a workflow: what may be given at its start.

use crate::mistakes::Mistakes;
use crate::near::nearest;
use crate::shape::{self, Shape, did_you_mean, listed, wrong_kind};
use crate::text::Node;
use kernel::plan::{Input, InputKind};
use serde_json::Value;

const DECLARATION: Shape = Shape {
    has_no: "an input has no key",
    keys: &["type", "default", "required", "description"],
    elsewhere: &[],
};

const KINDS: [InputKind; 7] = [
    InputKind::String,
    InputKind::Integer,
    InputKind::Number,
    InputKind::Boolean,
    InputKind::List,
    InputKind::Object,
    InputKind::Any,
];

/// Reads them in the order written; nothing if they cannot be read at all.
pub(super) fn read(mistakes: &mut Mistakes<'_>, workflow: &Node) -> Option<Vec<Input>> {
    let Some(node) = workflow.get("inputs") else { return Some(Vec::new()) };
    let hint = "name each input: `inputs: {who: {type: string}}`";
    shape::is_map(mistakes, node, "`inputs`", hint)
        .then(|| shape::unique(node).map(|(name, key, value)| input(mistakes, name, key, value)).collect())
}

fn input(mistakes: &mut Mistakes<'_>, name: &str, key: &Node, node: &Node) -> Input {
    shape::check_name(mistakes, name, key, "the name of an input");
    let empty = || Input {
        name: name.to_owned(),
        description: String::new(),
        kind: InputKind::Any,
        required: false,
        default: None,
        rules: None,
    };
    let hint = format!("write `{name}: {{type: string}}`, with `default` or `required` where needed");
    if !shape::is_map(mistakes, node, &format!("the input `{name}`"), &hint) {
        return empty();
    }
    shape::check_keys(mistakes, node, &DECLARATION);
    let kind = node.get("type").map_or(InputKind::Any, |kind| read_kind(mistakes, kind));
    Input {
        kind,
        description: description(mistakes, node),
        required: node.get("required").is_some_and(|required| is_required(mistakes, required)),
        default: node.get("default").and_then(|value| default(mistakes, name, kind, value)),
        ..empty()
    }
}

/// Reads the `description` of a workflow or an input.
pub(super) fn description(mistakes: &mut Mistakes<'_>, node: &Node) -> String {
    let description = node.get("description").filter(|node| !node.is_null());
    let text = description.and_then(|node| shape::text(mistakes, node, "`description`"));
    text.unwrap_or_default().trim_end().to_owned()
}

/// A type that is not known is taken for the nearest one, so that the default is still checked.
fn read_kind(mistakes: &mut Mistakes<'_>, node: &Node) -> InputKind {
    let Some(word) = shape::text(mistakes, node, "the type of an input") else { return InputKind::Any };
    let named = |word: &str| KINDS.into_iter().find(|kind| kind.as_str() == word);
    if let Some(kind) = named(word) {
        return kind;
    }
    let near = nearest(word, KINDS.map(InputKind::as_str));
    mistakes.error(|sheet| {
        let message = format!("no type of inputs is called `{word}`");
        let diagnostic = sheet.error("unknown-type", node.place(), message);
        match near {
            Some(near) => diagnostic.label(did_you_mean(near)),
            None => diagnostic.hint(format!("types are {}", listed(KINDS.map(InputKind::as_str)))),
        }
    });
    near.and_then(named).unwrap_or(InputKind::Any)
}

fn is_required(mistakes: &mut Mistakes<'_>, node: &Node) -> bool {
    let required = node.as_bool();
    if required.is_none() {
        wrong_kind(mistakes, node, "`required`", "true or false", "");
    }
    required.unwrap_or_default()
}

/// A default of `null` is none.
fn default(mistakes: &mut Mistakes<'_>, name: &str, kind: InputKind, node: &Node) -> Option<Value> {
    let value = node.to_value();
    if value.is_null() || kind.accepts(&value) {
        return Some(value).filter(|value| !value.is_null());
    }
    mistakes.error(|sheet| {
        let message =
            format!("`{name}` is declared as {}, and its default is {}", kind.as_str(), node.kind_name());
        let diagnostic = sheet.error("wrong-type", node.place(), message);
        diagnostic.hint(match (kind, node.as_scalar().is_some()) {
            (InputKind::String, true) => "put quotes around it".to_owned(),
            _ => format!("mend the default, or declare `type: {}`", kind_of(&value).as_str()),
        })
    });
    None
}

/// The narrowest type that a value has.
fn kind_of(value: &Value) -> InputKind {
    KINDS.into_iter().find(|kind| kind.accepts(value)).unwrap_or(InputKind::Any)
}
