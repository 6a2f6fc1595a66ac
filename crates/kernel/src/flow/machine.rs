//! The machine flow (`states`): one current state; its step; then the first transition that holds.
//!
//! Variables change before the next state is chosen. After a time-out, transitions that hold come first, then
//! `on_timeout`. A failure that no transition takes fails the run; success that none takes ends it.

use crate::news::ChangedBy;
use crate::plan::{Access, State};
use crate::run::life::flow_of;
use crate::run::{Changes, Key, Moment, Outcome, Owner, Stop, Task, Writer};
use crate::table::{Row, table};
use crate::{Data, Failure, FailureKind, Fields};
use serde::{Deserialize, Serialize};

table! { "machine":
    ENTER      = "between", "there is a next state"                  => "in a state";
    BOUND      = "between", "more states than allowed"               => "run fails";
    TAKE       = "in a state", "a transition holds"                  => "between";
    TIMED_OUT  = "in a state", "none holds after a time-out"         => "between";
    STUCK      = "in a state", "none holds after a failure"          => "run fails";
    END        = "in a state", "none holds after success"            => "run ends";
}

/// Where a machine is.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct MachineLife {
    current: u32,
    visits: u32,
    /// How the current state's step ended, while the next state is chosen. Never held between turns.
    ended: Option<(Option<Failure>, Fields)>,
}

impl MachineLife {
    /// The run closes: lets go of how the last step ended.
    pub(super) fn close(&mut self) -> u64 {
        self.ended = None;
        0
    }
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
        let key = Key::of_state(&self.plan.steps[state as usize].id, visits);
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

    /// Changes the variables and chooses the next state.
    pub(crate) fn choose(&mut self) -> Result<(), Stop> {
        let (machine, life) = flow_of!(self, Machine);
        let current = life.current as usize;
        let (failure, outputs) = life.ended.clone().expect("BUG: no state has ended");
        let (state, result) = (&machine.states[current], result(&failure, outputs));
        // Only what succeeded changes something.
        let writes = if failure.is_none() { state.writes.as_slice() } else { &[] };
        let by = Writer { access: &Access::All, step: None, lane: None, result: Some(&result), error: None };
        let changes = self.changes(writes, by)?;
        let next = self.next_state(state, failure.as_ref(), &result, &changes)?;
        self.put(changes, ChangedBy::Step(self.plan.steps[current].id.clone()))?;
        let (_, life) = flow_of!(self, Machine);
        life.ended = None;
        self.leave_state(current, next, failure);
        Ok(())
    }

    fn leave_state(&mut self, state: usize, next: Option<(Row, u32)>, failure: Option<Failure>) {
        match (next, failure) {
            (Some((row, next)), _) => {
                self.reach(row);
                self.agenda.push_back(Task::Enter(next));
            }
            (None, Some(failure)) => {
                self.reach(STUCK);
                let id = &self.plan.steps[state].id;
                let failure = Failure::new(failure.kind, format!("state `{id}`: {}", failure.message));
                self.close(Outcome::Failed { failure });
            }
            (None, None) => {
                self.reach(END);
                self.agenda.push_back(Task::Finish);
            }
        }
    }

    fn next_state(
        &self,
        state: &State,
        failure: Option<&Failure>,
        result: &Fields,
        changes: &Changes,
    ) -> Result<Option<(Row, u32)>, Stop> {
        let scope = self.scope(&Access::All).with_result(Some(result)).over(changes);
        for transition in &state.transitions {
            if scope.holds(&transition.when)? {
                return Ok(Some((TAKE, transition.to)));
            }
        }
        Ok(state.on_timeout.filter(|_| timed_out(failure)).map(|state| (TIMED_OUT, state)))
    }
}

fn timed_out(failure: Option<&Failure>) -> bool {
    failure.is_some_and(|failure| failure.kind == FailureKind::TimedOut)
}

/// What transitions and writes see: the outputs, and how the step ended.
fn result(failure: &Option<Failure>, mut outputs: Fields) -> Fields {
    let error = failure.as_ref().map(|failure| failure.message.clone());
    outputs.insert("ok".into(), Data::Inline(failure.is_none().into()));
    outputs.insert("timed_out".into(), Data::Inline(timed_out(failure.as_ref()).into()));
    outputs.insert("error".into(), Data::Inline(error.into()));
    outputs
}
