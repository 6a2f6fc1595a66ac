//! The data directory: made for its owner alone, and only on a file system of this machine.
//!
//! SQLite's WAL needs shared memory and working locks, which network file systems do not give. FUSE is let
//! through: it cannot be told from here whether a local or a remote thing stands behind it.

use super::error::OpenError;
use std::fs::{self, DirBuilder, OpenOptions, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::Path;

/// Makes the file of a new store for its owner alone, whoever may look into the directory. SQLite gives the files it
/// lays beside it the same rights.
pub(super) fn make_private(path: &Path) -> Result<(), OpenError> {
    let made = match OpenOptions::new().write(true).create_new(true).mode(0o600).open(path) {
        // A first opening was cut short here, or someone else has made it.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            fs::set_permissions(path, Permissions::from_mode(0o600))
        }
        made => made.map(drop),
    };
    made.map_err(|error| OpenError::Directory { path: path.to_owned(), error })
}

/// Makes the directory if need be, and refuses one on a network file system.
pub(super) fn prepare(dir: &Path) -> Result<(), OpenError> {
    let failed = |error| OpenError::Directory { path: dir.to_owned(), error };
    make(dir).map_err(failed)?;
    match network(dir).map_err(failed)? {
        Some(system) => Err(OpenError::Network { dir: dir.to_owned(), system }),
        None => Ok(()),
    }
}

/// Makes a data directory if need be, for its owner alone. Where it lies inside a repository, git passes it by: it holds secrets.
pub fn make(dir: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(dir)?;
    written_by_owner_alone(dir)?;
    match OpenOptions::new().write(true).create_new(true).mode(0o600).open(dir.join(".gitignore")) {
        Ok(mut ignored) => ignored.write_all(b"*\n"),
        // Whatever it says, somebody wanted it so.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(error),
    }
}

/// Refuses a directory that group or others may write: whoever may write there may put a store, a socket or secrets of their own in
/// the place of ours. It is not mended from here, because it may be shared for a reason.
pub fn written_by_owner_alone(dir: &Path) -> io::Result<()> {
    let mode = fs::metadata(dir)?.permissions().mode() & 0o777;
    if mode & 0o022 == 0 {
        return Ok(());
    }
    let shown = dir.display();
    Err(io::Error::other(format!(
        "other users may write there (mode {mode:o}) and replace what it holds; mend with: chmod 700 '{shown}'"
    )))
}

/// The network file system that a directory lies on; none for one of this machine.
#[cfg(target_os = "linux")]
pub fn network(dir: &Path) -> io::Result<Option<&'static str>> {
    // The type is a signed or an unsigned word of 32 or 64 bits, as the machine likes: its low half is the name.
    let stat = rustix::fs::statfs(dir)?;
    Ok(name_of(stat.f_type as u32))
}

/// The network file system that a directory lies on; none for one of this machine.
#[cfg(not(target_os = "linux"))]
pub fn network(dir: &Path) -> io::Result<Option<&'static str>> {
    const MNT_LOCAL: u32 = 0x1000;
    let stat = rustix::fs::statfs(dir)?;
    Ok((stat.f_flags & MNT_LOCAL == 0).then_some("another machine"))
}

/// The network file systems of Linux, by the numbers of `statfs(2)`.
#[cfg(target_os = "linux")]
fn name_of(magic: u32) -> Option<&'static str> {
    let name = match magic {
        0x6969 => "NFS",
        0x517b | 0xff53_4d42 | 0xfe53_4d42 => "SMB",
        0x564c => "NCP",
        0x7375_7245 => "Coda",
        0x5346_414f | 0x6b41_4653 => "AFS",
        0x0102_1997 => "9P",
        0x00c3_6400 => "Ceph",
        0x0bd0_0bd0 => "Lustre",
        0x4750_4653 => "GPFS",
        0x0116_1970 => "GFS2",
        0x7461_636f => "OCFS2",
        _ => return None,
    };
    Some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_directory_is_for_its_owner_alone() {
        let home = tempfile::tempdir().unwrap();
        let dir = home.path().join("a/b");
        prepare(&dir).unwrap();
        let mode = std::fs::metadata(&dir).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o700);
        assert_eq!(std::fs::read_to_string(dir.join(".gitignore")).unwrap(), "*\n");
        std::fs::write(dir.join(".gitignore"), "").unwrap();
        prepare(&dir).unwrap();
        assert_eq!(std::fs::read_to_string(dir.join(".gitignore")).unwrap(), "");
    }

    #[test]
    fn one_that_others_may_write_is_refused_and_left_as_it_is() {
        let home = tempfile::tempdir().unwrap();
        for (mode, fits) in [(0o700, true), (0o755, true), (0o770, false), (0o702, false), (0o1777, false)] {
            fs::set_permissions(home.path(), Permissions::from_mode(mode)).unwrap();
            let done = prepare(home.path()).map_err(|error| error.to_string());
            assert_eq!(done.is_ok(), fits, "{mode:o}");
            let told = format!("mend with: chmod 700 '{}'", home.path().display());
            assert!(done.err().is_none_or(|words| words.ends_with(&told)), "{mode:o}");
            assert_eq!(fs::metadata(home.path()).unwrap().permissions().mode() & 0o7777, mode);
        }
    }

    #[test]
    fn a_file_in_the_way_is_named() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("file");
        std::fs::write(&path, "").unwrap();
        let error = prepare(&path).unwrap_err();
        assert!(matches!(&error, OpenError::Directory { path: named, .. } if *named == path), "{error}");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn network_file_systems_are_known_by_number() {
        assert_eq!(name_of(0x6969), Some("NFS"));
        assert_eq!(name_of(-11317950_i32 as u32), Some("SMB"));
        let local = [("ext4", 0xef53), ("btrfs", 0x9123_683e), ("xfs", 0x5846_5342), ("tmpfs", 0x0102_1994)];
        assert!(local.iter().all(|(_, magic)| name_of(*magic).is_none()));
    }
}
