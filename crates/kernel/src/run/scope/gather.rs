//! Values that are put together from others: as pieces of JSON, so that what is stored stays where it is and is only
//! named. Every piece is counted as it is added, so that nothing too large is ever made.

use super::{Scope, Stop};
use crate::data::{Kind, Levels, Reference, weight};
use crate::failure::{MESSAGE_BYTES_MAX, shortened};
use crate::question::Piece;
use crate::{Answer, Data, Failure, FailureKind, Question};
use serde::Serialize;
use serde_json::Value;

/// A value in pieces.
#[derive(Debug, Default)]
pub(crate) struct Gather {
    pieces: Vec<Piece>,
    bytes: u64,
}

impl Gather {
    /// Adds signs and names as they stand.
    pub(crate) fn sign(&mut self, json: &str) {
        self.bytes += json.len() as u64;
        match self.pieces.last_mut() {
            Some(Piece::Json(text)) => text.push_str(json),
            _ => self.pieces.push(Piece::Json(json.to_owned())),
        }
    }

    /// Adds something small of ours.
    pub(crate) fn say(&mut self, value: &impl Serialize) {
        self.sign(&serde_json::to_string(value).expect("BUG: a value has no JSON form"));
    }

    /// Adds a value.
    pub(crate) fn put(&mut self, data: &Data) {
        match data {
            Data::Inline(value) => self.say(value),
            Data::Stored(reference) => {
                self.bytes += json_bytes(reference);
                self.pieces.push(Piece::Value(reference.clone()));
            }
        }
    }

    /// Adds what is in a list that is not empty.
    pub(crate) fn put_items(&mut self, list: &Data) {
        match list {
            Data::Inline(Value::Array(items)) => self.join(items, |this, item| this.say(item)),
            Data::Inline(other) => self.say(other),
            Data::Stored(reference) => {
                self.bytes += json_bytes(reference);
                self.pieces.push(Piece::Items(reference.clone()));
            }
        }
    }

    /// Adds things with a comma between them.
    pub(crate) fn join<T>(&mut self, things: impl IntoIterator<Item = T>, mut add: impl FnMut(&mut Self, T)) {
        for (position, thing) in things.into_iter().enumerate() {
            if position > 0 {
                self.sign(",");
            }
            add(self, thing);
        }
    }

    /// What is there of it: never more than the bytes of its JSON form.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// How deep it nests, as far as it is here.
    pub(super) fn levels(&self) -> usize {
        let mut levels = Levels::default();
        let here = self.pieces.iter().map(|piece| if let Piece::Json(text) = piece { text } else { "" });
        here.map(|text| levels.read(text.as_bytes())).max().unwrap_or_default()
    }

    /// The value itself, if all of it is here and it weighs no more than so much.
    pub(super) fn small(&self, inline_bytes_max: u64) -> Option<Value> {
        let [Piece::Json(text)] = self.pieces.as_slice() else { return None };
        if text.len() as u64 > inline_bytes_max {
            return None;
        }
        serde_json::from_str(text).ok().filter(|value| weight(value) <= inline_bytes_max)
    }
}

/// How many bytes stored content has as JSON, or more where its text must be escaped.
fn json_bytes(reference: &Reference) -> u64 {
    match reference.kind {
        Kind::Text => reference.size.saturating_add(2),
        Kind::Json => reference.size,
    }
}

/// Why a value is not made. Whoever reads it should know what to do instead.
pub(super) fn too_large(what: &str, bytes: u64, max: u64) -> Failure {
    let message = format!(
        "{what} would have at least {bytes} bytes; at most {max} are allowed: write what is large to a file and pass \
         its path"
    );
    Failure::new(FailureKind::Limit, message)
}

impl Scope<'_> {
    /// A value from its pieces. What weighs more than so much comes back as a reference.
    pub(crate) fn gathered(&self, gather: Gather, inline_bytes_max: u64) -> Result<Data, Stop> {
        if let Some(value) = gather.small(inline_bytes_max) {
            return Ok(Data::Inline(value));
        }
        let max = self.plan.limits.made_bytes_max;
        if gather.bytes > max {
            return Err(too_large("it", gather.bytes, max).into());
        }
        let mut told = self.gathered_all(vec![gather], inline_bytes_max)?;
        told.pop().expect("BUG: one was asked for").map_err(told_so)
    }

    /// Many values from their pieces, asked for at once.
    pub(super) fn gathered_all(
        &self,
        gathers: Vec<Gather>,
        inline_bytes_max: u64,
    ) -> Result<Vec<Result<Data, String>>, Stop> {
        let (count, bytes_max) = (gathers.len(), self.plan.limits.made_bytes_max);
        let wholes = gathers.into_iter().map(|gather| gather.pieces).collect();
        let question = Question::Gather { wholes, inline_bytes_max, bytes_max };
        match self.answers.get(&question.digest()) {
            None => Err(Stop::ask(question)),
            Some(Answer::Evaluated(values)) if values.len() == count => Ok(values.clone()),
            Some(Answer::Unanswered(reason)) => Err(told_so(reason.clone())),
            Some(_) => Err("the answer does not fit the question".to_owned().into()),
        }
    }
}

/// What someone else said is of any length.
pub(super) fn told_so(reason: String) -> Stop {
    shortened(reason, MESSAGE_BYTES_MAX).into()
}
