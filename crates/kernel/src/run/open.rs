//! What is open in a run. Recovery, cancel and continue-as-new all start from this list.

use super::Run;
use super::activity::{Stage, action, check, perform};
use super::phase::{CLOSE, Phase, TIMEOUT};
use crate::fault::Fault;
use crate::id::Purpose;
use crate::plan::OnInterrupt;
use crate::{Effect, EffectId};

/// Something that was asked of the world and has not come back.
#[derive(Clone, Debug, PartialEq)]
pub struct Open {
    /// Its name.
    pub id: EffectId,
    /// The step it belongs to; empty for the run's own.
    pub step: String,
    /// What kind of thing it is.
    pub kind: OpenKind,
    /// What was asked; asking again names the same thing.
    pub effect: Effect,
}

/// The kinds of open things.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpenKind {
    /// An adapter works; after a crash it was interrupted.
    Perform {
        /// What becomes of it then.
        on_interrupt: OnInterrupt,
    },
    /// An adapter was told to stop; its report is awaited.
    Stopping,
    /// The agent or the human has it.
    Action,
    /// The clock has it.
    Timer,
    /// A child run has it.
    Child,
    /// Someone must say what became of it.
    Interrupted,
    /// The parent must still record the end.
    Parent,
}

impl Run {
    /// All that is open, in a fixed order.
    pub fn open(&self) -> Vec<Open> {
        let mut open = self.own_timers();
        for key in self.life.activities.keys() {
            self.open_of(key, &mut open);
        }
        if let (Phase::Ended { outcome, told: false }, Some((parent, effect))) =
            (&self.life.phase, &self.life.parent)
        {
            let tell = Effect::TellParent {
                parent: parent.clone(),
                effect: effect.clone(),
                outcome: outcome.clone(),
            };
            open.push(Open {
                id: EffectId::new("run/parent"),
                step: String::new(),
                kind: OpenKind::Parent,
                effect: tell,
            });
        }
        if self.planted.has(Fault::LostTimer) {
            open.retain(|open| open.kind != OpenKind::Timer);
        }
        open
    }

    fn own_timers(&self) -> Vec<Open> {
        let timer = match &self.life.phase {
            Phase::Running => self.plan.deadline.ms().map(|ms| (TIMEOUT, self.life.since + ms)),
            Phase::Closing { due, .. } => Some((CLOSE, *due)),
            Phase::Queued | Phase::Ended { .. } => None,
        };
        timer.map(|(name, due)| timer_of(EffectId::new(name), String::new(), due)).into_iter().collect()
    }

    fn open_of(&self, key: &str, open: &mut Vec<Open>) {
        let activity = &self.life.activities[key];
        let planned = &self.plan.steps[activity.step as usize];
        let id = |purpose| EffectId::of(key, activity.attempt, purpose);
        let mut add = |purpose, kind, effect| {
            open.push(Open { id: id(purpose), step: planned.id.clone(), kind, effect });
        };
        let due = match &activity.stage {
            Stage::Working => {
                let kind = OpenKind::Perform { on_interrupt: planned.on_interrupt };
                let work = perform(planned, id(Purpose::Work), activity.inputs.clone());
                add(Purpose::Work, kind, Effect::Perform(work));
                None
            }
            Stage::Verifying { .. } => {
                if let Some(check) = check(&self.plan, key, activity) {
                    let kind = OpenKind::Perform { on_interrupt: OnInterrupt::Retry };
                    add(Purpose::Verify, kind, Effect::Perform(check));
                }
                None
            }
            Stage::Offered { due, .. } => {
                if let Some(action) = action(&self.plan, key, activity) {
                    add(Purpose::Work, OpenKind::Action, Effect::Offer(action));
                }
                due.map(|due| (Purpose::Due, due))
            }
            Stage::Nested { child, workflow, plan, due, late } => {
                let mut inputs = activity.inputs.clone();
                if plan.is_none() {
                    inputs.remove("workflow");
                }
                let effect = if *late {
                    let reason = "it took too long".to_owned();
                    Effect::CancelChild { id: id(Purpose::Work), child: child.clone(), reason }
                } else {
                    Effect::StartChild {
                        id: id(Purpose::Work),
                        child: child.clone(),
                        workflow: workflow.clone(),
                        plan: *plan,
                        inputs,
                        depth: self.life.depth + 1,
                    }
                };
                add(Purpose::Work, OpenKind::Child, effect);
                due.map(|due| (Purpose::Due, due))
            }
            Stage::Resting { due } => Some((Purpose::Retry, *due)),
            Stage::Sleeping { due } => Some((Purpose::Due, *due)),
            Stage::Interrupted => {
                let work = perform(planned, id(Purpose::Work), activity.inputs.clone());
                add(Purpose::Work, OpenKind::Interrupted, Effect::Perform(work));
                None
            }
            Stage::Stopping { child: Some(child), .. } => {
                let reason = "the parent closes".to_owned();
                let effect = Effect::CancelChild { id: id(Purpose::Work), child: child.clone(), reason };
                add(Purpose::Work, OpenKind::Child, effect);
                None
            }
            Stage::Stopping { checking, child: None } => {
                let purpose = if *checking { Purpose::Verify } else { Purpose::Work };
                add(purpose, OpenKind::Stopping, Effect::Withdraw { id: id(purpose) });
                None
            }
        };
        if let Some((purpose, due)) = due {
            open.push(timer_of(id(purpose), planned.id.clone(), due));
        }
    }
}

fn timer_of(id: EffectId, step: String, due: u64) -> Open {
    Open { effect: Effect::StartTimer { id: id.clone(), due }, id, step, kind: OpenKind::Timer }
}
