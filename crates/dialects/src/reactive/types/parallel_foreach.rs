//! `parallel_foreach`: a task of sub-agents once for each item, several at a time. Each item is a lane of the run.

use super::form::{Form, Lowered};
use crate::near::nearest;
use crate::reactive::reader::Reader;
use crate::reactive::task;
use crate::reactive::world::collects;
use crate::shape::{self, Shape, did_you_mean, listed};
use crate::text::Node as Text;
use kernel::plan::{Node, OnFailure, Tasks};

/// The sub-agents at a time where the definition does not say.
pub const PARALLEL: u32 = 10;

/// The most sub-agents at a time.
const PARALLEL_MAX: u32 = 100;

/// How often failed tasks are begun again where the definition does not say.
const RETRIES: u32 = 2;

pub(super) const FORM: Form = Form {
    name: "parallel_foreach",
    shape: Shape {
        has_no: "a parallel_foreach step has no key",
        keys: &[
            "id",
            "type",
            "description",
            "items",
            "sub_agent_task",
            "max_parallel",
            "wait_for_all",
            "sub_agent_prompt_override",
            "on_sub_agent_error",
        ],
        elsewhere: &[
            ("task", "did you mean `sub_agent_task`?"),
            (
                "steps",
                "the steps of sub-agents stand under `sub_agent_tasks`; name the task by `sub_agent_task`",
            ),
            ("on_error", "did you mean `on_sub_agent_error`?"),
            ("prompt", "did you mean `sub_agent_prompt_override`?"),
        ],
    },
    lower,
};

const ERRORS: Shape = Shape {
    has_no: "`on_sub_agent_error` has no key",
    keys: &["strategy", "max_retries", "collect_errors", "error_state_path"],
    elsewhere: &[("retry_count", "did you mean `max_retries`?")],
};

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Strategy {
    #[default]
    FailAll,
    RetryFailed,
    Continue,
}

const STRATEGIES: [(&str, Strategy); 3] = [
    ("retry_failed", Strategy::RetryFailed),
    ("continue", Strategy::Continue),
    ("fail_all", Strategy::FailAll),
];

fn lower<'n>(reader: &mut Reader<'_, 'n>, node: &'n Text, step: u32) -> Lowered {
    let given = |key: &str| node.get(key).filter(|value| !value.is_null());
    let items = reader.items(node);
    let width = given("max_parallel").and_then(|node| reader.count(node, "max_parallel", 1, PARALLEL_MAX));
    if let Some(wait) = given("wait_for_all") {
        reader.waits(wait);
    }
    let prompt = given("sub_agent_prompt_override").and_then(|node| task::prompt(reader, node));
    let (strategy, retries_max, errors) = reader.on_sub_agent_error(node);
    let Some((name, found)) = reader.named_task(node) else { return Lowered::nothing() };
    let body = reader.task_body(found.0, found.1);
    let given = reader.lane_given(found.0);
    let tasks =
        Tasks { step, task: name.to_owned(), id: task::task_id(name), given, prompt, retries_max, errors };
    let on_failure = if strategy == Strategy::Continue { OnFailure::Continue } else { OnFailure::Fail };
    Lowered::flow(Node::Fork {
        items,
        variable: "item".to_owned(),
        body,
        width_max: width.unwrap_or(PARALLEL),
        on_failure,
        collect: None,
        tasks: Some(Box::new(tasks)),
    })
}

impl<'n> Reader<'_, 'n> {
    /// The task that is named.
    fn named_task(&mut self, node: &'n Text) -> Option<(&'n str, (usize, &'n Text))> {
        let named = self.must(
            node,
            "sub_agent_task",
            "name a task of `sub_agent_tasks`: `sub_agent_task: check_file`",
        )?;
        let name = shape::text(self.sheet(), named, "`sub_agent_task`")?;
        if let Some(task) = self.world.task(name) {
            return Some((name, (task, named)));
        }
        if self.world.is_open {
            return None;
        }
        let names: Vec<&'n str> = self.world.tasks.iter().map(|task| task.name).collect();
        self.sheet().error(|sheet| {
            let diagnostic =
                sheet.error("unknown-task", named.place(), format!("no task is called `{name}`"));
            match nearest(name, names.iter().copied()) {
                Some(near) => diagnostic.label(did_you_mean(near)),
                None if names.is_empty() => {
                    diagnostic.hint(format!("declare it: `sub_agent_tasks: {{{name}: {{steps: [...]}}}}`"))
                }
                None => diagnostic.hint(format!("tasks are {}", listed(names))),
            }
        });
        None
    }

    /// The flow goes on when all tasks have ended; nothing else can be asked for.
    fn waits(&mut self, node: &Text) {
        if !self.flag(node, "wait_for_all") && node.as_bool() == Some(false) {
            self.sheet().error(|sheet| {
                let message = "the flow always goes on when all tasks have ended";
                let diagnostic = sheet.error("bad-value", node.place(), message);
                diagnostic
                    .hint("take `wait_for_all: false` away; steps that need not wait can stand in the task")
            });
        }
    }

    fn on_sub_agent_error(&mut self, step: &'n Text) -> (Strategy, u32, Option<Vec<String>>) {
        let Some(node) = step.get("on_sub_agent_error").filter(|node| !node.is_null()) else {
            return (Strategy::default(), 0, None);
        };
        let hint = "write `on_sub_agent_error: {strategy: retry_failed, max_retries: 2}`";
        if !shape::is_map(self.sheet(), node, "`on_sub_agent_error`", hint) {
            return (Strategy::default(), 0, None);
        }
        shape::check_keys(self.sheet(), node, &ERRORS);
        let given = |key: &str| node.get(key).filter(|value| !value.is_null());
        let strategy =
            given("strategy").and_then(|word| self.word(word, "strategy", &STRATEGIES)).unwrap_or_default();
        let retries =
            given("max_retries").map(|node| self.count(node, "max_retries", 0, 100).unwrap_or(RETRIES));
        if let (Some((key, _)), true) = (node.entry("max_retries"), strategy != Strategy::RetryFailed) {
            self.sheet().warn(|sheet| {
                let message = "`max_retries` has no effect without `strategy: retry_failed`";
                sheet.warning("no-effect", key.place(), message).label("take it away, or change `strategy`")
            });
        }
        if let Some(flag) = given("collect_errors") {
            self.flag(flag, "collect_errors");
        }
        let path = given("error_state_path").and_then(|path| self.fixed_target(path, "error_state_path"));
        let errors = collects(step).then(|| path.unwrap_or_else(|| vec!["raw.sub_agent_errors".to_owned()]));
        let retries = if strategy == Strategy::RetryFailed { retries.unwrap_or(RETRIES) } else { 0 };
        (strategy, retries, errors)
    }
}
