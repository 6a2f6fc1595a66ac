//! What was read of stored content lately. A block that is done for each item of a long list looks into the same list
//! turn after turn: it is read, hashed and parsed once.

use crate::store::Fault;
use kernel::{Answer, Digest};
use serde_json::Value;
use std::collections::VecDeque;
use std::sync::Arc;

/// How much content is held on to, in bytes as it is stored. Parsed it takes a few times that.
const BYTES_MAX: u64 = 32 * 1024 * 1024;

/// Stored content that was wanted lately; what was not wanted for the longest goes first.
#[derive(Default)]
pub(crate) struct Known {
    /// What was wanted last is last.
    held: VecDeque<Held>,
    bytes: u64,
}

struct Held {
    digest: Digest,
    value: Arc<Value>,
    bytes: u64,
}

impl Known {
    /// Answers what content says; `read` gives what is not known, with its bytes as they are stored.
    pub(crate) fn answer(
        &mut self,
        digest: &Digest,
        read: impl FnOnce() -> Result<(Value, u64), Fault>,
    ) -> Result<Answer, Fault> {
        let held = match self.held.iter().position(|held| held.digest == *digest) {
            Some(position) => self.held.remove(position).expect("BUG: it was found there"),
            None => {
                let (value, bytes) = read()?;
                self.bytes += bytes;
                Held { digest: *digest, value: Arc::new(value), bytes }
            }
        };
        let value = Arc::clone(&held.value);
        self.held.push_back(held);
        while self.bytes > BYTES_MAX
            && let Some(oldest) = self.held.pop_front()
        {
            self.bytes -= oldest.bytes;
        }
        Ok(Answer::Loaded { digest: *digest, value })
    }

    /// Lets all of it go.
    pub(crate) fn forget(&mut self) {
        *self = Known::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Wants content of so many bytes, and says whether it was read for that.
    fn wanted(known: &mut Known, name: &str, bytes: u64) -> bool {
        let (digest, mut read) = (Digest::of_json(&name), false);
        let answer = known.answer(&digest, || {
            read = true;
            Ok((name.into(), bytes))
        });
        assert_eq!(answer.unwrap(), Answer::Loaded { digest, value: Arc::new(name.into()) });
        read
    }

    #[test]
    fn what_is_wanted_again_and_again_is_read_once() {
        let mut known = Known::default();
        assert!(wanted(&mut known, "a", 10));
        assert!(wanted(&mut known, "b", 10));
        assert!(!wanted(&mut known, "a", 10));
        assert!(!wanted(&mut known, "b", 10));
        known.forget();
        assert!(wanted(&mut known, "a", 10));
    }

    #[test]
    fn what_was_not_wanted_for_the_longest_goes_first() {
        let mut known = Known::default();
        wanted(&mut known, "a", BYTES_MAX / 2);
        wanted(&mut known, "b", BYTES_MAX / 2);
        assert!(!wanted(&mut known, "a", BYTES_MAX / 2), "both fit");
        wanted(&mut known, "c", 1);
        assert!(!wanted(&mut known, "a", BYTES_MAX / 2));
        assert!(wanted(&mut known, "b", BYTES_MAX / 2), "it had to go");
    }

    #[test]
    fn what_is_larger_than_all_that_is_held_on_to_is_read_each_time() {
        let mut known = Known::default();
        assert!(wanted(&mut known, "large", BYTES_MAX + 1));
        assert!(wanted(&mut known, "large", BYTES_MAX + 1));
        assert_eq!(known.bytes, 0);
    }

    #[test]
    fn a_fault_is_told_each_time() {
        let mut known = Known::default();
        for _ in 0..2 {
            let gone = || Err(Fault::Corrupt("it is gone".to_owned()));
            assert!(known.answer(&Digest::of_json(&1), gone).is_err());
        }
    }
}
