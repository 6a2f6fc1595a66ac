//! Writes: what they mean for the state, made beside it first. All of them are made or none, and what follows from them
//! is made with them (`compute.rs`).

use super::Moment;
use super::change::{changed, independent};
use super::scope::{Scope, Stop, shallow};
use crate::event::Change;
use crate::news::ChangedBy;
use crate::plan::{Access, Key, Write, WriteKind};
use crate::{Data, Fields, News};
use serde_json::Value;
use std::collections::BTreeSet;

/// Changes of the state that are not made yet.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Changes {
    /// What fields become.
    pub(crate) fields: Fields,
    /// Fields that are no longer set.
    pub(super) gone: BTreeSet<String>,
    /// What is told of them once they are made.
    pub(super) told: Vec<News>,
}

impl From<Fields> for Changes {
    fn from(fields: Fields) -> Self {
        Changes { fields, ..Changes::default() }
    }
}

impl Changes {
    /// What a field becomes: nothing if it does not change, and nothing inside if it is no longer set.
    pub(super) fn get(&self, name: &str) -> Option<Option<&Data>> {
        if self.gone.contains(name) { Some(None) } else { self.fields.get(name).map(Some) }
    }

    /// A field becomes a value.
    pub(super) fn set(&mut self, name: &str, data: Data) {
        self.gone.remove(name);
        self.fields.insert(name.to_owned(), data);
    }

    /// A field is no longer set.
    pub(super) fn unset(&mut self, name: &str) {
        self.fields.remove(name);
        self.gone.insert(name.to_owned());
    }
}

/// Who writes: what they may read of the state, the step that is blamed, their lane, what their step gave, and why it failed.
#[derive(Clone, Copy)]
pub(crate) struct Writer<'w> {
    pub(crate) step: Option<&'w str>,
    pub(crate) access: &'w Access,
    pub(crate) lane: Option<u32>,
    pub(crate) result: Option<&'w Fields>,
    pub(crate) error: Option<&'w Data>,
}

impl Moment<'_> {
    /// Makes changes of the state, in their order, all or none.
    pub(crate) fn write(&mut self, writes: &[Write], by: Writer<'_>, whose: ChangedBy) -> Result<(), Stop> {
        let changes = self.changes(writes, by)?;
        Ok(self.put(changes, whose)?)
    }

    /// The changes that writes mean, with all that follows from them. Nothing is changed yet. Writes that read nothing of
    /// each other are asked about together.
    pub(crate) fn changes(&self, writes: &[Write], by: Writer<'_>) -> Result<Changes, Stop> {
        let (mut changes, mut left) = (Changes::default(), writes);
        while !left.is_empty() {
            let (together, later) = left.split_at(independent(left, &self.plan.state));
            let scope = self.scope(by.access).in_lane(by.lane).of_step(by.step);
            let scope = scope.with_result(by.result).with_error(by.error);
            let made = scope.over(&changes).all(together.iter().flat_map(Write::exprs))?;
            let mut made = made.into_iter();
            for write in together {
                let value = made.next().expect("BUG: a write without a value");
                let (name, field) = written(scope.over(&changes), write, value, &mut made)?;
                changes.set(name, field);
            }
            left = later;
        }
        self.with_computed(changes)
    }

    /// Changes from outside. Where they cannot be made, nothing changes and the run goes on.
    pub(super) fn update_from_outside(
        &mut self,
        values: &Fields,
        changes: &[Change],
        by: &ChangedBy,
    ) -> Result<(), Stop> {
        let changes = self.changes_from_outside(values, changes);
        match changes.and_then(|changes| Ok(self.put(changes, by.clone())?)) {
            Err(Stop::Fail(failure)) => {
                self.news(News::NotUpdated { failure });
                Ok(())
            }
            other => other,
        }
    }

    /// Changes with values added at the end of a list.
    pub(crate) fn appended(
        &self,
        mut changes: Changes,
        path: &[String],
        values: Vec<Value>,
    ) -> Result<Changes, Stop> {
        let (name, below) = path.split_first().expect("BUG: a change without a field");
        for value in values {
            let scope = self.scope(&Access::All).over(&changes);
            let field = changed_field(scope, name, below, WriteKind::Append, Data::Inline(value))?;
            changes.set(name, field);
        }
        Ok(changes)
    }

    fn changes_from_outside(&self, values: &Fields, given: &[Change]) -> Result<Changes, Stop> {
        let mut changes = Changes::from(values.clone());
        for Change { path, kind, value } in given {
            let scope = self.scope(&Access::All).over(&changes);
            let (name, below) = path.split_first().expect("BUG: a change without a field");
            let field = changed_field(scope, name, below, *kind, value.clone())?;
            changes.set(name, field);
        }
        self.with_computed(changes)
    }
}

/// The field that a write changes, and what it becomes. The keys that it makes follow its value.
fn written<'w>(
    scope: Scope<'_>,
    write: &'w Write,
    value: Data,
    made: &mut impl Iterator<Item = Data>,
) -> Result<(&'w str, Data), Stop> {
    let (name, below) = write.path.split_first().expect("BUG: a write without a field");
    let mut below = below.to_vec();
    for key in &write.keys {
        below.push(match key {
            Key::Name(name) => name.clone(),
            Key::Made(_) => key_of(&scope.value(made.next().expect("BUG: a key was not made"))?)?,
        });
    }
    Ok((name, changed_field(scope, name, &below, write.kind, value)?))
}

/// What a field becomes.
fn changed_field(
    scope: Scope<'_>,
    name: &str,
    below: &[String],
    kind: WriteKind,
    value: Data,
) -> Result<Data, Stop> {
    if below.is_empty() && kind == WriteKind::Set {
        return Ok(value);
    }
    let (old, value) = (scope.state_value(name)?, scope.value(value)?);
    Ok(shallow(Data::Inline(changed(old, below, kind, value)?))?)
}

/// One key, with all signs that it has.
fn key_of(value: &Value) -> Result<String, String> {
    match value {
        Value::String(key) if key.is_empty() => Err("a key in a path is empty".to_owned()),
        Value::String(key) => Ok(key.clone()),
        Value::Number(number) => Ok(number.to_string()),
        other => {
            let kind = crate::language::kind(other);
            Err(format!("a key in a path must be text or a number, and this is {kind}"))
        }
    }
}
