//! Writes a journal file line by line, so that a long journal never lies in memory as a whole.
//!
//! The writer refuses what its reader would not take back: a body that is not one line of JSON, and a count of
//! entries that is not the one its header promised.

use super::chain::{Hash, Head};
use super::file::{CLOSE, HeaderLine, NAME, PLAN_OPEN, VERSION, end_line, entry_open};
use kernel::{Digest, RunId};
use serde::de::IgnoredAny;
use sha2::{Digest as _, Sha256};
use std::io::{self, Write};

/// What the first line of a journal file says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// The run whose journal it is.
    pub run: RunId,
    /// The name of the workflow.
    pub workflow: String,
    /// The digest of the plan's bytes.
    pub plan: Digest,
    /// How many entries follow.
    pub entries: u64,
}

/// Why a journal could not be written to a file.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// The plan is not one line of JSON, or not the one with this digest.
    #[error("the plan is not one line of JSON with the digest {0}")]
    Plan(Digest),
    /// The body of an entry is not one line of JSON.
    #[error("entry {0} is not one line of JSON")]
    Entry(u64),
    /// The header promised another number of entries.
    #[error("the header says {promised} entries, but {written} were written")]
    Count {
        /// What the header says.
        promised: u64,
        /// What was written.
        written: u64,
    },
    /// The file could not be written.
    #[error("failed to write the journal: {0}")]
    Io(#[from] io::Error),
}

/// Writes one journal file.
pub struct Writer<W: Write> {
    out: W,
    file: Sha256,
    head: Head,
    promised: u64,
}

impl<W: Write> Writer<W> {
    /// Begins a file: writes the header and the plan.
    pub fn begin(out: W, header: &Header, plan: &[u8]) -> Result<Self, ExportError> {
        if Digest::of(plan) != header.plan || !is_one_line_of_json(plan) {
            return Err(ExportError::Plan(header.plan));
        }
        let line = HeaderLine {
            switchback: NAME.to_owned(),
            version: VERSION,
            run: header.run.as_str().to_owned(),
            workflow: header.workflow.clone(),
            plan: header.plan.to_string(),
            entries: header.entries,
        };
        let head = Head::first(&header.run, &header.plan);
        let mut writer = Writer { out, file: Sha256::new(), head, promised: header.entries };
        writer.line(&[&line.render()?])?;
        writer.line(&[PLAN_OPEN, plan, CLOSE])?;
        Ok(writer)
    }

    /// Writes the next entry and gives the head after it.
    pub fn entry(&mut self, body: &[u8]) -> Result<Head, ExportError> {
        let head = self.head.next(body);
        if !is_one_line_of_json(body) {
            return Err(ExportError::Entry(head.seq));
        }
        self.line(&[&entry_open(&head), body, CLOSE])?;
        self.head = head;
        Ok(head)
    }

    /// Writes the last line and gives back what was written to.
    pub fn finish(mut self) -> Result<W, ExportError> {
        if self.head.seq != self.promised {
            return Err(ExportError::Count { promised: self.promised, written: self.head.seq });
        }
        let file = Hash::from_bytes(self.file.clone().finalize().into());
        self.line(&[&end_line(&self.head, &file)])?;
        Ok(self.out)
    }

    fn line(&mut self, parts: &[&[u8]]) -> io::Result<()> {
        for part in parts.iter().chain([&b"\n".as_slice()]) {
            self.file.update(part);
            self.out.write_all(part)?;
        }
        Ok(())
    }
}

fn is_one_line_of_json(bytes: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(bytes) else { return false };
    !bytes.contains(&b'\n') && serde_json::from_str::<IgnoredAny>(text).is_ok()
}
