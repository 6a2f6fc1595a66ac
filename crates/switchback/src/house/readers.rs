//! Connections that only read, kept warm: a look takes one, or opens one more if all are in use. So many look at once and no
//! more; whoever comes then waits for their turn.

use engine::store::{OpenError, Reader};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use tokio::sync::Semaphore;

/// How many look at once.
const AT_ONCE_MAX: usize = 8;

/// Readers of one store.
pub(super) struct Readers {
    dir: PathBuf,
    free: Mutex<Vec<Reader>>,
    turns: Semaphore,
}

impl Readers {
    /// Readers of the store in a data directory, the first of which is open.
    pub(super) fn over(dir: &Path) -> Result<Readers, OpenError> {
        let first = Reader::open(dir)?;
        Ok(Readers { dir: dir.to_owned(), free: Mutex::new(vec![first]), turns: Semaphore::new(AT_ONCE_MAX) })
    }

    /// Looks at the store, which may wait for the disk. Most looks take less time than to wake another thread, so they
    /// happen on this one; what else it has to do is taken over meanwhile.
    pub(super) async fn look<T>(&self, look: impl FnOnce(&Reader) -> T) -> Result<T, OpenError> {
        // Turns are never closed, so there is always one to come.
        let _turn = self.turns.acquire().await;
        tokio::task::block_in_place(|| self.with(look))
    }

    /// Glances at a few rows, which are almost always in memory: to have it done elsewhere would take longer.
    pub(super) async fn glance<T>(&self, look: impl FnOnce(&Reader) -> T) -> Result<T, OpenError> {
        let _turn = self.turns.acquire().await;
        self.with(look)
    }

    /// Lets go of the connections that nobody uses.
    pub(super) fn close(&self) {
        self.free.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    fn with<T>(&self, look: impl FnOnce(&Reader) -> T) -> Result<T, OpenError> {
        let free = || self.free.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = free().pop();
        let reader = kept.map_or_else(|| Reader::open(&self.dir), Ok)?;
        let seen = look(&reader);
        free().push(reader);
        Ok(seen)
    }
}
