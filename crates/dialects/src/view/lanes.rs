//! What failed in tasks of sub-agents. Each task has a lane of its own, and all of them do the same steps: the row of a step
//! must not say that all is well because the last of them was.

use crate::reactive::view::atomic;
use kernel::Failure;
use std::collections::BTreeMap;

/// The failures of steps in lanes.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Lanes {
    /// The task of each lane.
    tasks: BTreeMap<u32, String>,
    /// Why a step failed in a lane, and in which task.
    failed: BTreeMap<(u32, u32), (String, String)>,
}

impl Lanes {
    /// A task began in a lane. What failed when it was tried before counts no more.
    pub(super) fn began(&mut self, lane: u32, task: &str) {
        self.failed.retain(|_, (of, _)| of != task);
        self.tasks.insert(lane, task.to_owned());
    }

    /// A step ended; those of the main flow are none of ours.
    pub(super) fn ended(&mut self, key: &str, step: u32, failure: Option<&Failure>) {
        let lane = atomic::lane(key).0;
        let Some(task) = self.tasks.get(&lane) else { return };
        match failure {
            Some(failure) => {
                let reason = format!("in task {task}: {}", failure.message);
                self.failed.insert((step, lane), (task.clone(), reason));
            }
            None => drop(self.failed.remove(&(step, lane))),
        }
    }

    /// Why a step failed in the first lane in which it did.
    pub(super) fn reason(&self, step: u32) -> Option<&str> {
        self.failed.range((step, 0)..=(step, u32::MAX)).next().map(|(_, (_, reason))| reason.as_str())
    }
}
