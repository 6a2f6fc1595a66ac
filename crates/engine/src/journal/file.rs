//! The lines of a journal file, and the only place that renders them.
//!
//! ```text
//!  {"switchback":"journal","version":1,"run":"..","workflow":"..","plan":"<hex>","entries":2}
//!  {"plan":<the plan's own bytes>}
//!  {"seq":1,"hash":"<hex>","body":<the entry's own bytes>}
//!  {"seq":2,"hash":"<hex>","body":<the entry's own bytes>}
//!  {"end":2,"hash":"<hex>","file":"<hex: sha256 of every byte before this line>"}
//! ```
//!
//! Invariant: there is exactly one spelling of each line. A reader renders what it understood and compares the
//! bytes, so that no change of a byte can hide in white space, in an escape or in a field nobody reads. The
//! chain covers run, plan and entries; the digest of the file covers the rest (the name of the workflow).

use super::chain::{Hash, Head};
use serde::{Deserialize, Serialize};
use std::io;

pub(super) const NAME: &str = "journal";
pub(super) const VERSION: u64 = 1;
pub(super) const PLAN_OPEN: &[u8] = b"{\"plan\":";
pub(super) const BODY_OPEN: &[u8] = b"\",\"body\":";
pub(super) const CLOSE: &[u8] = b"}";

/// The first line, in the order of its fields.
#[derive(Serialize, Deserialize)]
pub(super) struct HeaderLine {
    pub(super) switchback: String,
    pub(super) version: u64,
    pub(super) run: String,
    pub(super) workflow: String,
    pub(super) plan: String,
    pub(super) entries: u64,
}

impl HeaderLine {
    pub(super) fn render(&self) -> io::Result<Vec<u8>> {
        Ok(serde_json::to_vec(self)?)
    }
}

/// All of an entry's line before its body.
pub(super) fn entry_open(head: &Head) -> Vec<u8> {
    let mut line = format!("{{\"seq\":{},\"hash\":\"{}", head.seq, head.hash).into_bytes();
    line.extend(BODY_OPEN);
    line
}

/// The last line.
pub(super) fn end_line(head: &Head, file: &Hash) -> Vec<u8> {
    let Head { seq, hash } = head;
    format!("{{\"end\":{seq},\"hash\":\"{hash}\",\"file\":\"{file}\"}}").into_bytes()
}

/// How much of an entry's line stands before its body, given the number of digits of its sequence number.
pub(super) fn entry_open_len(seq: u64) -> usize {
    entry_open(&Head { seq, hash: Hash::from_bytes([0; 32]) }).len()
}
