//! What a replay has read of stored content. A block that is done for each item of a long list looks into the same list
//! turn after turn: it is read, hashed and parsed once.

use crate::store::Fault;
use kernel::{Answer, Digest};

/// How many contents are held on to; the one that was not wanted for the longest goes first.
const KNOWN_MAX: usize = 4;

/// Stored content, and what was read of it lately.
pub(super) struct Known<L> {
    load: L,
    /// What was wanted last is last.
    answers: Vec<(Digest, Answer)>,
}

impl<L: Fn(&Digest) -> Result<Answer, Fault>> Known<L> {
    pub(super) fn new(load: L) -> Self {
        Known { load, answers: Vec::new() }
    }

    /// Answers what content says.
    pub(super) fn load(&mut self, digest: &Digest) -> Result<Answer, Fault> {
        let known = self.answers.iter().position(|(known, _)| known == digest);
        let wanted = match known {
            Some(position) => self.answers.remove(position),
            None => (*digest, (self.load)(digest)?),
        };
        let answer = wanted.1.clone();
        self.answers.push(wanted);
        if self.answers.len() > KNOWN_MAX {
            self.answers.remove(0);
        }
        Ok(answer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;

    #[test]
    fn what_is_wanted_again_and_again_is_read_once() {
        let read = RefCell::new(Vec::new());
        let mut known = Known::new(|digest: &Digest| {
            read.borrow_mut().push(*digest);
            Ok(Answer::Loaded { digest: *digest, value: digest.to_string().into() })
        });
        let digests: Vec<Digest> = (0..=KNOWN_MAX).map(|number| Digest::of_json(&number)).collect();
        let (last, few) = digests.split_last().unwrap();
        for digest in [few, few, few].concat() {
            let answer = known.load(&digest).unwrap();
            assert_eq!(answer, Answer::Loaded { digest, value: digest.to_string().into() });
        }
        assert_eq!(*read.borrow(), few);
        // One more than are held on to: the first is gone, the others are not.
        known.load(last).unwrap();
        few[1..].iter().for_each(|digest| drop(known.load(digest).unwrap()));
        assert_eq!(*read.borrow(), digests);
        known.load(&few[0]).unwrap();
        assert_eq!(read.borrow().len(), digests.len() + 1);
    }

    #[test]
    fn a_fault_is_told_each_time() {
        let mut known = Known::new(|_: &Digest| Err(Fault::Corrupt("it is gone".to_owned())));
        for _ in 0..2 {
            assert!(known.load(&Digest::of_json(&1)).is_err());
        }
    }
}
