//! A definition: its text, where it lies, and what came of reading it.

use dialects::diagnostic::{Diagnostic, Diagnostics};
use dialects::text::Source;
use kernel::Plan;
use kernel::plan::Flow;
use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// How many blocks of a graph run at once, for each core: most of them wait for something.
const WIDTH_PER_CORE: u32 = 4;

/// The largest file that is read at all; the reader of text has a smaller limit of its own and says so.
const FILE_BYTES_MAX: u64 = 64 << 20;

/// What came of reading a text.
#[derive(Clone, Debug)]
pub struct Reading {
    /// The text.
    pub source: Source,
    /// The plan, if there are no errors.
    pub plan: Option<Plan>,
    /// What is wrong or doubtful.
    pub diagnostics: Diagnostics,
}

/// A definition that was found in a place.
#[derive(Clone, Debug)]
pub struct Definition {
    /// The name it is run by: the one it gives itself, or that of its file if it cannot be read.
    pub name: String,
    /// Its file.
    pub path: PathBuf,
    /// How lists write its file.
    pub shown: String,
    /// What came of reading it.
    pub reading: Reading,
    /// The files of the same name that it hides.
    pub hides: Vec<String>,
    /// The file that hides it.
    pub hidden_by: Option<String>,
}

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
    /// It is not text.
    #[error("{0} is not UTF-8 text")]
    NotText(String),
}

/// Reads a file; `shown` is the name that diagnostics print.
pub fn read_file(path: &Path, shown: &str) -> Result<Reading, FileError> {
    let failed = |error: io::Error| match error.kind() {
        io::ErrorKind::NotFound => FileError::Absent(shown.to_owned()),
        _ => FileError::Io { file: shown.to_owned(), error },
    };
    let meta = std::fs::metadata(path).map_err(failed)?;
    if !meta.is_file() || meta.len() > FILE_BYTES_MAX {
        let error = io::Error::other(if meta.is_file() { "it is too large" } else { "it is not a file" });
        return Err(FileError::Io { file: shown.to_owned(), error });
    }
    let bytes = std::fs::read(path).map_err(failed)?;
    let text = String::from_utf8(bytes).map_err(|_| FileError::NotText(shown.to_owned()))?;
    Ok(read_text(Source::new(shown, text)))
}

/// Reads a text.
pub fn read_text(source: Source) -> Reading {
    match dialects::read(&source) {
        Ok(read) => Reading { plan: Some(widened(read.plan)), diagnostics: read.warnings, source },
        Err(diagnostics) => Reading { plan: None, diagnostics, source },
    }
}

/// Gives a graph as much room as this machine has.
fn widened(mut plan: Plan) -> Plan {
    if let Flow::Graph(graph) = &mut plan.flow {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        graph.width_max = u32::try_from(cores).unwrap_or(u32::MAX).saturating_mul(WIDTH_PER_CORE);
    }
    plan
}

impl Reading {
    /// The first thing that stops it from running.
    pub fn first_error(&self) -> Option<&Diagnostic> {
        self.diagnostics.iter().find(|one| one.severity == dialects::diagnostic::Severity::Error)
    }
}
