//! The end of an activity: it is taken out, and its flow hears of it.

use super::Owner;
use crate::run::Moment;
use crate::run::phase::Phase;
use crate::{Failure, Fields, News};

/// How an activity ended.
pub(super) struct Ended {
    pub(super) owner: Owner,
    pub(super) step: u32,
    pub(super) since: u64,
    pub(super) failure: Option<Failure>,
    pub(super) outputs: Fields,
}

impl Moment<'_> {
    /// The activity is over: tells the flow.
    pub(super) fn end(&mut self, key: &str, failure: Option<Failure>, outputs: Fields) {
        let gone = self.remove(key);
        let (owner, step, since) = (gone.owner, gone.step, gone.since);
        match owner {
            Owner::Block(block) => self.keep_inputs(block, &gone.inputs),
            Owner::Lane(lane) => self.lane_step_tried(lane, gone.attempt),
            _ => {}
        }
        self.ended(key, Ended { owner, step, since, failure, outputs });
    }

    pub(super) fn ended(&mut self, key: &str, ended: Ended) {
        let Ended { owner, step, since, failure, outputs } = ended;
        let failure = match owner {
            Owner::Block(block) => failure.or_else(|| self.without_room(block, &outputs)),
            _ => failure,
        };
        self.news(News::Ended {
            key: key.to_owned(),
            step,
            failure: failure.clone(),
            outputs: outputs.clone(),
            since,
        });
        assert!(
            owner == Owner::Cleanup || self.life.phase == Phase::Running,
            "BUG: `{key}` went on while the run closed"
        );
        match owner {
            Owner::Block(block) => self.block_ended(block, failure, outputs, since),
            Owner::Item(block, item) => self.item_ended(block, item, failure, outputs),
            Owner::Child(lane, item) => self.child_item_ended(lane, item, failure, outputs),
            Owner::Lane(lane) => self.lane_step_ended(lane, failure, outputs),
            Owner::State => self.state_ended(failure, outputs),
            Owner::Cleanup => {}
        }
    }
}
