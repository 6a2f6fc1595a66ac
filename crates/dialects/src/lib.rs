//! Definitions: text with places in it becomes a checked plan, or diagnostics that say what is wrong.
//!
//! The crate is pure. It reads no files, no clock and no environment: the text comes in as a
//! [`text::Source`], everything that leaves is a value. One folder holds one dialect; [`read()`] is the door
//! to all of them.

mod additions;
pub mod blocks;
mod constant;
pub mod detect;
pub mod diagnostic;
pub mod jinja;
mod js;
pub mod known;
mod mistakes;
mod name;
pub mod near;
mod numbers;
pub mod reactive;
mod read;
pub mod schema;
mod secrets;
mod shape;
pub mod states;
pub mod steps;
pub mod text;
mod variable;
pub mod view;

pub use name::name;
pub use read::{HandOut, Imported, Read, ReadOptions, read, read_with};
