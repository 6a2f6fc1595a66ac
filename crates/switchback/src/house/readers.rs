//! Connections that only read, kept warm: a look takes one, or opens one more if all are in use.

use engine::store::{OpenError, Reader};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// How many are kept when nobody looks.
const KEPT_MAX: usize = 8;

/// Readers of one store.
pub(super) struct Readers {
    dir: PathBuf,
    free: Mutex<Vec<Reader>>,
}

impl Readers {
    /// Readers of the store in a data directory, the first of which is open.
    pub(super) fn over(dir: &Path) -> Result<Readers, OpenError> {
        let first = Reader::open(dir)?;
        Ok(Readers { dir: dir.to_owned(), free: Mutex::new(vec![first]) })
    }

    /// Looks at the store, which may wait for the disk. Most looks take less time than to wake another thread, so they
    /// happen on this one; what else it has to do is taken over meanwhile.
    pub(super) fn look<T>(&self, look: impl FnOnce(&Reader) -> T) -> Result<T, OpenError> {
        tokio::task::block_in_place(|| self.with(look))
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
        let mut free = free();
        if free.len() < KEPT_MAX {
            free.push(reader);
        }
        Ok(seen)
    }
}
