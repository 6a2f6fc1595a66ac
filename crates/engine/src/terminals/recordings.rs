//! Where sessions are recorded: `terminals/t3.cast` beside their notes, as many as are kept.

use std::fs;
use std::path::{Path, PathBuf};

use terminal::Recording;

use super::note::{id, number};

/// How large one may become.
pub(super) const BYTES_MAX: u64 = 4 * 1024 * 1024;

/// How many are kept; the oldest goes first.
const KEPT_MAX: usize = 50;

/// The recording of a new session. Room is made for it first; of those that live none is removed.
pub(super) fn begin(folder: &Path, session: u64, lives: impl Fn(u64) -> bool) -> Recording {
    let mut there = kept(folder);
    there.retain(|(number, _)| !lives(*number));
    let surplus = (there.len() + 1).saturating_sub(KEPT_MAX);
    for (_, path) in there.drain(..surplus) {
        // One that cannot be removed now is the oldest next time as well.
        let _ = fs::remove_file(path);
    }
    Recording { path: folder.join(format!("{}.cast", id(session))), bytes_max: BYTES_MAX }
}

/// The recordings that are there, the oldest first.
fn kept(folder: &Path) -> Vec<(u64, PathBuf)> {
    let paths = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let casts = paths.filter(|path| path.extension().is_some_and(|ending| ending == "cast"));
    let mut found: Vec<(u64, PathBuf)> =
        casts.filter_map(|path| Some((number(path.file_stem()?.to_str()?)?, path))).collect();
    found.sort();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_goes_first_and_none_that_lives() {
        let folder = tempfile::tempdir().unwrap();
        for number in 1..=KEPT_MAX as u64 + 3 {
            fs::write(folder.path().join(format!("t{number}.cast")), "x").unwrap();
        }
        let recording = begin(folder.path(), 99, |number| number == 1);
        assert!(recording.path.ends_with("t99.cast"));
        let left: Vec<u64> = kept(folder.path()).into_iter().map(|(number, _)| number).collect();
        // The first lives; of the others room was made for one more.
        assert_eq!((left[0], left[1], left.len()), (1, 5, KEPT_MAX));
    }
}
