//! The hash chain: each head is made from the one before and the bytes of one entry.
//!
//! What is hashed never changes for version 1; another rule is another version with another first line.

use kernel::{Digest, RunId};
use sha2::{Digest as _, Sha256};
use std::fmt;

/// A link of the chain: a SHA-256 over the link before, the sequence number and the body.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Hash([u8; 32]);

impl Hash {
    /// Wraps bytes that were stored before.
    pub fn from_bytes(bytes: [u8; 32]) -> Self {
        Hash(bytes)
    }

    /// The bytes.
    pub fn bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Display for Hash {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(out, "{byte:02x}"))
    }
}

impl fmt::Debug for Hash {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, out)
    }
}

/// Where a journal stands: the number of its last entry and the hash over everything up to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head {
    /// The number of the last entry; 0 before the first.
    pub seq: u64,
    /// The hash of the last entry; of run and plan before the first.
    pub hash: Hash,
}

impl Head {
    /// The head of a journal that has no entry yet.
    pub fn first(run: &RunId, plan: &Digest) -> Self {
        let opening = format!("switchback journal 1\n{run}\n{plan}\n");
        Head { seq: 0, hash: Hash(Sha256::digest(opening).into()) }
    }

    /// The head after one more entry.
    #[must_use]
    pub fn next(&self, body: &[u8]) -> Self {
        let seq = self.seq + 1;
        let link = Sha256::new().chain_update(self.hash.0).chain_update(seq.to_be_bytes()).chain_update(body);
        Head { seq, hash: Hash(link.finalize().into()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The bytes that are hashed, written out a second time by hand.
    #[test]
    fn the_chain_is_the_documented_one() {
        let plan = Digest::of(b"{}");
        let first = Head::first(&RunId::new("r1"), &plan);
        let mut opening = b"switchback journal 1\nr1\n".to_vec();
        opening.extend(b"44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a\n");
        assert_eq!(first.hash.bytes(), Digest::of(&opening).bytes());

        let second = first.next(b"{\"n\":1}");
        let mut link = first.hash.bytes().to_vec();
        link.extend([0, 0, 0, 0, 0, 0, 0, 1]);
        link.extend(b"{\"n\":1}");
        assert_eq!(second.seq, 1);
        assert_eq!(second.hash.bytes(), Digest::of(&link).bytes());
    }

    /// A change here breaks every journal ever written.
    #[test]
    fn a_known_chain_keeps_its_hash() {
        let head = Head::first(&RunId::new("r1"), &Digest::of(b"{}")).next(b"a").next(b"b");
        assert_eq!(head.seq, 2);
        assert_eq!(head.hash.to_string(), "f50c818dcd1285d857a4eacfdd35215e2ac986e7166ed096292010fe16f8952f");
    }
}
