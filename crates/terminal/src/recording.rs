//! Recordings in the asciicast format (version 2), written while the session runs, so that a crash loses nothing.
//!
//! What the program writes and each change of size is recorded. What is typed is not: it would hold passwords, and all that
//! is meant to be seen is echoed.

use std::fs::File;
use std::io::{self, Write};
use std::path::PathBuf;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use serde_json::json;

use crate::pty::create_private;
use crate::size::Size;
use crate::spec::{Spec, TERM_DEFAULT};

/// Where a session is recorded, and how much of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recording {
    /// A file that is not there yet.
    pub path: PathBuf,
    /// How large it may become; the rest of the session is not recorded, and the file says so.
    pub bytes_max: u64,
}

/// What has become of a recording.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recorded {
    /// The file.
    pub path: PathBuf,
    /// How large it is.
    pub bytes: u64,
    /// Why it goes on no longer, if it does not.
    pub stopped: Option<String>,
}

/// A recording under way.
pub(crate) struct Recorder {
    file: File,
    bytes_max: u64,
    start: Instant,
    /// The beginning of a character whose end has not come.
    cut: Vec<u8>,
    recorded: Recorded,
}

/// What is kept for the word that the recording stopped.
const LAST_WORD_BYTES: u64 = 128;

impl Recorder {
    /// Begins the file.
    pub(crate) fn begin(recording: &Recording, spec: &Spec) -> io::Result<Recorder> {
        let file = create_private(&recording.path)?;
        let recorded = Recorded { path: recording.path.clone(), bytes: 0, stopped: None };
        let bytes_max = recording.bytes_max;
        let mut recorder = Recorder { file, bytes_max, start: Instant::now(), cut: Vec::new(), recorded };
        recorder.put(&header(spec))?;
        Ok(recorder)
    }

    /// Tells what has become of it.
    pub(crate) fn recorded(&self) -> &Recorded {
        &self.recorded
    }

    /// Records what the program wrote.
    pub(crate) fn output(&mut self, bytes: &[u8]) {
        if self.recorded.stopped.is_some() {
            return;
        }
        self.cut.extend_from_slice(bytes);
        let whole = whole_characters(&self.cut);
        let text = String::from_utf8_lossy(&self.cut[..whole]).into_owned();
        self.cut.drain(..whole);
        if !text.is_empty() {
            self.event("o", &text);
        }
    }

    /// Records a change of size.
    pub(crate) fn resized(&mut self, size: Size) {
        self.event("r", &size.to_string());
    }

    fn event(&mut self, kind: &str, text: &str) {
        if self.recorded.stopped.is_some() {
            return;
        }
        let line = self.line(kind, text);
        if self.recorded.bytes + line.len() as u64 + LAST_WORD_BYTES > self.bytes_max {
            let word = format!("recording stopped: {} bytes are its limit", self.bytes_max);
            let last = self.line("m", &word);
            self.stop(word);
            self.try_put(&last);
        } else {
            self.try_put(&line);
        }
    }

    fn line(&self, kind: &str, text: &str) -> String {
        let micros = self.start.elapsed().as_micros() as f64;
        format!("{}\n", json!([micros / 1_000_000.0, kind, text]))
    }

    fn stop(&mut self, word: String) {
        self.recorded.stopped.get_or_insert(word);
        self.cut = Vec::new();
    }

    fn try_put(&mut self, line: &str) {
        if let Err(error) = self.put(line) {
            self.stop(format!("recording stopped: it could not be written ({error})"));
        }
    }

    fn put(&mut self, line: &str) -> io::Result<()> {
        self.file.write_all(line.as_bytes())?;
        self.recorded.bytes += line.len() as u64;
        Ok(())
    }
}

fn header(spec: &Spec) -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let term = spec.environment.get("TERM").map_or(TERM_DEFAULT, String::as_str);
    let header = json!({
        "version": 2, "width": spec.size.columns(), "height": spec.size.rows(), "timestamp": now,
        "env": {"TERM": term, "SHELL": spec.program},
    });
    format!("{header}\n")
}

/// Counts the bytes up to the last character that is not cut; what is no text at all is not waited for.
fn whole_characters(bytes: &[u8]) -> usize {
    let from = bytes.len().saturating_sub(3);
    for place in (from..bytes.len()).rev() {
        let length = match bytes[place] {
            0x80..=0xbf => continue,
            0xc2..=0xdf => 2,
            0xe0..=0xef => 3,
            0xf0..=0xf4 => 4,
            _ => 1,
        };
        return if place + length > bytes.len() { place } else { bytes.len() };
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_character_that_is_cut_waits_for_its_end() {
        assert_eq!(whole_characters("aä€😀".as_bytes()), 10);
        for cut in 1..4 {
            assert_eq!(whole_characters(&"😀".as_bytes()[..cut]), 0);
            assert_eq!(whole_characters(&"a😀".as_bytes()[..=cut]), 1);
        }
        assert_eq!(whole_characters(b"\x80\x80\x80\x80"), 4);
        assert_eq!(whole_characters(b"a\xff"), 2);
        assert_eq!(whole_characters(b""), 0);
    }
}
