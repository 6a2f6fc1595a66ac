//! The library: where definitions lie, which of them a name means, and what it hides.
//!
//! ```text
//!  places, in order ── files ── read ── Library ── by name: the first that holds it
//!                                          └────── lists: all of them, with what each hides
//! ```
//! A broken file is listed and hides nothing. A file that is named by its path needs no library.

mod definition;
mod find;
mod place;

#[cfg(test)]
mod tests;

pub use definition::{Definition, FileError, Reading, read_file, read_text};
pub use find::{Library, NotFound, looks_like_a_file};
pub use place::{Place, Surroundings};
