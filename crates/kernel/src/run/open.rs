//! What is open in a run. Recovery, cancel and continue-as-new all start from this list.

use super::Run;
use super::activity::{Activity, Stage};
use super::phase::{CLOSE, Phase, TIMEOUT};
use crate::fault::planted;
use crate::id::Purpose;
use crate::plan::OnInterrupt;
use crate::{Effect, EffectId};
use serde::{Deserialize, Serialize};

/// Something that was asked of the world and has not come back.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
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
        let mut open: Vec<Open> = self.own_timer().into_iter().collect();
        for (key, activity) in &self.life.activities {
            open.extend(self.asked(key, activity));
            open.extend(self.timed(key, activity));
        }
        open.extend(self.untold());
        if planted!(self, LostTimer) {
            open.retain(|open| open.kind != OpenKind::Timer);
        }
        open
    }

    /// The timers that are due, in the order in which they are to fire. The run's own deadline is the first, however long
    /// others have been due: nothing begins once its time is up. That of closing is not among them: whoever it waits for is
    /// heard first.
    pub fn overdue(&self, now: u64) -> Vec<EffectId> {
        if planted!(self, LostTimer) {
            return Vec::new();
        }
        let own = self.is_time_up(now).then(|| EffectId::new(TIMEOUT));
        let timed = self.life.activities.iter().filter_map(|(key, activity)| {
            let (purpose, due) = activity.due()?;
            (due <= now).then(|| (due, activity.id(key, purpose)))
        });
        let mut timed: Vec<(u64, EffectId)> = timed.collect();
        timed.sort_by_key(|(due, _)| *due);
        own.into_iter().chain(timed.into_iter().map(|(_, timer)| timer)).collect()
    }

    /// Whether the run's own deadline has come, and found it running.
    pub fn is_time_up(&self, now: u64) -> bool {
        self.life.phase == Phase::Running && self.life.deadline(&self.plan).is_some_and(|due| due <= now)
    }

    fn own_timer(&self) -> Option<Open> {
        let (name, due) = match &self.life.phase {
            Phase::Running => (TIMEOUT, self.life.deadline(&self.plan)?),
            Phase::Closing { due, .. } => (CLOSE, *due),
            Phase::Queued | Phase::Ended { .. } => return None,
        };
        Some(timer(EffectId::new(name), String::new(), due))
    }

    fn untold(&self) -> Option<Open> {
        let Phase::Ended { outcome, told: false } = &self.life.phase else { return None };
        let (parent, effect) = self.life.parent.clone()?;
        let effect = Effect::TellParent { parent, effect, outcome: outcome.clone() };
        Some(Open { id: EffectId::new("run/parent"), step: String::new(), kind: OpenKind::Parent, effect })
    }

    /// What an activity has asked of someone.
    fn asked(&self, key: &str, activity: &Activity) -> Option<Open> {
        let step = &self.plan.steps[activity.step as usize];
        let work = || Effect::Perform(activity.perform(key, step));
        let (purpose, kind, effect) = match &activity.stage {
            Stage::Working => (Purpose::Work, OpenKind::Perform { on_interrupt: step.on_interrupt }, work()),
            Stage::Interrupted => (Purpose::Work, OpenKind::Interrupted, work()),
            Stage::Verifying { .. } => {
                let kind = OpenKind::Perform { on_interrupt: OnInterrupt::Retry };
                (Purpose::Verify, kind, Effect::Perform(activity.check(key, step)?))
            }
            Stage::Offered { .. } => {
                (Purpose::Work, OpenKind::Action, Effect::Offer(activity.action(key, step)?))
            }
            Stage::Nested { .. } => {
                let effect = activity.child_effect(key, step, self.life.depth)?;
                (Purpose::Work, OpenKind::Child, effect)
            }
            Stage::Stopping { child: Some(child), .. } => {
                (Purpose::Work, OpenKind::Child, activity.cancel_child(key, child.clone()))
            }
            Stage::Stopping { checking, child: None } => {
                let purpose = if *checking { Purpose::Verify } else { Purpose::Work };
                (purpose, OpenKind::Stopping, Effect::Withdraw { id: activity.id(key, purpose) })
            }
            Stage::Resting { .. } | Stage::Sleeping { .. } => return None,
        };
        Some(Open { id: activity.id(key, purpose), step: activity.name(key, step), kind, effect })
    }

    /// What an activity has asked of the clock.
    fn timed(&self, key: &str, activity: &Activity) -> Option<Open> {
        let (purpose, due) = activity.due()?;
        let step = &self.plan.steps[activity.step as usize];
        Some(timer(activity.id(key, purpose), activity.name(key, step), due))
    }
}

fn timer(id: EffectId, step: String, due: u64) -> Open {
    Open { effect: Effect::StartTimer { id: id.clone(), due }, id, step, kind: OpenKind::Timer }
}
