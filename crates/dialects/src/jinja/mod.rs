//! Jinja as far as it is looked at when a file is read: where its tags are, which statements are open, which names it reads.
//!
//! Nothing is evaluated here, and no template engine is part of this crate: whatever a text holds, to look at it takes time
//! in proportion to its length and no stack.

mod fit;
mod misfit;
mod names;
mod nest;
mod parts;
mod reads;
mod statement;
#[cfg(test)]
mod tests;
mod token;

pub use names::{FILTERS, TESTS, left_out};
pub(crate) use nest::Nest;
pub(crate) use parts::{Part, parts};
pub use reads::faults;
pub(crate) use reads::{Fault, Read, Reads, is_code, reads};

/// The bytes a template may have, variables in place of references. The evaluator takes no more.
pub const TEMPLATE_BYTES_MAX: usize = 16 * 1024;
