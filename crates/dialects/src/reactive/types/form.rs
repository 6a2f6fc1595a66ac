//! What a type of steps is: its name, its keys, and how it becomes a step.

use crate::reactive::reader::Reader;
use crate::shape::Shape;
use crate::text::Node as Text;
use kernel::plan::{Deadline, Node, Retry, Work};

/// A type of steps.
pub(in crate::reactive) struct Form {
    /// Its name.
    pub(in crate::reactive) name: &'static str,
    /// Its keys.
    pub(in crate::reactive) shape: Shape,
    /// Reads what is its own; the step has the given number.
    pub(in crate::reactive) lower: for<'r, 's, 'n> fn(&'r mut Reader<'s, 'n>, &'n Text, u32) -> Lowered,
}

/// A step as its type makes it, before what every step may say is added.
pub(in crate::reactive) struct Lowered {
    /// What is to be done.
    pub(in crate::reactive) work: Work,
    /// What stands in the body.
    pub(in crate::reactive) node: Node,
    /// How long it may take where the definition does not say.
    pub(in crate::reactive) timeout: Deadline,
    /// How often it is tried, where it says so.
    pub(in crate::reactive) retry: Option<Retry>,
}

impl Lowered {
    /// A step that only the flow knows.
    pub(in crate::reactive) fn flow(node: Node) -> Self {
        let work = Work::Make { inputs: Vec::new(), outputs: Vec::new() };
        Lowered { work, node, timeout: Deadline::Never, retry: None }
    }

    /// What stands in for a step that cannot be read.
    pub(in crate::reactive) fn nothing() -> Self {
        Lowered::flow(Node::Set { writes: Vec::new() })
    }

    /// The same with a time.
    pub(in crate::reactive) fn within(self, ms: u64) -> Self {
        Lowered { timeout: Deadline::After(ms), ..self }
    }
}
