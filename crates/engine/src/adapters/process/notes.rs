//! The folder of notes beside the store: one file for each process that lives.
//!
//! Files are used again and again, because to make and remove one costs a tenth of a short command and makes
//! the next flush of the store slower. The server keeps each file locked (`flock`) as long as it lives, and a
//! child shares that lock until it has signed: who gets the lock after a crash reads a note that is complete
//! or belongs to a child that will never be. Notes are not flushed to the disk: what they speak of does not
//! survive a power cut either.

use std::collections::BTreeSet;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::{DirBuilderExt, FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::job::NoteSpec;
use super::launch::above_stdio;
use super::note::Head;

/// How many files at rest are kept for the next processes.
const RESTING_MAX: usize = 64;

/// The folder of notes of one store.
#[derive(Debug, Clone)]
pub struct Notes {
    pub(super) folder: PathBuf,
    pub(super) boot: String,
    shelf: Arc<Mutex<Shelf>>,
}

/// What this server has in the folder.
#[derive(Debug, Default)]
struct Shelf {
    resting: Vec<Slot>,
    /// The effects that have a process, as run and effect.
    live: BTreeSet<(String, String)>,
    /// The number of the next file.
    next: u64,
}

/// One locked file.
#[derive(Debug)]
struct Slot {
    path: PathBuf,
    file: File,
}

impl Notes {
    /// Opens the folder `processes` inside `dir`, and makes it if need be.
    pub fn open(dir: &Path) -> io::Result<Notes> {
        let folder = dir.join("processes");
        DirBuilder::new().recursive(true).mode(0o700).create(&folder)?;
        Ok(Notes { folder, boot: boot_id(), shelf: Arc::default() })
    }

    /// The data directory that the folder lies in.
    pub(crate) fn data(&self) -> &Path {
        self.folder.parent().unwrap_or(&self.folder)
    }

    /// Makes the note of a process that is about to be started; an effect has one process at a time.
    pub(super) fn create(&self, spec: &NoteSpec) -> io::Result<Note> {
        let effect = (spec.run.clone(), spec.effect.clone());
        if !self.shelf().live.insert(effect.clone()) {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        let head = Head::new(spec, &self.boot);
        let written = self.slot().and_then(|slot| Ok((slot.write(&head)?, slot)));
        match written {
            Ok((sign_at, slot)) => {
                Ok(Note { slot, sign_at, marker: head.marker, effect, shelf: Arc::clone(&self.shelf) })
            }
            Err(error) => {
                self.shelf().live.remove(&effect);
                Err(error)
            }
        }
    }

    /// Lets go of the files at rest: whoever opens the folder next need not wait for this process to end.
    pub(crate) fn let_go(&self) {
        self.shelf().resting.clear();
    }

    /// Remembers a process that recovery could not end: its effect must not be started beside it.
    pub(super) fn keep(&self, run: &str, effect: &str) {
        self.shelf().live.insert((run.to_owned(), effect.to_owned()));
    }

    fn slot(&self) -> io::Result<Slot> {
        let resting = self.shelf().resting.pop();
        resting.map_or_else(|| self.new_slot(), Ok)
    }

    fn new_slot(&self) -> io::Result<Slot> {
        loop {
            let number = self.shelf().number();
            let path = self.folder.join(format!("{number}.note"));
            match Slot::create(path) {
                // Recovery has left it: its process could not be ended.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                slot => return slot,
            }
        }
    }

    fn shelf(&self) -> MutexGuard<'_, Shelf> {
        lock(&self.shelf)
    }
}

impl Shelf {
    fn number(&mut self) -> u64 {
        self.next += 1;
        self.next
    }
}

impl Slot {
    fn create(path: PathBuf) -> io::Result<Slot> {
        let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path)?;
        file.try_lock()?;
        Ok(Slot { path, file: above_stdio(file.into())?.into() })
    }

    /// Writes the text of a note, its first byte last; gives where the child is to sign.
    fn write(&self, head: &Head) -> io::Result<u64> {
        let text = head.text()?;
        let (first, rest) = text.as_bytes().split_at(1);
        self.file.write_all_at(rest, 1)?;
        self.file.write_all_at(first, 0)?;
        Ok(text.len() as u64 - 1)
    }
}

/// The note of one process that lives or is about to.
#[derive(Debug)]
pub(super) struct Note {
    pub(super) marker: String,
    /// Where in the file the child writes its line.
    pub(super) sign_at: u64,
    slot: Slot,
    effect: (String, String),
    shelf: Arc<Mutex<Shelf>>,
}

impl Note {
    pub(super) fn file(&self) -> BorrowedFd<'_> {
        self.slot.file.as_fd()
    }

    /// Takes the note back: the process is gone, or there was none.
    pub(super) fn remove(self) {
        let is_blank = self.slot.file.write_all_at(b"-", 0).is_ok();
        let mut shelf = lock(&self.shelf);
        shelf.live.remove(&self.effect);
        if is_blank && shelf.resting.len() < RESTING_MAX {
            shelf.resting.push(self.slot);
        } else {
            // If that fails too it stays, and recovery finds that its process is gone.
            let _ = fs::remove_file(&self.slot.path);
        }
    }
}

fn lock(shelf: &Mutex<Shelf>) -> MutexGuard<'_, Shelf> {
    shelf.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Names this start of the machine: start times are counted from it.
#[cfg(target_os = "linux")]
pub(super) fn boot_id() -> String {
    let text = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    text.trim().to_owned()
}

/// Start times are absolute here, so they tell two boots apart by themselves.
#[cfg(not(target_os = "linux"))]
pub(super) fn boot_id() -> String {
    String::new()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spec(run: &str, effect: &str) -> NoteSpec {
        NoteSpec { run: run.into(), effect: effect.into() }
    }

    fn files(folder: &Path) -> usize {
        fs::read_dir(folder.join("processes")).unwrap().count()
    }

    #[test]
    fn a_note_of_the_same_effect_is_made_once() {
        let folder = tempfile::tempdir().unwrap();
        let notes = Notes::open(folder.path()).unwrap();
        let note = notes.create(&spec("r", "e")).unwrap();
        assert_eq!(notes.create(&spec("r", "e")).unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        notes.create(&spec("r", "other")).unwrap();
        note.remove();
        notes.create(&spec("r", "e")).unwrap();
    }

    #[test]
    fn files_are_used_again() {
        let folder = tempfile::tempdir().unwrap();
        let notes = Notes::open(folder.path()).unwrap();
        for number in 0..10 {
            let long = "x".repeat(1000 / (number + 1));
            notes.create(&spec(&long, "e")).unwrap().remove();
        }
        assert_eq!(files(folder.path()), 1);
        let together: Vec<Note> = (0..RESTING_MAX + 5)
            .map(|number| notes.create(&spec("r", &number.to_string())).unwrap())
            .collect();
        together.into_iter().for_each(Note::remove);
        assert_eq!(files(folder.path()), RESTING_MAX);
    }

    #[test]
    fn a_file_that_is_there_is_not_taken() {
        let folder = tempfile::tempdir().unwrap();
        let notes = Notes::open(folder.path()).unwrap();
        fs::write(folder.path().join("processes/1.note"), "left by recovery").unwrap();
        notes.create(&spec("r", "e")).unwrap();
        let kept = fs::read_to_string(folder.path().join("processes/1.note")).unwrap();
        assert_eq!(kept, "left by recovery");
    }
}
