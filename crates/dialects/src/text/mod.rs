//! Text with places: a source, its nodes, and where each of them stands.
//!
//! YAML and JSON both become one tree of [`Node`]s. Nothing here knows a dialect; a dialect reads the
//! tree and points back into the text with the spans of its nodes.

mod alike;
mod duplicate;
pub mod limits;
mod load;
mod locate;
mod node;
mod scalar;
mod shortened;
mod source;
mod syntax;
mod tree;
mod visible;

pub use alike::{alike, looks};
pub use duplicate::duplicate_keys;
pub use kernel::exact::is_exact;
pub use load::load;
pub use locate::locate;
pub use node::{Kind, Node, Scalar, Style};
pub(crate) use scalar::is_beyond;
pub use shortened::shortened;
pub use source::{Lines, Position, Source, Span};
pub use visible::visible;

#[cfg(test)]
mod hostile_tests;
#[cfg(test)]
mod load_tests;
