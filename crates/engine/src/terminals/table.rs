//! All sessions of a data directory: those that live or have ended and are still looked at, and those that were lost.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::held::Held;
use super::note::Note;

/// How many that have ended are kept for each workspace.
const ENDED_MAX: usize = 20;

/// How many that were lost are remembered.
const LOST_MAX: usize = 50;

/// Sessions by their numbers.
#[derive(Default)]
pub(super) struct Table {
    pub(super) held: BTreeMap<u64, Arc<Held>>,
    pub(super) lost: BTreeMap<u64, Note>,
    /// The greatest number that was given.
    pub(super) last: u64,
    /// Workspaces in which one is being opened at this moment.
    pub(super) opening: Vec<String>,
    /// Nothing is opened any more.
    pub(super) is_closing: bool,
}

impl Table {
    /// Those of a workspace that are held.
    pub(super) fn of(&self, workspace: &str) -> impl Iterator<Item = &Arc<Held>> {
        self.held.values().filter(move |held| held.note.workspace == workspace)
    }

    /// How many of a workspace live or are about to.
    pub(super) fn living(&self, workspace: &str) -> usize {
        let opening = self.opening.iter().filter(|one| *one == workspace).count();
        self.of(workspace).filter(|held| held.is_running()).count() + opening
    }

    /// The names of those of a workspace that live.
    pub(super) fn open_ids(&self, workspace: &str) -> Vec<String> {
        self.of(workspace).filter(|held| held.is_running()).map(|held| held.id()).collect()
    }

    /// Takes a new one in; gives back those that ended longest ago and are kept no longer.
    pub(super) fn insert(&mut self, held: Arc<Held>) -> Vec<Arc<Held>> {
        let workspace = held.note.workspace.clone();
        self.held.insert(held.note.number, held);
        let ended = self.of(&workspace).filter(|held| !held.is_running()).map(|held| held.note.number);
        let ended: Vec<u64> = ended.collect();
        let surplus = ended.len().saturating_sub(ENDED_MAX);
        ended[..surplus].iter().filter_map(|number| self.held.remove(number)).collect()
    }

    /// Remembers that one was lost; gives the numbers of those that are forgotten for it.
    pub(super) fn lose(&mut self, note: Note) -> Vec<u64> {
        self.lost.insert(note.number, note);
        let surplus = self.lost.len().saturating_sub(LOST_MAX);
        let old: Vec<u64> = self.lost.keys().take(surplus).copied().collect();
        old.iter().for_each(|number| drop(self.lost.remove(number)));
        old
    }
}
