//! JavaScript as far as a reader must know it: whether it can be read, which names it takes from outside, and where.
//!
//! ```text
//! text ── parse ── names          (a transform, a condition)
//! text ── braces ── parse ── names   (a text with `{{ }}` in it)
//! ```
//! Nothing is evaluated here. The parser is that of oxc; it recurses as deep as a text nests, so that it is given as much
//! stack as a text of that length can need ([`parse()`]).

mod braces;
mod globals;
mod names;
mod parse;

pub(crate) use braces::{Filter, Part, is_code, parts, whole};
pub(crate) use globals::{absent, is_global};
pub(crate) use names::{Name, Used};
pub(crate) use parse::{Fault, Form, Script, expression, script};

/// The bytes that one piece of JavaScript may have.
pub(crate) const SOURCE_BYTES_MAX: usize = 16 * 1024;

#[cfg(test)]
mod tests;
