//! Workflows that are included: which one a name means, and whether what it is given fits.

use super::reader::Reader;
use super::world::Spot;
use crate::js;
use crate::known::{Callee, NAME_BYTES_MAX, is_callable};
use crate::near::nearest;
use crate::shape::{did_you_mean, listed};
use crate::text::{Kind, Node, Span};
use kernel::Plan;
use kernel::plan::{Expr, Input, Workflow};
use serde_json::Value;
use std::sync::Arc;

/// What a workflow is given, each with the place of its name and the node of its value.
pub(super) type Given<'n> = Vec<(&'n str, &'n Node, &'n Node, Expr)>;

/// What a name means: the plan where it is known.
#[derive(Clone)]
pub(super) struct Meant {
    pub(super) workflow: Workflow,
    pub(super) plan: Option<Arc<Plan>>,
}

impl<'n> Reader<'_, 'n> {
    /// Finds the workflows that steps include, and what they give.
    pub(super) fn find_includes(&mut self, node: &'n Node) {
        match &node.kind {
            Kind::Scalar(_) => {}
            Kind::List(items) => items.iter().for_each(|item| self.find_includes(item)),
            Kind::Map(entries) => {
                if node.get("type").and_then(Node::as_text) == Some("include_workflow") {
                    self.found_include(node);
                }
                entries.iter().for_each(|(_, value)| self.find_includes(value));
            }
        }
    }

    fn found_include(&mut self, step: &'n Node) {
        let spot = Spot { file: self.file, span: step.place() };
        let id = self.id(step);
        self.world.field("included", &id, spot);
        let named = step.get("workflow").and_then(|node| Some((node, node.as_string()?)));
        let Some((node, name)) = named.filter(|(_, name)| !js::is_code(name)) else {
            self.has_open_include = true;
            return;
        };
        let meant = self.meant_workflow(node, name);
        match meant.as_ref().and_then(|meant| meant.plan.as_ref()) {
            Some(plan) => {
                for (output, _) in &plan.outputs {
                    self.world.field("included", output, spot);
                }
            }
            None => self.has_open_include = true,
        }
        self.includes.insert(std::ptr::from_ref(step), meant);
    }

    /// The workflow that a name means: one that is imported, or else one of the library.
    pub(super) fn meant_workflow(&mut self, node: &'n Node, name: &str) -> Option<Meant> {
        if let Some(at) = self.imported.iter().position(|(known, _)| known == name) {
            self.included.insert(at);
            let plan = self.imported[at].1.plan.clone();
            let workflow = Workflow::Pinned { name: name.to_owned(), plan: plan.digest() };
            return Some(Meant { workflow, plan: Some(Arc::new(plan)) });
        }
        if !is_callable(name) {
            self.bad_workflow(node, name);
            return None;
        }
        match self.known.workflow(name) {
            Callee::Found { plan, digest, .. } => {
                let workflow = Workflow::Pinned { name: name.to_owned(), plan: digest };
                Some(Meant { workflow, plan: Some(plan) })
            }
            Callee::Unasked => {
                let workflow = Workflow::Named(Expr::Const(Value::String(name.to_owned())));
                Some(Meant { workflow, plan: None })
            }
            other => {
                self.not_included(node, name, &other);
                None
            }
        }
    }

    fn bad_workflow(&mut self, node: &Node, name: &str) {
        let shown: String = name.chars().take(NAME_BYTES_MAX).collect();
        self.sheet().error(|sheet| {
            let message = format!("no workflow can be called `{shown}`");
            let diagnostic = sheet.error("bad-name", node.place(), message);
            diagnostic.hint("a name has letters, digits, `-`, `_` and `:`; a file is imported, and its workflow included by name")
        });
    }

    fn not_included(&mut self, node: &Node, name: &str, callee: &Callee) {
        let near = nearest(name, self.imported.iter().map(|(known, _)| known.as_str())).map(str::to_owned);
        let way =
            |names: &[String]| names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(" -> ");
        self.sheet().error(|sheet| {
            let error = |code, message: String| sheet.error(code, node.place(), message);
            match callee {
                Callee::Absent { near: others } => {
                    let diagnostic = error("unknown-workflow", format!("no workflow is called `{name}`"));
                    let hint = "import the file that it stands in, or put it into a folder of workflows";
                    match near.as_ref().or(others.first()) {
                        Some(near) => diagnostic.label(did_you_mean(near)),
                        None => diagnostic.hint(hint),
                    }
                }
                Callee::Broken { why } => {
                    error("broken-workflow", format!("the workflow `{name}` cannot be read: {why}"))
                        .hint("mend that one first")
                }
                Callee::Circle { names } => error(
                    "workflow-cycle",
                    format!("workflows include each other in a circle: {}", way(names)),
                )
                .hint("take one of them away"),
                Callee::TooDeep { names, depth_max } => error(
                    "too-deep",
                    format!("workflows include workflows more than {depth_max} deep: {}", way(names)),
                ),
                Callee::TooMany { count_max } => error(
                    "too-many-workflows",
                    format!("more than {count_max} workflows are called, those that they call included"),
                ),
                Callee::Found { .. } | Callee::Unasked => unreachable!("BUG: nothing is wrong with `{name}`"),
            }
        });
    }

    /// Checks what is given against what the workflow takes.
    pub(super) fn check_given(&mut self, plan: &Plan, name: &str, given: &Given<'n>, place: Span) {
        let is_missing = |input: &&Input| {
            input.required && input.default.is_none() && given.iter().all(|(name, ..)| *name != input.name)
        };
        let mut missing: Vec<&str> =
            plan.inputs.iter().filter(is_missing).map(|input| input.name.as_str()).collect();
        for (input, key, node, value) in given {
            match plan.inputs.iter().find(|known| known.name == *input) {
                Some(known) => self.fits_input(name, known, node, value),
                None => {
                    let near = nearest(input, plan.inputs.iter().map(|known| known.name.as_str()));
                    // What was probably meant is not missing as well.
                    missing.retain(|missing| Some(*missing) != near);
                    self.sheet().error(|sheet| {
                        let message = format!("the workflow `{name}` has no input `{input}`");
                        let diagnostic = sheet.error("unknown-input", key.place(), message);
                        match near {
                            Some(near) => diagnostic.label(did_you_mean(near)),
                            None => {
                                let names = plan.inputs.iter().map(|known| known.name.as_str());
                                diagnostic.hint(format!("its inputs are {}", listed(names)))
                            }
                        }
                    });
                }
            }
        }
        if let Some(first) = missing.first() {
            let plural = if missing.len() == 1 { "" } else { "s" };
            let message =
                format!("the workflow `{name}` needs the input{plural} {}", listed(missing.iter().copied()));
            let hint = format!("give it under `inputs`: `{first}: ...`");
            self.sheet().error(|sheet| sheet.error("missing-input", place, message).hint(hint));
        }
    }

    fn fits_input(&mut self, workflow: &str, input: &Input, node: &Node, value: &Expr) {
        let Expr::Const(value) = value else { return };
        if !input.kind.accepts(value) {
            let message = format!(
                "the input `{}` of `{workflow}` is declared as {}, and this is {}",
                input.name,
                input.kind.as_str(),
                node.kind_name()
            );
            self.sheet().error(|sheet| sheet.error("wrong-type", node.place(), message));
        }
    }
}
