//! The `validation` of an input, as a JSON schema.
//!
//! | of | rule | in the schema |
//! |---|---|---|
//! | texts | `pattern`, `min_length`, `max_length`, `enum` | `pattern`, `minLength`, `maxLength`, `enum` |
//! | numbers | `min`, `max`, `enum` | `minimum`, `maximum`, `enum` |
//! | lists | `min_items`, `max_items`, `item_type` | `minItems`, `maxItems`, `items.type` |
//! | objects | `required_keys`, `properties` | `required`, `properties` |
//!
//! A pattern is searched for, as in JSON schemas everywhere: it holds for all of a text only with `^` and `$`.

use super::head::flag;
use super::inputs::{read_kind, word};
use crate::mistakes::Mistakes;
use crate::schema::Schema;
use crate::shape::{self, Shape};
use crate::text::Node;
use kernel::plan::InputKind;
use serde_json::{Map, Value, json};

/// What is said of a rule that does not stand there.
pub(super) const BELOW: &str = "it belongs under `validation`";

/// A rule: its name, its keyword, and the types that have it.
struct Rule {
    name: &'static str,
    keyword: &'static str,
    of: &'static [InputKind],
    takes: Takes,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Takes {
    Pattern,
    Count,
    Number,
    Values,
    Type,
    Names,
    Parts,
}

use InputKind::{Boolean, Integer, List, Number, Object, String as Text};

const RULES: [Rule; 11] = [
    Rule { name: "pattern", keyword: "pattern", of: &[Text], takes: Takes::Pattern },
    Rule { name: "min_length", keyword: "minLength", of: &[Text], takes: Takes::Count },
    Rule { name: "max_length", keyword: "maxLength", of: &[Text], takes: Takes::Count },
    Rule { name: "enum", keyword: "enum", of: &[Text, Number, Integer, Boolean], takes: Takes::Values },
    Rule { name: "min", keyword: "minimum", of: &[Number, Integer], takes: Takes::Number },
    Rule { name: "max", keyword: "maximum", of: &[Number, Integer], takes: Takes::Number },
    Rule { name: "min_items", keyword: "minItems", of: &[List], takes: Takes::Count },
    Rule { name: "max_items", keyword: "maxItems", of: &[List], takes: Takes::Count },
    Rule { name: "item_type", keyword: "items", of: &[List], takes: Takes::Type },
    Rule { name: "required_keys", keyword: "required", of: &[Object], takes: Takes::Names },
    Rule { name: "properties", keyword: "properties", of: &[Object], takes: Takes::Parts },
];

/// Rules that bound the same thing.
const PAIRS: [(&str, &str); 3] = [("min_length", "max_length"), ("min", "max"), ("min_items", "max_items")];

const KEYS: Shape = Shape {
    has_no: "`validation` has no rule",
    keys: &[
        "pattern",
        "min_length",
        "max_length",
        "enum",
        "min",
        "max",
        "min_items",
        "max_items",
        "item_type",
        "required_keys",
        "properties",
    ],
    elsewhere: &[],
};

/// A part of an object: its type, and the rules beside it or under `validation`.
const PART: Shape = Shape {
    has_no: "a property has no key",
    keys: &[
        "type",
        "required",
        "description",
        "validation",
        "pattern",
        "min_length",
        "max_length",
        "enum",
        "min",
        "max",
        "min_items",
        "max_items",
        "item_type",
        "required_keys",
        "properties",
    ],
    elsewhere: &[],
};

/// Reads the rules of an input; nothing where there are none, or none that can be used.
pub(super) fn read(mistakes: &mut Mistakes<'_>, node: &Node, owner: &str, kind: InputKind) -> Option<Value> {
    let hint = "name each rule: `validation: {min: 1, max: 10}`";
    if !shape::is_map(mistakes, node, "`validation`", hint) {
        return None;
    }
    let before = mistakes.errors();
    shape::check_keys(mistakes, node, &KEYS);
    let rules = of(mistakes, node, owner, kind);
    if rules.is_empty() {
        return None;
    }
    let schema = Value::Object(rules);
    match Schema::new(&schema) {
        Ok(_) => Some(schema),
        // What one rule alone says wrong is told at that rule.
        Err(_) if mistakes.errors() > before => None,
        Err(mistake) => {
            mistakes
                .error(|sheet| sheet.error("bad-value", node.place(), mistake.message).hint(mistake.hint));
            None
        }
    }
}

/// The rules that a mapping has, as keywords.
fn of(mistakes: &mut Mistakes<'_>, node: &Node, owner: &str, kind: InputKind) -> Map<String, Value> {
    let mut schema = Map::new();
    for rule in &RULES {
        let Some((key, value)) = node.entry(rule.name) else { continue };
        if kind != InputKind::Any && !rule.of.contains(&kind) {
            mistakes.error(|sheet| {
                let kinds = shape::listed(rule.of.iter().map(|kind| word(*kind)));
                let message =
                    format!("`{}` is a rule of {kinds}, and `{owner}` is {}", rule.name, word(kind));
                sheet.error("bad-value", key.place(), message)
            });
            continue;
        }
        if let Some(value) = rule.value(mistakes, value, owner, kind) {
            schema.insert(rule.keyword.to_owned(), value);
        }
    }
    for (low, high) in PAIRS {
        let number = |name: &str| node.get(name).and_then(Node::as_f64);
        if let (Some(least), Some(most), Some((key, _))) = (number(low), number(high), node.entry(high))
            && least > most
        {
            mistakes.error(|sheet| {
                let message = format!("`{high}` is less than `{low}`, so nothing fits");
                sheet.error("bad-value", key.place(), message)
            });
        }
    }
    if let Some((named, required)) = parts(mistakes, node, owner) {
        schema.insert("properties".to_owned(), named);
        let all = schema.entry("required").or_insert_with(|| json!([]));
        if let Value::Array(all) = all {
            let new: Vec<Value> = required.into_iter().filter(|name| !all.contains(name)).collect();
            all.extend(new);
        }
        if schema["required"] == json!([]) {
            schema.remove("required");
        }
    }
    schema
}

impl Rule {
    fn value(&self, mistakes: &mut Mistakes<'_>, node: &Node, owner: &str, kind: InputKind) -> Option<Value> {
        match self.takes {
            Takes::Pattern => pattern(mistakes, node),
            Takes::Count => {
                self.number(mistakes, node, node.as_u64().map(Value::from), "a whole number from 0 on")
            }
            Takes::Number => {
                let number = node.as_f64().and(node.as_scalar()).map(|scalar| scalar.value());
                self.number(mistakes, node, number, "a number")
            }
            Takes::Values => values(mistakes, node, owner, kind),
            Takes::Type => {
                let kind = read_kind(mistakes, node, "`item_type`");
                (kind != InputKind::Any).then(|| json!({ "type": word(kind) }))
            }
            Takes::Names => names(mistakes, node),
            // They are read with what they require.
            Takes::Parts => None,
        }
    }

    fn number(
        &self,
        mistakes: &mut Mistakes<'_>,
        node: &Node,
        number: Option<Value>,
        what: &str,
    ) -> Option<Value> {
        if number.is_none() {
            shape::wrong_kind(mistakes, node, &format!("`{}`", self.name), what, "");
        }
        number
    }
}

/// Reads a regular expression.
pub(super) fn pattern(mistakes: &mut Mistakes<'_>, node: &Node) -> Option<Value> {
    let text = shape::text(mistakes, node, "`pattern`")?;
    match Schema::new(&json!({ "pattern": text })) {
        Ok(_) => Some(text.into()),
        Err(mistake) => {
            mistakes
                .error(|sheet| sheet.error("bad-pattern", node.place(), mistake.message).hint(mistake.hint));
            None
        }
    }
}

fn values(mistakes: &mut Mistakes<'_>, node: &Node, owner: &str, kind: InputKind) -> Option<Value> {
    let Some(items) = node.as_list().filter(|items| !items.is_empty()) else {
        shape::wrong_kind(
            mistakes,
            node,
            "`enum`",
            "a list with something in it",
            "name what fits: `enum: [a, b]`",
        );
        return None;
    };
    for item in items.iter().filter(|item| !kind.accepts(&item.to_value())) {
        mistakes.error(|sheet| {
            let message =
                format!("`{owner}` is declared as {}, and this is {}", word(kind), item.kind_name());
            sheet.error("wrong-type", item.place(), message)
        });
    }
    Some(node.to_value())
}

fn names(mistakes: &mut Mistakes<'_>, node: &Node) -> Option<Value> {
    let Some(items) = node.as_list() else {
        shape::wrong_kind(
            mistakes,
            node,
            "`required_keys`",
            "a list of names",
            "write `required_keys: [host, port]`",
        );
        return None;
    };
    let named = items.iter().filter_map(|item| shape::text(mistakes, item, "the name of a key"));
    Some(named.collect())
}

/// The `properties` of an object as a schema, and those of them that say that they are required.
fn parts(mistakes: &mut Mistakes<'_>, node: &Node, owner: &str) -> Option<(Value, Vec<Value>)> {
    let properties = node.get("properties").filter(|node| !node.is_null())?;
    let hint = "name each: `properties: {host: {type: string}}`";
    if !shape::is_map(mistakes, properties, "`properties`", hint) {
        return None;
    }
    let (mut named, mut required) = (Map::new(), Vec::new());
    for (name, _, part) in shape::unique(properties) {
        let owner = format!("{owner}.{name}");
        if !shape::is_map(mistakes, part, &format!("the property `{name}`"), hint) {
            continue;
        }
        shape::check_keys(mistakes, part, &PART);
        let kind = part
            .get("type")
            .map_or(InputKind::Any, |kind| read_kind(mistakes, kind, "the type of a property"));
        let mut schema = of(mistakes, part, &owner, kind);
        if let Some(validation) = part.get("validation").filter(|node| !node.is_null())
            && let Some(Value::Object(more)) = read(mistakes, validation, &owner, kind)
        {
            schema.extend(more);
        }
        if kind != InputKind::Any {
            schema.insert("type".to_owned(), word(kind).into());
        }
        if part.get("required").is_some_and(|node| flag(mistakes, node, "required")) {
            required.push(name.into());
        }
        named.insert(name.to_owned(), Value::Object(schema));
    }
    Some((Value::Object(named), required))
}

/// The rules of a text that stand in a mapping, as keywords.
pub(super) fn of_text(mistakes: &mut Mistakes<'_>, node: &Node) -> Map<String, Value> {
    of(mistakes, node, "an answer", Text)
}
