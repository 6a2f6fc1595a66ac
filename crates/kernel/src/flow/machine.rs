//! The machine flow (`states`): one current state; its step; then the first transition that holds.
//!
//! After a time-out, transitions that hold come first, then `on_timeout`. A failure that no transition takes
//! fails the run. A state without transitions is an end.

use crate::plan::Access;
use crate::run::life::flow_of;
use crate::run::{Moment, Outcome, Owner, Stop, Task};
use crate::table::table;
use crate::{Data, Failure, FailureKind, Fields};
use serde::{Deserialize, Serialize};

table! { "machine":
    ENTER      = "between", "there is a next state"                  => "in a state";
    BOUND      = "between", "more states than allowed"               => "run fails";
    TAKE       = "in a state", "a transition holds"                  => "between";
    TIMED_OUT  = "in a state", "none holds after a time-out"         => "between";
    STUCK      = "in a state", "none holds after a failure"          => "run fails";
    NOWHERE    = "in a state", "none holds after success"            => "run fails";
    END        = "in a state", "an end, its step succeeded"          => "run ends";
}

/// Where a machine is.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct MachineLife {
    current: u32,
    visits: u32,
    /// How the current state's step ended, while the next state is chosen.
    ended: Option<(Option<Failure>, Fields)>,
}

impl Moment<'_> {
    pub(crate) fn enter_state(&mut self, state: u32) -> Result<(), Stop> {
        let max = self.plan.limits.visits_max;
        let (_, life) = flow_of!(self, Machine);
        if life.visits >= max {
            self.reach(BOUND);
            let message = format!("Maximum states limit ({max}) reached");
            return Err(Failure::new(FailureKind::Limit, message).into());
        }
        let visits = life.visits + 1;
        let key = format!("{}@{visits}", self.plan.steps[state as usize].id);
        self.begin(Owner::State, state, key)?;
        self.reach(ENTER);
        let (_, life) = flow_of!(self, Machine);
        (life.current, life.visits) = (state, visits);
        Ok(())
    }

    pub(crate) fn state_ended(&mut self, failure: Option<Failure>, outputs: Fields) {
        let (_, life) = flow_of!(self, Machine);
        life.ended = Some((failure, outputs));
        self.agenda.push_back(Task::Choose);
    }

    /// Chooses the next state.
    pub(crate) fn choose(&mut self) -> Result<(), Stop> {
        let (machine, life) = flow_of!(self, Machine);
        let state = &machine.states[life.current as usize];
        let id = &self.plan.steps[life.current as usize].id;
        let (failure, outputs) = life.ended.clone().expect("BUG: no state has ended");
        let result = result(&failure, outputs);
        let mut next = None;
        for transition in &state.transitions {
            if self.scope(&Access::All).with_result(&result).holds(&transition.when)? {
                next = Some((TAKE, transition.to));
                break;
            }
        }
        let timed_out = failure.as_ref().is_some_and(|failure| failure.kind == FailureKind::TimedOut);
        let next = next.or_else(|| state.on_timeout.filter(|_| timed_out).map(|state| (TIMED_OUT, state)));
        if failure.is_none() {
            self.write(&state.writes, &Access::All, None, Some(&result))?;
        }
        let (_, life) = flow_of!(self, Machine);
        life.ended = None;
        match (next, failure) {
            (Some((row, state)), _) => {
                self.reach(row);
                self.agenda.push_back(Task::Enter(state));
            }
            (None, Some(failure)) => {
                self.reach(STUCK);
                let failure = Failure::new(failure.kind, format!("state `{id}`: {}", failure.message));
                self.close(Outcome::Failed { failure });
            }
            (None, None) if state.transitions.is_empty() => {
                self.reach(END);
                self.agenda.push_back(Task::Finish);
            }
            (None, None) => {
                self.reach(NOWHERE);
                let message = format!("state `{id}`: no transition holds");
                self.close(Outcome::Failed { failure: Failure::new(FailureKind::Operation, message) });
            }
        }
        Ok(())
    }
}

/// What transitions and writes see: the outputs, and how the step ended.
fn result(failure: &Option<Failure>, mut outputs: Fields) -> Fields {
    let timed_out = failure.as_ref().is_some_and(|failure| failure.kind == FailureKind::TimedOut);
    let error = failure.as_ref().map(|failure| failure.message.clone());
    outputs.insert("ok".into(), Data::Inline(failure.is_none().into()));
    outputs.insert("timed_out".into(), Data::Inline(timed_out.into()));
    outputs.insert("error".into(), Data::Inline(error.into()));
    outputs
}
