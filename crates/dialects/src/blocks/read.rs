//! Reads a definition of this dialect into a plan, or into everything that is wrong with it.
//!
//! ```text
//! names ── keys and values ── dependencies ── who reads whom ── plan
//! ```
//! Each pass reports what it finds and goes on with what it has, so that no mistake hides another. A plan is
//! made only where nothing was found.

use super::graph::{Dependencies, report_circles, report_unreached};
use super::inputs;
use super::reader::{By, Reader, Use};
use super::reference::{Space, Touched};
use super::whole;
use super::world::start_of;
use crate::additions;
use crate::detect;
use crate::diagnostic::Diagnostics;
use crate::known::Known;
use crate::mistakes::Mistakes;
use crate::read::Read;
use crate::shape::{self, Shape};
use crate::text::{Node, Source, duplicate_keys};
use kernel::plan::{Adapter, Deadline, Dialect, Each, Expr, Flow, Graph, Step, Work, Workflow};
use kernel::{Digest, Plan};
use std::collections::BTreeMap;

/// The most blocks that run at once. A plan does not know the machine: whoever carries a run out says how many it can.
pub const WIDTH_MAX: u32 = 1_000;

const WORKFLOW: Shape = Shape {
    has_no: "a workflow has no key",
    keys: &["name", "description", "inputs", "secrets", "blocks", "outputs", "timeout", "kind"],
    elsewhere: &[("retry", "it belongs to a block"), ("on_interrupt", "it belongs to a block")],
};

/// How a block ended, for whoever looks at it.
const WATCHED: [&str; 6] = ["succeeded", "failed", "status", "outcome", "result", "operation_succeeded"];

/// Reads a definition.
pub fn read(source: &Source, root: &Node, known: &dyn Known) -> Result<Read, Diagnostics> {
    let workflow = detect::body(root);
    let mut mistakes = Mistakes::new(source);
    for repeated in duplicate_keys(source, root, &|_, _| false) {
        mistakes.error(|_| repeated);
    }
    let (name, description) = head(&mut mistakes, workflow);
    let mut reader = Reader::new(mistakes, workflow, known);
    let drafts: Vec<(Step, Option<Expr>)> =
        (0..reader.world.blocks.len()).map(|block| reader.block(block)).collect();
    let each: Vec<Option<Each>> =
        (0..reader.world.blocks.len()).map(|block| reader.for_each(block)).collect();
    let deadline = reader.deadline(workflow);
    let outputs = reader.outputs(workflow);
    reader.world.secrets.report_unused(&mut reader.mistakes, super::secrets::snippet);
    let dependencies = Dependencies::read(&mut reader);
    report_circles(&mut reader, &dependencies);
    report_unreached(&mut reader, &dependencies);
    let warnings = reader.mistakes.finish();
    if warnings.has_errors() {
        return Err(warnings);
    }
    let flow = Flow::Graph(Graph::new(Vec::new(), WIDTH_MAX));
    let mut plan = Plan::new(name, Dialect::Blocks, flow);
    (plan.description, plan.outputs, plan.deadline) = (description, outputs, deadline);
    plan.inputs = reader.world.inputs.take().unwrap_or_default();
    plan.pinned = pinned(&drafts);
    fill(&mut plan, drafts, &dependencies, &reader.uses);
    give_items(&mut plan, each, &reader.uses);
    if let Flow::Graph(graph) = &mut plan.flow {
        whole::watch(&mut plan.steps, &graph.blocks);
        whole::decide(&mut plan.steps, &mut graph.blocks);
        whole::approve(&mut plan.steps, &graph.blocks);
    }
    if plan.steps.iter().any(|step| matches!(step.work, Work::Action { .. })) {
        // A `timeout` says when an answer is overdue, to the second.
        plan.limits.overdue_ms = 0;
    }
    debug_assert!(plan.check().is_ok(), "BUG: a broken plan: {:?}", plan.check());
    Ok(Read { plan, tasks: Vec::new(), warnings, imports: Vec::new() })
}

/// The workflows that are called by constant names.
fn pinned(drafts: &[(Step, Option<Expr>)]) -> BTreeMap<String, Digest> {
    let called = drafts.iter().filter_map(|(step, _)| match &step.work {
        Work::Child { workflow: Workflow::Pinned { name, plan }, .. } => Some((name.clone(), *plan)),
        _ => None,
    });
    called.collect()
}

fn head<'n>(mistakes: &mut Mistakes<'_>, workflow: &'n Node) -> (&'n str, String) {
    let meant = shape::check_keys(mistakes, workflow, &WORKFLOW);
    let name = match workflow.get("name").filter(|node| !node.is_null()) {
        Some(node) => shape::text(mistakes, node, "`name`").inspect(|name| {
            shape::check_name(mistakes, name, node, "the name of a workflow");
        }),
        None => {
            if !meant.contains("name") {
                let hint = "name it, so that it can be found: `name: deploy`";
                shape::missing(mistakes, start_of(workflow), "the workflow", "name", hint);
            }
            None
        }
    };
    (name.unwrap_or_default(), inputs::description(mistakes, workflow))
}

impl<'n> Reader<'_, 'n> {
    /// How long the run may take.
    fn deadline(&mut self, workflow: &Node) -> Deadline {
        let timeout = workflow.get("timeout");
        timeout.map_or(Deadline::Never, |timeout| additions::timeout(&mut self.mistakes, timeout))
    }

    fn outputs(&mut self, workflow: &'n Node) -> Vec<(String, Expr)> {
        let Some(node) = workflow.get("outputs") else { return Vec::new() };
        let hint = "name each output: `outputs: {text: \"${blocks.id.outputs.stdout}\"}`";
        if !shape::is_map(&mut self.mistakes, node, "`outputs`", hint) {
            return Vec::new();
        }
        let named = shape::unique(node)
            .map(|(_, key, value)| (self.key(key).unwrap_or_default(), self.value(value, By::Output)));
        named.collect()
    }
}

/// Puts the steps and the graph into a plan.
fn fill(plan: &mut Plan, drafts: Vec<(Step, Option<Expr>)>, dependencies: &Dependencies, uses: &[Use<'_>]) {
    let position = |block: &usize| u32::try_from(*block).expect("BUG: more blocks than the limit allows");
    let mut blocks = Vec::with_capacity(drafts.len());
    for ((step, condition), list) in drafts.into_iter().zip(&dependencies.known) {
        let waits = list.iter().map(|(block, _)| position(block)).collect();
        blocks.push((step.id.clone(), waits, condition));
        plan.steps.push(step);
    }
    let mut graph = Graph::new(blocks, WIDTH_MAX);
    for Use { by, touched, .. } in uses {
        plan.steps[touched.block].keeps.extend(kept(touched));
        let looks = matches!(by, By::Condition(_) | By::Output);
        let work = &plan.steps[touched.block].work;
        let is_command = matches!(work, Work::Server { adapter: Adapter::Process, .. });
        graph.blocks[touched.block].watched |= looks && tells_failure(touched, is_command);
    }
    plan.flow = Flow::Graph(graph);
}

/// Lets blocks be done for their items. Who reads how many failed, learns that some did.
fn give_items(plan: &mut Plan, each: Vec<Option<Each>>, uses: &[Use<'_>]) {
    let Flow::Graph(graph) = &mut plan.flow else { return };
    for (block, each) in graph.blocks.iter_mut().zip(each) {
        block.for_each = each;
    }
    for Use { by, touched, .. } in uses {
        let block = &mut graph.blocks[touched.block];
        let looks = matches!(by, By::Condition(_) | By::Output) && touched.space == Space::Outputs;
        block.watched |= looks
            && block.for_each.is_some()
            && matches!(touched.field.as_deref(), None | Some("failed_count"));
    }
}

/// The field that the run must hold on to. How a block went is held anyway.
fn kept(Touched { space, field, .. }: &Touched) -> Option<String> {
    let space = match space {
        Space::Inputs => "inputs",
        Space::Outputs => "outputs",
        Space::Metadata => return None,
    };
    Some(field.as_ref().map_or_else(|| space.to_owned(), |field| format!("{space}.{field}")))
}

/// Whether who reads this learns that the block failed.
fn tells_failure(Touched { space, field, .. }: &Touched, is_command: bool) -> bool {
    match (space, field.as_deref()) {
        (Space::Metadata, Some(field)) => WATCHED.contains(&field),
        // What failed gives nothing, whatever its outputs are called; only a command gives its exit code all the same.
        (Space::Outputs, field) => is_command && matches!(field, None | Some("exit_code")),
        _ => false,
    }
}
