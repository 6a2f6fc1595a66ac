//! Calls of other workflows, as far as they are known before any value is read: which workflow a constant name means.

use super::types::Outputs;
use super::world::{Outline, World};
use crate::known::{Callee, Known, is_callable};
use kernel::language::{Syntax, Template};
use std::collections::BTreeMap;

/// The call that a block makes.
#[derive(Debug, Default)]
pub(super) struct Call {
    /// The name, where it is a constant.
    pub(super) name: Option<String>,
    /// What it means.
    pub(super) callee: Callee,
    /// Whether no earlier block has this name.
    pub(super) is_first: bool,
}

impl Call {
    /// The names of what the workflow gives; nothing if that is not known.
    pub(super) fn outputs(&self) -> Option<impl Iterator<Item = &str>> {
        match &self.callee {
            Callee::Found { plan, .. } => Some(plan.outputs.iter().map(|(name, _)| name.as_str())),
            _ => None,
        }
    }
}

impl World<'_> {
    /// Finds out what every block calls, each name once.
    pub(super) fn link(&mut self, known: &dyn Known) {
        let mut found: BTreeMap<String, Callee> = BTreeMap::new();
        for block in &mut self.blocks {
            let Some(kind) = block.kind.filter(|kind| matches!(kind.outputs, Outputs::Called)) else {
                continue;
            };
            debug_assert_eq!(kind.named_values, Some("inputs"));
            let name = constant(block);
            let callable = name.as_ref().filter(|name| is_callable(name));
            let is_first = callable.is_some_and(|name| !found.contains_key(name));
            let callee = callable
                .map(|name| found.entry(name.clone()).or_insert_with(|| known.workflow(name)).clone())
                .unwrap_or_default();
            block.call = Some(Call { name, callee, is_first });
        }
    }
}

/// The name of the workflow that a block calls, if it has no references.
fn constant(block: &Outline<'_>) -> Option<String> {
    let text = block.node.get("inputs")?.get("workflow")?.as_string()?;
    let (template, _) = Template::parse(text, Syntax::Dollar).ok()?;
    template.constant().map(str::to_owned)
}
