//! Checks a journal file without the store that made it.
//!
//! The reader goes line by line and stops at the first line that is not what the lines before it ask for. It
//! allocates by what it has read, never by what a line promises.

use super::broken::{Broken, Place, Reason};
use super::chain::{Hash, Head};
use super::file::{CLOSE, HeaderLine, NAME, PLAN_OPEN, VERSION, end_line, entry_open, entry_open_len};
use super::write::Header;
use kernel::{Digest, RunId};
use sha2::{Digest as _, Sha256};
use std::io::{self, BufRead, Read};
use thiserror::Error;

/// What a sound journal file says of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verified {
    /// The run whose journal it is.
    pub run: RunId,
    /// The name of the workflow.
    pub workflow: String,
    /// How many entries it has.
    pub entries: u64,
    /// The hash of the last entry.
    pub hash: Hash,
}

/// Why a journal file was not found sound.
#[derive(Debug, Error)]
pub enum Unverified {
    /// It is broken.
    #[error("{0}")]
    Broken(#[from] Broken),
    /// It could not be read.
    #[error("{0}")]
    Io(#[from] io::Error),
}

/// The longest header.
const HEADER_BYTES_MAX: u64 = 1 << 20;

/// The longest of the other lines: far more than a run takes in at once.
const LINE_BYTES_MAX: u64 = 256 << 20;

/// Checks every byte of a journal file and names the first line that is wrong. No more than one line is held in memory.
pub fn verify_stream(file: impl BufRead) -> Result<Verified, Unverified> {
    let mut lines = Lines { file, before: Sha256::new(), line: Vec::new() };
    let header = header(lines.next(Place::Header)?)?;
    plan(lines.next(Place::Plan)?, &header.plan)?;
    let mut head = Head::first(&header.run, &header.plan);
    for seq in 1..=header.entries {
        head = entry(lines.next(Place::Entry(seq))?, &head)?;
    }
    let end = lines.next(Place::End)?.to_vec();
    let before = Hash::from_bytes(lines.before.finalize().into());
    if !lines.file.fill_buf()?.is_empty() {
        return Err(Place::End.broken(Reason::Unexpected).into());
    }
    self::end(&end, &head, &before)?;
    Ok(Verified { run: header.run, workflow: header.workflow, entries: head.seq, hash: head.hash })
}

/// Checks a journal file that is in memory.
pub fn verify_file(bytes: &[u8]) -> Result<Verified, Broken> {
    verify_stream(bytes).map_err(|error| match error {
        Unverified::Broken(broken) => broken,
        Unverified::Io(error) => unreachable!("BUG: memory can be read: {error}"),
    })
}

struct Lines<R> {
    file: R,
    /// The hash of all lines before the last one that was given.
    before: Sha256,
    line: Vec<u8>,
}

impl<R: BufRead> Lines<R> {
    /// The next line, without the line feed that must end it.
    fn next(&mut self, place: Place) -> Result<&[u8], Unverified> {
        self.before.update(&self.line);
        self.line.clear();
        let bytes_max = if place == Place::Header { HEADER_BYTES_MAX } else { LINE_BYTES_MAX };
        if (&mut self.file).take(bytes_max).read_until(b'\n', &mut self.line)? == 0 {
            return Err(place.broken(Reason::Missing).into());
        }
        let line = self.line.strip_suffix(b"\n");
        line.ok_or_else(|| place.broken(Reason::Malformed).into())
    }
}

fn header(line: &[u8]) -> Result<Header, Broken> {
    let malformed = || Place::Header.broken(Reason::Malformed);
    let header: HeaderLine = serde_json::from_slice(line).map_err(|_| malformed())?;
    if header.switchback != NAME {
        return Err(malformed());
    }
    if header.version != VERSION {
        return Err(Place::Header.broken(Reason::Version(header.version)));
    }
    if header.render().map_err(|_| malformed())? != line {
        return Err(malformed());
    }
    let plan = Digest::parse(&header.plan).ok_or_else(malformed)?;
    Ok(Header { run: RunId::new(header.run), workflow: header.workflow, plan, entries: header.entries })
}

fn plan(line: &[u8], digest: &Digest) -> Result<(), Broken> {
    let plan = line.strip_prefix(PLAN_OPEN).and_then(|rest| rest.strip_suffix(CLOSE));
    let plan = plan.ok_or_else(|| Place::Plan.broken(Reason::Malformed))?;
    match Digest::of(plan) == *digest {
        true => Ok(()),
        false => Err(Place::Plan.broken(Reason::Hash)),
    }
}

/// Checks one entry against the head before it: its line must be the one that its own body gives.
fn entry(line: &[u8], before: &Head) -> Result<Head, Broken> {
    let seq = before.seq + 1;
    let broken = |reason| Err(Place::Entry(seq).broken(reason));
    let Some((open, rest)) = line.split_at_checked(entry_open_len(seq)) else {
        return broken(Reason::Malformed);
    };
    let Some(body) = rest.strip_suffix(CLOSE) else { return broken(Reason::Malformed) };
    let head = before.next(body);
    if open == entry_open(&head) {
        return Ok(head);
    }
    match open.starts_with(format!("{{\"seq\":{seq},").as_bytes()) {
        true => broken(Reason::Hash),
        false => broken(Reason::Sequence),
    }
}

fn end(line: &[u8], head: &Head, before: &Hash) -> Result<(), Broken> {
    if line == end_line(head, before) {
        return Ok(());
    }
    // Everything but the name of the workflow is covered by the chain: which of the two lines is wrong cannot
    // be told from here.
    Err(Place::End.broken(Reason::Hash))
}
