//! The state: named data with rules on it. Changes are all or none: new values, and the computed fields that
//! follow from them, are made beside the state first, and put in once all of them are known.
//!
//! What a field has is held against the bound of the state wherever it is; what it weighs in the run is less where it is
//! content.

use super::Moment;
use super::scope::Stop;
use super::write::Changes;
use crate::data::{entry_weight, weight_of};
use crate::news::ChangedBy;
use crate::plan::Access;
use crate::{Data, Failure, FailureKind, Fields, News};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The fields, computed ones among them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct State {
    fields: Fields,
    weight: u64,
    /// How often it was changed, where it has layers.
    #[serde(default, skip_serializing_if = "is_first")]
    version: u64,
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

    /// How often it was changed, where it has layers.
    pub(crate) fn version(&self) -> u64 {
        self.version
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

fn is_first(version: &u64) -> bool {
    *version == 0
}

impl Moment<'_> {
    /// Gives the state its first values. Where it has layers, no first value reads another, and all are asked for at once.
    pub(crate) fn open_state(&mut self) -> Result<(), Stop> {
        let (rules, mut changes) = (&self.plan.state, Changes::default());
        if rules.is_layered() {
            let values = self.scope(&Access::All).all(rules.initial.iter().map(|(_, value)| value))?;
            changes.fields = rules.initial.iter().map(|(name, _)| name.clone()).zip(values).collect();
        } else {
            for (name, value) in &rules.initial {
                let made = self.scope(&Access::All).over(&changes).data(value)?;
                changes.set(name, made);
            }
        }
        let changes = self.with_computed(changes)?;
        Ok(self.put(changes, ChangedBy::Run)?)
    }

    /// Changes as the run can hold them: where it holds much already, all but the smallest values become content.
    pub(super) fn holdable(&self, mut changes: Changes) -> Result<Changes, Stop> {
        let (more, less) = (weight_of(&changes.fields), self.replaced(&changes));
        let held = self.life.held.saturating_add(more).saturating_sub(less);
        let inline_bytes_max = self.plan.limits.inline_bytes_max_of(held);
        let is_heavy = |data: &&Data| data.inline().is_some() && data.weight() > inline_bytes_max;
        let heavy = changes.fields.iter().filter(|(_, data)| is_heavy(data));
        let heavy: Vec<(String, Value)> =
            heavy.filter_map(|(name, data)| Some((name.clone(), data.inline()?.clone()))).collect();
        changes.fields.extend(self.scope(&Access::All).kept(heavy, inline_bytes_max)?);
        Ok(changes)
    }

    /// What the fields weigh that changes replace.
    fn replaced(&self, changes: &Changes) -> u64 {
        let names = changes.fields.keys().chain(&changes.gone);
        names.filter_map(|name| Some(entry_weight(name, self.life.state.get(name)?))).sum()
    }

    /// Puts changes in, if they fit.
    pub(crate) fn put(&mut self, changes: Changes, by: ChangedBy) -> Result<(), Failure> {
        let (added, freed) = (weight_of(&changes.fields), self.replaced(&changes));
        let state = &self.life.state;
        let more: u64 = changes.fields.iter().map(|(name, data)| entry_size(name, data)).sum();
        let names = changes.fields.keys().chain(&changes.gone);
        let less: u64 = names.filter_map(|name| Some(entry_size(name, state.get(name)?))).sum();
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
        let different = self.different(&changes);
        let state = &mut self.life.state;
        (state.weight, state.size) = (state.weight.saturating_sub(freed).saturating_add(added), size);
        state.fields.extend(changes.fields);
        state.fields.retain(|name, _| !changes.gone.contains(name));
        self.turn.news.extend(changes.told);
        self.tell_change(different, by);
        Ok(())
    }

    /// The fields that changes make different, in the order of their names.
    fn different(&self, changes: &Changes) -> Vec<String> {
        let state = &self.life.state;
        let new = changes.fields.iter().filter(|(name, data)| state.get(name) != Some(data));
        let gone = changes.gone.iter().filter(|name| state.get(name).is_some());
        new.map(|(name, _)| name.clone()).chain(gone.cloned()).collect()
    }

    /// Tells which fields are different now, where the state has layers.
    fn tell_change(&mut self, fields: Vec<String>, by: ChangedBy) {
        if fields.is_empty() || !self.plan.state.is_layered() {
            return;
        }
        self.life.state.version += 1;
        let version = self.life.state.version;
        self.news(News::Changed { fields, by, version });
    }
}

/// What a field has, wherever it is.
fn entry_size(name: &str, data: &Data) -> u64 {
    entry_weight(name, data) - data.weight() + data.bytes()
}
