//! The small total languages: references (`${path}` and `{name}`), text around them, and conditions.
//! They are parsed once, into the plan, and evaluated here over typed operands. Every parse error carries
//! the byte offset at which it was found, so that a dialect can point at it.

mod braces;
mod condition;
mod lexer;
mod parser;
mod path;
mod template;

pub use braces::{Brace, braces, whole_brace};
pub use condition::{Compare, Condition};
pub(crate) use condition::{cut, holds, kind};
pub use parser::parse_condition;
pub(crate) use path::descend;
pub use path::{Path, Segment, closing};
pub use template::{Part, Syntax, Template};

use std::ops::Range;

/// Why a text of these languages could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    /// What is wrong.
    pub message: String,
    /// Where, in bytes of the text.
    pub at: Range<usize>,
}

impl ParseError {
    pub(crate) fn new(message: impl Into<String>, at: Range<usize>) -> Self {
        ParseError { message: message.into(), at }
    }
}
