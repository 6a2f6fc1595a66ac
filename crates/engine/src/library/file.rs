//! Reads the text of a file, and never hangs: what is no file is not waited for.

use super::definition::{Reading, read_of_file};
use super::import::Importer;
use super::place::Surroundings;
use dialects::text::Source;
use dialects::text::limits::FILE_BYTES_MAX;
use std::fs::OpenOptions;
use std::io::{self, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use thiserror::Error;

/// The largest file that is read when a person names it; the reader of text has a smaller limit of its own and says so.
const NAMED_BYTES_MAX: u64 = 64 << 20;

/// Why a file cannot be read at all.
#[derive(Debug, Error)]
pub enum FileError {
    /// There is none.
    #[error("there is no file {0}")]
    Absent(String),
    /// The system refused.
    #[error("failed to read {file}: {error}")]
    Io {
        /// The file.
        file: String,
        /// What the system said.
        error: io::Error,
    },
    /// It is not text: what can be read of it, and the first byte that cannot.
    #[error("{} is not UTF-8 text", text.name)]
    NotText {
        /// The text, with a sign in place of what is none.
        text: Source,
        /// Where that byte is.
        at: usize,
        /// The byte.
        byte: u8,
    },
}

/// Reads a file and what it imports; `shown` is the name that diagnostics print.
pub fn read_file(path: &Path, shown: &str, around: &Surroundings) -> Result<Reading, FileError> {
    match read_up_to(path, shown, NAMED_BYTES_MAX) {
        Ok(text) => {
            let importer = Importer::of_file(around, path);
            Ok(read_of_file(Source::new(shown, text), around.reading, importer))
        }
        Err(FileError::NotText { text, at, byte }) => Ok(Reading::not_text(text, at, byte)),
        Err(error) => Err(error),
    }
}

/// The text of a file that has at most so many bytes.
pub(super) fn read_up_to(path: &Path, shown: &str, bytes_max: u64) -> Result<String, FileError> {
    let bytes = bytes(path, bytes_max).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => FileError::Absent(shown.to_owned()),
        _ => FileError::Io { file: shown.to_owned(), error },
    })?;
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let byte = error.as_bytes()[at];
        let text = Source::new(shown, String::from_utf8_lossy(error.as_bytes()));
        FileError::NotText { text, at, byte }
    })
}

/// What is opened may not be what was looked at: a pipe put in its place would be waited for for ever.
fn bytes(path: &Path, bytes_max: u64) -> io::Result<Vec<u8>> {
    let file = OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK).open(path)?;
    let meta = file.metadata()?;
    if !meta.is_file() {
        return Err(io::Error::other("it is not a file"));
    }
    let mut bytes = Vec::new();
    if meta.len() <= bytes_max {
        bytes.reserve_exact(usize::try_from(meta.len()).unwrap_or_default() + 1);
        file.take(bytes_max + 1).read_to_end(&mut bytes)?;
    }
    // A file may grow while it is read.
    match meta.len().max(bytes.len() as u64) > bytes_max {
        // Whoever names a larger file is told of its size by the reader; what is not even read for that has the same limit.
        true => Err(io::Error::other(format!("it is too large: {FILE_BYTES_MAX} bytes are allowed"))),
        false => Ok(bytes),
    }
}
