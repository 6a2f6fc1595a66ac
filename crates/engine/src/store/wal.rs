//! The WAL, grown once to its whole size. To flush what was written over costs about half of what it costs to flush a
//! file that has grown: its size and its new blocks must reach the disk as well. SQLite does not look at how long the file
//! is; it stops reading at the first frame that is not of the last round, and zeros are none.

use super::connect::WAL_BYTES;
use std::fs::OpenOptions;
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// Grows the WAL of a database whose only writer is this thread, between two commits. Where that fails, it grows as it is
/// written, as it would have anyway.
pub(super) fn grow(database: Option<&Path>) {
    if let Some(database) = database {
        let _ = grown(&log_of(database));
    }
}

fn grown(log: &Path) -> io::Result<()> {
    // It holds no locks of SQLite's, which closing a second descriptor would give up.
    let mut file = OpenOptions::new().write(true).open(log)?;
    let (length, whole) = (file.metadata()?.len(), WAL_BYTES.unsigned_abs());
    if length < whole {
        file.seek(SeekFrom::Start(length))?;
        file.write_all(&vec![0; usize::try_from(whole - length).unwrap_or(0)])?;
        file.sync_data()?;
    }
    Ok(())
}

fn log_of(database: &Path) -> PathBuf {
    let mut name = database.as_os_str().to_owned();
    name.push("-wal");
    name.into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::{Filter, Reader, Store};

    /// The size of the log and how many runs a reader sees, however the store was left.
    fn seen(dir: &Path) -> (u64, usize) {
        let log = log_of(&dir.join(crate::store::FILE));
        let runs = Reader::open(dir).unwrap().runs(&Filter::default()).unwrap();
        (std::fs::metadata(log).map_or(0, |log| log.len()), runs.len())
    }

    #[test]
    fn a_log_that_was_grown_is_read_as_if_it_had_not_been() {
        let (home, left) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let mut store = Store::open(home.path()).unwrap();
        store.stay().unwrap();
        assert_eq!(seen(home.path()), (WAL_BYTES.unsigned_abs(), 0));
        let epoch = store.epoch();
        // As a power cut would leave it: log and database, and nothing of the memory beside them.
        for name in [crate::store::FILE.to_owned(), format!("{}-wal", crate::store::FILE)] {
            std::fs::copy(home.path().join(&name), left.path().join(&name)).unwrap();
        }
        let again = Store::open(left.path()).unwrap();
        assert_eq!(again.epoch(), epoch + 1, "what was committed before is there");
        again.close().unwrap();
        store.close().unwrap();
        assert_eq!(seen(home.path()).1, 0);
    }
}
