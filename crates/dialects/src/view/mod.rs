//! Views that every dialect shares: a run as people see it, folded from the news of its turns.
//!
//! A view is a pure function of plan and news. Nothing here asks a clock or a run: two who have seen the same
//! turns see the same.

pub mod asked;
mod lanes;
mod line;
mod tally;
mod timeline;

pub use asked::{Asked, AskedKind};
pub use line::{Line, Nested, State};
pub use timeline::Timeline;

use kernel::Data;
use serde_json::{Value, json};

/// Returns data as it is shown: the value or, where it is stored, what is known of it.
pub fn shown(data: &Data) -> Value {
    match data {
        Data::Inline(value) => value.clone(),
        Data::Stored(reference) => json!({
            "stored": reference.digest,
            "size": reference.size,
            "head": reference.head,
        }),
    }
}

#[cfg(test)]
mod tests;
