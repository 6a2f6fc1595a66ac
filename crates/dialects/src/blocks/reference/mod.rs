//! References against what there is: each becomes the one form that the kernel reads, or is refused.
//!
//! | written | read as |
//! |---|---|
//! | `blocks.id.field` | `blocks.id.outputs.field` |
//! | `blocks.id.succeeded`, `.failed`, `.skipped`, `.status`, `.outcome` | `blocks.id.metadata.` and the same |
//! | `blocks.id.outputs.success` | `blocks.id.metadata.succeeded` |
//! | `blocks.id.inputs.env.NAME` | the field `env.NAME` of its inputs |
//! | `inputs.table[${inputs.row}]`, `inputs.table.${inputs.row}` | the same, the inner one resolved as well |
//! | `each.item`, `each.index` | the same, in the inputs of a block with `for_each` |
//!
//! Nothing here reports anything: a [`Wrong`] says what to report and which part of the path it is about.

mod answer;
mod block;
mod each;
mod place;
mod resolve;

pub(super) use answer::{Space, Touched, Wrong, name_at, no_parts};
pub(super) use place::{inner_ranges, part_range};
pub(super) use resolve::{CHECK_NAMESPACES, NAMESPACES};

#[cfg(test)]
mod tests;
