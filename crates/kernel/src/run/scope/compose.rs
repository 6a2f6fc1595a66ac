//! Composes what is made of many values: lists, mappings, and all that one step is given. What is large goes to the
//! store and comes back as a reference, and so does all but the smallest where the run holds much already.

use super::gather::{told_so, too_large};
use super::make::{Told, too_deep};
use super::{Gather, Scope, Stop, shallow};
use crate::data::{DEPTH_MAX, weight};
use crate::plan::Expr;
use crate::{Data, Failure, FailureKind, Fields};
use serde_json::Value;

/// What a reference weighs at most, if its head is plain text.
const REFERENCE: u64 = 256;

/// One of many values.
enum Part {
    /// It is there.
    Known(Data),
    /// It is still in pieces.
    Pieces(Gather),
}

impl Part {
    /// What it will weigh, where larger values are stored.
    fn weight(&self, inline_bytes_max: u64) -> u64 {
        let weight = match self {
            Part::Known(data) => data.weight(),
            Part::Pieces(gather) => gather.bytes(),
        };
        if weight > inline_bytes_max { weight.min(REFERENCE) } else { weight }
    }

    /// Its pieces, if it must be put together or stored.
    fn pieces(self, inline_bytes_max: u64) -> Result<Gather, Data> {
        match self {
            Part::Pieces(gather) => match gather.small(inline_bytes_max) {
                Some(value) => Err(Data::Inline(value)),
                None => Ok(gather),
            },
            Part::Known(Data::Inline(value)) if weight(&value) > inline_bytes_max => {
                let mut gather = Gather::default();
                gather.say(&value);
                Ok(gather)
            }
            Part::Known(data) => Err(data),
        }
    }
}

impl Scope<'_> {
    /// Composes named values that the run will hold.
    pub(super) fn composed(&self, wanted: &[(String, Expr)], told: &mut Told) -> Result<Fields, Stop> {
        let parts = self.parts(wanted.iter().map(|(name, expr)| (name.as_str(), expr)), told)?;
        let limits = &self.plan.limits;
        let weight: u64 = parts.iter().map(|(_, part)| part.weight(limits.inline_bytes_max)).sum();
        let made = self.settled(parts, limits.inline_bytes_max_of(self.life.held.saturating_add(weight)))?;
        Ok(made.into_iter().map(|(name, data)| (name.to_owned(), data)).collect())
    }

    /// Composes named values for someone else.
    pub(super) fn given(&self, wanted: &[(String, Expr)]) -> Result<Fields, Stop> {
        let mut told = self.told(wanted.iter().map(|(_, expr)| expr))?;
        let parts = self.parts(wanted.iter().map(|(name, expr)| (name.as_str(), expr)), &mut told)?;
        let made = self.settled(parts, self.plan.limits.inline_bytes_max)?;
        Ok(made.into_iter().map(|(name, data)| (name.to_owned(), data)).collect())
    }

    /// Values that the run will hold; what weighs more than so much becomes content.
    pub(crate) fn kept(&self, wanted: Vec<(String, Value)>, inline_bytes_max: u64) -> Result<Fields, Stop> {
        let parts =
            wanted.iter().map(|(name, value)| (name.as_str(), Part::Known(Data::Inline(value.clone()))));
        let made = self.settled(parts.collect(), inline_bytes_max)?;
        Ok(made.into_iter().map(|(name, data)| (name.to_owned(), data)).collect())
    }

    /// Composes one value.
    pub(super) fn composed_one(&self, expr: &Expr, told: &mut Told) -> Result<Data, Stop> {
        let parts = self.parts(std::iter::once(("", expr)), told)?;
        let mut made = self.settled(parts, self.plan.limits.inline_bytes_max)?;
        Ok(made.pop().expect("BUG: one went in").1)
    }

    /// Makes values as far as they can be made here. All that is made counts, what is only passed on does not.
    fn parts<'e>(
        &self,
        wanted: impl Iterator<Item = (&'e str, &'e Expr)>,
        told: &mut Told,
    ) -> Result<Vec<(&'e str, Part)>, Stop> {
        let mut before = 0;
        let mut parts = Vec::new();
        for (name, expr) in wanted {
            let (part, bytes) = match expr {
                Expr::List(_) | Expr::Object(_) => {
                    let mut gather = Gather::default();
                    self.compose(expr, told, &mut gather, (name, before))?;
                    if gather.levels() > DEPTH_MAX {
                        return Err(too_deep().into());
                    }
                    let bytes = gather.bytes();
                    (Part::Pieces(gather), bytes)
                }
                other => {
                    let data = self.made(name, other, told)?;
                    let bytes = data.inline().map_or(0, weight);
                    (Part::Known(data), bytes)
                }
            };
            self.bounded(name, before, bytes)?;
            before += bytes;
            parts.push((name, part));
        }
        Ok(parts)
    }

    /// Makes a value, and says whose it is where it grows too large.
    fn made(&self, name: &str, expr: &Expr, told: &mut Told) -> Result<Data, Stop> {
        let made = self.make(expr, told).map_err(|stop| match stop {
            Stop::Fail(failure) if failure.kind == FailureKind::Limit && !name.is_empty() => {
                Failure::new(failure.kind, format!("`{name}`: {}", failure.message)).into()
            }
            stop => stop,
        })?;
        Ok(shallow(made)?)
    }

    /// Adds the pieces of a value, and stops where they are too much.
    fn compose(
        &self,
        expr: &Expr,
        told: &mut Told,
        gather: &mut Gather,
        of: (&str, u64),
    ) -> Result<(), Stop> {
        match expr {
            Expr::List(items) => {
                gather.sign("[");
                for (position, item) in items.iter().enumerate() {
                    gather.sign(if position > 0 { "," } else { "" });
                    self.compose(item, told, gather, of)?;
                }
                gather.sign("]");
            }
            Expr::Object(fields) => {
                gather.sign("{");
                for (position, (name, item)) in fields.iter().enumerate() {
                    gather.sign(if position > 0 { "," } else { "" });
                    gather.say(name);
                    gather.sign(":");
                    self.compose(item, told, gather, of)?;
                }
                gather.sign("}");
            }
            other => gather.put(&self.made(of.0, other, told)?),
        }
        let (name, before) = of;
        self.bounded(name, before, gather.bytes())
    }

    /// Refuses a value that is too large, alone or with what was made before it.
    fn bounded(&self, name: &str, before: u64, bytes: u64) -> Result<(), Stop> {
        let (both, max) = (before.saturating_add(bytes), self.plan.limits.made_bytes_max);
        if both <= max {
            return Ok(());
        }
        Err(match name {
            "" => too_large("the value", both, max),
            name if bytes > max => too_large(&format!("`{name}`"), bytes, max),
            name => too_large(&format!("`{name}`, with what is made beside it,"), both, max),
        }
        .into())
    }

    /// Has everything put together that is in pieces or too large.
    fn settled<'e>(
        &self,
        parts: Vec<(&'e str, Part)>,
        inline_bytes_max: u64,
    ) -> Result<Vec<(&'e str, Data)>, Stop> {
        let (mut made, mut places, mut gathers) = (Vec::new(), Vec::new(), Vec::new());
        for (name, part) in parts {
            match part.pieces(inline_bytes_max) {
                Err(data) => made.push((name, shallow(data)?)),
                Ok(gather) => {
                    places.push(made.len());
                    gathers.push(gather);
                    made.push((name, Data::Inline(Value::Null)));
                }
            }
        }
        if gathers.is_empty() {
            return Ok(made);
        }
        for (place, told) in places.into_iter().zip(self.gathered_all(gathers, inline_bytes_max)?) {
            let (name, data) = &mut made[place];
            *data = told.map_err(|reason| named(name, reason))?;
        }
        Ok(made)
    }
}

/// Says which value it is that cannot be made.
fn named(name: &str, reason: String) -> Stop {
    if name.is_empty() { told_so(reason) } else { told_so(format!("`{name}`: {reason}")) }
}
