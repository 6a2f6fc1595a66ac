//! A run of a state machine as its tools tell it: its plan, what it was given, and what happened state by state.

use super::whole;
use crate::store::Reader;
use crate::turn::{LoadError, replay};
use dialects::states::view::{Answer, Log, Seen};
use kernel::{Data, Fact, Fields, Plan, RunId};
use serde_json::Value;

/// A stored run of a state machine.
#[derive(Debug)]
pub struct Machine {
    /// Its plan.
    pub plan: Plan,
    /// What it was given.
    pub inputs: Fields,
    /// What happened in it.
    pub log: Log,
}

impl Machine {
    /// Loads a run, or nothing if there is no such run.
    pub fn load(reader: &Reader, run: &RunId) -> Result<Option<Machine>, LoadError> {
        let Some((loaded, plan)) = whole(reader, run)? else { return Ok(None) };
        let (mut inputs, mut log) = (Fields::new(), Log::default());
        replay(reader, &loaded, |seen| {
            if let Fact::Started { inputs: given } = &seen.body.event.fact {
                inputs = given.clone();
            }
            log.turn(seen.body.event.at, &seen.turn.news);
        })?;
        Ok(Some(Machine { plan, inputs, log }))
    }

    /// The whole answer. What cannot be loaded any more is told as nothing.
    pub fn answer(&self, reader: &Reader, with: Answer) -> Value {
        let value = |data: &Data| super::Values(reader).value(data).unwrap_or(Value::Null);
        Seen { plan: &self.plan, inputs: &self.inputs, log: &self.log, value: &value }.answer(with)
    }
}
