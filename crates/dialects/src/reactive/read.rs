//! Reads a definition of this dialect into a plan, or into everything that is wrong with it and with what it imports.
//!
//! ```text
//! files ── names ── head ── includes ── state ── steps ── rules ── plan
//! ```
//! Each pass reports what it finds and goes on with what it has, so that no mistake hides another. The plan is made only
//! where nothing was found.

use super::failure::Unhandled;
use super::files::Files;
use super::head;
use super::reader::Reader;
use super::world::Spot;
use super::{LAYERS, ROUNDS_MAX, STATE_BYTES_MAX};
use crate::diagnostic::Diagnostics;
use crate::known::Known;
use crate::read::{Read, ReadOptions};
use crate::shape;
use crate::text::{Node, Source, duplicate_keys};
use kernel::Plan;
use kernel::language::Path;
use kernel::plan::{Body, Computed, Dialect, Expr, Flow, REVISION, Sequence, Work, Workflow};
use std::sync::Arc;

/// Reads a definition.
pub fn read(
    source: &Source,
    root: &Node,
    known: &dyn Known,
    options: ReadOptions,
) -> Result<Read, Diagnostics> {
    let mut files = Files::load(source, root, known, options);
    let wrong = std::mem::take(&mut files.mistakes);
    let mut reader = Reader::new(&files, known, options.hand_out);
    reader.repeated();
    let plan = reader.workflow();
    let is_good = reader.errors() == 0 && !wrong.has_errors();
    let included: Vec<usize> = reader.included.iter().copied().collect();
    let mut found = wrong;
    for (file, mistakes) in files.shared.iter().zip(reader.mistakes) {
        found.absorb(mistakes.finish());
        if file.source.name != source.name {
            found.keep(&file.source);
        }
    }
    if !is_good {
        return Err(found);
    }
    debug_assert!(plan.check().is_ok(), "BUG: a broken plan: {:?}", plan.check());
    let mut tasks: Vec<Arc<Plan>> = Vec::new();
    for read in included.into_iter().map(|at| &files.workflows[at].1) {
        tasks.push(Arc::new(read.plan.clone()));
        tasks.extend(read.tasks.iter().cloned());
    }
    Ok(Read { plan, tasks, warnings: found, imports: files.tree })
}

impl<'n> Reader<'_, 'n> {
    /// Reports keys that are written twice.
    fn repeated(&mut self) {
        for file in 0..self.files.len() {
            for repeated in duplicate_keys(&self.files[file].source, &self.files[file].root, &|_, _| false) {
                self.mistakes[file].error(|_| repeated);
            }
        }
    }

    /// Reads everything.
    fn workflow(&mut self) -> Plan {
        let body = self.files[0].body();
        for file in 1..self.files.len() {
            head::check_shared(&mut self.mistakes[file], self.files[file].body());
        }
        let inputs = self.workflow_inputs(body);
        self.read_unhandled(body);
        self.beforehand(body);
        let mut initial = self.defaults();
        initial.extend(self.retried());
        for file in 0..self.files.len() {
            let body = self.files[file].body();
            self.in_file(file, |reader| reader.schema(body));
        }
        let computed = self.computed();
        self.collisions();
        let main = self.main(body);
        let books;
        (self.bodies[0], books) = self.with_rule(body, main);
        self.unused_tasks();
        let notes = self.notes(body);
        self.secrets.report_unused(&mut self.mistakes[0], super::secrets::snippet);
        let flow = Flow::Sequence(Sequence { bodies: std::mem::take(&mut self.bodies) });
        let mut plan = Plan::new(&self.head.name, Dialect::Reactive, flow);
        plan.steps = std::mem::take(&mut self.steps);
        plan.inputs = inputs;
        plan.outputs = outputs(&computed);
        (plan.state.initial, plan.state.computed, plan.state.books) = (initial, computed, books);
        plan.state.layers = LAYERS.map(str::to_owned).to_vec();
        plan.state.before_items = true;
        plan.limits.state_bytes_max = STATE_BYTES_MAX;
        plan.limits.iterations_max = ROUNDS_MAX;
        plan.pinned = pinned(&plan);
        plan.notes = notes;
        plan.revision = REVISION;
        plan.deadline = self.head.deadline;
        plan.version.clone_from(&self.head.version);
        plan.description.clone_from(&self.head.description);
        plan
    }

    /// What is known before any text is read: what included workflows give, and fields that the server keeps.
    fn beforehand(&mut self, body: &'n Node) {
        let spot = Spot { file: 0, span: head::start_of(body) };
        if self.unhandled == Unhandled::Again {
            self.world.field("state", "workflow_retries", spot);
        }
        let collection = body.get("error_handling").and_then(|rules| rules.get("error_collection"));
        if collection.is_some_and(|collection| collection.get("state_path").is_none()) {
            self.world.field("raw", "workflow_errors", spot);
        }
        for file in 0..self.files.len() {
            let body = self.files[file].body();
            for section in ["steps", "sub_agent_tasks", "error_handling"] {
                if let Some(node) = body.get(section) {
                    self.in_file(file, |reader| reader.find_includes(node));
                }
            }
        }
    }

    fn main(&mut self, body: &'n Node) -> Body {
        const HINT: &str = "begin with one: `- {type: user_message, message: hello}`";
        let Some((key, steps)) = body.entry("steps") else {
            let sheet = self.sheet();
            let shared = ["sub_agent_tasks", "state_schema", "default_state"];
            let hint = if shared.iter().any(|key| body.get(key).is_some()) {
                "a file without `steps` has parts to share: a workflow gets them by `imports: [this file]`"
            } else {
                HINT
            };
            shape::missing(sheet, head::start_of(body), "the workflow", "steps", hint);
            return Body::new();
        };
        if steps.items().is_empty() && (steps.as_list().is_some() || steps.is_null()) {
            self.sheet()
                .error(|sheet| sheet.error("no-steps", key.place(), "the workflow has no steps").hint(HINT));
        }
        self.list(steps, "steps")
    }

    /// Warns of tasks that nothing uses; what stands in them is checked all the same.
    fn unused_tasks(&mut self) {
        let body = self.files[0].body();
        if let Some(tasks) = body.get("sub_agent_tasks") {
            shape::is_map(
                self.sheet(),
                tasks,
                "`sub_agent_tasks`",
                "name each task: `sub_agent_tasks: {check: {steps: [...]}}`",
            );
        }
        for task in 0..self.world.tasks.len() {
            let (name, spot, node) = {
                let task = &self.world.tasks[task];
                (task.name, task.spot, task.node)
            };
            self.in_file(spot.file, |reader| {
                if !shape::is_name(name) {
                    let message = format!("`{name}` cannot be the name of a task");
                    reader.sheet().error(|sheet| sheet.error("bad-name", spot.span, message));
                }
            });
            if self.task_bodies.contains_key(&task) {
                continue;
            }
            let (steps, bodies) = (self.steps.len(), self.bodies.len());
            // What an imported task reads is there in the workflows that use it.
            let is_imported = spot.file != 0;
            let before = self.world.is_open;
            self.world.is_open |= is_imported;
            self.task_body(task, node);
            self.lane_given(task);
            self.world.is_open = before;
            self.steps.truncate(steps);
            self.bodies.truncate(bodies);
            if self.errors() == 0 && !is_imported {
                self.mistakes[0].warn(|sheet| {
                    let message = format!("nothing uses the task `{name}`");
                    let diagnostic = sheet.warning("unused-task", spot.span, message);
                    diagnostic.hint(format!(
                        "take it away, or use it: `{{type: parallel_foreach, sub_agent_task: {name}, ...}}`"
                    ))
                });
            }
        }
    }
}

/// What a workflow gives: what it computed.
fn outputs(computed: &[Computed]) -> Vec<(String, Expr)> {
    let bare = |name: &str| name.strip_prefix("computed.").unwrap_or(name).to_owned();
    let mut all: Vec<String> = computed.iter().map(|field| bare(&field.name)).collect();
    all.sort();
    all.into_iter().map(|name| (name.clone(), Expr::Optional(Path::of("computed", &[&name])))).collect()
}

/// The workflows that are pinned.
fn pinned(plan: &Plan) -> std::collections::BTreeMap<String, kernel::Digest> {
    let all = plan.steps.iter().filter_map(|step| match &step.work {
        Work::Child { workflow: Workflow::Pinned { name, plan }, .. } => Some((name.clone(), *plan)),
        _ => None,
    });
    all.collect()
}
