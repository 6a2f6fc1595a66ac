//! What will happen, in the order of time.

use super::hands::Key;
use kernel::{Command, Question, RunId};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

/// Something that will happen.
#[derive(Debug)]
pub(crate) enum Happening {
    /// Somebody starts a run.
    Start { number: u64 },
    /// Somebody cancels a run.
    Cancel { number: u64 },
    /// Agent, human or outsider does something.
    People,
    /// An adapter comes to an end.
    Report { key: Key, ticket: u64 },
    /// The same command comes once more.
    Echo { run: RunId, command: Command },
    /// The time of a timer.
    Timer { key: Key, due: u64 },
    /// The evaluator answers.
    Answer { run: RunId, questions: Vec<Question> },
    /// A second server takes the store over while the first sleeps.
    TakeOver,
    /// The first one wakes up.
    Zombie,
    /// The server carries a run on.
    Recover { run: RunId },
    /// The server tries once more to commit.
    Retry,
}

/// The future.
#[derive(Default)]
pub(crate) struct Queue {
    order: BinaryHeap<Reverse<(u64, u64)>>,
    what: BTreeMap<u64, (Option<u64>, Happening)>,
    next: u64,
}

impl Queue {
    /// Plans something; with a `life` it dies with that life of the server.
    pub(crate) fn plan(&mut self, at: u64, life: Option<u64>, happening: Happening) {
        self.order.push(Reverse((at, self.next)));
        self.what.insert(self.next, (life, happening));
        self.next += 1;
    }

    /// Takes the next thing, if it happens by `by`.
    pub(crate) fn next(&mut self, by: u64) -> Option<(u64, Option<u64>, Happening)> {
        let Reverse((at, number)) = *self.order.peek()?;
        if at > by {
            return None;
        }
        self.order.pop();
        let (life, happening) = self.what.remove(&number).expect("BUG: a plan without a happening");
        Some((at, life, happening))
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.order.is_empty()
    }

    /// What dies with the server.
    pub(crate) fn forget(&mut self, life: u64) {
        let Queue { order, what, .. } = self;
        what.retain(|_, (lives, _)| *lives != Some(life));
        order.retain(|Reverse((_, number))| what.contains_key(number));
    }
}
