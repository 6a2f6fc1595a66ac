//! The note of one session beside the store: `terminals/t3.json`. It is there as long as the session may have processes, and
//! afterwards if the session was lost, to say so.
//!
//! A note is put in place by renaming and not flushed: what it speaks of does not survive a power cut either.

use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::adapters::process::Marked;

/// The format this code writes and the only one it reads. What another version wrote is left as it is.
const VERSION: u32 = 1;

/// What is known of a session without its terminal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Note {
    version: u32,
    pub(super) number: u64,
    pub(super) workspace: String,
    pub(super) shell: String,
    pub(super) folder: PathBuf,
    pub(super) by: String,
    pub(super) run: Option<String>,
    /// In milliseconds since 1970.
    pub(super) opened_at: u64,
    pub(super) recording: Option<PathBuf>,
    pub(super) marked: Marked,
    /// How it was lost, if it was.
    pub(super) lost: Option<Lost>,
}

/// How a session was lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Lost {
    /// When that was found or done, in milliseconds since 1970.
    pub(super) at: u64,
    pub(super) why: Why,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Why {
    /// The server died and could not end it.
    Crashed,
    /// The server was told to end, and ended it.
    Stopped,
}

/// All of a note but its mark.
pub(super) struct About {
    pub(super) workspace: String,
    pub(super) shell: String,
    pub(super) folder: PathBuf,
    pub(super) by: String,
    pub(super) run: Option<String>,
    pub(super) opened_at: u64,
    pub(super) recording: Option<PathBuf>,
}

impl Note {
    pub(super) fn new(number: u64, about: About) -> Note {
        let About { workspace, shell, folder, by, run, opened_at, recording } = about;
        let marked = Marked::new("terminal", &id(number));
        let version = VERSION;
        Note { version, number, workspace, shell, folder, by, run, opened_at, recording, marked, lost: None }
    }

    pub(super) fn id(&self) -> String {
        id(self.number)
    }
}

/// The name of a session.
pub(super) fn id(number: u64) -> String {
    format!("t{number}")
}

/// The number of a session by its name.
pub(super) fn number(id: &str) -> Option<u64> {
    id.trim().strip_prefix('t')?.parse().ok().filter(|number| self::id(*number) == id.trim())
}

/// The folder of notes.
#[derive(Debug)]
pub(super) struct Folder(PathBuf);

impl Folder {
    /// The folder `terminals` inside `dir`; it is made when something is put there.
    pub(super) fn at(dir: &Path) -> Folder {
        Folder(dir.join("terminals"))
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }

    /// Reads all notes, and tells which files cannot be read.
    pub(super) fn read(&self) -> io::Result<(Vec<Note>, Vec<PathBuf>)> {
        let (mut notes, mut strange) = (Vec::new(), Vec::new());
        let entries = match fs::read_dir(&self.0) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok((notes, strange)),
            entries => entries?,
        };
        for entry in entries {
            let path = entry?.path();
            let stem = path.file_stem().and_then(|stem| stem.to_str()).and_then(number);
            if stem.is_none() || path.extension().is_none_or(|ending| ending != "json") {
                continue;
            }
            let read = fs::read(&path)?;
            match serde_json::from_slice::<Note>(&read).ok().filter(|note| note.version == VERSION) {
                Some(note) => notes.push(note),
                None => strange.push(path),
            }
        }
        notes.sort_by_key(|note| note.number);
        Ok((notes, strange))
    }

    /// The greatest number that was ever given, as far as the folder tells.
    pub(super) fn last_number(&self) -> u64 {
        let written = fs::read_to_string(self.0.join("last")).ok().and_then(|text| text.trim().parse().ok());
        let named = fs::read_dir(&self.0).into_iter().flatten().flatten();
        let named = named.filter_map(|entry| number(Path::new(&entry.file_name()).file_stem()?.to_str()?));
        named.chain(written).max().unwrap_or(0)
    }

    /// Remembers the greatest number, before it is given.
    pub(super) fn take_number(&self, number: u64) -> io::Result<()> {
        self.put("last", format!("{number}\n").as_bytes())
    }

    pub(super) fn write(&self, note: &Note) -> io::Result<()> {
        self.put(&format!("{}.json", note.id()), &serde_json::to_vec(note)?)
    }

    /// Takes a note back; one that is not there needs nothing.
    pub(super) fn remove(&self, number: u64) {
        let _ = fs::remove_file(self.0.join(format!("{}.json", id(number))));
    }

    fn put(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        let new = self.0.join(format!("{name}.new"));
        let open = || OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&new);
        let mut file = match open() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                DirBuilder::new().recursive(true).mode(0o700).create(&self.0)?;
                open()?
            }
            file => file?,
        };
        file.write_all(bytes)?;
        drop(file);
        fs::rename(new, self.0.join(name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn note(number: u64) -> Note {
        let about = About {
            workspace: "/w".to_owned(),
            shell: "bash".to_owned(),
            folder: "/w".into(),
            by: "test".to_owned(),
            run: None,
            opened_at: 1,
            recording: None,
        };
        Note::new(number, about)
    }

    #[test]
    fn notes_are_read_as_they_were_written() {
        let dir = tempfile::tempdir().unwrap();
        let folder = Folder::at(dir.path());
        let notes = [note(2), note(10)];
        notes.iter().for_each(|note| folder.write(note).unwrap());
        fs::write(folder.path().join("t3.json"), "{\"version\":2}").unwrap();
        fs::write(folder.path().join("other.json"), "x").unwrap();
        let (read, strange) = folder.read().unwrap();
        assert_eq!((read.as_slice(), strange.len()), (&notes[..], 1));
        folder.remove(10);
        assert_eq!(folder.read().unwrap().0, notes[..1]);
    }

    #[test]
    fn a_number_is_given_once() {
        let dir = tempfile::tempdir().unwrap();
        let folder = Folder::at(dir.path());
        assert_eq!(folder.last_number(), 0);
        folder.take_number(7).unwrap();
        assert_eq!(folder.last_number(), 7);
        folder.write(&note(9)).unwrap();
        assert_eq!(folder.last_number(), 9);
        assert_eq!(
            (number("t3"), number("t03"), number("3"), number("t"), number(" t3 ")),
            (Some(3), None, None, None, Some(3))
        );
    }
}
