//! Connections that only read, kept warm: a look takes one, or opens one more if all are in use.

use engine::store::{OpenError, Reader};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// How many are kept when nobody looks.
const KEPT_MAX: usize = 8;

/// Readers of one store.
#[derive(Clone)]
pub(super) struct Readers(Arc<Shared>);

struct Shared {
    dir: PathBuf,
    free: Mutex<Vec<Reader>>,
}

impl Readers {
    /// Readers of the store in a data directory, the first of which is open.
    pub(super) fn over(dir: &Path) -> Result<Readers, OpenError> {
        let first = Reader::open(dir)?;
        Ok(Readers(Arc::new(Shared { dir: dir.to_owned(), free: Mutex::new(vec![first]) })))
    }

    /// Looks at the store on a thread that may wait for the disk.
    pub(super) async fn look<T: Send + 'static>(
        &self,
        look: impl FnOnce(&Reader) -> T + Send + 'static,
    ) -> T {
        let readers = self.clone();
        let looked = tokio::task::spawn_blocking(move || readers.with(look)).await;
        looked.unwrap_or_else(|panic| std::panic::resume_unwind(panic.into_panic()))
    }

    /// Lets go of the connections that nobody uses.
    pub(super) fn close(&self) {
        self.0.free.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    fn with<T>(&self, look: impl FnOnce(&Reader) -> T) -> T {
        let free = || self.0.free.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = free().pop();
        let reader = match kept {
            Some(reader) => reader,
            // It was opened before: only a disk that fails stands in the way now, and the writer meets it too.
            None => Reader::open(&self.0.dir).expect("BUG: a store that is open cannot be read"),
        };
        let seen = look(&reader);
        let mut free = free();
        if free.len() < KEPT_MAX {
            free.push(reader);
        }
        seen
    }
}
