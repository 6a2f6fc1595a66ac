//! What a run holds, in bytes. Everything that grows with data is weighed when it is taken and when it is let go,
//! so that a snapshot stays small without ever being made to find out.
//!
//! Invariant: what is held equals what is weighed anew (`Life::weigh`), and nothing of a run's data is held beyond
//! the limit. What is weighed is never less than its JSON form: a snapshot never has more bytes than its weight.

use super::phase::Phase;
use super::{Life, Moment, Outcome};
use crate::data::{text_weight, weight_of};
use crate::{Digest, EffectId, Failure, FailureKind};

/// Something that a run holds.
pub(crate) trait Weigh {
    /// Its weight in bytes.
    fn weight(&self) -> u64;
}

/// What a run takes that holds nothing yet.
const RUN: u64 = 512;

impl Weigh for Outcome {
    fn weight(&self) -> u64 {
        64 + match self {
            Outcome::Succeeded { outputs } => weight_of(outputs),
            Outcome::Failed { failure } => {
                let reached = failure.reached.as_ref().map_or(0, |reached| 64 + text_weight(&reached.state));
                text_weight(&failure.message) + reached
            }
            Outcome::Cancelled { reason } => text_weight(reason),
        }
    }
}

impl Weigh for (EffectId, Digest) {
    fn weight(&self) -> u64 {
        text_weight(self.0.as_str()) + 70
    }
}

impl Life {
    /// All that is held, weighed anew.
    pub(crate) fn weigh(&self) -> u64 {
        let outcome = match &self.phase {
            Phase::Queued | Phase::Running => 0,
            Phase::Closing { outcome, .. } | Phase::Ended { outcome, .. } => outcome.weight(),
        };
        let activities: u64 = self.activities.iter().map(|entry| entry.weight()).sum();
        let taken: u64 = self.taken.iter().map(Weigh::weight).sum();
        let data = weight_of(&self.inputs) + self.state.weigh() + self.flow.weight();
        self.base() + outcome + activities + taken + data
    }

    /// What it takes to be this run at all.
    pub(super) fn base(&self) -> u64 {
        let parent = self.parent.as_ref();
        let parent =
            parent.map_or(0, |(run, effect)| text_weight(run.as_str()) + text_weight(effect.as_str()));
        RUN + text_weight(self.id.as_str()) + parent
    }
}

impl Moment<'_> {
    /// Fails if the run would hold more than it may.
    pub(crate) fn room(&self, more: u64) -> Result<(), Failure> {
        let (held, max) = (self.life.held.saturating_add(more), self.plan.limits.held_bytes_max);
        if held <= max {
            return Ok(());
        }
        let message = format!(
            "the run would hold {held} bytes of values that something reads later; at most {max} are allowed: write \
             values to files and pass their paths"
        );
        Err(Failure::new(FailureKind::Limit, message))
    }

    /// How many bytes the run may still hold on to.
    pub(crate) fn left(&self) -> u64 {
        self.plan.limits.held_bytes_max.saturating_sub(self.life.held)
    }

    /// Holds on to something more, if there is room.
    pub(crate) fn hold(&mut self, more: u64) -> Result<(), Failure> {
        self.room(more)?;
        self.carry(more);
        Ok(())
    }

    /// Holds on to something that cannot be refused, and is small.
    pub(crate) fn carry(&mut self, more: u64) {
        self.life.held += more;
    }

    /// Lets go of something that was held.
    pub(crate) fn let_go(&mut self, less: u64) {
        let held = self.life.held.checked_sub(less);
        self.life.held = held.expect("BUG: more was let go than was held");
    }
}
