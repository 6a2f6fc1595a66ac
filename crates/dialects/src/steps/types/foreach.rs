//! `foreach`: a task for each item of a list, in a run of its own, all at once or one after the other.

use super::form::{Form, Lowered};
use crate::constant::{VALUE_DEPTH_MAX, depth};
use crate::shape::{self, Shape, did_you_mean, listed};
use crate::steps::reader::{At, Reader};
use crate::steps::uses::Use;
use crate::text::Node as Text;
use kernel::Digest;
use kernel::plan::{Deadline, Expr, Input, ItemInputs, Node, OnFailure, Spread, Work, Workflow};
use serde_json::Value;

/// Most children at once that are given to sub-agents.
pub const CHILDREN_MAX: u32 = 100;

/// Most children at once whose steps are for whoever follows the workflow.
pub const PENDING_MAX: u32 = 50;

const ITEMS: &str = "give one expression that is a list: `items: \"{{ state.files }}\"`";

pub(super) const FORM: Form = Form {
    name: "foreach",
    shape: Shape {
        has_no: "a foreach step has no key",
        keys: &[
            "id",
            "type",
            "description",
            "needs_state",
            "output_to",
            "when",
            "items",
            "task",
            "agent",
            "sequential",
            "continue_on_error",
        ],
        elsewhere: &[
            ("steps", "they belong to a task: name it by `task`, and put them under `tasks` of the workflow"),
            ("item", "in the task it is called `item`"),
            ("parallel", "items are done at once unless `sequential: true`"),
            ("timeout", "it belongs to the steps of the task"),
            ("retry", "it belongs to the steps of the task"),
        ],
    },
    has_bodies: false,
    lower,
};

fn lower(reader: &mut Reader<'_, '_>, at: At) -> Lowered {
    let items = reader.must(at, "items", ITEMS);
    let items = items.map_or(Expr::Const(Value::Null), |items| reader.items(items, at));
    let node = reader.node(at);
    let agent = reader.agent(node);
    let task = reader.task_of(at, agent);
    let collect = reader.output_to(at).map(str::to_owned);
    reader.must(at, "output_to", "say where the results go: `output_to: results`");
    let is_sequential = reader.world.units[at.unit].steps[at.step].flag(&mut reader.mistakes, "sequential");
    let goes_on = reader.world.units[at.unit].steps[at.step].flag(&mut reader.mistakes, "continue_on_error");
    let Some((task, given)) = task else { return Lowered::nothing() };
    reader.check_items(at, &items, &task, &given);
    let width_max = match (is_sequential, agent) {
        (true, _) => 1,
        (false, Some(_)) => CHILDREN_MAX,
        (false, None) => PENDING_MAX,
    };
    let on_failure = if goes_on { OnFailure::Continue } else { OnFailure::Fail };
    let workflow = Workflow::Pinned { name: task.clone(), plan: Digest::of(b"") };
    let spread = Spread { step: at.step(), task, items, given, width_max, on_failure, collect };
    Lowered {
        work: Work::Child { workflow, inputs: Vec::new() },
        node: Node::Spread(spread),
        timeout: Deadline::Never,
    }
}

impl<'n> Reader<'_, 'n> {
    /// A list, or one expression that is one.
    fn items(&mut self, node: &'n Text, at: At) -> Expr {
        if node.as_list().is_none() && !Self::is_whole(node) {
            match node.as_string() {
                Some(_) => self.mistakes.error(|sheet| {
                    let message = "`items` is a text, and no list comes of it";
                    sheet.error("wrong-type", node.place(), message).hint(ITEMS)
                }),
                None => shape::wrong_kind(&mut self.mistakes, node, "`items`", "a list", ITEMS),
            }
            if node.as_map().is_some() || depth(node) > VALUE_DEPTH_MAX {
                return Expr::Const(Value::Null);
            }
        }
        self.value(node, at)
    }

    /// The task that a step names, and how an item becomes what it is given.
    fn task_of(&mut self, at: At, agent: Option<&'n str>) -> Option<(String, ItemInputs)> {
        let hint = "name a task: `task: analyze_file`, and say under `tasks` what it does";
        let node = self.must(at, "task", hint)?;
        let word = shape::text(&mut self.mistakes, node, "`task`")?;
        let Some(task) = self.world.tasks.get(word).copied() else {
            self.no_task(word, node);
            return None;
        };
        self.uses.push(Use { at, task, agent, node });
        let inputs = self.world.units[task].inputs.as_deref().unwrap_or_default();
        Some((word.to_owned(), given(inputs)))
    }

    fn no_task(&mut self, word: &str, node: &Text) {
        let (tasks, guesses) = (&self.world.tasks, &self.world.guesses);
        if !self.world.has_all_tasks {
            return;
        }
        self.mistakes.error(|sheet| {
            let diagnostic = sheet.error("unknown-task", node.place(), format!("no task is called `{word}`"));
            match guesses.nearest(word, tasks.keys().copied()) {
                Some(near) => diagnostic.label(did_you_mean(near)),
                None if tasks.is_empty() => {
                    diagnostic.hint(format!("say what it does: `tasks: {{{word}: {{steps: [...]}}}}`"))
                }
                None => diagnostic.hint(format!("tasks are {}", listed(tasks.keys().copied()))),
            }
        });
    }

    /// Items that are known, and ways in which items can be given that are not.
    fn check_items(&mut self, at: At, items: &Expr, task: &str, given: &ItemInputs) {
        if given.required.len() < 2 {
            return;
        }
        let node = self.node(at).get("items").unwrap_or(self.node(at));
        let required = listed(given.required.iter().map(String::as_str));
        if let Expr::Const(Value::Array(items)) = items {
            let has_all = |item: &Value| given.required.iter().all(|name| item.get(name).is_some());
            if let Some(position) = items.iter().position(|item| !has_all(item)) {
                let place = node.items().get(position).map_or(node.place(), Text::place);
                self.mistakes.error(|sheet| {
                    let message =
                        format!("the task `{task}` needs {required}, and this item does not have them all");
                    sheet.error("bad-value", place, message)
                });
            }
            return;
        }
        self.mistakes.warn(|sheet| {
            let message =
                format!("the task `{task}` needs {required}, so each item must be an object that has them");
            sheet.warning("items-by-name", node.place(), message)
        });
    }
}

/// How an item becomes the inputs of a task: by their names, or as the only one that it needs.
fn given(inputs: &[Input]) -> ItemInputs {
    let names = |all: Vec<&Input>| all.into_iter().map(|input| input.name.clone()).collect::<Vec<_>>();
    let required = names(inputs.iter().filter(|input| input.required && input.default.is_none()).collect());
    let single = match (required.as_slice(), inputs) {
        ([one], _) => Some(one.clone()),
        ([], [one]) => Some(one.name.clone()),
        _ => None,
    };
    ItemInputs { names: names(inputs.iter().collect()), required, single }
}
