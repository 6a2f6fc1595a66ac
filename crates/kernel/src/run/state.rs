//! The state: named data with rules on it. Changes are all or none: new values, and the computed fields that
//! follow from them, are made beside the state first, and put in once all of them are known.

use super::Moment;
use super::scope::{Scope, Stop};
use crate::plan::{Access, OnError, Write, WriteKind};
use crate::{Data, Failure, FailureKind, Fields};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// The fields, computed ones among them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct State {
    fields: Fields,
    weight: u64,
}

impl State {
    pub(crate) fn get(&self, name: &str) -> Option<&Data> {
        self.fields.get(name)
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &String> {
        self.fields.keys()
    }
}

impl Moment<'_> {
    /// Gives the state its first values.
    pub(crate) fn open_state(&mut self) -> Result<(), Stop> {
        let mut changes = Fields::new();
        for (name, value) in &self.plan.state.initial {
            let made = self.scope(&Access::All).over(&changes).data(value)?;
            changes.insert(name.clone(), made);
        }
        self.commit_state(changes, None)
    }

    /// Makes changes of the state, in their order, all or none.
    pub(crate) fn write(
        &mut self,
        writes: &[Write],
        access: &Access,
        lane: Option<u32>,
        result: Option<&Fields>,
    ) -> Result<(), Stop> {
        if writes.is_empty() {
            return Ok(());
        }
        let mut changes = Fields::new();
        for write in writes {
            let scope = self.scope(access).in_lane(lane).over(&changes).with_result_of(result);
            let value = scope.data(&write.value)?;
            let (name, below) = write.path.split_first().expect("BUG: a write without a field");
            let changed = if below.is_empty() && write.kind == WriteKind::Set {
                value
            } else {
                let old = scope.state_value(name)?;
                let value = scope.value(value)?;
                Data::Inline(changed(old, below, write.kind, value).map_err(Stop::from)?)
            };
            changes.insert(name.clone(), changed);
        }
        self.commit_state(changes, lane)
    }

    /// Changes from outside.
    pub(super) fn update_from_outside(&mut self, values: &Fields) -> Result<(), Stop> {
        self.commit_state(values.clone(), None)
    }

    /// Computes what follows from the changes, then puts all of it in.
    fn commit_state(&mut self, mut changes: Fields, lane: Option<u32>) -> Result<(), Stop> {
        let mut changed: BTreeSet<String> = changes.keys().cloned().collect();
        for field in &self.plan.state.computed {
            if field.from.is_disjoint(&changed) {
                continue;
            }
            let scope = self.scope(&Access::All).in_lane(lane).over(&changes);
            if field.from.iter().any(|from| scope.state_data(from).is_none()) {
                continue;
            }
            let value = match (scope.data(&field.value), &field.on_error) {
                (Ok(value), _) => value,
                (Err(Stop::Ask(question)), _) => return Err(Stop::Ask(question)),
                (Err(Stop::Fail(_)), OnError::Fallback(value)) => Data::Inline(value.clone()),
                (Err(Stop::Fail(_)), OnError::Ignore) => continue,
                (Err(Stop::Fail(failure)), OnError::Propagate) => {
                    let message = format!("computed field `{}`: {}", field.name, failure.message);
                    return Err(Failure::new(failure.kind, message).into());
                }
            };
            if scope.state_data(&field.name) != Some(&value) {
                changed.insert(field.name.clone());
                changes.insert(field.name.clone(), value);
            }
        }
        self.put(changes)
    }

    fn put(&mut self, changes: Fields) -> Result<(), Stop> {
        let state = &self.life.state;
        let entry = |name: &str, data: &Data| name.len() as u64 + 4 + data.weight();
        let added: u64 = changes.iter().map(|(name, data)| entry(name, data)).sum();
        let freed: u64 = changes.keys().filter_map(|name| Some(entry(name, state.get(name)?))).sum();
        let weight = state.weight + added - freed;
        let max = self.plan.limits.state_bytes_max;
        if weight > max {
            let message = format!("the state would have {weight} bytes; at most {max} are allowed");
            return Err(Failure::new(FailureKind::Limit, message).into());
        }
        self.hold(added.saturating_sub(freed))?;
        self.life.held = self.life.held + added - freed;
        self.life.state.weight = weight;
        self.life.state.fields.extend(changes);
        Ok(())
    }

    pub(crate) fn scope<'s>(&'s self, access: &'s Access) -> Scope<'s> {
        Scope::new(self.plan, self.life, self.answers, access)
    }
}

/// A value with one place in it changed.
fn changed(old: Option<Value>, below: &[String], kind: WriteKind, value: Value) -> Result<Value, String> {
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
        (WriteKind::Merge, ..) => return Err(format!("only objects merge, and this is {what}")),
    })
}

fn sum(old: &Value, by: &Value) -> Result<Value, String> {
    let none = old.is_null().then_some(0);
    if let (Some(old), Some(by)) = (old.as_i64().or(none), by.as_i64()) {
        return old.checked_add(by).map(Value::from).ok_or_else(|| "the number grows too large".to_owned());
    }
    let number = |value: &Value| if value.is_null() { Some(0.0) } else { value.as_f64() };
    match (number(old), number(by)) {
        (Some(old), Some(by)) => Ok(Value::from(old + by)),
        _ => Err(format!("only numbers grow, and this is {}", crate::language::kind(old))),
    }
}
