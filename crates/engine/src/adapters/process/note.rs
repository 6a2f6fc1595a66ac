//! Notes of the processes that live: one small file each, in a folder beside the store.
//!
//! ```text
//! {"version":1,"boot":"…","run":"…","effect":"…","marker":"…"}
//!                                                written by the server before the spawn
//! 4711 88230114 88230115                         pid and when it was born, written by the child itself
//! ```
//!
//! The child writes its line after the fork and before the exec, so no command ever runs un-noted. A note is
//! locked (`flock`) while it is made, and the child shares that lock until it has written: who gets the lock
//! after a crash reads a note that is complete or belongs to a child that will never be. Notes are not
//! flushed to the disk: what they speak of does not survive a power cut either.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use rustix::process::Pid;
use serde::{Deserialize, Serialize};

use super::job::NoteSpec;

/// The environment variable by which a process is known as a descendant of one start of one effect. Its
/// value is `<run>/<effect>/<start>`.
pub const MARKER: &str = "SWITCHBACK_EFFECT";

/// The format this code writes and the only one it reads.
const VERSION: u32 = 1;
/// A file name may have 255 bytes; the rest is for the hash and the ending.
const NAME_BYTES_MAX: usize = 200;

/// The folder of notes of one store.
#[derive(Debug, Clone)]
pub struct Notes {
    pub(super) folder: PathBuf,
    pub(super) boot: String,
}

/// Why notes could not be read.
#[derive(Debug, thiserror::Error)]
pub enum NoteError {
    /// The system refused.
    #[error("failed to read the process note {path}: {source}")]
    Io {
        /// The note, or the folder of notes.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Another version of the server wrote it; it was left as it is.
    #[error(
        "process note {path} was written by another version of switchback: start that version to end its process"
    )]
    Unknown {
        /// The note.
        path: PathBuf,
    },
}

impl Notes {
    /// Opens the folder `processes` inside `dir`, and makes it if need be.
    pub fn open(dir: &Path) -> io::Result<Notes> {
        let folder = dir.join("processes");
        DirBuilder::new().recursive(true).mode(0o700).create(&folder)?;
        Ok(Notes { folder, boot: boot_id() })
    }

    /// Makes the note of a process that is about to be started, and gives its file to hand to the child.
    pub(super) fn create(&self, spec: &NoteSpec) -> io::Result<(Note, File)> {
        let note = Note { path: self.folder.join(file_name(spec)), marker: marker(spec) };
        let file = OpenOptions::new().append(true).create_new(true).mode(0o600).open(&note.path)?;
        match self.head(spec, &note.marker, &file) {
            Ok(()) => Ok((note, file)),
            Err(error) => {
                note.remove();
                Err(error)
            }
        }
    }

    fn head(&self, spec: &NoteSpec, marker: &str, mut file: &File) -> io::Result<()> {
        file.try_lock()?;
        let head = Head {
            version: VERSION,
            boot: self.boot.clone(),
            run: spec.run.clone(),
            effect: spec.effect.clone(),
            marker: marker.to_owned(),
        };
        let mut line = serde_json::to_vec(&head)?;
        line.push(b'\n');
        file.write_all(&line)
    }
}

/// The note of one living process.
#[derive(Debug, Clone)]
pub(super) struct Note {
    path: PathBuf,
    pub(super) marker: String,
}

impl Note {
    /// Takes the note away. If that fails it stays, and recovery finds that its process is gone.
    pub(super) fn remove(&self) {
        let _ = fs::remove_file(&self.path);
    }
}

/// The first line of a note.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Head {
    version: u32,
    pub(super) boot: String,
    pub(super) run: String,
    pub(super) effect: String,
    pub(super) marker: String,
}

/// The process a note speaks of: a pid alone may have been given to another one since.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Leader {
    pub(super) pid: Pid,
    pub(super) born: Born,
}

/// When a process began, in the unit the system tells start times in: between two looks at the clock, one
/// before its birth and one by itself. No pid is given twice in so short a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Born {
    pub(super) earliest: u64,
    pub(super) latest: u64,
}

impl Born {
    pub(super) fn fits(self, start: u64) -> bool {
        (self.earliest..=self.latest).contains(&start)
    }
}

/// Reads the text of a note. `None` is one whose process was never started.
pub(super) fn parse(path: &Path, text: &str) -> Result<Option<(Head, Option<Leader>)>, NoteError> {
    let Some((head, rest)) = text.split_once('\n') else { return Ok(None) };
    match serde_json::from_str::<Head>(head) {
        Ok(head) if head.version == VERSION => Ok(Some((head, leader(rest)))),
        _ => Err(NoteError::Unknown { path: path.to_owned() }),
    }
}

fn leader(line: &str) -> Option<Leader> {
    let mut numbers = line.strip_suffix('\n')?.split(' ');
    let pid = Pid::from_raw(numbers.next()?.parse().ok().filter(|pid| *pid > 0)?)?;
    let mut next = || numbers.next()?.parse().ok();
    Some(Leader { pid, born: Born { earliest: next()?, latest: next()? } })
}

/// Names one start of one effect, so that no process of another start or store is ever taken for it.
fn marker(spec: &NoteSpec) -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    format!("{}/{}/{:x}-{:x}", spec.run, spec.effect, std::process::id(), now.as_nanos())
}

/// Names the file of a note: two different specs never share one.
fn file_name(spec: &NoteSpec) -> String {
    let mut name = format!("{}.{}", safe(&spec.run), safe(&spec.effect));
    if name.len() > NAME_BYTES_MAX {
        let mut hasher = DefaultHasher::new();
        (&spec.run, &spec.effect).hash(&mut hasher);
        name.truncate(NAME_BYTES_MAX);
        name = format!("{name}.{:016x}", hasher.finish());
    }
    name + ".note"
}

/// Writes every byte that is not a letter, a digit, `-` or `_` as `%XX`.
fn safe(id: &str) -> String {
    let mut name = String::with_capacity(id.len());
    for byte in id.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' => name.push(char::from(byte)),
            _ => name.push_str(&format!("%{byte:02X}")),
        }
    }
    name
}

/// Names this start of the machine: start times are counted from it.
#[cfg(target_os = "linux")]
fn boot_id() -> String {
    let text = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    text.trim().to_owned()
}

/// Start times are absolute here, so they tell two boots apart by themselves.
#[cfg(not(target_os = "linux"))]
fn boot_id() -> String {
    String::new()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spec(run: &str, effect: &str) -> NoteSpec {
        NoteSpec { run: run.into(), effect: effect.into() }
    }

    #[test]
    fn file_names_are_safe_and_differ() {
        assert_eq!(file_name(&spec("r1", "build/0#1")), "r1.build%2F0%231.note");
        assert_eq!(file_name(&spec("..", "")), "%2E%2E..note");
        assert_ne!(file_name(&spec("a.b", "c")), file_name(&spec("a", "b.c")));
        let long = "é".repeat(400);
        let name = file_name(&spec(&long, "1"));
        assert!(name.len() < 255);
        assert_ne!(name, file_name(&spec(&long, "2")));
    }

    #[test]
    fn a_note_of_the_same_effect_is_made_once() {
        let folder = tempfile::tempdir().unwrap();
        let notes = Notes::open(folder.path()).unwrap();
        let (note, _file) = notes.create(&spec("r", "e")).unwrap();
        assert_eq!(notes.create(&spec("r", "e")).unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        note.remove();
        notes.create(&spec("r", "e")).unwrap();
    }

    #[test]
    fn reads_what_a_crash_may_leave() {
        let path = Path::new("x.note");
        let head = r#"{"version":1,"boot":"b","run":"r","effect":"e","marker":"m"}"#;
        assert!(parse(path, "").unwrap().is_none());
        assert!(parse(path, &head[..20]).unwrap().is_none());
        let (read, process) = parse(path, &format!("{head}\n")).unwrap().unwrap();
        assert_eq!((read.run.as_str(), process), ("r", None));
        let (_, process) = parse(path, &format!("{head}\n12 345 346\n")).unwrap().unwrap();
        let born = Born { earliest: 345, latest: 346 };
        assert_eq!(process, Some(Leader { pid: Pid::from_raw(12).unwrap(), born }));
        let newer = head.replace(":1,", ":2,") + "\n";
        assert!(matches!(parse(path, &newer), Err(NoteError::Unknown { .. })));
    }
}
