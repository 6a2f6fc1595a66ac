//! One worktree of a repository after the other: what git does to two at once it does not always survive.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// Who is at work in which repository.
#[derive(Debug, Default)]
pub(crate) struct Queue {
    turns: Mutex<BTreeMap<PathBuf, Weak<Turn>>>,
}

/// The turn of a repository; who holds its lock is at work.
pub(super) type Turn = tokio::sync::Mutex<()>;

impl Queue {
    /// The turn of a repository, by its common folder.
    pub(super) fn turn(&self, common: &Path) -> Arc<Turn> {
        let mut turns = self.turns.lock().unwrap_or_else(PoisonError::into_inner);
        turns.retain(|_, turn| turn.strong_count() > 0);
        if let Some(turn) = turns.get(common).and_then(Weak::upgrade) {
            return turn;
        }
        let turn = Arc::new(Turn::default());
        turns.insert(common.to_owned(), Arc::downgrade(&turn));
        turn
    }
}
