//! The inputs of an ExecuteWorkflow block: which workflow it runs, and what that is given.
//!
//! | input | what it is |
//! |---|---|
//! | `workflow` | the name; a constant is looked up when the file is read, one with references when the block runs |
//! | `inputs` | the inputs of that workflow, each by its name |
//!
//! The block gives what the workflow gives. It sees nothing else of it, and the workflow sees nothing of this one.

use super::form::{Draft, Form, Outputs};
use crate::blocks::reader::{By, Reader};
use crate::known::{Callee, NAME_BYTES_MAX, is_callable};
use crate::near::nearest;
use crate::shape::{self, Shape, did_you_mean, listed};
use crate::text::{Node, Span};
use kernel::Plan;
use kernel::plan::{Expr, Input, InputKind, OnInterrupt, Work, Workflow};
use serde_json::Value;

/// Runs another workflow.
pub(in crate::blocks) const FORM: Form = Form {
    name: "ExecuteWorkflow",
    outputs: Outputs::Called,
    readable: &[],
    named_values: Some("inputs"),
    lower,
};

const BESIDE: &str = "it belongs beside `inputs`";
const HINT: &str = "write `inputs: {workflow: deploy, inputs: {stage: test}}`";
const NAMES: &str = "`switchback list` shows the workflows that there are";

const INPUTS: Shape = Shape {
    has_no: "ExecuteWorkflow has no input",
    keys: &["workflow", "inputs", "timeout"],
    elsewhere: &[
        ("depends_on", BESIDE),
        ("condition", BESIDE),
        ("retry", BESIDE),
        ("on_interrupt", BESIDE),
        ("for_each", BESIDE),
    ],
};

/// Words that mean how a block stands, whatever the workflow that it runs gives.
const RESERVED: [&str; 9] =
    ["status", "outcome", "succeeded", "failed", "skipped", "success", "inputs", "outputs", "metadata"];

/// The workflows of a way that are named; of a longer one the middle is counted.
const NAMED_MAX: usize = 24;

/// What a call is given, each with the place of its name and the node of its value.
type Given<'n> = Vec<(&'n str, &'n Node, &'n Node, Expr)>;

fn lower(reader: &mut Reader<'_, '_>, block: usize) -> Draft {
    let nothing = || Draft::new(Work::Make { inputs: Vec::new(), outputs: Vec::new() });
    let node = reader.world.blocks[block].node;
    reader.not_interrupted(node);
    let Some((key, inputs)) = node.entry("inputs") else {
        reader.no_workflow(block, reader.world.blocks[block].place);
        return nothing();
    };
    if !shape::is_map(&mut reader.mistakes, inputs, "`inputs`", HINT) {
        return nothing();
    }
    let meant = shape::check_keys(&mut reader.mistakes, inputs, &INPUTS);
    let given = reader.call_inputs(inputs, block);
    let Some(name) = inputs.get("workflow") else {
        if !meant.contains("workflow") {
            reader.no_workflow(block, key.place());
        }
        return nothing();
    };
    let (Some(workflow), Some(given)) = (reader.called_workflow(name, block), given) else {
        return nothing();
    };
    if let Some(call) = &reader.world.blocks[block].call
        && let Callee::Found { plan, .. } = call.callee.clone()
    {
        let (written, is_first) = (call.name.clone().unwrap_or_default(), call.is_first);
        let at = inputs.entry("inputs").map_or(name.place(), |(key, _)| key.place());
        reader.check_given(&plan, &written, &given, at);
        if is_first {
            reader.reserved(&plan, &written, block, name.place());
        }
    }
    let inputs = given.into_iter().map(|(name, _, _, value)| (name.to_owned(), value)).collect();
    // A run that was cut off goes on; nobody need say what became of it.
    Draft { on_interrupt: OnInterrupt::Retry, ..Draft::new(Work::Child { workflow, inputs }) }
}

impl<'n> Reader<'_, 'n> {
    fn no_workflow(&mut self, block: usize, place: Span) {
        let owner = self.world.blocks[block].called("ExecuteWorkflow");
        shape::missing(&mut self.mistakes, place, &owner, "workflow", "say what to run: `workflow: deploy`");
    }

    /// A run that was cut off goes on; it is never a question what became of it.
    fn not_interrupted(&mut self, node: &Node) {
        let Some((key, _)) = node.entry("on_interrupt") else { return };
        self.mistakes.warn(|sheet| {
            let message = "`on_interrupt` has no effect on an ExecuteWorkflow block";
            let diagnostic = sheet.warning("no-effect", key.place(), message).label("take it away");
            diagnostic.hint("the run of the other workflow goes on; its own blocks say what becomes of them")
        });
    }

    /// What the workflow is given; nothing where that is no mapping.
    fn call_inputs(&mut self, inputs: &'n Node, block: usize) -> Option<Given<'n>> {
        let Some(map) = inputs.get("inputs") else { return Some(Vec::new()) };
        let hint = "name each input of the workflow: `inputs: {stage: \"${inputs.stage}\"}`";
        if !shape::is_map(&mut self.mistakes, map, "`inputs` of a workflow", hint) {
            self.survey(map, By::Inputs(block));
            return None;
        }
        let mut given = Vec::new();
        let mut is_written = true;
        for (name, key, node) in shape::unique(map) {
            is_written &= self.key(key).is_some();
            given.push((name, key, node, self.value(node, By::Inputs(block))));
        }
        is_written.then_some(given)
    }

    /// The workflow that is called, or nothing where it cannot be one.
    fn called_workflow(&mut self, node: &'n Node, block: usize) -> Option<Workflow> {
        let text = shape::text(&mut self.mistakes, node, "`workflow`")?;
        let call = self.world.blocks[block].call.as_ref();
        let Some(name) = call.and_then(|call| call.name.clone()) else {
            let name = self.text(node, By::Inputs(block));
            return (!text.is_empty()).then_some(Workflow::Named(needed(name)));
        };
        if !is_callable(&name) {
            self.bad_name(node, &name);
            return None;
        }
        match call.map(|call| call.callee.clone()).unwrap_or_default() {
            Callee::Found { digest, passed_over, .. } => {
                self.passed_over(node, passed_over);
                Some(Workflow::Pinned { name, plan: digest })
            }
            Callee::Unasked => Some(Workflow::Named(Expr::Const(Value::String(name)))),
            other => {
                self.not_called(node, &name, &other);
                None
            }
        }
    }

    /// What is called is not the file that was probably meant.
    fn passed_over(&mut self, node: &Node, broken: Vec<String>) {
        for sentence in broken {
            self.mistakes.warn(|sheet| {
                let diagnostic = sheet.warning("passed-over", node.place(), sentence);
                diagnostic.hint("mend that file, or give it another name")
            });
        }
    }

    fn bad_name(&mut self, node: &Node, name: &str) {
        self.mistakes.error(|sheet| {
            let shown: String = name.chars().take(NAME_BYTES_MAX).collect();
            let rest = if shown.len() < name.len() { "..." } else { "" };
            let message = format!("no workflow can be called `{shown}{rest}`");
            sheet.error("bad-name", node.place(), message).hint(format!(
                "a name begins with a letter or a digit and goes on with letters, digits, `_`, `:`, `.` and `-`, \
                 up to {NAME_BYTES_MAX}; it is never a path"
            ))
        });
    }

    fn not_called(&mut self, node: &Node, name: &str, callee: &Callee) {
        self.mistakes.error(|sheet| {
            let error = |code, message: String| sheet.error(code, node.place(), message);
            match callee {
                Callee::Absent { near } => {
                    let diagnostic = error("unknown-workflow", format!("no workflow is called `{name}`"));
                    match near.first() {
                        Some(near) => diagnostic.label(did_you_mean(near)).hint(NAMES),
                        None => diagnostic.hint(NAMES),
                    }
                }
                Callee::Broken { why } => {
                    error("broken-workflow", format!("the workflow `{name}` it calls cannot be read: {why}"))
                        .hint("mend that one first")
                }
                Callee::Circle { names } => {
                    error("workflow-cycle", format!("workflows call each other in a circle: {}", way(names)))
                        .hint("take one of these calls away")
                }
                Callee::TooDeep { names, depth_max } => {
                    let message =
                        format!("workflows call workflows more than {depth_max} deep: {}", way(names));
                    error("too-deep", message).hint("let one of them do what the one below it does")
                }
                Callee::TooMany { count_max } => {
                    let message =
                        format!("more than {count_max} workflows are called, those that they call included");
                    error("too-many-workflows", message).hint("call some of them by a name with a reference")
                }
                Callee::Found { .. } | Callee::Unasked => unreachable!("BUG: nothing is wrong with `{name}`"),
            }
        });
    }

    /// Checks what is given against what the workflow takes.
    fn check_given(&mut self, plan: &Plan, workflow: &str, given: &Given<'n>, place: Span) {
        let missing = |input: &&Input| {
            input.required && input.default.is_none() && given.iter().all(|(name, ..)| *name != input.name)
        };
        let mut missing: Vec<&str> =
            plan.inputs.iter().filter(missing).map(|input| input.name.as_str()).collect();
        for (name, key, node, value) in given {
            match plan.inputs.iter().find(|input| input.name == *name) {
                Some(input) => self.fits_input(workflow, input, node, value),
                None => {
                    let near = nearest(name, plan.inputs.iter().map(|input| input.name.as_str()));
                    // What was probably meant is not missing as well.
                    missing.retain(|missing| Some(*missing) != near);
                    self.unknown_input(plan, workflow, (name, key), near);
                }
            }
        }
        if !missing.is_empty() {
            self.mistakes.error(|sheet| {
                let plural = if missing.len() == 1 { "" } else { "s" };
                let message = format!(
                    "the workflow `{workflow}` needs the input{plural} {}",
                    listed(missing.iter().copied())
                );
                sheet
                    .error("missing-input", place, message)
                    .hint(format!("give it under `inputs`: `{}: ...`", missing[0]))
            });
        }
    }

    fn unknown_input(&mut self, plan: &Plan, workflow: &str, (name, key): (&str, &Node), near: Option<&str>) {
        self.mistakes.error(|sheet| {
            let message = format!("the workflow `{workflow}` has no input `{name}`");
            let diagnostic = sheet.error("unknown-input", key.place(), message);
            match near {
                Some(near) => diagnostic.label(did_you_mean(near)),
                None => {
                    let names = plan.inputs.iter().map(|input| input.name.as_str());
                    diagnostic.hint(format!("its inputs are {}", listed(names)))
                }
            }
        });
    }

    /// What is known of a value before it is made must be of the type that is asked for.
    fn fits_input(&mut self, workflow: &str, input: &Input, node: &Node, value: &Expr) {
        let made = match value {
            Expr::Const(Value::Null) if !input.required => return,
            Expr::Const(value) => value.clone(),
            Expr::Template(template) if template.whole().is_none() => Value::String(String::new()),
            Expr::List(_) => Value::Array(Vec::new()),
            Expr::Object(_) => Value::Object(serde_json::Map::new()),
            _ => return,
        };
        if input.kind.accepts(&made) {
            return;
        }
        self.mistakes.error(|sheet| {
            let (name, kind) = (&input.name, input.kind.as_str());
            let message = format!(
                "the input `{name}` of `{workflow}` is of type {kind}, and this is {}",
                node.kind_name()
            );
            let diagnostic = sheet.error("wrong-type", node.place(), message);
            let is_scalar = matches!(made, Value::Number(_) | Value::Bool(_));
            match input.kind == InputKind::String && is_scalar {
                true => diagnostic.hint("put quotes around it"),
                false => diagnostic,
            }
        });
    }

    /// Warns, once for each workflow, of outputs that cannot be read in short.
    fn reserved(&mut self, plan: &Plan, workflow: &str, block: usize, place: Span) {
        let outline = &self.world.blocks[block];
        let id = outline.id.unwrap_or("id");
        let of_item = if outline.has_items() { "outputs.results[0]." } else { "" };
        for (name, _) in plan.outputs.iter().filter(|(name, _)| RESERVED.contains(&name.as_str())) {
            self.mistakes.warn(|sheet| {
                let message = format!(
                    "`{workflow}` gives an output `{name}`, and `blocks.{id}.{name}` means something else"
                );
                let diagnostic = sheet.warning("reserved-name", place, message);
                diagnostic.hint(format!("read it as `${{blocks.{id}.{of_item}outputs.{name}}}`"))
            });
        }
    }
}

/// A name must have a value: nothing is no name.
fn needed(name: Expr) -> Expr {
    match name {
        Expr::Template(template) => match template.whole() {
            Some(path) => Expr::Needed(path.clone()),
            None => Expr::Template(template),
        },
        other => other,
    }
}

/// `a -> b -> a`; a long way is cut in its middle.
fn way(names: &[String]) -> String {
    let all: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    if all.len() <= NAMED_MAX {
        return all.join(" -> ");
    }
    let half = NAMED_MAX / 2;
    let (first, last) = (all[..half].join(" -> "), all[all.len() - half..].join(" -> "));
    format!("{first} -> ({} more) -> {last}", all.len() - 2 * half)
}
