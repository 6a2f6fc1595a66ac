//! Puts a new text in the place of a file: all of it or nothing, with a copy of what was there beside it.
//!
//! ```text
//!  settings.json ── copy ──> settings.json.switchback-20261115-232107
//!  .settings.json.switchback-4711 (new text, flushed) ── rename ──> settings.json
//! ```
//! A link is followed: the file it leads to is changed, and the link stays. Mode and owner stay as they are. What nobody
//! may write is refused, although a rename would get around it.

use super::client::Scope;
use jiff::Zoned;
use rustix::fs::{Access, Gid, Uid, access, fchown};
use std::fs::{self, DirBuilder, OpenOptions, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// How many links may follow each other.
const LINKS_MAX: usize = 16;

/// How many copies of one second may lie beside each other.
const COPIES_MAX: usize = 100;

/// Why nothing was written.
#[derive(Debug)]
pub(super) enum Unwritten {
    /// Nobody may write the file.
    ReadOnly(PathBuf),
    /// The file is no longer what it was when the change was worked out.
    Changed(PathBuf),
    /// The system refused, at this path.
    Io(PathBuf, io::Error),
}

/// Where the writing of a path ends, with every link followed. The file itself need not be there.
pub(super) fn followed(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_owned();
    for _ in 0..=LINKS_MAX {
        match fs::read_link(&path) {
            Ok(target) => path = path.parent().unwrap_or(Path::new("/")).join(target),
            Err(_) => return Ok(path),
        }
    }
    Err(io::Error::other("too many links follow each other"))
}

/// Copies a file that may be written to a new name beside it; nothing if there is no file.
pub(super) fn back_up(path: &Path) -> Result<Option<PathBuf>, Unwritten> {
    copy(path, &Zoned::now().strftime("%Y%m%d-%H%M%S").to_string())
}

fn copy(path: &Path, stamp: &str) -> Result<Option<PathBuf>, Unwritten> {
    let failed = |error| Unwritten::Io(path.to_owned(), error);
    let real = followed(path).map_err(failed)?;
    let Some(found) = existing(&real)? else { return Ok(None) };
    let text = fs::read(&real).map_err(failed)?;
    let name = format!("{}.switchback-{stamp}", real.display());
    for number in 1..=COPIES_MAX {
        let copy = PathBuf::from(if number == 1 { name.clone() } else { format!("{name}-{number}") });
        match create(&copy, found.permissions().mode(), &text) {
            Ok(()) => return Ok(Some(copy)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(Unwritten::Io(copy, error)),
        }
    }
    Err(Unwritten::Io(PathBuf::from(name), io::ErrorKind::AlreadyExists.into()))
}

/// Puts a new text in the place of the old one, which must still be there.
pub(super) fn replace(path: &Path, old: Option<&str>, new: &str, scope: Scope) -> Result<(), Unwritten> {
    let real = followed(path).map_err(|error| Unwritten::Io(path.to_owned(), error))?;
    let failed = |error| Unwritten::Io(real.clone(), error);
    let folder = real.parent().unwrap_or(Path::new("/"));
    make_folder(folder, scope).map_err(|error| Unwritten::Io(folder.to_owned(), error))?;
    let found = existing(&real)?;
    let name = real.file_name().unwrap_or_default().to_string_lossy();
    let fresh = folder.join(format!(".{name}.switchback-{}", std::process::id()));
    let mode = match (&found, scope) {
        (Some(found), _) => found.permissions().mode(),
        (None, Scope::User) => 0o600,
        (None, Scope::Project) => 0o644,
    };
    let written = create(&fresh, mode, new.as_bytes())
        .and_then(|()| found.as_ref().map_or(Ok(()), |found| keep_owner(&fresh, found)))
        .map_err(failed)
        .and_then(|()| unchanged(&real, old))
        .and_then(|()| fs::rename(&fresh, &real).map_err(failed));
    if let Err(error) = written {
        // It may not have been made at all.
        let _ = fs::remove_file(&fresh);
        return Err(error);
    }
    fs::File::open(folder).and_then(|folder| folder.sync_all()).map_err(failed)
}

/// What is known of a file that may be changed; nothing if there is none.
fn existing(real: &Path) -> Result<Option<fs::Metadata>, Unwritten> {
    let found = match fs::metadata(real) {
        Ok(found) => found,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(Unwritten::Io(real.to_owned(), error)),
    };
    let is_closed = found.permissions().mode() & 0o222 == 0 || access(real, Access::WRITE_OK).is_err();
    if is_closed { Err(Unwritten::ReadOnly(real.to_owned())) } else { Ok(Some(found)) }
}

fn make_folder(folder: &Path, scope: Scope) -> io::Result<()> {
    let mode = if scope == Scope::User { 0o700 } else { 0o755 };
    DirBuilder::new().recursive(true).mode(mode).create(folder)
}

fn create(path: &Path, mode: u32, bytes: &[u8]) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
    file.write_all(bytes)?;
    file.set_permissions(Permissions::from_mode(mode & 0o7777))?;
    file.sync_all()
}

fn keep_owner(path: &Path, found: &fs::Metadata) -> io::Result<()> {
    let ours = fs::metadata(path)?;
    if (ours.uid(), ours.gid()) == (found.uid(), found.gid()) {
        return Ok(());
    }
    let file = OpenOptions::new().write(true).open(path)?;
    fchown(&file, Some(Uid::from_raw(found.uid())), Some(Gid::from_raw(found.gid())))?;
    // To give a file away takes some of its rights.
    file.set_permissions(Permissions::from_mode(found.permissions().mode() & 0o7777))
}

fn unchanged(real: &Path, old: Option<&str>) -> Result<(), Unwritten> {
    let now = match fs::read(real) {
        Ok(bytes) => Some(bytes),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(Unwritten::Io(real.to_owned(), error)),
    };
    match now.as_deref() == old.map(str::as_bytes) {
        true => Ok(()),
        false => Err(Unwritten::Changed(real.to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn a_file_that_changed_meanwhile_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.json");
        fs::write(&path, "now").unwrap();
        let refused = replace(&path, Some("then"), "new", Scope::User).unwrap_err();
        assert!(matches!(refused, Unwritten::Changed(_)), "{refused:?}");
        let refused = replace(&path, None, "new", Scope::User).unwrap_err();
        assert!(matches!(refused, Unwritten::Changed(_)), "{refused:?}");
        assert_eq!(
            (fs::read_to_string(&path).unwrap().as_str(), names(folder.path())),
            ("now", vec!["a.json".to_owned()])
        );
    }

    #[test]
    fn copies_of_one_second_lie_beside_each_other() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.json");
        assert_eq!(back_up(&path).unwrap(), None);
        fs::write(&path, "x").unwrap();
        let copies: Vec<PathBuf> = (0..COPIES_MAX).map(|_| copy(&path, "now").unwrap().unwrap()).collect();
        assert!(copies.iter().all(|copy| fs::read_to_string(copy).unwrap() == "x"));
        assert_eq!(names(folder.path()).len(), COPIES_MAX + 1);
        let refused = copy(&path, "now").unwrap_err();
        assert!(matches!(refused, Unwritten::Io(_, error) if error.kind() == io::ErrorKind::AlreadyExists));
    }

    #[test]
    fn links_are_followed_and_bounded() {
        let folder = tempfile::tempdir().unwrap();
        for number in 1..=LINKS_MAX + 1 {
            let (from, to) = (folder.path().join(format!("{number}")), format!("{}", number - 1));
            std::os::unix::fs::symlink(to, from).unwrap();
        }
        let last = folder.path().join(format!("{LINKS_MAX}"));
        assert_eq!(followed(&last).unwrap(), folder.path().join("0"));
        assert!(followed(&folder.path().join(format!("{}", LINKS_MAX + 1))).is_err());
    }
}
