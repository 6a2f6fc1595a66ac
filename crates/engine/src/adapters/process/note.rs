//! The note of one process: a small file that says whose it is and how to recognise it.
//!
//! ```text
//! {"version":1,"boot":"…","run":"…","effect":"…","marker":"…","session":…}     written by the server before the spawn
//! 4711 88230114 88230115                                 pid and when it was born, by the child itself
//! ```
//!
//! The first byte is written last and decides: `{` is a note, anything else (`-`, zero) is a file at rest,
//! whatever it holds behind. This file knows the text only; where notes lie is the matter of `notes`.

use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use rustix::process::Pid;
use serde::{Deserialize, Serialize};

use super::job::NoteSpec;
use super::members::own_session;

/// The environment variable by which a process is known as a descendant of one start of one effect. Its
/// value is `<run>/<effect>/<start>`.
pub const MARKER: &str = "SWITCHBACK_EFFECT";

/// The format this code writes and the only one it reads.
const VERSION: u32 = 1;

/// Why notes could not be read.
#[derive(Debug, thiserror::Error)]
pub enum NoteError {
    /// The system refused.
    #[error("failed to read the process note {path}: {source}")]
    Io {
        /// The note, or the folder of notes.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// No server wrote it like this; it was left as it is.
    #[error("process note {path} cannot be read: it may be deleted once no process of its run lives")]
    Garbled {
        /// The note.
        path: PathBuf,
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

/// The first line of a note.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Head {
    version: u32,
    pub(super) boot: String,
    pub(super) run: String,
    pub(super) effect: String,
    pub(super) marker: String,
    /// The session of the server, where that is its own: whoever is in it was started by it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) session: Option<i32>,
}

impl Head {
    pub(super) fn new(spec: &NoteSpec, boot: &str) -> Head {
        Head {
            version: VERSION,
            boot: boot.to_owned(),
            run: spec.run.clone(),
            effect: spec.effect.clone(),
            marker: marker(spec),
            session: own_session(),
        }
    }

    /// Gives the text of a note without a process: the child writes over its last byte.
    pub(super) fn text(&self) -> serde_json::Result<String> {
        Ok(serde_json::to_string(self)? + "\n\n")
    }
}

/// Names one start of one effect, so that no process of another start or store is ever taken for it.
pub(super) fn marker(spec: &NoteSpec) -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    format!("{}/{}/{:x}-{:x}", spec.run, spec.effect, std::process::id(), now.as_nanos())
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

/// Reads the text of a note. `None` is a file at rest.
pub(super) fn parse(path: &Path, text: &str) -> Result<Option<(Head, Option<Leader>)>, NoteError> {
    if text.is_empty() || text.starts_with(['-', '\0']) {
        return Ok(None);
    }
    let mut lines = text.lines();
    let first = lines.next().unwrap_or_default();
    match serde_json::from_str::<Head>(first).ok().filter(|head| head.version == VERSION) {
        Some(head) => Ok(Some((head, lines.next().and_then(leader)))),
        None if is_of_another_version(first) => Err(NoteError::Unknown { path: path.to_owned() }),
        None => Err(NoteError::Garbled { path: path.to_owned() }),
    }
}

fn is_of_another_version(line: &str) -> bool {
    #[derive(Deserialize)]
    struct Any {
        version: u32,
    }
    serde_json::from_str::<Any>(line).is_ok_and(|any| any.version != VERSION)
}

fn leader(line: &str) -> Option<Leader> {
    let mut numbers = line.split(' ');
    let pid = Pid::from_raw(numbers.next()?.parse().ok().filter(|pid| *pid > 0)?)?;
    let mut next = || numbers.next()?.parse().ok();
    Some(Leader { pid, born: Born { earliest: next()?, latest: next()? } })
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = r#"{"version":1,"boot":"b","run":"r","effect":"e","marker":"m"}"#;

    #[test]
    fn a_file_at_rest_is_no_note() {
        for text in ["", "-", "-\"version\":1}\n12 3 4\n", "\0\"version\""] {
            assert!(parse(Path::new("x"), text).unwrap().is_none(), "{text:?}");
        }
    }

    #[test]
    fn a_note_names_its_process_once_the_child_has_signed() {
        let read = |text: String| parse(Path::new("x"), &text).unwrap().unwrap().1;
        let (pid, born) = (Pid::from_raw(12).unwrap(), Born { earliest: 345, latest: 346 });
        assert_eq!(read(format!("{HEAD}\n\n")), None);
        assert_eq!(read(format!("{HEAD}\n\n99 1 2\nof an earlier note")), None);
        assert_eq!(read(format!("{HEAD}\n12 345 346\n 1 2\nof an earlier note")), Some(Leader { pid, born }));
        assert_eq!(read(format!("{HEAD}\n-1 345 346\n")), None);
    }

    #[test]
    fn a_note_of_another_version_is_refused() {
        let newer = HEAD.replace(":1,", ":2,") + "\n\n";
        assert!(matches!(parse(Path::new("x"), &newer), Err(NoteError::Unknown { .. })));
    }

    #[test]
    fn what_no_server_wrote_is_named_as_such() {
        for text in ["x", "{\"version\":1}\n", "\n", "{\"version\":\"2\"}"] {
            let error = parse(Path::new("processes/1.note"), text).unwrap_err();
            assert!(matches!(error, NoteError::Garbled { .. }), "{text:?}");
            assert!(error.to_string().starts_with("process note processes/1.note cannot be read"), "{error}");
        }
    }

    #[test]
    fn every_start_has_a_marker_of_its_own() {
        let spec = NoteSpec { run: "r".into(), effect: "e".into() };
        let (one, other) = (Head::new(&spec, "b"), Head::new(&spec, "b"));
        assert!(one.marker.starts_with("r/e/") && one.marker != other.marker);
    }
}
