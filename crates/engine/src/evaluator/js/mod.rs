//! JavaScript, as the sources wrote it: an expression, or the body of a function. Every evaluation has an engine of its own,
//! which has nothing: no clock but the recorded one, no chance, no files, no other code.
//!
//! ```text
//!  source ── compile: expression, else body ── call ── JSON
//!  scope ─── JSON becomes values ──────────────┘   └── or a mistake, with its place and near names
//! ```
//! What an evaluation changes, its values or the language itself, no other can see: the engine is never used again.

mod compile;
mod compute;
mod functions;
mod given;
mod mistake;
mod names;
mod native;
mod place;
mod room;
mod scope;
mod surroundings;
#[cfg(test)]
mod tests;

pub(super) use compute::{Computed, Computing};
pub(super) use room::sweep;
pub(super) use scope::Scope;

use super::child::broken;
use super::limits::SOURCE_BYTES_MAX;
use compile::{Form, compiled};
use kernel::plan::Origin;
use mistake::{Mistake, Trouble};
use native::Writing;
use room::Room;
use rquickjs::{Ctx, Function, Value};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;

/// Something to be evaluated.
#[derive(Clone, Copy, Debug)]
pub(super) struct Expression<'e> {
    /// An expression, or the body of a function.
    pub(super) source: &'e str,
    /// Where it stands in its file.
    pub(super) origin: Option<Origin>,
}

impl Expression<'_> {
    /// Its value in the form of JSON, or what is wrong with it, whatever happens to the engine.
    pub(super) fn answer(self, scope: &Scope<'_>, until: Instant) -> Result<String, String> {
        catch_unwind(AssertUnwindSafe(|| self.evaluate(scope, until)))
            .unwrap_or_else(|failure| Err(broken(&*failure)))
    }

    /// Its value in the form of JSON, or what is wrong with it. No time is left for it after `until`.
    fn evaluate(self, scope: &Scope<'_>, until: Instant) -> Result<String, String> {
        let mistake = Mistake { source: self.source, origin: self.origin, scope };
        let length = self.source.len();
        if length > SOURCE_BYTES_MAX {
            let said =
                format!("the expression has {length} bytes, and {SOURCE_BYTES_MAX} are the most: split it");
            return Err(mistake.at_start(&said));
        }
        let room = Room::open(until).map_err(|said| mistake.at_start(&said))?;
        room.with(|ctx| {
            let made =
                room.furnishing(ctx).map_err(Trouble::from).and_then(|with| self.value(ctx, &with, scope));
            made.map_err(|trouble| mistake.words(ctx, &room, trouble))
        })
    }

    fn value<'js>(
        self,
        ctx: &Ctx<'js>,
        furnishing: &Function<'js>,
        scope: &Scope<'_>,
    ) -> Result<String, Trouble> {
        let classes = surroundings::furnish(ctx, furnishing, self.source, scope)?;
        scope.give(ctx, self.source)?;
        let (function, form) = compiled(ctx, self.source)?;
        let value: Value<'_> = function.call(())?;
        if value.is_undefined() && form == Form::Body && !self.source.contains("return") {
            return Err("the function returns nothing: write `return` before its value".to_owned().into());
        }
        Writing::new(&classes).write(value)
    }
}
