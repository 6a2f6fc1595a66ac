//! Reads paths: inputs, metadata, blocks, the state, what a step gave, an item and its number, variables of lanes.

use super::{Gather, Scope, Stop};
use crate::language::{Path, cut, descend};
use crate::plan::{Flow, ITEM};
use crate::question::VIOLATION;
use crate::run::life::FlowLife;
use crate::{Data, Failure, FailureKind, Fields};
use serde_json::Value;

impl<'s> Scope<'s> {
    /// The data at a path.
    pub(crate) fn read(&self, path: &Path) -> Result<Data, Stop> {
        match path.settled(|inner| self.value(self.read(inner)?))? {
            Some(settled) => self.read_settled(&settled),
            None => self.read_settled(path),
        }
    }

    fn read_settled(&self, path: &Path) -> Result<Data, Stop> {
        if let (Some(error), "error") = (self.error, path.root.as_str()) {
            return self.below(path, error, 0);
        }
        let layered = self.plan.state.is_layered();
        match path.root.as_str() {
            "inputs" if layered => self.read_layered_input(path),
            "result" if layered && self.result.is_none() => self.read_layered(path),
            "blocks" | "state" if layered => self.read_layered(path),
            // The item of a list is nothing that was declared.
            "inputs" if path.name(0).is_none() => {
                self.whole(self.life.inputs.iter().filter(|(name, _)| name.as_str() != ITEM))
            }
            "inputs" => self.read_field(path, &self.life.inputs),
            "metadata" => self.read_metadata(path),
            "blocks" => self.read_block(path),
            "state" => self.read_state(path),
            "machine" if matches!(self.plan.flow, Flow::Machine(_)) => self.read_machine(path),
            "result" => match self.result {
                Some(result) => self.read_field(path, result),
                None => Err("there is no result here".to_owned().into()),
            },
            _ if layered => self.read_layered(path),
            name => match (self.each, self.variable(name)) {
                (Some(each), _) if name == "each" => self.read_field(path, each),
                (_, Some(data)) => self.below(path, data, 0),
                _ => self.read_bare(path),
            },
        }
    }

    /// What a bare name means in a sequence where it is no variable: the time of the event, the item that the run is for, or
    /// what was written just before.
    fn read_bare(&self, path: &Path) -> Result<Data, Stop> {
        let name = path.root.as_str();
        let bare = match name {
            "now" if matches!(self.plan.flow, Flow::Sequence(_)) => {
                return self.below(path, &Data::Inline((self.life.at / 1_000).into()), 0);
            }
            "item" => self.life.inputs.get(ITEM),
            _ => None,
        };
        match bare.or_else(|| self.changes?.get(name)?) {
            Some(data) => self.below(path, data, 0),
            None => Err(format!("nothing is called `{name}` here").into()),
        }
    }

    pub(super) fn read_field(&self, path: &Path, fields: &Fields) -> Result<Data, Stop> {
        let Some(name) = path.name(0) else { return self.whole(fields.iter()) };
        match fields.get(name.as_ref()) {
            Some(data) => self.below(path, data, 1),
            None => Err(format!("`{}` has no `{name}`", path.root).into()),
        }
    }

    pub(super) fn whole<'f>(
        &self,
        fields: impl Iterator<Item = (&'f String, &'f Data)>,
    ) -> Result<Data, Stop> {
        let mut gather = Gather::default();
        gather.sign("{");
        gather.join(fields, |gather, (name, data)| {
            gather.say(name);
            gather.sign(":");
            gather.put(data);
        });
        gather.sign("}");
        self.gathered(gather, self.plan.limits.inline_bytes_max)
    }

    /// Follows the rest of a path, after `taken` segments, into data.
    pub(super) fn below(&self, path: &Path, data: &Data, taken: usize) -> Result<Data, Stop> {
        let rest = &path.segments[taken..];
        if rest.is_empty() {
            return Ok(data.clone());
        }
        let value = self.value_of(data)?;
        match descend(value, rest) {
            Some(found) => Ok(Data::Inline(found.clone())),
            None => Err(format!("`{path}` is not there: {} has no such part", cut(value)).into()),
        }
    }

    fn read_metadata(&self, path: &Path) -> Result<Data, Stop> {
        let value = match path.name(0).as_deref() {
            Some("workflow_name") => self.plan.name.clone(),
            Some("run_id") => self.life.id.to_string(),
            Some("start_time") => crate::clock::iso(self.life.since),
            _ => return Err(format!("`{path}` is not there").into()),
        };
        self.below(path, &Data::Inline(value.into()), 1)
    }

    /// Where a machine is: the name of its last state, how many it has entered, how deep runs below it called each other.
    fn read_machine(&self, path: &Path) -> Result<Data, Stop> {
        let name = path.name(0).unwrap_or_default();
        let FlowLife::Machine(life) = &self.life.flow else { unreachable!("BUG: no machine") };
        let value = match (name.as_ref(), life.read(&name)) {
            ("state", Some(state)) => Value::from(self.plan.steps[state as usize].id.as_str()),
            (_, Some(number)) => number.into(),
            (_, None) => return Err(format!("`{path}` is not there").into()),
        };
        self.below(path, &Data::Inline(value), 1)
    }

    fn read_block(&self, path: &Path) -> Result<Data, Stop> {
        let (Flow::Graph(graph), FlowLife::Graph(life)) = (&self.plan.flow, &self.life.flow) else {
            return Err("there are no blocks here".to_owned().into());
        };
        let (Some(name), Some(space)) = (path.name(0), path.name(1)) else {
            return Err(format!("`{path}` must name a block and what to read of it").into());
        };
        let Some(position) = graph.names.get(name.as_ref()) else {
            return Err(format!("no block is called `{name}`").into());
        };
        match path.name(2) {
            Some(field) => self.below(path, &life.read(*position, &space, &field)?, 3),
            None => self.whole(life.read_all(*position, &space).iter()),
        }
    }

    fn read_state(&self, path: &Path) -> Result<Data, Stop> {
        let Some(name) = path.name(0) else { return self.whole(self.allowed().iter()) };
        if !self.access.allows(&name) {
            let message = match self.step {
                None => format!("`state.{name}` was not declared in needs_state"),
                Some(step) => {
                    let why = format!("reads `state.{name}`, which its needs_state does not name");
                    format!("{VIOLATION}step `{step}` {why}")
                }
            };
            return Err(Failure::new(FailureKind::Access, message).into());
        }
        match self.state_data(&name) {
            Some(data) => self.below(path, data, 1),
            None => Err(format!("the state has no `{name}`").into()),
        }
    }

    /// All of the state that may be read.
    fn allowed(&self) -> Fields {
        let changed = self.changes.into_iter().flat_map(|changes| changes.fields.keys());
        let names = self.life.state.names().chain(changed);
        names
            .filter(|name| self.access.allows(name))
            .filter_map(|name| Some((name.clone(), self.state_data(name)?.clone())))
            .collect()
    }

    /// A field of the state, with changes that are not made yet.
    pub(crate) fn state_data(&self, name: &str) -> Option<&'s Data> {
        match self.changes.and_then(|changes| changes.get(name)) {
            Some(changed) => changed,
            None => self.life.state.get(name),
        }
    }

    /// The value of a field of the state, if it is there.
    pub(crate) fn state_value(&self, name: &str) -> Result<Option<Value>, Stop> {
        self.state_data(name).map(|data| self.value(data.clone())).transpose()
    }

    /// A variable of the lane or of one that it was forked from.
    fn variable(&self, name: &str) -> Option<&'s Data> {
        let FlowLife::Sequence(life) = &self.life.flow else { return None };
        life.variable(self.lane?, name)
    }
}
