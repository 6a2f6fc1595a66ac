//! The life of a run as a whole: queued, running, closing, ended. Failure, return, time-out, cancel and success
//! share one way out: *closing* stops what is open, waits for it under a deadline, runs cleanup, then *ended*.

use super::scope::Scope;
use super::{Key, Moment, Outcome, Owner, Stop, Task, Weigh};
use crate::flow::{close_flow, given};
use crate::plan::{Expr, Flow};
use crate::table::table;
use crate::{Data, Effect, EffectId, Failure, FailureKind, Fields, News};
use serde::{Deserialize, Serialize};

table! { "run":
    START      = "queued",  "started"                          => "running";
    SUCCEED    = "running", "the flow came to its end"         => "closing";
    FAIL       = "running", "a step or expression failed"      => "closing";
    TIME_OUT   = "running", "its time is up"                   => "closing";
    CANCEL     = "running", "cancel was requested"             => "closing";
    GIVE_UP    = "running", "it was given up"                  => "closing";
    CLEAN_UP   = "closing", "nothing is open, cleanup is left" => "closing";
    END        = "closing", "nothing is open or left"          => "ended";
    ABANDON    = "closing", "the deadline of closing came"     => "ended";
    TELL       = "ended",   "the parent has recorded it"       => "told";
}

/// Where a run is in its life.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Phase {
    Queued,
    Running,
    Closing {
        outcome: Outcome,
        /// When closing must be over.
        due: u64,
        /// How many cleanup steps have begun.
        cleaned: u32,
    },
    Ended {
        outcome: Outcome,
        /// Whether the parent, if there is one, has recorded it.
        told: bool,
    },
}

/// The timer of the run's own deadline.
pub(crate) const TIMEOUT: &str = "run/timeout";
/// The timer of the deadline of closing.
pub(crate) const CLOSE: &str = "run/close";

impl Moment<'_> {
    pub(super) fn start(&mut self, inputs: Fields) {
        self.reach(START);
        self.carry(crate::data::weight_of(&inputs));
        self.life.inputs = inputs;
        self.life.since = self.now;
        self.life.phase = Phase::Running;
        if let Some(due) = self.life.deadline(self.plan) {
            self.timer(EffectId::new(TIMEOUT), due);
        }
        self.agenda.push_back(Task::Open);
    }

    pub(super) fn run_timer_fired(&mut self, timer: &EffectId) {
        match (&self.life.phase, timer.as_str()) {
            (Phase::Running, TIMEOUT) => self.time_out(),
            (Phase::Closing { .. }, CLOSE) => self.abandon(),
            _ => unreachable!("BUG: `{timer}` was admitted"),
        }
    }

    fn time_out(&mut self) {
        self.reach(TIME_OUT);
        let ms = self.life.time_ms(self.plan).unwrap_or_default();
        let message = match &self.plan.flow {
            Flow::Machine(machine) if machine.variables.is_some() => {
                format!("Workflow execution timeout ({}s) exceeded", crate::clock::seconds_text(ms))
            }
            _ => format!("the run took longer than {}", crate::clock::span(ms)),
        };
        let failure = Failure::new(FailureKind::TimedOut, message);
        self.begin_closing(Outcome::Failed { failure });
    }

    pub(super) fn cancel(&mut self, reason: String) {
        self.reach(CANCEL);
        self.withdraw_timeout();
        self.begin_closing(Outcome::Cancelled { reason });
    }

    /// Somebody says that it has failed.
    pub(super) fn give_up(&mut self, reason: String) {
        self.reach(GIVE_UP);
        self.withdraw_timeout();
        self.begin_closing(Outcome::Failed { failure: Failure::new(FailureKind::Operation, reason) });
    }

    /// Evaluates the outputs and closes with success.
    pub(super) fn finish(&mut self) -> Result<(), Stop> {
        let scope = self.scope(&crate::plan::Access::All).with_result(given(&self.life.flow));
        let wanted = &self.plan.outputs;
        let outputs = scope.fields(wanted).map_err(|stop| of_output(&scope, wanted, stop))?;
        self.succeed(outputs)
    }

    /// Closes with success, if the run can hold what it gives.
    pub(crate) fn succeed(&mut self, outputs: Fields) -> Result<(), Stop> {
        self.givable(&outputs)?;
        self.close(Outcome::Succeeded { outputs });
        Ok(())
    }

    /// Fails if the run cannot hold what it is to give.
    pub(crate) fn givable(&self, outputs: &Fields) -> Result<(), Failure> {
        let (bytes, max) =
            (outputs.values().map(Data::bytes).sum::<u64>(), self.plan.limits.given_bytes_max());
        if bytes > max {
            let message = format!(
                "the outputs would have {bytes} bytes together; at most {max} are allowed: write what is large to \
                 files and give their paths"
            );
            return Err(Failure::new(FailureKind::Limit, message));
        }
        self.room(Outcome::Succeeded { outputs: outputs.clone() }.weight())
    }

    /// Starts closing. A run that closes already goes on as it was.
    pub(crate) fn close(&mut self, outcome: Outcome) {
        if self.life.phase != Phase::Running {
            return;
        }
        self.reach(if matches!(outcome, Outcome::Succeeded { .. }) { SUCCEED } else { FAIL });
        self.withdraw_timeout();
        self.begin_closing(outcome);
    }

    fn withdraw_timeout(&mut self) {
        if self.life.time_ms(self.plan).is_some() {
            self.withdraw(EffectId::new(TIMEOUT));
        }
    }

    fn begin_closing(&mut self, mut outcome: Outcome) {
        if let Outcome::Failed { failure } = &mut outcome {
            failure.reached = self.reached();
        }
        self.agenda.clear();
        self.stop_all();
        self.stop_each();
        self.stop_spread();
        self.stop_tasks();
        let freed = close_flow(&mut self.life.flow);
        self.let_go(freed);
        self.carry(outcome.weight());
        let due = self.after(self.plan.limits.close_ms_max);
        self.news(News::Closing { outcome: outcome.clone() });
        self.life.phase = Phase::Closing { outcome, due, cleaned: 0 };
        self.timer(EffectId::new(CLOSE), due);
    }

    /// Stops every open attempt: what must still report stays as stopping, the rest is over.
    fn stop_all(&mut self) {
        let keys: Vec<String> = self.life.activities.keys().cloned().collect();
        keys.iter().for_each(|key| self.stop(key));
    }

    /// At the end of a turn: goes on closing once nothing is open.
    pub(super) fn settle(&mut self) {
        let Phase::Closing { cleaned, outcome, .. } = &self.life.phase else { return };
        if !self.life.activities.is_empty() {
            return;
        }
        let spared = self.plan.cleanup_spares_success && matches!(outcome, Outcome::Succeeded { .. });
        if (*cleaned as usize) < self.plan.cleanup.len() && !spared {
            self.reach(CLEAN_UP);
            self.agenda.push_back(Task::Cleanup);
        } else {
            self.reach(END);
            self.withdraw(EffectId::new(CLOSE));
            self.end_run(Vec::new());
        }
    }

    /// Begins the next cleanup step. One that cannot begin has ended; the others still run.
    pub(super) fn next_cleanup(&mut self) -> Result<(), Stop> {
        let Phase::Closing { cleaned, .. } = &self.life.phase else { return Ok(()) };
        let position = *cleaned as usize;
        let step = self.plan.cleanup[position];
        let times = self.plan.cleanup[..=position].iter().filter(|earlier| **earlier == step).count();
        let times = u32::try_from(times).unwrap_or(u32::MAX);
        let key = Key::of_cleanup(&self.plan.steps[step as usize].id, times);
        self.begin(Owner::Cleanup, step, key)?;
        if let Phase::Closing { cleaned, .. } = &mut self.life.phase {
            *cleaned += 1;
        }
        Ok(())
    }

    /// The deadline of closing came: whatever has not stopped is told so once more, and waited for no longer.
    fn abandon(&mut self) {
        self.reach(ABANDON);
        let abandoned: Vec<String> = self.life.activities.keys().cloned().collect();
        self.stop_all();
        let left: u64 = self.life.activities.iter().map(|entry| entry.weight()).sum();
        self.life.activities.clear();
        self.let_go(left);
        self.end_run(abandoned);
    }

    fn end_run(&mut self, abandoned: Vec<String>) {
        let Phase::Closing { outcome, .. } = &self.life.phase else {
            unreachable!("BUG: ended without closing")
        };
        let (outcome, parent) = (outcome.clone(), self.life.parent.clone());
        let told = parent.is_none();
        if let Some((parent, effect)) = parent {
            self.effect(Effect::TellParent { parent, effect, outcome: outcome.clone() });
        }
        self.news(News::Over { outcome: outcome.clone(), abandoned });
        self.life.phase = Phase::Ended { outcome, told };
    }

    pub(super) fn acknowledged(&mut self) {
        self.reach(TELL);
        let Phase::Ended { told, .. } = &mut self.life.phase else {
            unreachable!("BUG: an end was acknowledged before it came")
        };
        *told = true;
    }
}

/// Says of a failure which output could not be made. One of a limit names it itself.
fn of_output(scope: &Scope<'_>, wanted: &[(String, Expr)], stop: Stop) -> Stop {
    let Stop::Fail(failure) = stop else { return stop };
    if failure.kind == FailureKind::Limit {
        return failure.into();
    }
    let fails = |one: &&(String, Expr)| matches!(scope.fields(std::slice::from_ref(one)), Err(Stop::Fail(_)));
    match wanted.iter().find(fails) {
        Some((name, _)) => {
            Failure::new(failure.kind, format!("output `{name}` cannot be made: {}", failure.message)).into()
        }
        None => failure.into(),
    }
}
