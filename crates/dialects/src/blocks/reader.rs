//! Reads references: checks each against the world, notes who reads what, and reports what is wrong.
//!
//! What a block may read depends on the whole graph, so that question waits: here each use is only noted.

use super::reference::{CHECK_NAMESPACES, NAMESPACES, Touched, Wrong, inner_ranges, part_range};
use super::template;
use super::world::World;
use crate::known::Known;
use crate::mistakes::{Mistakes, Place};
use crate::shape::did_you_mean;
use crate::text::Node;
use kernel::language::{ParseError, Path, Segment, Syntax};
use std::ops::Range;

/// Who reads a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum By {
    /// The inputs of a block.
    Inputs(usize),
    /// What is checked before the result of a block is believed; it reads that as well.
    Check(usize),
    /// The list that a block is done for.
    Items(usize),
    /// The condition of a block.
    Condition(usize),
    /// An output of the workflow.
    Output,
}

impl By {
    /// Returns the block that reads, if it is one.
    pub(super) fn block(self) -> Option<usize> {
        match self {
            Self::Inputs(block) | Self::Check(block) | Self::Items(block) | Self::Condition(block) => {
                Some(block)
            }
            Self::Output => None,
        }
    }

    /// The first words of references in a command; what begins otherwise belongs to the shell.
    pub(super) fn namespaces(self) -> &'static [&'static str] {
        match self {
            Self::Check(_) => &CHECK_NAMESPACES,
            _ => &NAMESPACES,
        }
    }
}

/// A reference to a block.
#[derive(Debug)]
pub(super) struct Use<'n> {
    /// Who reads.
    pub(super) by: By,
    /// What is read.
    pub(super) touched: Touched,
    /// Where that is written.
    pub(super) place: Place<'n>,
}

/// Text and references of one scalar, in order.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Piece {
    /// Text as it is.
    Text(String),
    /// A reference in the kernel's form, and where in the scalar's text it is written.
    Reference(Path, Range<usize>),
}

/// Reads the values of one workflow.
#[derive(Debug)]
pub(super) struct Reader<'s, 'n> {
    /// What is wrong so far.
    pub(super) mistakes: Mistakes<'s>,
    /// What there is to refer to.
    pub(super) world: World<'n>,
    /// The references to blocks so far.
    pub(super) uses: Vec<Use<'n>>,
}

impl<'s, 'n> Reader<'s, 'n> {
    /// Starts to read.
    pub(super) fn new(mut mistakes: Mistakes<'s>, workflow: &'n Node, known: &dyn Known) -> Self {
        let mut world = World::read(&mut mistakes, workflow);
        world.link(known);
        Self { mistakes, world, uses: Vec::new() }
    }

    /// Splits the text of a scalar and resolves its references; nothing if some of it cannot be read.
    pub(super) fn pieces(&mut self, node: &'n Node, by: By, syntax: Syntax<'_>) -> Option<Vec<Piece>> {
        let text = node.as_text().unwrap_or_default();
        let with_each: Vec<&str>;
        let syntax = match syntax {
            Syntax::DollarAmong(spaces) if self.world.sees_each(by) => {
                with_each = spaces.iter().copied().chain(["each"]).collect();
                Syntax::DollarAmong(&with_each)
            }
            syntax => syntax,
        };
        let (pieces, errors) = template::split(text, syntax);
        for error in &errors {
            self.bad_reference(node, error);
        }
        let resolved = pieces.into_iter().map(|piece| match piece {
            Piece::Text(text) => Piece::Text(text),
            Piece::Reference(path, range) => {
                let place = Place { node, range: range.clone() };
                Piece::Reference(self.reference(path, place, by), range)
            }
        });
        let resolved: Vec<Piece> = resolved.collect();
        errors.is_empty().then_some(resolved)
    }

    /// Resolves one reference; one that is wrong is reported and stays as it is.
    pub(super) fn reference(&mut self, path: Path, place: Place<'n>, by: By) -> Path {
        if self.mistakes.is_full() {
            return path;
        }
        let resolved = match by {
            By::Check(block) if path.root == "result" => self.world.result(&path, block),
            _ if path.root == "each" => self.world.each(&path, by),
            _ => self.world.resolve(&path),
        };
        match resolved {
            Ok(resolved) => {
                let path = self.inner(resolved.path, &place, by);
                self.uses.extend(resolved.touched.map(|touched| Use { by, touched, place }));
                path
            }
            Err(wrong) => {
                wrong.into_iter().for_each(|wrong| self.unresolved(*wrong, &place));
                path
            }
        }
    }

    /// Resolves the references that stand inside a path.
    fn inner(&mut self, mut path: Path, place: &Place<'n>, by: By) -> Path {
        let text = place.node.as_text().and_then(|text| text.get(place.range.clone())).unwrap_or_default();
        let mut ranges = inner_ranges(text).into_iter();
        for segment in &mut path.segments {
            let Segment::Value(inner) = segment else { continue };
            let range = ranges.next().unwrap_or(0..text.len());
            let range = place.range.start + range.start..place.range.start + range.end;
            **inner = self.reference((**inner).clone(), Place { node: place.node, range }, by);
        }
        path
    }

    pub(super) fn unresolved(&mut self, wrong: Wrong, place: &Place<'n>) {
        self.mistakes.error(|sheet| {
            let text = place.node.as_text().and_then(|text| text.get(place.range.clone()));
            let part = part_range(text.unwrap_or_default(), wrong.part);
            let start = place.range.start;
            let part = Place { node: place.node, range: start + part.start..start + part.end };
            let mut diagnostic = sheet.error(wrong.code, sheet.locate(&part), wrong.message);
            diagnostic.hint = wrong.hint;
            match wrong.near {
                Some((name, Some(span))) => {
                    diagnostic.label(format!("did you mean `{name}` (line {})?", sheet.line(span)))
                }
                Some((name, None)) => diagnostic.label(did_you_mean(&name)),
                None => diagnostic,
            }
        });
    }

    fn bad_reference(&mut self, node: &'n Node, error: &ParseError) {
        self.mistakes.error(|sheet| {
            let span = sheet.locate(&Place { node, range: error.at.clone() });
            sheet
                .error("bad-reference", span, "a reference cannot be read")
                .label(&error.message)
                .hint("write `${inputs.name}`; two dollars, `$${`, write a plain `${`")
        });
    }
}
