//! Where the result of a step goes.

use super::reader::{At, Reader};
use super::world::check_field;
use crate::shape;
use crate::text::Node;
use kernel::language::{Part, Path, Template};
use kernel::plan::{Expr, Write, WriteKind};

/// The one thing that a step gives.
pub(super) const RESULT: &str = "result";

impl<'n> Reader<'_, 'n> {
    /// The field that a step writes to, if it names one.
    pub(super) fn output_to(&mut self, at: At) -> Option<&'n str> {
        let node = self.node(at).get("output_to").filter(|node| !node.is_null())?;
        let field = shape::text(&mut self.mistakes, node, "`output_to`")?;
        check_field(&mut self.mistakes, field, node);
        Some(field)
    }

    /// What a step that gives something writes.
    pub(super) fn writes(&mut self, at: At) -> Vec<Write> {
        let given = whole(Path::of(RESULT, &[RESULT]));
        self.output_to(at).map(|field| set(field, given)).into_iter().collect()
    }

    /// Whether another step of its list may read what a step gave.
    pub(super) fn is_output_read(&self, at: At) -> bool {
        let field = self.node(at).get("output_to").and_then(Node::as_text);
        let reads = |field: &str| self.unit(at).steps.iter().any(|step| step.needs.contains_key(field));
        field.is_some_and(|field| self.head.infers || reads(field))
    }

    /// Warns of an `output_to` where there is nothing to write.
    pub(super) fn no_output(&mut self, at: At, why: &'static str) {
        let (node, name) = (self.node(at), self.outline(at).name.clone());
        if let Some((key, _)) = node.entry("output_to").filter(|(_, value)| !value.is_null()) {
            self.mistakes.warn(|sheet| {
                let message = format!("`output_to` has no effect on step {name}");
                sheet.warning("no-effect", key.place(), message).label("take it away").hint(why)
            });
        }
    }
}

/// A field becomes a value.
pub(super) fn set(field: &str, value: Expr) -> Write {
    Write { path: vec![field.to_owned()], kind: WriteKind::Set, value, keys: Vec::new() }
}

/// One value, as it is.
pub(super) fn whole(path: Path) -> Expr {
    Expr::Template(Template { parts: vec![Part::Reference(path)] })
}
