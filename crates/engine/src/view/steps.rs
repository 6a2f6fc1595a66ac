//! A run in the words of the tools of `steps`: what is due, what it gave, its state.

use super::{Line, Values, View, as_it_stands, folded, whole};
use crate::store::Reader;
use crate::turn::{LoadError, replay};
use dialects::reactive::view::flat;
use dialects::steps::due::Due;
use dialects::steps::view::{Standing, standing};
use kernel::{Fields, Outcome, Plan, Run, RunId, Status};
use serde_json::{Map, Value};
use std::sync::Arc;

/// What a run was given, and what it holds.
pub struct Held {
    /// Its inputs; what was not given has its default.
    pub inputs: Map<String, Value>,
    /// Its state, by fields with their layers where it has some.
    pub state: Map<String, Value>,
    plan: Arc<Plan>,
}

impl Held {
    /// What a run holds, or nothing if there is no such run.
    pub fn load(reader: &Reader, run: &RunId) -> Result<Option<Held>, LoadError> {
        as_it_stands(reader, run)?.map(|run| Held::of(reader, &run)).transpose()
    }

    /// What a run held after one of its entries.
    pub fn load_until(reader: &Reader, run: &RunId, seq: u64) -> Result<Option<Held>, LoadError> {
        if let Some(folded) = folded(reader, run)?.filter(|folded| folded.view.seq() <= seq) {
            return Held::of(reader, &folded.run).map(Some);
        }
        let Some((mut loaded, _)) = whole(reader, run)? else { return Ok(None) };
        loaded.tail.retain(|entry| entry.head.seq <= seq);
        Held::of(reader, &replay(reader, &loaded, |_| {})?.run).map(Some)
    }

    fn of(reader: &Reader, run: &Run) -> Result<Held, LoadError> {
        let values = |fields: &Fields| -> Result<Map<String, Value>, LoadError> {
            let own = fields.iter().filter(|(name, _)| name.as_str() != kernel::plan::ITEM);
            own.map(|(name, data)| Ok((name.clone(), Values(reader).value(data)?))).collect()
        };
        Ok(Held { inputs: values(run.inputs())?, state: values(run.state())?, plan: Arc::clone(run.plan()) })
    }

    /// The state as agents read it: all values by their bare names.
    pub fn flat(&self) -> Map<String, Value> {
        flat::flat(&self.plan, &self.state)
    }

    /// The value at a path of the state; nothing where nothing is.
    pub fn at(&self, path: &str) -> Result<Option<Value>, String> {
        flat::at(&self.plan, &self.state, path)
    }

    /// The values of one layer.
    pub fn layer(&self, layer: &str) -> Map<String, Value> {
        flat::layer(&self.plan, &self.state, layer)
    }
}

impl Held {
    /// The item that a child run was begun for, if it was begun for one.
    pub fn item(reader: &Reader, run: &RunId) -> Result<Option<Value>, LoadError> {
        let Some((loaded, _)) = whole(reader, run)? else { return Ok(None) };
        let run = replay(reader, &loaded, |_| {})?.run;
        run.inputs().get(kernel::plan::ITEM).map(|item| Values(reader).value(item)).transpose()
    }
}

impl View {
    /// Items that were open when so much had happened were handed out by whoever knows that.
    pub fn know(&mut self, reader: &Reader, seq: u64) -> Result<(), LoadError> {
        if self.delegated.is_empty() {
            return Ok(());
        }
        let Some(before) = View::load_until(reader, &self.run, seq)? else { return Ok(()) };
        let nested = |line: &Line| line.nested.as_ref().and_then(|nested| nested.run.clone());
        let known: Vec<RunId> = before.lines().iter().flat_map(Line::parts).filter_map(nested).collect();
        for one in &mut self.delegated {
            let open = one.open.iter().map(|(run, _)| run);
            one.begun.extend(open.filter(|run| known.contains(run)).cloned());
        }
        Ok(())
    }

    /// What is due in it and below it.
    pub fn due(&self) -> Due {
        let is_over = matches!(self.status, Status::Ended(_) | Status::Closing);
        let asked = if is_over { &[] } else { self.asked.as_slice() };
        let delegated = if is_over { &[] } else { self.delegated.as_slice() };
        Due::of(asked, delegated, self.pending_max)
    }

    /// What it gave as a whole: what it returned, else its state.
    pub fn result(&self, values: Values<'_>) -> Result<Option<Value>, LoadError> {
        let Some(Outcome::Succeeded { outputs }) = self.outcome() else { return Ok(None) };
        match outputs.get("result") {
            Some(result) if self.plan.dialect == kernel::plan::Dialect::Steps => {
                values.value(result).map(Some)
            }
            _ => Ok(Some(self.outputs(values)?.into_iter().collect::<Map<_, _>>().into())),
        }
    }

    /// How it stands, as whoever drives it is answered.
    pub fn standing(&self, reader: &Reader, next: Option<String>) -> Result<Value, LoadError> {
        let is_over = matches!(self.status, Status::Ended(_));
        let held = if is_over { Held::load(reader, &self.run)? } else { None };
        Ok(standing(Standing {
            run: &self.run,
            status: &self.status,
            is_waiting: self.waits_for_someone(),
            due: &self.due(),
            result: self.result(Values(reader))?,
            state: held.map(|held| held.flat()),
            next,
        }))
    }
}
