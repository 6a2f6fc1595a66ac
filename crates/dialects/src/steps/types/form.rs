//! What a type of steps is: its name, its keys, and how it becomes a step.

use crate::shape::Shape;
use crate::steps::reader::{At, Reader};
use kernel::plan::{Audience, Deadline, Expr, Gate, Node, OnFailure, Work};

/// A type of steps.
pub(in crate::steps) struct Form {
    /// Its name.
    pub(in crate::steps) name: &'static str,
    /// Its keys.
    pub(in crate::steps) shape: Shape,
    /// Whether other steps stand in it.
    pub(in crate::steps) has_bodies: bool,
    /// Reads what is its own.
    pub(in crate::steps) lower: for<'r, 's, 'n> fn(&'r mut Reader<'s, 'n>, At) -> Lowered,
}

/// A step as its type makes it, before what every step may say is added.
pub(in crate::steps) struct Lowered {
    /// What is to be done.
    pub(in crate::steps) work: Work,
    /// What stands in the body.
    pub(in crate::steps) node: Node,
    /// How long it may take where the definition does not say.
    pub(in crate::steps) timeout: Deadline,
}

impl Lowered {
    /// A step that only the flow knows.
    pub(in crate::steps) fn flow(node: Node) -> Self {
        let work = Work::Make { inputs: Vec::new(), outputs: Vec::new() };
        Lowered { work, node, timeout: Deadline::Never }
    }

    /// What stands in for a step that cannot be read.
    pub(in crate::steps) fn nothing() -> Self {
        Lowered::flow(Node::Set { writes: Vec::new() })
    }
}

impl Reader<'_, '_> {
    /// A step that somebody carries out; what comes of it goes to its `output_to`.
    pub(in crate::steps) fn action(
        &mut self,
        at: At,
        audience: Audience,
        shown: Vec<(&str, Expr)>,
        gate: Option<Gate>,
    ) -> Lowered {
        let inputs = shown.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        // A no at a gate stops the run, unless a step looks at the answer: then the flow decides what it means.
        let is_read = gate.is_some() && self.is_output_read(at);
        let on_failure = if is_read { OnFailure::Take } else { OnFailure::Fail };
        let node = Node::Do { step: at.step(), writes: self.writes(at), on_failure, otherwise: Vec::new() };
        Lowered { work: Work::Action { audience, inputs, gate, ends: None }, node, timeout: Deadline::Never }
    }
}

/// A form is known by its name.
impl std::fmt::Debug for Form {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(self.name)
    }
}
