//! What a type of blocks is: its name, what it takes and gives, and how it becomes a step.

use crate::blocks::reader::Reader;
use kernel::plan::{Deadline, OnInterrupt, Verify, Work};

/// A type of blocks.
pub(in crate::blocks) struct Form {
    /// Its name.
    pub(in crate::blocks) name: &'static str,
    /// What it gives.
    pub(in crate::blocks) outputs: Outputs,
    /// The inputs that others can read, other than named values.
    pub(in crate::blocks) readable: &'static [&'static str],
    /// The input that names values, each of which can be read by others: `env`, `variables`.
    pub(in crate::blocks) named_values: Option<&'static str>,
    /// Reads its inputs.
    pub(in crate::blocks) lower: for<'r, 's, 'n> fn(&'r mut Reader<'s, 'n>, usize) -> Draft,
}

/// The kind of an output that has parts of its own, which nobody knows before.
pub(in crate::blocks) const OBJECT: &str = "an object";

/// What a type of blocks gives.
pub(in crate::blocks) enum Outputs {
    /// These, each with its kind as a person says it.
    Named(&'static [(&'static str, &'static str)]),
    /// What the workflow gives that it runs.
    Called,
    /// These, and what the schema among its inputs names that has this name.
    WithMembers(&'static [(&'static str, &'static str)], &'static str),
}

/// A step as its type makes it, before what every block may say is added.
pub(in crate::blocks) struct Draft {
    /// What is to be done.
    pub(in crate::blocks) work: Work,
    /// How long it may take where the definition does not say.
    pub(in crate::blocks) timeout: Deadline,
    /// What becomes of it when it was interrupted and the definition does not say.
    pub(in crate::blocks) on_interrupt: OnInterrupt,
    /// What is checked before a submitted result is believed.
    pub(in crate::blocks) verify: Option<Verify>,
}

impl Draft {
    /// Work without a bound that is asked about when it was interrupted.
    pub(in crate::blocks) fn new(work: Work) -> Self {
        Draft { work, timeout: Deadline::Never, on_interrupt: OnInterrupt::Ask, verify: None }
    }

    /// Whether it is carried out at all: what is made within a turn takes no time, fails for good and is never interrupted.
    pub(in crate::blocks) fn is_carried_out(&self) -> bool {
        !matches!(self.work, Work::Make { .. })
    }
}

impl Form {
    /// How a person is told of a block of this type: `a Shell block`.
    pub(in crate::blocks) fn a_block(&self) -> String {
        let an = self.name.starts_with(['A', 'E', 'I', 'O', 'U']);
        format!("{} {} block", if an { "an" } else { "a" }, self.name)
    }

    /// What it gives, each with its kind.
    pub(in crate::blocks) fn outputs(&self) -> &'static [(&'static str, &'static str)] {
        match self.outputs {
            Outputs::Named(named) | Outputs::WithMembers(named, _) => named,
            Outputs::Called => &[],
        }
    }

    /// The input whose schema names more of what it gives.
    pub(in crate::blocks) fn schema(&self) -> Option<&'static str> {
        match self.outputs {
            Outputs::WithMembers(_, input) => Some(input),
            Outputs::Named(_) | Outputs::Called => None,
        }
    }
}

/// A form is known by its name.
impl std::fmt::Debug for Form {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(self.name)
    }
}
