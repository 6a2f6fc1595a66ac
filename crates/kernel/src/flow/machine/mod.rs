//! The machine flow (`states`): one current state; its step; then the first transition that holds.
//!
//! Variables change before the next state is chosen (`variables.rs`). After a time-out, transitions that say they are for
//! one come first, then `on_timeout`, then the others (`way.rs`). A failure that no transition takes fails the run; success
//! that none takes ends it, through the state of the server's own that is named for that.

mod variables;
mod way;

pub(crate) use variables::seconds;

use crate::news::{ChangedBy, Way};
use crate::plan::{Access, Flow, Machine, Work};
use crate::run::life::{FlowLife, flow_of};
use crate::run::{Changes, Key, Moment, Outcome, Owner, Stop, Task, Writer};
use crate::table::{Row, table};
use crate::{Data, Failure, FailureKind, Fields, News, Reached};
use serde::{Deserialize, Serialize};
use serde_json::Value;

table! { "machine":
    ENTER      = "between", "there is a next state"                  => "in a state";
    BOUND      = "between", "more states than allowed"               => "run fails";
    TAKE       = "in a state", "a transition holds"                  => "between";
    TIMED_OUT  = "in a state", "none for it holds after a time-out"  => "between";
    FALL_BACK  = "in a state", "none holds after a failure, one is named for it" => "between";
    STUCK      = "in a state", "none holds after a failure"          => "run fails";
    END        = "in a state", "none holds after success"            => "run ends";
}

/// Where a machine is.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct MachineLife {
    current: u32,
    visits: u32,
    /// How the current state's step ended, while the next state is chosen or the outputs are made. Never held between turns.
    ended: Option<(Option<Failure>, Fields)>,
    /// The last state that counted, where the current one may not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    last: Option<u32>,
    /// How deep runs below this one have called each other.
    #[serde(default, skip_serializing_if = "is_none_below")]
    below: u32,
}

fn is_none_below(below: &u32) -> bool {
    *below == 0
}

impl MachineLife {
    /// The run closes: lets go of how the last step ended.
    pub(super) fn close(&mut self) -> u64 {
        self.ended = None;
        0
    }

    /// What the last state of all gave, while the outputs are made.
    pub(super) fn given(&self) -> Option<&Fields> {
        self.ended.as_ref().map(|(_, outputs)| outputs)
    }

    /// What can be read of it: `state` as a position, `visits`, `depth`.
    pub(crate) fn read(&self, name: &str) -> Option<u32> {
        match name {
            "state" => self.last,
            "visits" => Some(self.visits),
            "depth" => Some(self.below),
            _ => None,
        }
    }
}

impl Moment<'_> {
    pub(crate) fn enter_state(&mut self, state: u32) -> Result<(), Stop> {
        let max = self.visits_max();
        let (machine, life) = flow_of!(self, Machine);
        let own = machine.states[state as usize].own;
        if !own && life.visits >= max {
            self.reach(BOUND);
            let why = if machine.variables.is_some() { " - possible infinite loop" } else { "" };
            let message = format!("Maximum states limit ({max}) reached{why}");
            return Err(Failure::new(FailureKind::Limit, message).into());
        }
        let visits = life.visits + u32::from(!own);
        let last = if own || machine.variables.is_none() { life.last } else { Some(state) };
        let key = Key::of_state(&self.plan.steps[state as usize].id, visits);
        self.begin(Owner::State, state, key)?;
        self.reach(ENTER);
        let (_, life) = flow_of!(self, Machine);
        (life.current, life.visits, life.last) = (state, visits, last);
        Ok(())
    }

    pub(crate) fn state_ended(&mut self, failure: Option<Failure>, outputs: Fields) {
        let (_, life) = flow_of!(self, Machine);
        life.ended = Some((failure, outputs));
        self.agenda.push_back(Task::Choose);
    }

    /// Changes the variables and chooses the next state.
    pub(crate) fn choose(&mut self) -> Result<(), Stop> {
        let (machine, life) = flow_of!(self, Machine);
        let (current, visits) = (life.current as usize, life.visits);
        let (failure, outputs) = life.ended.clone().expect("BUG: no state has ended");
        let (failure, result) = self.result(machine, current, failure, outputs);
        let changes = self.changed_by_state(machine, current, failure.is_none(), &result)?;
        let way = self.way(machine, &machine.states[current], failure.as_ref(), &result, &changes)?;
        if machine.variables.is_some() {
            let key = Key::of_state(&self.plan.steps[current].id, visits);
            let (variables, step) = (changes.fields.clone(), current as u32);
            let way = way.as_ref().map(|(_, way, to)| (*way, *to));
            self.news(News::Left { key, step, result: result.clone(), variables, way });
        }
        self.put(changes, ChangedBy::Step(self.plan.steps[current].id.clone()))?;
        self.nested(current, failure.as_ref(), &result);
        let (_, life) = flow_of!(self, Machine);
        if machine.finally != Some(current as u32) {
            life.ended = None;
        }
        self.leave_state(machine, current, way.map(|(row, _, to)| (row, to)), failure);
        Ok(())
    }

    /// What a state that has ended changes: what it writes after success, or what every result leaves behind.
    fn changed_by_state(
        &self,
        machine: &Machine,
        current: usize,
        succeeded: bool,
        result: &Fields,
    ) -> Result<Changes, Stop> {
        let state = &machine.states[current];
        if let Some(variables) = machine.variables.as_ref() {
            let none = Ok(Changes::default());
            return if state.own { none } else { self.left_behind(variables, current, result) };
        }
        // Only what succeeded changes something.
        let writes = if succeeded { state.writes.as_slice() } else { &[] };
        let by = Writer { access: &Access::All, step: None, lane: None, result: Some(result), error: None };
        self.changes(writes, by)
    }

    /// Notes how deep the run of a state that was one has called others.
    fn nested(&mut self, current: usize, failure: Option<&Failure>, result: &Fields) {
        let has_run =
            failure.is_none_or(|failure| matches!(failure.kind, FailureKind::Child | FailureKind::TimedOut));
        if !has_run || !matches!(self.plan.steps[current].work, Work::Child { .. }) {
            return;
        }
        let below = result.get("recursion_depth").and_then(Data::inline).and_then(Value::as_u64);
        let below = u32::try_from(below.unwrap_or_default()).unwrap_or(u32::MAX).saturating_add(1);
        let (machine, life) = flow_of!(self, Machine);
        if machine.variables.is_some() {
            life.below = life.below.max(below);
        }
    }

    /// How far a machine with variables has come.
    pub(crate) fn reached(&self) -> Option<Box<Reached>> {
        let (Flow::Machine(machine), FlowLife::Machine(life)) = (&self.plan.flow, &self.life.flow) else {
            return None;
        };
        let state = life.last.filter(|_| machine.variables.is_some())?;
        let state = self.plan.steps[state as usize].id.clone();
        Some(Box::new(Reached { state, visits: life.visits, depth: life.below }))
    }

    fn leave_state(
        &mut self,
        machine: &Machine,
        state: usize,
        next: Option<(Row, u32)>,
        failure: Option<Failure>,
    ) {
        match (next, failure) {
            (Some((row, next)), _) => {
                self.reach(row);
                self.agenda.push_back(Task::Enter(next));
            }
            (None, Some(failure)) if machine.finally != Some(state as u32) => {
                self.reach(STUCK);
                let id = &self.plan.steps[state].id;
                let failure = match machine.variables {
                    Some(_) => failure,
                    None => Failure::new(failure.kind, format!("state `{id}`: {}", failure.message)),
                };
                self.close(Outcome::Failed { failure });
            }
            (None, _) => match machine.finally {
                Some(last) if last as usize == state => self.agenda.push_back(Task::Finish),
                last => {
                    self.reach(END);
                    self.agenda.push_back(last.map_or(Task::Finish, Task::Enter));
                }
            },
        }
    }
}

/// How a state was left: the row, how that is told, and where it led.
type Left = (Row, Way, u32);

fn timed_out(failure: Option<&Failure>) -> bool {
    failure.is_some_and(|failure| failure.kind == FailureKind::TimedOut)
}
