//! The inputs of the workflow and of tasks.

use super::reader::Reader;
use crate::shape;
use crate::steps;
use crate::text::Node;
use kernel::plan::Input;

/// The keys by which an input is declared, and not given.
const DECLARED: [&str; 5] = ["type", "default", "required", "description", "validation"];

impl<'n> Reader<'_, 'n> {
    /// Reads the inputs of the workflow.
    pub(super) fn workflow_inputs(&mut self, body: &'n Node) -> Vec<Input> {
        match steps::inputs(self.sheet(), body) {
            Some(inputs) => inputs,
            None => {
                self.has_broken_inputs = true;
                Vec::new()
            }
        }
    }
}

/// Whether an input of a task is declared, as that of a workflow is; otherwise what is written is its value.
pub(super) fn is_declared(node: &Node) -> bool {
    node.is_null()
        || node.as_map().is_some_and(|entries| !entries.is_empty())
            && shape::unique(node).all(|(key, ..)| DECLARED.contains(&key))
}
