//! What the world owes a run: all effects that left, less what came back or was withdrawn. A run's own list
//! (`open`) must say the same.

use kernel::{Command, Effect, EffectId, Open, OpenKind, Run};
use std::collections::{BTreeMap, BTreeSet};

/// Effects that left, by name.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ledger {
    owed: BTreeMap<EffectId, Effect>,
    /// Work and children that were told to stop and have not said that they did.
    stopping: BTreeSet<EffectId>,
    /// Work that nobody knows the end of.
    unknown: BTreeSet<EffectId>,
}

impl Ledger {
    /// Effects leave.
    pub(crate) fn leave(&mut self, effects: &[Effect]) {
        for effect in effects {
            match effect {
                Effect::Perform(perform) => self.owe(&perform.id, effect, false),
                Effect::Offer(action) => self.owe(&action.id, effect, true),
                Effect::StartTimer { id, .. } | Effect::StartChild { id, .. } => self.owe(id, effect, false),
                Effect::TellParent { .. } => self.owe(&EffectId::new("run/parent"), effect, false),
                Effect::CancelChild { id, .. } => self.stop(id, effect),
                Effect::Withdraw { id } => self.withdraw(id, effect),
            }
        }
    }

    fn owe(&mut self, id: &EffectId, effect: &Effect, again: bool) {
        let before = self.owed.insert(id.clone(), effect.clone());
        assert!(before.is_none() || again, "`{id}` left twice");
    }

    fn stop(&mut self, id: &EffectId, effect: &Effect) {
        assert!(self.owed.contains_key(id), "`{id}` was stopped and is not open");
        self.stopping.insert(id.clone());
        self.owed.insert(id.clone(), effect.clone());
    }

    fn withdraw(&mut self, id: &EffectId, effect: &Effect) {
        match self.owed.get(id) {
            Some(Effect::Perform(_)) => self.stop(id, effect),
            Some(_) => drop(self.owed.remove(id)),
            None => panic!("`{id}` was withdrawn and is not open"),
        }
    }

    /// A command was admitted: what it tells of is owed no more.
    pub(crate) fn came(&mut self, command: &Command) {
        let id = match command {
            Command::Report { effect, .. } | Command::Submit { effect, .. } => effect,
            Command::Answer { effect, .. } | Command::EndChild { effect, .. } => effect,
            Command::Fire { timer } => timer,
            Command::Acknowledge => &EffectId::new("run/parent"),
            Command::Interrupt { effect } => {
                self.unknown.insert(effect.clone());
                effect
            }
            Command::Resolve { effect, .. } => {
                assert!(self.unknown.remove(effect), "`{effect}` was resolved and not interrupted");
                return;
            }
            Command::Start { .. } | Command::Update { .. } | Command::Cancel { .. } => return,
            Command::Mark { .. } | Command::GiveUp { .. } => return,
        };
        assert!(self.owed.remove(id).is_some(), "`{id}` came back and was not owed");
        self.stopping.remove(id);
    }

    /// The run's own list says the same.
    pub(crate) fn agree(&mut self, run: &Run) {
        let open: BTreeMap<EffectId, Open> =
            run.open().into_iter().map(|open| (open.id.clone(), open)).collect();
        if run.outcome().is_some() {
            // What never said that it stopped was abandoned; it was told to stop all the same.
            self.owed.retain(|id, _| !self.stopping.contains(id));
            self.unknown.clear();
        }
        self.unknown.retain(|id| open.contains_key(id));
        let owed: BTreeSet<&EffectId> = self.owed.keys().chain(&self.unknown).collect();
        assert_eq!(owed, open.keys().collect(), "what left and what is open differ");
        for (id, open) in &open {
            match open.kind {
                OpenKind::Interrupted => assert!(self.unknown.contains(id), "`{id}` was not interrupted"),
                OpenKind::Stopping => assert!(self.stopping.contains(id), "`{id}` was not stopped"),
                _ => assert_eq!(self.owed.get(id), Some(&open.effect), "`{id}` is open as something else"),
            }
        }
    }
}
