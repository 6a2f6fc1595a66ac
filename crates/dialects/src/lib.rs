//! Definitions: text with places in it becomes a checked plan, or diagnostics that say what is wrong.
//!
//! The crate is pure. It reads no files, no clock and no environment: the text comes in as a
//! [`text::Source`], everything that leaves is a value. One folder holds one dialect.

pub mod blocks;
pub mod detect;
pub mod diagnostic;
pub mod near;
pub mod text;
