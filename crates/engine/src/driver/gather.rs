//! Puts together what a turn asks to have put together: from what came along with its event and from the store.

use super::Driver;
use super::ask::written;
use crate::evaluator::limits::REQUEST_BYTES_MAX;
use crate::turn::{Body, Content, gathered, wanted_bytes};
use kernel::data::Kind;
use kernel::{Answer, Data, Digest, Question};
use std::borrow::Cow;

/// What one turn may have put together; all of it is in memory until the turn is committed.
const TURN_BYTES_MAX: u64 = 128 * MIB;

const MIB: u64 = 1024 * 1024;

impl Driver {
    /// The values that a turn wants, where so many bytes were made for it before.
    pub(super) fn gather(&self, question: &Question, contents: &mut Vec<Content>, before: u64) -> Answer {
        if let Some(reason) = too_much(before, wanted_bytes(question)) {
            return Answer::Unanswered(reason);
        }
        let (answer, made) = gathered(question, |digest| self.body(digest, contents));
        for content in made {
            if !contents.iter().any(|known| known.digest == content.digest) {
                contents.push(content);
            }
        }
        answer
    }

    /// The bytes of content: of this turn, of this batch, or stored.
    fn body<'b>(&self, wanted: &Digest, contents: &'b [Content]) -> Body<'b>
    where
        Self: 'b,
    {
        if let Some(content) = contents.iter().find(|content| content.digest == *wanted) {
            return Ok((content.kind, Cow::Borrowed(content.body.as_slice())));
        }
        if let Some((word, body)) = written(&self.batch.writes, wanted) {
            return Ok((kind(word)?, Cow::Owned(body.clone())));
        }
        match self.store.reader().content(wanted) {
            Ok(Some(content)) => Ok((kind(&content.kind)?, Cow::Owned(content.body))),
            Ok(None) => Err(format!("content {wanted} is not there")),
            Err(fault) => Err(format!("stored data cannot be read: {fault}")),
        }
    }
}

/// Why a turn gets no more.
fn too_much(before: u64, more: u64) -> Option<String> {
    let mib = TURN_BYTES_MAX / MIB;
    (before.saturating_add(more) > TURN_BYTES_MAX).then(|| {
        format!("more than {mib} MiB would be put together at once; write what is large to files and pass their paths")
    })
}

/// Why what expressions read is not even loaded: the evaluator could not take it.
pub(super) fn too_much_to_send(scope: &[(String, Data)]) -> Option<String> {
    let bytes: u64 =
        scope.iter().map(|(_, data)| if let Data::Stored(it) = data { it.size } else { 0 }).sum();
    let max = REQUEST_BYTES_MAX as u64;
    (bytes > max).then(|| {
        let (bytes, max) = (bytes.div_ceil(MIB), max / MIB);
        format!(
            "what the expressions read has {bytes} MiB; at most {max} MiB are allowed: write what is large to files \
             and pass their paths"
        )
    })
}

fn kind(word: &str) -> Result<Kind, String> {
    match word {
        "text" => Ok(Kind::Text),
        "json" => Ok(Kind::Json),
        other => Err(format!("unknown kind of content: {other}")),
    }
}

/// How many bytes answers had stored.
pub(super) fn stored_bytes<'a>(answers: impl IntoIterator<Item = &'a Answer>) -> u64 {
    let bytes = |data: &Data| if let Data::Stored(reference) = data { reference.size } else { 0 };
    let stored = answers.into_iter().map(|answer| match answer {
        Answer::Evaluated(values) => values.iter().flatten().map(bytes).sum(),
        Answer::Computed(fields) => fields.iter().filter_map(|made| made.value.as_ref()).map(bytes).sum(),
        Answer::Unanswered(_) | Answer::Loaded { .. } => 0,
    });
    stored.sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_turn_may_have_made_has_an_edge() {
        assert_eq!(too_much(TURN_BYTES_MAX - 10, 10), None);
        let reason = too_much(TURN_BYTES_MAX - 10, 11).unwrap();
        assert!(reason.starts_with("more than 128 MiB would be put together at once"), "{reason}");
    }

    #[test]
    fn what_is_sent_has_an_edge() {
        let stored = |size: u64| {
            let reference = kernel::data::Reference {
                digest: Digest::of(b""),
                size,
                kind: Kind::Text,
                head: String::new(),
            };
            ("x".to_owned(), Data::Stored(reference))
        };
        assert_eq!(too_much_to_send(&[stored(16 * MIB), stored(16 * MIB)]), None);
        let reason = too_much_to_send(&[stored(16 * MIB), stored(16 * MIB + 1)]).unwrap();
        assert!(
            reason.starts_with("what the expressions read has 33 MiB; at most 32 MiB are allowed"),
            "{reason}"
        );
    }
}
