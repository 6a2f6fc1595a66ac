//! The key that seals what a client brings back. It lies in the data directory, for the owner only, so that what was sealed
//! before a restart can be opened after it.

use rmcp::model::RequestStateCodec;
use std::fs::{self, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

/// The file in the data directory.
const FILE: &str = "request-state.key";

const KEY_BYTES: usize = 32;

/// Seals and opens.
pub(in crate::mcp) struct Sealer(pub(super) RequestStateCodec);

impl Sealer {
    /// The sealer of a data directory; its key is made if there is none. Only the owner of the directory calls this.
    pub(in crate::mcp) fn of(dir: &Path) -> io::Result<Sealer> {
        // Two calls that ask for the first time at once must not make two keys.
        static ONE: Mutex<()> = Mutex::new(());
        let _one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
        let path = dir.join(FILE);
        let key = match read(&path)? {
            Some(key) => key,
            None => made(&path)?,
        };
        RequestStateCodec::try_new(key).map(Sealer).map_err(io::Error::other)
    }
}

/// The key that is there, if it is whole.
fn read(path: &Path) -> io::Result<Option<Vec<u8>>> {
    let mut key = Vec::new();
    match fs::File::open(path) {
        Ok(file) => file.take(KEY_BYTES as u64 + 1).read_to_end(&mut key)?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    Ok(Some(key).filter(|key| key.len() == KEY_BYTES))
}

/// A fresh key, whole in its file or not there at all.
fn made(path: &Path) -> io::Result<Vec<u8>> {
    let mut key = vec![0; KEY_BYTES];
    rustix::rand::getrandom(&mut key[..], rustix::rand::GetRandomFlags::empty())?;
    let fresh = path.with_extension("new");
    let mut file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&fresh)?;
    file.write_all(&key)?;
    file.sync_all()?;
    fs::rename(&fresh, path)?;
    Ok(key)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn a_key_is_made_once_and_only_its_owner_reads_it() {
        let dir = tempfile::tempdir().expect("a folder");
        let first = Sealer::of(dir.path()).expect("a key");
        let again = Sealer::of(dir.path()).expect("the same key");
        assert_eq!(again.0.open(&first.0.seal(b"x")).ok().as_deref(), Some(b"x".as_slice()));
        let mode = fs::metadata(dir.path().join(FILE)).expect("a file").permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }

    #[test]
    fn a_key_that_is_not_whole_is_made_anew() {
        let dir = tempfile::tempdir().expect("a folder");
        fs::write(dir.path().join(FILE), b"short").expect("a file");
        Sealer::of(dir.path()).expect("a key");
        assert_eq!(fs::read(dir.path().join(FILE)).expect("a file").len(), KEY_BYTES);
    }
}
