//! Nothing new is begun for a while: the server is about to end and wants to interrupt nobody. What a turn asks for
//! meanwhile is held. If the server goes on after all, it is begun then; if it ends, it is written down as unbegun, and
//! the next server begins it instead of asking what became of it.

use super::worker::Worker;
use crate::store::Write;
use crate::turn::Home;
use kernel::RunId;
use kernel::effect::Perform;
use std::sync::Arc;

/// Effects that wait for a word.
#[derive(Default)]
pub(super) struct Hold {
    holding: bool,
    held: Vec<(RunId, Arc<Home>, Perform)>,
}

impl Worker {
    /// Lets an adapter begin an effect, unless nothing is to be begun.
    pub(super) fn begin(&mut self, run: RunId, home: Arc<Home>, perform: Perform) {
        if self.hold.holding || !self.hands.is_open() {
            return self.hold.held.push((run, home, perform));
        }
        self.hands.perform(run, &home, perform);
    }

    /// From now on nothing is begun. Gives how many effects are being carried out.
    pub(super) fn hold(&mut self) -> usize {
        self.hold.holding = true;
        *self.hands.count().borrow()
    }

    /// Begins what was held.
    pub(super) fn release(&mut self) {
        self.hold.holding = false;
        for (run, home, perform) in std::mem::take(&mut self.hold.held) {
            self.begin(run, home, perform);
        }
    }

    /// Forgets a held effect that its run does not want any more; it never began, and says so.
    pub(super) fn withdraw(&mut self, run: &RunId, id: &kernel::EffectId) {
        let held = self.hold.held.iter().position(|(other, _, perform)| other == run && perform.id == *id);
        match held.map(|position| self.hold.held.swap_remove(position)) {
            Some((run, _, perform)) => self.hands.never_began(run, perform.id),
            None => self.hands.withdraw(run, id),
        }
    }

    /// Writes down what was held to the end.
    pub(super) fn write_unbegun(&mut self) {
        for (run, _, perform) in std::mem::take(&mut self.hold.held) {
            self.driver.write(Write::Unbegun { run, effect: perform.id });
        }
    }
}
