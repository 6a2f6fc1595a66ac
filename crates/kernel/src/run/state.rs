//! The state: named data with rules on it. Changes are all or none: new values, and the computed fields that
//! follow from them, are made beside the state first, and put in once all of them are known.

use super::Moment;
use super::scope::{Stop, shallow};
use crate::data::{entry_weight, weight_of};
use crate::plan::{Access, Computed, OnError, Write, WriteKind};
use crate::{Data, Failure, FailureKind, Fields, News};
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

    /// What the fields weigh, counted anew.
    pub(crate) fn weigh(&self) -> u64 {
        weight_of(&self.fields)
    }
}

/// Who writes: what they may read of the state, the step that is blamed, their lane, and what their step gave.
#[derive(Clone, Copy)]
pub(crate) struct Writer<'w> {
    pub(crate) step: Option<&'w str>,
    pub(crate) access: &'w Access,
    pub(crate) lane: Option<u32>,
    pub(crate) result: Option<&'w Fields>,
}

impl Moment<'_> {
    /// Gives the state its first values.
    pub(crate) fn open_state(&mut self) -> Result<(), Stop> {
        let mut changes = Fields::new();
        for (name, value) in &self.plan.state.initial {
            let made = self.scope(&Access::All).over(&changes).data(value)?;
            changes.insert(name.clone(), made);
        }
        let changes = self.with_computed(changes)?;
        Ok(self.put(changes)?)
    }

    /// Makes changes of the state, in their order, all or none.
    pub(crate) fn write(&mut self, writes: &[Write], by: Writer<'_>) -> Result<(), Stop> {
        let changes = self.changes(writes, by)?;
        Ok(self.put(changes)?)
    }

    /// The changes that writes mean, with all that follows from them. Nothing is changed yet.
    pub(crate) fn changes(&self, writes: &[Write], by: Writer<'_>) -> Result<Fields, Stop> {
        let mut changes = Fields::new();
        for write in writes {
            let scope = self.scope(by.access).in_lane(by.lane).of_step(by.step);
            let scope = scope.over(&changes).with_result(by.result);
            let value = scope.data(&write.value)?;
            let (name, below) = write.path.split_first().expect("BUG: a write without a field");
            let changed = if below.is_empty() && write.kind == WriteKind::Set {
                value
            } else {
                let old = scope.state_value(name)?;
                let value = scope.value(value)?;
                shallow(Data::Inline(changed(old, below, write.kind, value)?))?
            };
            changes.insert(name.clone(), changed);
        }
        self.with_computed(changes)
    }

    /// Changes from outside. Where they cannot be made, nothing changes and the run goes on.
    pub(super) fn update_from_outside(&mut self, values: &Fields) -> Result<(), Stop> {
        let changes = self.with_computed(values.clone());
        match changes.and_then(|changes| Ok(self.put(changes)?)) {
            Err(Stop::Fail(failure)) => {
                self.news(News::NotUpdated { failure });
                Ok(())
            }
            other => other,
        }
    }

    /// Adds the computed fields that follow from changes: those that read something that is now different.
    pub(crate) fn with_computed(&self, mut changes: Fields) -> Result<Fields, Stop> {
        let mut different: BTreeSet<String> = changes
            .iter()
            .filter(|(name, data)| self.life.state.get(name) != Some(data))
            .map(|(name, _)| name.clone())
            .collect();
        for field in &self.plan.state.computed {
            if field.from.is_disjoint(&different) {
                continue;
            }
            if let Some(value) = self.computed(field, &changes)? {
                different.insert(field.name.clone());
                changes.insert(field.name.clone(), value);
            }
        }
        Ok(changes)
    }

    /// The value of a computed field, if it is another one than before.
    fn computed(&self, field: &Computed, changes: &Fields) -> Result<Option<Data>, Stop> {
        let scope = self.scope(&Access::All).over(changes);
        if field.from.iter().any(|from| scope.state_data(from).is_none()) {
            return Ok(None);
        }
        let value = match (scope.data(&field.value), &field.on_error) {
            (Ok(value), _) => value,
            (Err(Stop::Ask(question)), _) => return Err(Stop::Ask(question)),
            (Err(Stop::Fail(_)), OnError::Fallback(value)) => Data::Inline(value.clone()),
            (Err(Stop::Fail(_)), OnError::Ignore) => return Ok(None),
            (Err(Stop::Fail(failure)), OnError::Propagate) => {
                let message = format!("computed field `{}`: {}", field.name, failure.message);
                return Err(Failure::new(failure.kind, message).into());
            }
        };
        Ok(Some(value).filter(|value| scope.state_data(&field.name) != Some(value)))
    }

    /// Puts changes in, if they fit.
    pub(crate) fn put(&mut self, changes: Fields) -> Result<(), Failure> {
        let state = &self.life.state;
        let added: u64 = changes.iter().map(|(name, data)| entry_weight(name, data)).sum();
        let freed: u64 = changes.keys().filter_map(|name| Some(entry_weight(name, state.get(name)?))).sum();
        let weight = state.weight.saturating_sub(freed).saturating_add(added);
        let max = self.plan.limits.state_bytes_max;
        if weight > max && added > freed {
            let message = format!("the state would have {weight} bytes; at most {max} are allowed");
            return Err(Failure::new(FailureKind::Limit, message));
        }
        if added > freed {
            self.room(added - freed)?;
        }
        self.let_go(freed);
        self.carry(added);
        self.life.state.weight = weight;
        self.life.state.fields.extend(changes);
        Ok(())
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
