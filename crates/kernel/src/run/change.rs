//! What a write does to a value, and which writes can be asked about together.

use crate::language::{Path, Segment};
use crate::plan::{Expr, Rules, Write, WriteKind};
use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// How many of the first writes read nothing that one of them writes.
pub(super) fn independent(writes: &[Write], rules: &Rules) -> usize {
    let mut written: BTreeSet<&str> = BTreeSet::new();
    let reads = |write: &Write, written: &BTreeSet<&str>| {
        write.exprs().flat_map(Expr::paths).any(|path| may_read(path, written, rules))
    };
    let together = writes.iter().take_while(|write| {
        let apart = !reads(write, &written);
        written.extend(write.path.first().map(String::as_str));
        apart
    });
    together.count()
}

/// Whether a path may lead to one of these fields: as part of the state, or by its bare name.
fn may_read(path: &Path, fields: &BTreeSet<&str>, rules: &Rules) -> bool {
    let inner = path.segments.iter().any(|segment| match segment {
        Segment::Value(inner) => may_read(inner, fields, rules),
        Segment::Key(_) | Segment::Index(_) => false,
    });
    if rules.is_layered() {
        return inner || may_read_layers(path, fields, rules);
    }
    inner
        || match (path.root.as_str(), path.name(0)) {
            ("state", Some(name)) => fields.contains(name.as_ref()),
            ("state", None) => !fields.is_empty(),
            (root, _) => fields.contains(root),
        }
}

/// Whether a path may lead to one of these fields, each of which is in a layer.
fn may_read_layers(path: &Path, fields: &BTreeSet<&str>, rules: &Rules) -> bool {
    let is_layer = rules.layers.contains(&path.root);
    fields.iter().filter_map(|field| rules.layer_of(field)).any(|(layer, name)| match path.name(0) {
        Some(key) if is_layer => layer == path.root && name == key,
        None if is_layer => layer == path.root,
        _ => name == path.root,
    })
}

/// A value with one place in it changed.
pub(super) fn changed(
    old: Option<Value>,
    below: &[String],
    kind: WriteKind,
    value: Value,
) -> Result<Value, String> {
    let mut root = old.unwrap_or(Value::Null);
    let mut place = &mut root;
    for key in below {
        if place.is_null() {
            *place = Value::Object(Map::new());
        }
        let kind = crate::language::kind(place);
        let Value::Object(map) = place else { return Err(format!("`{key}` cannot be set in {kind}")) };
        place = map.entry(key.clone()).or_insert(Value::Null);
    }
    let new = combined(place.take(), kind, value)?;
    *place = new;
    Ok(root)
}

fn combined(old: Value, kind: WriteKind, value: Value) -> Result<Value, String> {
    let what = crate::language::kind(&old);
    let given = crate::language::kind(&value);
    Ok(match (kind, old, value) {
        (WriteKind::Set, _, value) => value,
        (WriteKind::Append, Value::Null, value) => Value::Array(vec![value]),
        (WriteKind::Append, Value::Array(mut items), value) => {
            items.push(value);
            Value::Array(items)
        }
        (WriteKind::Append, ..) => return Err(format!("nothing can be appended to {what}")),
        (WriteKind::Increment, old, by) => sum(&old, &by)?,
        (WriteKind::Merge, Value::Null, Value::Object(new)) => Value::Object(new),
        (WriteKind::Merge, Value::Object(mut map), Value::Object(new)) => {
            map.extend(new);
            Value::Object(map)
        }
        (WriteKind::Merge, Value::Null | Value::Object(_), _) => {
            return Err(format!("only objects merge, and this is {given}"));
        }
        (WriteKind::Merge, ..) => return Err(format!("only objects merge, and this is {what}")),
    })
}

fn sum(old: &Value, by: &Value) -> Result<Value, String> {
    let kind = crate::language::kind;
    let none = Value::from(0);
    let old = if old.is_null() { &none } else { old };
    let Some(by_float) = by.as_f64() else {
        return Err(format!("a number grows by a number, and this is {}", kind(by)));
    };
    let Some(old_float) = old.as_f64() else {
        return Err(format!("only numbers grow, and this is {}", kind(old)));
    };
    let grown = match (old.as_i64(), by.as_i64()) {
        (Some(old), Some(by)) => old.checked_add(by).map(Value::from),
        _ => serde_json::Number::from_f64(old_float + by_float).map(Value::Number),
    };
    grown.ok_or_else(|| "the number grows too large".to_owned())
}
