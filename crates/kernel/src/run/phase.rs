//! The life of a run as a whole: queued, running, closing, ended. Failure, return, time-out, cancel and success
//! share one way out: *closing* stops what is open, waits for it under a deadline, runs cleanup, then *ended*.

use super::activity::Stage;
use super::{Moment, Outcome, Owner, Stop, Task};
use crate::fault::Fault;
use crate::table::table;
use crate::{Effect, EffectId, Failure, FailureKind, Fields, News};
use serde::{Deserialize, Serialize};

table! { "run":
    START      = "queued",  "started"                          => "running";
    SUCCEED    = "running", "the flow came to its end"         => "closing";
    FAIL       = "running", "a step or expression failed"      => "closing";
    TIME_OUT   = "running", "its time is up"                   => "closing";
    CANCEL     = "running", "cancel was requested"             => "closing";
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
        /// Whether the timer of that deadline has been asked for.
        timed: bool,
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
        self.life.held += crate::data::weight_of(&inputs);
        self.life.inputs = inputs;
        self.life.since = self.now;
        self.life.phase = Phase::Running;
        if let Some(ms) = self.plan.deadline.ms() {
            self.effect(Effect::StartTimer { id: EffectId::new(TIMEOUT), due: self.now + ms });
        }
        self.agenda.push_back(Task::Open);
    }

    pub(super) fn run_timer_fired(&mut self, timer: &EffectId) {
        match (&self.life.phase, timer.as_str()) {
            (Phase::Running, TIMEOUT) => {
                self.reach(TIME_OUT);
                let ms = self.plan.deadline.ms().unwrap_or_default();
                let message = format!("the run took longer than {ms} ms");
                let failure = Failure::new(FailureKind::TimedOut, message);
                self.begin_closing(Outcome::Failed { failure });
            }
            (Phase::Closing { .. }, CLOSE) => self.abandon(),
            _ => {}
        }
    }

    pub(super) fn cancel(&mut self, reason: String) {
        self.reach(CANCEL);
        self.begin_closing(Outcome::Cancelled { reason });
    }

    /// Evaluates the outputs and closes with success.
    pub(super) fn finish(&mut self) -> Result<(), Stop> {
        let outputs = self.scope(&crate::plan::Access::All).fields(&self.plan.outputs)?;
        self.close(Outcome::Succeeded { outputs });
        Ok(())
    }

    /// Starts closing. A run that closes already goes on as it was.
    pub(crate) fn close(&mut self, outcome: Outcome) {
        if self.life.phase != Phase::Running {
            return;
        }
        self.reach(if matches!(outcome, Outcome::Succeeded { .. }) { SUCCEED } else { FAIL });
        self.begin_closing(outcome);
    }

    fn begin_closing(&mut self, outcome: Outcome) {
        self.agenda.clear();
        self.stop_all();
        let due = self.now + self.plan.limits.close_ms_max;
        self.news(News::Closing { outcome: outcome.clone() });
        let timed = !self.life.activities.is_empty() || !self.plan.cleanup.is_empty();
        self.life.phase = Phase::Closing { outcome, due, cleaned: 0, timed };
        if self.plan.deadline.ms().is_some() {
            self.effect(Effect::Withdraw { id: EffectId::new(TIMEOUT) });
        }
        if timed {
            self.effect(Effect::StartTimer { id: EffectId::new(CLOSE), due });
        }
    }

    /// At the end of a turn: goes on closing once nothing is open.
    pub(super) fn settle(&mut self) {
        let Phase::Closing { cleaned, .. } = &self.life.phase else { return };
        if !self.life.activities.is_empty() {
            return;
        }
        if (*cleaned as usize) < self.plan.cleanup.len() {
            self.reach(CLEAN_UP);
            self.agenda.push_back(Task::Cleanup);
        } else {
            self.reach(END);
            self.end_run(Vec::new());
        }
    }

    pub(super) fn next_cleanup(&mut self) -> Result<(), Stop> {
        let Phase::Closing { cleaned, .. } = &mut self.life.phase else { return Ok(()) };
        let step = self.plan.cleanup[*cleaned as usize];
        *cleaned += 1;
        let key = format!("cleanup/{}", self.plan.steps[step as usize].id);
        match self.begin(Owner::Cleanup, step, key) {
            Err(Stop::Ask(question)) => {
                let Phase::Closing { cleaned, .. } = &mut self.life.phase else {
                    unreachable!("BUG: not closing")
                };
                *cleaned -= 1;
                Err(Stop::Ask(question))
            }
            // A cleanup step that cannot begin has ended; the others still run.
            Err(Stop::Fail(_)) | Ok(()) => Ok(()),
        }
    }

    fn abandon(&mut self) {
        self.reach(ABANDON);
        let abandoned: Vec<String> = self.life.activities.keys().cloned().collect();
        self.life.activities.clear();
        self.agenda.clear();
        if let Phase::Closing { timed, .. } = &mut self.life.phase {
            *timed = false;
        }
        self.end_run(abandoned);
    }

    fn end_run(&mut self, abandoned: Vec<String>) {
        let Phase::Closing { outcome, timed, .. } = &self.life.phase else {
            unreachable!("BUG: ended without closing")
        };
        let (outcome, timed) = (outcome.clone(), *timed);
        // A timer that was asked for in this very turn need not leave at all.
        let before = self.turn.effects.len();
        self.turn.effects.retain(|effect| !is_close_timer(effect));
        if timed && self.turn.effects.len() == before {
            self.effect(Effect::Withdraw { id: EffectId::new(CLOSE) });
        }
        let parent = self.life.parent.clone();
        if let Some((parent, effect)) = parent.clone() {
            self.effect(Effect::TellParent { parent, effect, outcome: outcome.clone() });
        }
        self.news(News::Over { outcome: outcome.clone(), abandoned });
        self.life.phase = Phase::Ended { outcome, told: parent.is_none() };
    }

    pub(super) fn acknowledged(&mut self) {
        if let Phase::Ended { told, .. } = &mut self.life.phase {
            *told = true;
            self.reach(TELL);
        }
    }

    /// Stops every open attempt: what must still report stays as stopping, the rest is over.
    fn stop_all(&mut self) {
        let keys: Vec<String> = self.life.activities.keys().cloned().collect();
        for key in keys {
            let forgotten = self.planted.has(Fault::CancelForgetsChild)
                && matches!(self.life.activities[&key].stage, Stage::Nested { .. });
            if forgotten {
                self.life.activities.remove(&key);
            } else {
                self.stop(&key);
            }
        }
    }
}

fn is_close_timer(effect: &Effect) -> bool {
    matches!(effect, Effect::StartTimer { id, .. } if id.as_str() == CLOSE)
}
