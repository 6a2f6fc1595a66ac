//! The head of a workflow: its name, its version and what holds for all of its steps.

use crate::additions;
use crate::known::NAME_BYTES_MAX;
use crate::mistakes::Mistakes;
use crate::shape::{self, Shape};
use crate::text::{Node, Span};
use kernel::plan::{Deadline, OnOverdue};

const STEP: &str = "it belongs to a step";
const ERRORS: &str = "it belongs under `error_handling`";

const WORKFLOW: Shape = Shape {
    has_no: "a workflow has no key",
    keys: &[
        "name",
        "version",
        "description",
        "kind",
        "imports",
        "inputs",
        "default_state",
        "state_schema",
        "steps",
        "sub_agent_tasks",
        "error_handling",
        "orchestrator_behavior",
        "on_high_context_usage",
        "on_resume",
        "timeout",
        "on_overdue",
        "secrets",
    ],
    elsewhere: &[
        ("computed", "it belongs under `state_schema`"),
        ("raw", "it belongs under `state_schema` or `default_state`"),
        ("on_failure", ERRORS),
        ("error_collection", ERRORS),
        ("on_error", ERRORS),
        ("retry", STEP),
        ("gate", STEP),
        ("verify", STEP),
        ("tasks", "did you mean `sub_agent_tasks`?"),
        ("initial_state", "did you mean `default_state`?"),
        ("outputs", "what a workflow gives is its computed state"),
    ],
};

/// What a file may have whose parts are shared.
const SHARED: Shape = Shape {
    has_no: "a file of shared parts has no key",
    keys: &[
        "name",
        "version",
        "description",
        "kind",
        "imports",
        "default_state",
        "state_schema",
        "sub_agent_tasks",
    ],
    elsewhere: &[
        ("inputs", "inputs belong to a workflow, which has `steps`"),
        ("error_handling", "it belongs to a workflow, which has `steps`"),
        ("secrets", "secrets are declared by the workflow that imports this file"),
    ],
};

/// What the head says.
#[derive(Debug, Default)]
pub(super) struct Head {
    pub(super) name: String,
    pub(super) version: Option<String>,
    pub(super) description: String,
    pub(super) deadline: Deadline,
    pub(super) on_overdue: OnOverdue,
}

impl Head {
    pub(super) fn read(mistakes: &mut Mistakes<'_>, workflow: &Node) -> Self {
        let meant = shape::check_keys(mistakes, workflow, &WORKFLOW);
        let given = |key: &str| workflow.get(key).filter(|node| !node.is_null());
        // A file without steps has parts to share, and is told so.
        if given("name").is_none() && !meant.contains("name") && workflow.get("steps").is_some() {
            let hint = "name it, so that it can be found: `name: \"standards:fix\"`";
            shape::missing(mistakes, start_of(workflow), "the workflow", "name", hint);
        }
        let timeout =
            given("timeout").map_or(Deadline::Never, |node| super::timing::deadline(mistakes, node));
        let on_overdue = given("on_overdue");
        Head {
            name: given("name").and_then(|node| name(mistakes, node)).unwrap_or_default(),
            version: given("version").and_then(|node| version(mistakes, node)),
            description: description(mistakes, workflow),
            deadline: timeout,
            on_overdue: on_overdue
                .map_or_else(OnOverdue::default, |node| additions::on_overdue(mistakes, node)),
        }
    }
}

/// Checks the keys of a file whose parts are shared.
pub(super) fn check_shared(mistakes: &mut Mistakes<'_>, body: &Node) {
    shape::check_keys(mistakes, body, &SHARED);
}

/// Reads a `description`.
pub(super) fn description(mistakes: &mut Mistakes<'_>, node: &Node) -> String {
    let description = node.get("description").filter(|node| !node.is_null());
    let text = description.and_then(|node| shape::text(mistakes, node, "`description`"));
    text.unwrap_or_default().trim_end().to_owned()
}

/// Where something that is missing in a mapping should be: its first key.
pub(super) fn start_of(map: &Node) -> Span {
    let first = map.as_map().and_then(|entries| entries.first());
    first.map_or(map.place(), |(key, _)| map.alias.unwrap_or(key.place()))
}

fn name(mistakes: &mut Mistakes<'_>, node: &Node) -> Option<String> {
    let name = shape::text(mistakes, node, "`name`")?;
    if !is_workflow_name(name) {
        let shown: String = name.chars().take(shape::NAME_CHARS_MAX).collect();
        mistakes.error(|sheet| {
            let message = format!("`{shown}` cannot be the name of a workflow");
            let diagnostic = sheet.error("bad-name", node.place(), message);
            let bare = [".yaml", ".yml", ".json"].iter().find_map(|end| name.strip_suffix(end));
            match bare.filter(|bare| is_workflow_name(bare)) {
                Some(bare) => diagnostic.hint(format!("a name has no extension: `{bare}`")),
                None => diagnostic.hint(format!(
                    "a name has letters, digits, `-`, `_` and `:`, begins with a letter or a digit, and has up to \
                     {NAME_BYTES_MAX} of them: `standards:fix`"
                )),
            }
        });
    }
    Some(name.to_owned())
}

/// Letters, digits, hyphens, underscores and colons.
fn is_workflow_name(name: &str) -> bool {
    let inner = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b':' | b'-');
    name.len() <= NAME_BYTES_MAX
        && name.starts_with(|first: char| first.is_ascii_alphanumeric())
        && name.bytes().all(inner)
}

fn version(mistakes: &mut Mistakes<'_>, node: &Node) -> Option<String> {
    let text = shape::text(mistakes, node, "`version`")?;
    let is_good =
        !text.trim().is_empty() && text.len() <= shape::NAME_CHARS_MAX && !text.contains(char::is_control);
    if !is_good {
        let hint = "write it as text: `version: \"1.0.0\"`";
        mistakes.error(|sheet| sheet.error("bad-version", node.place(), "this is no version").hint(hint));
    }
    Some(text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_letters_digits_hyphens_underscores_and_colons() {
        for good in ["standards:fix", "a", "Deps:Update-2", "a_b:c:d", "9to5"] {
            assert!(is_workflow_name(good), "{good}");
        }
        for bad in ["", ":a", "a b", "a.yaml", "a/b", "../a", "é", "-a", &"x".repeat(129)] {
            assert!(!is_workflow_name(bad), "{bad}");
        }
    }
}
