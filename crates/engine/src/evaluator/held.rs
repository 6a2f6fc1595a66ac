//! What a process holds: which large values were sent to it. The parent alone decides what is forgotten, and says so
//! with the next request, so that both sides always know the same.

use super::limits::HELD_BYTES_MAX;
use kernel::Digest;
use std::collections::VecDeque;

/// The values a process holds, the longest unused first.
#[derive(Debug, Default)]
pub(super) struct Held {
    values: VecDeque<(Digest, usize)>,
    bytes: usize,
}

impl Held {
    /// Notes that a value is read now; gives whether it must be sent along.
    pub(super) fn read(&mut self, digest: Digest, bytes: usize) -> bool {
        let known = self.values.iter().position(|(held, _)| *held == digest);
        if let Some(value) = known.and_then(|position| self.values.remove(position)) {
            self.values.push_back(value);
            return false;
        }
        self.values.push_back((digest, bytes));
        self.bytes += bytes;
        true
    }

    /// What the process shall forget before it reads its next request.
    pub(super) fn forget(&mut self) -> Vec<Digest> {
        let mut forgotten = Vec::new();
        while self.bytes > HELD_BYTES_MAX {
            let Some((digest, bytes)) = self.values.pop_front() else { break };
            self.bytes -= bytes;
            forgotten.push(digest);
        }
        forgotten
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_unused_is_forgotten_at_the_edge() {
        let [a, b, c] = [b"a", b"b", b"c"].map(|name| Digest::of(name));
        let mut held = Held::default();
        assert!(held.read(a, HELD_BYTES_MAX / 2));
        assert!(held.read(b, HELD_BYTES_MAX - HELD_BYTES_MAX / 2));
        assert!(!held.read(a, HELD_BYTES_MAX / 2));
        assert_eq!(held.forget(), []);
        assert!(held.read(c, 1));
        assert_eq!(held.forget(), [b]);
        assert!(held.read(b, 1));
        assert!(!held.read(a, 1));
    }

    #[test]
    fn what_is_larger_than_all_is_not_kept() {
        let mut held = Held::default();
        let digest = Digest::of(b"large");
        assert!(held.read(digest, HELD_BYTES_MAX + 1));
        assert_eq!(held.forget(), [digest]);
        assert!(held.read(digest, HELD_BYTES_MAX + 1));
    }
}
