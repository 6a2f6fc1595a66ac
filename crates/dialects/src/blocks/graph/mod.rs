//! The graph of blocks: who waits for whom, and what follows from it.
//!
//! ```text
//! depends_on ── dependencies ── components ── circle     a cycle, named whole
//!                                         └── reach      who has ended before whom
//! ```

mod circle;
mod components;
mod dependencies;
mod reach;

pub(super) use circle::report_circles;
pub(super) use dependencies::Dependencies;
pub(super) use reach::report_unreached;
