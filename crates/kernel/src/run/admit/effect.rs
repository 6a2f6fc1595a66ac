//! What is open: reports, interruptions and their resolution, timers, ends of children.

use crate::event::{Report, Resolution};
use crate::fault::planted;
use crate::id::Purpose;
use crate::run::Run;
use crate::run::activity::{Activity, Stage, is_gate};
use crate::run::phase::{CLOSE, Phase, TIMEOUT};
use crate::{EffectId, Refusal, RunId};

impl Run {
    /// The open activity that an effect names, in the attempt it names.
    fn named(&self, effect: &EffectId) -> Result<(&Activity, Purpose), Refusal> {
        let (key, attempt, purpose) = effect.parts().ok_or_else(|| self.not_open(effect))?;
        let activity = self.life.activities.get(key).ok_or_else(|| self.not_open(effect))?;
        if attempt < activity.attempt && !planted!(self, DroppedDuplicateCheck) {
            return Err(Refusal::Stale { effect: effect.clone(), due: activity.id(key, purpose) });
        }
        if attempt > activity.attempt {
            return Err(self.not_open(effect));
        }
        Ok((activity, purpose))
    }

    /// The open activity whose work an effect names.
    pub(super) fn work(&self, effect: &EffectId) -> Result<&Activity, Refusal> {
        match self.named(effect)? {
            (activity, Purpose::Work) => Ok(activity),
            _ => Err(self.not_open(effect)),
        }
    }

    fn not_open(&self, effect: &EffectId) -> Refusal {
        let due = self.life.activities.iter().take(10).map(|(key, activity)| {
            let purpose = match &activity.stage {
                Stage::Resting { .. } => Purpose::Retry,
                Stage::Sleeping { .. } => Purpose::Due,
                Stage::Verifying { .. } | Stage::Stopping { checking: true, .. } => Purpose::Verify,
                _ => Purpose::Work,
            };
            activity.id(key, purpose)
        });
        Refusal::NotOpen { effect: effect.clone(), due: due.collect() }
    }

    /// The command does not fit what is open.
    pub(super) fn wrong_kind(&self, effect: &EffectId, activity: &Activity) -> Refusal {
        let waits_for = match &activity.stage {
            Stage::Nested { .. } | Stage::Stopping { child: Some(_), .. } => "the end of a child run",
            Stage::Working | Stage::Verifying { .. } | Stage::Stopping { .. } => "a report",
            Stage::Offered { .. } if is_gate(&self.plan.steps[activity.step as usize]) => "a human's answer",
            Stage::Offered { .. } => "a result",
            Stage::Resting { .. } | Stage::Sleeping { .. } => "the clock",
            Stage::Interrupted => "a word on what became of it",
        };
        Refusal::WrongKind { effect: effect.clone(), waits_for: waits_for.into() }
    }

    /// What works may report. A child ends by itself; of one that cannot even start it is reported that it failed.
    pub(super) fn reportable(&self, effect: &EffectId, report: &Report) -> Result<(), Refusal> {
        let nested = |activity: &Activity| {
            matches!(activity.stage, Stage::Nested { .. } | Stage::Stopping { child: Some(_), .. })
        };
        match (report, self.work(effect)) {
            (Report::Failed { .. }, Ok(activity)) if nested(activity) => Ok(()),
            _ => self.performing(effect),
        }
    }

    pub(super) fn performing(&self, effect: &EffectId) -> Result<(), Refusal> {
        let (activity, purpose) = self.named(effect)?;
        let expected = match &activity.stage {
            Stage::Working | Stage::Stopping { checking: false, child: None } => Purpose::Work,
            Stage::Verifying { check: Some(_), .. } | Stage::Stopping { checking: true, child: None } => {
                Purpose::Verify
            }
            _ if purpose == Purpose::Work => return Err(self.wrong_kind(effect, activity)),
            _ => return Err(self.not_open(effect)),
        };
        if purpose == expected { Ok(()) } else { Err(self.not_open(effect)) }
    }

    pub(super) fn resolvable(&self, effect: &EffectId, resolution: &Resolution) -> Result<(), Refusal> {
        let activity = self.work(effect)?;
        if activity.stage != Stage::Interrupted {
            return Err(self.wrong_kind(effect, activity));
        }
        match resolution {
            Resolution::Done { outputs } => self.small(outputs),
            Resolution::Retry | Resolution::Fail => Ok(()),
        }
    }

    pub(super) fn due(&self, timer: &EffectId, at: u64) -> Result<(), Refusal> {
        let due = match (&self.life.phase, timer.as_str()) {
            (Phase::Running, TIMEOUT) => self.life.deadline(&self.plan),
            (Phase::Closing { due, .. }, CLOSE) => Some(*due),
            (_, TIMEOUT | CLOSE) => None,
            _ => self.activity_due(timer)?,
        };
        match due {
            Some(due) if due <= at => Ok(()),
            Some(due) => Err(Refusal::TooEarly { timer: timer.clone(), due }),
            None => Err(self.not_open(timer)),
        }
    }

    fn activity_due(&self, timer: &EffectId) -> Result<Option<u64>, Refusal> {
        let (activity, purpose) = self.named(timer)?;
        Ok(activity.due().filter(|(running, _)| *running == purpose).map(|(_, due)| due))
    }

    pub(super) fn child(&self, effect: &EffectId, ended: &RunId) -> Result<(), Refusal> {
        match &self.work(effect)?.stage {
            Stage::Nested { child, .. } | Stage::Stopping { child: Some(child), .. } if child == ended => {
                Ok(())
            }
            _ => Err(Refusal::WrongChild { child: ended.clone() }),
        }
    }
}
