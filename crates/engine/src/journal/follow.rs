//! Follows stored entries along the chain and says where they leave it.

use super::broken::{Broken, Place, Reason};
use super::chain::{Hash, Head};

/// A walk along stored entries, from a head that is believed.
#[derive(Clone, Copy, Debug)]
pub struct Follow {
    head: Head,
}

impl Follow {
    /// Starts behind `head`.
    pub fn from(head: Head) -> Self {
        Follow { head }
    }

    /// Where the walk stands.
    pub fn head(&self) -> Head {
        self.head
    }

    /// Takes the next stored entry: its number must follow, and its bytes must give its hash.
    pub fn step(&mut self, seq: u64, body: &[u8], hash: &Hash) -> Result<(), Broken> {
        let next = self.head.next(body);
        if seq > next.seq {
            return Err(Place::Entry(next.seq).broken(Reason::Missing));
        }
        if seq < next.seq {
            return Err(Place::Entry(seq).broken(Reason::Sequence));
        }
        if next.hash != *hash {
            return Err(Place::Entry(seq).broken(Reason::Hash));
        }
        self.head = next;
        Ok(())
    }

    /// Ends the walk: it must have come exactly to where the journal is said to stand.
    pub fn end(&self, stored: &Head) -> Result<(), Broken> {
        let Head { seq, hash } = self.head;
        if seq < stored.seq {
            return Err(Place::Entry(seq + 1).broken(Reason::Missing));
        }
        if seq > stored.seq {
            return Err(Place::Entry(stored.seq + 1).broken(Reason::Unexpected));
        }
        match hash == stored.hash {
            true => Ok(()),
            false => Err(Place::End.broken(Reason::Hash)),
        }
    }
}
