//! What becomes of a reference: its form in the kernel's words, or what is wrong with it.

use crate::blocks::types::OBJECT;
use crate::near::nearest;
use crate::shape::listed;
use crate::text::Span;
use kernel::language::{Path, Segment};

/// A part of a block that can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::blocks) enum Space {
    /// What it was given.
    Inputs,
    /// What it gave.
    Outputs,
    /// How it went.
    Metadata,
}

/// What a reference reads of a block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::blocks) struct Touched {
    /// The block.
    pub(in crate::blocks) block: usize,
    /// Which part of it.
    pub(in crate::blocks) space: Space,
    /// The field, or the whole part.
    pub(in crate::blocks) field: Option<String>,
}

/// A reference in the kernel's form.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::blocks) struct Resolved {
    /// The path.
    pub(in crate::blocks) path: Path,
    /// The block it reads, if it reads one.
    pub(in crate::blocks) touched: Option<Touched>,
}

/// Why a reference cannot be read.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::blocks) struct Wrong {
    /// Which part of the path is wrong; the first is 0.
    pub(in crate::blocks) part: usize,
    /// The code.
    pub(in crate::blocks) code: &'static str,
    /// What is wrong.
    pub(in crate::blocks) message: String,
    /// What was probably meant, and where that is.
    pub(in crate::blocks) near: Option<(String, Option<Span>)>,
    /// What to do.
    pub(in crate::blocks) hint: Option<String>,
}

/// A reference that can be read or not; nothing is said where another mistake has said it.
pub(super) type Answer = Result<Resolved, Option<Box<Wrong>>>;

impl Wrong {
    pub(in crate::blocks) fn new(part: usize, message: String) -> Box<Self> {
        Box::new(Self { part, code: "unresolved-reference", message, near: None, hint: None })
    }

    /// Adds the nearest of some names or, if none is near, the names.
    pub(in crate::blocks) fn among<'w>(
        mut self: Box<Self>,
        word: &str,
        names: impl IntoIterator<Item = &'w str>,
        there: &str,
    ) -> Box<Self> {
        let names: Vec<&str> = names.into_iter().collect();
        match nearest(word, names.iter().copied()) {
            Some(near) => self.near = Some((near.to_owned(), None)),
            None => self.hint = Some(format!("{there} {}", listed(names))),
        }
        self
    }

    pub(in crate::blocks) fn hint(mut self: Box<Self>, hint: impl Into<String>) -> Box<Self> {
        self.hint = Some(hint.into());
        self
    }

    pub(super) fn near(mut self: Box<Self>, name: String) -> Box<Self> {
        self.near = Some((name, None));
        self
    }
}

pub(super) fn read(path: Path, block: usize, space: Space, field: Option<String>) -> Resolved {
    Resolved { path, touched: Some(Touched { block, space, field }) }
}

pub(super) fn unchanged(path: &Path) -> Answer {
    Ok(Resolved { path: path.clone(), touched: None })
}

/// The name at a position; nothing if the path ends before it. A number is no name.
pub(in crate::blocks) fn name_at(path: &Path, position: usize) -> Result<Option<&str>, Option<Box<Wrong>>> {
    match path.segments.get(position) {
        None => Ok(None),
        Some(Segment::Key(name)) => Ok(Some(name)),
        Some(Segment::Index(_)) => {
            let wrong = Wrong::new(position + 1, "a name belongs here, not a number".to_owned());
            Err(Some(wrong.hint("write `inputs.name` or `blocks.id.outputs.stdout`")))
        }
        Some(Segment::Value(_)) => {
            let message = "this must be written out: only a part of a value can be chosen by another";
            let wrong = Wrong::new(position + 1, message.to_owned());
            Err(Some(wrong.hint("write `inputs.table[${inputs.row}]`, where `table` is an object or a list")))
        }
    }
}

/// Refuses what stands behind a value that has no parts; `taken` segments lead to it. An object has parts.
pub(in crate::blocks) fn no_parts(path: &Path, taken: usize, kind: &str) -> Result<(), Option<Box<Wrong>>> {
    if path.segments.len() <= taken || kind == OBJECT {
        return Ok(());
    }
    let end = Path { root: path.root.clone(), segments: path.segments[..taken].to_vec() };
    let wrong = Wrong::new(taken + 1, format!("`{end}` is {kind} and has no parts"));
    Err(Some(wrong.hint(format!("write `${{{end}}}`"))))
}
