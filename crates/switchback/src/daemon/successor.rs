//! The newer program that is to be the next daemon. An older daemon writes it down and ends; whoever starts a daemon
//! looks here first, so that an older pipe does not bring the old one back.

use super::hello::{VERSION, is_newer};
use super::place::Place;
use serde::{Deserialize, Serialize};
use std::fs;
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// A newer program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Successor {
    pub(super) version: String,
    pub(super) program: PathBuf,
}

impl Successor {
    /// Writes it down, whole or not at all.
    pub(super) fn write(&self, place: &Place) -> io::Result<()> {
        let fresh = place.next.with_extension("next.new");
        fs::write(&fresh, serde_json::to_vec(self)?)?;
        fs::rename(fresh, &place.next)
    }

    /// The one that was written down, if it is newer than this binary and can be started.
    pub(super) fn read(place: &Place) -> Option<Successor> {
        let found: Successor = serde_json::from_slice(&fs::read(&place.next).ok()?).ok()?;
        (is_newer(&found.version, VERSION) && is_ours(&found.program)).then_some(found)
    }
}

/// Whether a program can be started and nobody but its owner, this user or root, can change it.
pub(super) fn is_ours(program: &Path) -> bool {
    let uid = rustix::process::getuid().as_raw();
    let sound = |found: fs::Metadata| {
        let mode = found.permissions().mode();
        found.is_file() && mode & 0o111 != 0 && mode & 0o022 == 0 && [uid, 0].contains(&found.uid())
    };
    program.is_absolute() && fs::metadata(program).is_ok_and(sound)
}
