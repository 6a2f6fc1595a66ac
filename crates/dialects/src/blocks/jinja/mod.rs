//! Jinja templates with references: each `${...}` becomes a variable of the template, put in as its place asks.
//!
//! A value is never code. It travels beside the template and the template names it:
//!
//! | the reference stands | it becomes |
//! |---|---|
//! | in text | `{{ SB_1 }}`; after a brace, `{{ '{' ~ SB_1 }}` |
//! | in `{{ ... }}` or `{% ... %}` | `SB_1` |
//! | in a literal of such a tag | `("..." ~ SB_1 ~ "...")` |
//! | in `{% raw %}` | `{% endraw %}{{ SB_1 }}{% raw %}` |
//! | in a comment | itself |
//!
//! In text and literals the variable holds the value as text, as everywhere in the dialect; in a tag it holds the value
//! itself. This scanner follows tags, literals and comments and nothing else: what a tag means is the evaluator's
//! affair. That every tag is closed, and every statement that has an end, is told when the file is read.

mod scan;
#[cfg(test)]
mod tests;

pub(super) use scan::compile;

pub use crate::jinja::TEMPLATE_BYTES_MAX;

/// A piece of a template.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part<'a> {
    /// Jinja, as it was written.
    Text(&'a str),
    /// A reference as it was written, without its braces.
    Reference(&'a str),
}

/// How a reference is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Use {
    /// As text.
    Text,
    /// As the value it is.
    Value,
    /// Not at all.
    Nothing,
}

/// A template for the evaluator.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Compiled {
    /// Its text.
    pub(super) source: String,
    /// How each reference is used, in their order. The variable of a reference is numbered by this order.
    pub(super) uses: Vec<Use>,
}

/// Something wrong with a template.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Fault {
    /// Which part it is in.
    pub(super) part: usize,
    /// Where in that part.
    pub(super) at: usize,
    /// How many bytes.
    pub(super) length: usize,
    /// What is wrong.
    pub(super) message: String,
    /// What to do.
    pub(super) hint: String,
}
