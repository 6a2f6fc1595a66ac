//! The state: named data with rules on it. Changes are all or none: new values, and the computed fields that
//! follow from them, are made beside the state first, and put in once all of them are known.
//!
//! What a field has is held against the bound of the state wherever it is; what it weighs in the run is less where it is
//! content.

use super::Moment;
use super::change::{changed, independent};
use super::scope::{Stop, shallow};
use crate::data::{entry_weight, weight_of};
use crate::plan::{Access, Computed, OnError, Write, WriteKind};
use crate::{Data, Failure, FailureKind, Fields, News};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeSet;

/// The fields, computed ones among them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct State {
    fields: Fields,
    weight: u64,
    /// What the fields have, wherever they are. Follows from them.
    #[serde(skip)]
    size: u64,
}

impl State {
    pub(crate) fn get(&self, name: &str) -> Option<&Data> {
        self.fields.get(name)
    }

    /// How large it would be with these fields, if that is too much.
    pub(crate) fn would_have<'d>(
        &self,
        fields: impl Iterator<Item = (&'d String, &'d Data)>,
        max: u64,
    ) -> Option<u64> {
        let (mut more, mut less) = (0, 0);
        for (name, data) in fields {
            more += entry_size(name, data);
            less += self.get(name).map_or(0, |old| entry_size(name, old));
        }
        let size = self.size.saturating_sub(less).saturating_add(more);
        (size > max && more > less).then_some(size)
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &String> {
        self.fields.keys()
    }

    pub(crate) fn fields(&self) -> &Fields {
        &self.fields
    }

    /// Counts what the fields have.
    pub(super) fn rebuild(&mut self) {
        self.size = self.fields.iter().map(|(name, data)| entry_size(name, data)).sum();
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

    /// The changes that writes mean, with all that follows from them. Nothing is changed yet. Writes that read nothing of
    /// each other are asked about together.
    pub(crate) fn changes(&self, writes: &[Write], by: Writer<'_>) -> Result<Fields, Stop> {
        let (mut changes, mut left) = (Fields::new(), writes);
        while !left.is_empty() {
            let (together, later) = left.split_at(independent(left));
            let scope = self.scope(by.access).in_lane(by.lane).of_step(by.step);
            let values =
                scope.over(&changes).with_result(by.result).all(together.iter().map(Write::value))?;
            for (write, value) in together.iter().zip(values) {
                let scope = self.scope(by.access).in_lane(by.lane).of_step(by.step).over(&changes);
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
            left = later;
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
        self.holdable(changes)
    }

    /// Changes as the run can hold them: where it holds much already, all but the smallest values become content.
    fn holdable(&self, mut changes: Fields) -> Result<Fields, Stop> {
        let held = self.life.held.saturating_add(weight_of(&changes)).saturating_sub(self.replaced(&changes));
        let inline_bytes_max = self.plan.limits.inline_bytes_max_of(held);
        let is_heavy = |data: &&Data| data.inline().is_some() && data.weight() > inline_bytes_max;
        let heavy = changes.iter().filter(|(_, data)| is_heavy(data));
        let heavy: Vec<(String, Value)> =
            heavy.filter_map(|(name, data)| Some((name.clone(), data.inline()?.clone()))).collect();
        changes.extend(self.scope(&Access::All).kept(heavy, inline_bytes_max)?);
        Ok(changes)
    }

    /// What the fields weigh that changes replace.
    fn replaced(&self, changes: &Fields) -> u64 {
        let state = &self.life.state;
        changes.keys().filter_map(|name| Some(entry_weight(name, state.get(name)?))).sum()
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
        let (added, freed) = (weight_of(&changes), self.replaced(&changes));
        let state = &self.life.state;
        let more: u64 = changes.iter().map(|(name, data)| entry_size(name, data)).sum();
        let less: u64 = changes.keys().filter_map(|name| Some(entry_size(name, state.get(name)?))).sum();
        let size = state.size.saturating_sub(less).saturating_add(more);
        let max = self.plan.limits.state_bytes_max;
        if size > max && more > less {
            let message = format!("the state would have {size} bytes; at most {max} are allowed");
            return Err(Failure::new(FailureKind::Limit, message));
        }
        if added > freed {
            self.room(added - freed)?;
        }
        self.let_go(freed);
        self.carry(added);
        let state = &mut self.life.state;
        (state.weight, state.size) = (state.weight.saturating_sub(freed).saturating_add(added), size);
        self.life.state.fields.extend(changes);
        Ok(())
    }
}

/// What a field has, wherever it is.
fn entry_size(name: &str, data: &Data) -> u64 {
    entry_weight(name, data) - data.weight() + data.bytes()
}
