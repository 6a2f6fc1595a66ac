//! What is mounted where, as Linux lists it: which folders lie on file systems that another program or machine serves, and so may
//! not answer for as long as that does not. To look at such a folder may take for ever; this list never does.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long a list counts.
const FRESH: Duration = Duration::from_secs(1);

/// The kinds of file systems that somebody serves; those of FUSE begin alike.
const SERVED: [&str; 14] = [
    "9p",
    "afs",
    "autofs",
    "ceph",
    "cifs",
    "coda",
    "gfs2",
    "glusterfs",
    "lustre",
    "nfs",
    "nfs4",
    "orangefs",
    "smb3",
    "virtiofs",
];

/// A mount.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Mount {
    /// Where it is.
    pub(crate) point: PathBuf,
    /// Whether somebody serves it.
    is_served: bool,
}

/// All mounts; nothing where the system has no such list.
pub(crate) fn mounts() -> Option<Vec<Mount>> {
    std::fs::read("/proc/self/mountinfo").ok().map(|list| parse(&list))
}

/// Whether a folder lies, by its path, where it may not answer.
pub fn may_stand_still(folder: &Path) -> bool {
    static LIST: Mutex<Option<(Instant, Arc<Vec<Mount>>)>> = Mutex::new(None);
    let list = {
        let mut list = LIST.lock().unwrap_or_else(PoisonError::into_inner);
        match &*list {
            Some((read, known)) if read.elapsed() < FRESH => Arc::clone(known),
            _ => {
                let fresh = Arc::new(mounts().unwrap_or_default());
                *list = Some((Instant::now(), Arc::clone(&fresh)));
                fresh
            }
        }
    };
    is_served(&list, folder)
}

fn is_served(list: &[Mount], folder: &Path) -> bool {
    if !list.iter().any(|mount| mount.is_served) {
        return false;
    }
    let folder = plain(folder);
    let around = list.iter().filter(|mount| folder.starts_with(&mount.point));
    // Of two at one place the later one is seen.
    around.max_by_key(|mount| mount.point.as_os_str().len()).is_some_and(|mount| mount.is_served)
}

/// Each line has where as its fifth word, and what behind a dash.
fn parse(list: &[u8]) -> Vec<Mount> {
    let mount = |line: &[u8]| {
        let mut words = line.split(|byte| *byte == b' ');
        let point = PathBuf::from(OsString::from_vec(unescaped(words.nth(4)?)));
        let kind = words.skip_while(|word| *word != b"-").nth(1)?;
        let is_served = kind.starts_with(b"fuse") || SERVED.iter().any(|served| served.as_bytes() == kind);
        Some(Mount { point, is_served })
    };
    list.split(|byte| *byte == b'\n').filter_map(mount).collect()
}

/// A word in which blanks and their kin are written as a backslash and three octal digits.
fn unescaped(word: &[u8]) -> Vec<u8> {
    let (mut plain, mut rest) = (Vec::with_capacity(word.len()), word);
    while let Some((first, behind)) = rest.split_first() {
        let octal = (*first == b'\\').then(|| behind.get(..3)).flatten();
        let digits = octal.and_then(|digits| std::str::from_utf8(digits).ok());
        match digits.and_then(|digits| u8::from_str_radix(digits, 8).ok()) {
            Some(byte) => {
                plain.push(byte);
                rest = &behind[3..];
            }
            None => {
                plain.push(*first);
                rest = behind;
            }
        }
    }
    plain
}

/// A path without `.` and `..`, by its text.
pub(crate) fn plain(path: &Path) -> PathBuf {
    path.components().fold(PathBuf::new(), |mut plain, part| {
        match part {
            Component::ParentDir => drop(plain.pop()),
            Component::CurDir => {}
            part => plain.push(part),
        }
        plain
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIST: &[u8] = b"22 1 0:20 / /proc rw - proc proc rw\n1 0 8:1 / / rw - ext4 /dev/x rw\n\
        36 25 0:40 / /far/a\\040b rw,noatime shared:5 - fuse.sshfs host:/x rw\n\
        37 36 8:2 / /far/a\\040b/near rw - ext4 /dev/y rw\n38 25 0:41 / /far/n rw - nfs4 host:/ rw\n";

    #[test]
    fn a_folder_is_where_its_innermost_mount_is() {
        let list = parse(LIST);
        let served = |folder: &str| is_served(&list, Path::new(folder));
        assert!(
            served("/far/a b")
                && served("/far/a b/deep/er")
                && served("/far/n")
                && served("/near/../far/n/x")
        );
        assert!(
            !served("/far/a b/near/x") && !served("/far/a") && !served("/far/nx") && !served("/far/n/..")
        );
    }
}
