//! The library: where definitions lie, which of them a name means, and what it hides.
//!
//! ```text
//!  surroundings ── places, in order ── walk (stamps, readings) ── shelf ── Library ── by name: the one it means
//!                                      what changed is read         └── one for each order
//!                                                                            └────── lists: all, with what each hides
//! ```
//! A broken file is listed and hides nothing; who runs another of its name is told. A file that is named by its path needs no library. Which place comes first
//! for whom is decided in `docs/decisions/0013-library-order.md`.

mod built_in;
mod definition;
mod doubt;
mod file;
mod find;
mod graph;
mod import;
mod link;
mod name;
mod order;
mod place;
mod shelf;
mod stamp;
mod walk;

#[cfg(test)]
mod tests;

pub use definition::{Definition, Origin, Reading, read_text};
pub use file::{FileError, read_file};
pub use find::{Library, looks_like_a_file};
pub use link::CALLED_MAX;
pub use name::{NAME_BYTES_MAX, NotFound, check_name};
pub use order::Order;
pub use place::{Place, PlaceKind, Surroundings};
pub use shelf::Shelf;
pub(crate) use walk::{DEPTH_MAX, ENTRIES_MAX, is_definition};
