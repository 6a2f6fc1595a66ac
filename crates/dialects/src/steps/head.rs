//! The head of a workflow: its name, its version and what holds for all of its steps.

use crate::additions;
use crate::known::{NAME_BYTES_MAX, is_callable};
use crate::mistakes::Mistakes;
use crate::read::ReadOptions;
use crate::secrets::{ROOT, Secrets};
use crate::shape::{self, Shape};
use crate::text::{Node, Span};
use kernel::plan::{Deadline, OnOverdue};

const STEP: &str = "it belongs to a step";

const WORKFLOW: Shape = Shape {
    has_no: "a workflow has no key",
    keys: &[
        "name",
        "version",
        "description",
        "inputs",
        "initial_state",
        "steps",
        "tasks",
        "timeout",
        "on_overdue",
        "infer_needs_state",
        "shell",
        "secrets",
        "kind",
    ],
    elsewhere: &[
        ("needs_state", STEP),
        ("output_to", STEP),
        ("when", STEP),
        ("retry", STEP),
        ("gate", STEP),
        ("verify", STEP),
        ("agent", "it belongs to a step of type `foreach` or `delegate`"),
        ("outputs", "what a workflow gives is the `value` of a step of type `return`, else its state"),
    ],
};

/// What the head says.
#[derive(Debug, Default)]
pub(super) struct Head {
    pub(super) name: String,
    pub(super) version: Option<String>,
    pub(super) deadline: Deadline,
    pub(super) on_overdue: OnOverdue,
    pub(super) infers: bool,
    /// Whether the server runs the commands of shell steps itself.
    pub(super) server_shell: bool,
}

impl Head {
    pub(super) fn read(mistakes: &mut Mistakes<'_>, workflow: &Node, options: ReadOptions) -> Self {
        let meant = shape::check_keys(mistakes, workflow, &WORKFLOW);
        let given = |key: &str| workflow.get(key).filter(|node| !node.is_null());
        let mut must = |key: &'static str, hint: &str| {
            if given(key).is_none() && !meant.contains(key) {
                shape::missing(mistakes, start_of(workflow), "the workflow", key, hint);
            }
        };
        must("name", "name it, so that it can be found: `name: deploy-service`");
        must("version", "say which version it is: `version: \"1.0.0\"`");
        let timeout = given("timeout");
        let on_overdue = given("on_overdue");
        let infers = given("infer_needs_state").is_some_and(|node| flag(mistakes, node, "infer_needs_state"));
        Head {
            name: given("name").and_then(|node| name(mistakes, node)).unwrap_or_default(),
            version: given("version").and_then(|node| version(mistakes, node)),
            deadline: timeout.map_or(Deadline::Never, |node| additions::timeout(mistakes, node)),
            on_overdue: on_overdue
                .map_or_else(OnOverdue::default, |node| additions::on_overdue(mistakes, node)),
            infers: infers || options.infer_needs_state,
            server_shell: given("shell").map_or(options.server_shell, |node| server_shell(mistakes, node)),
        }
    }
}

/// Reads a truth value.
pub(super) fn flag(mistakes: &mut Mistakes<'_>, node: &Node, key: &str) -> bool {
    let said = node.as_bool();
    if said.is_none() {
        shape::wrong_kind(mistakes, node, &format!("`{key}`"), "true or false", "");
    }
    said.unwrap_or_default()
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
    if !is_callable(name) {
        let shown: String = name.chars().take(shape::NAME_CHARS_MAX).collect();
        mistakes.error(|sheet| {
            let message = format!("`{shown}` cannot be the name of a workflow");
            sheet.error("bad-name", node.place(), message).hint(format!(
                "a name begins with a letter or a digit and goes on with these and `_`, `-`, `.` and `:`, up to \
                 {NAME_BYTES_MAX}"
            ))
        });
    }
    Some(name.to_owned())
}

fn version(mistakes: &mut Mistakes<'_>, node: &Node) -> Option<String> {
    const HINT: &str = "write three numbers, as text: `version: \"1.0.0\"`";
    let Some(text) = node.as_string() else {
        shape::wrong_kind(mistakes, node, "`version`", "text", HINT);
        return None;
    };
    if !is_version(text) {
        let message =
            format!("`{}` is no version", text.chars().take(shape::NAME_CHARS_MAX).collect::<String>());
        mistakes.error(|sheet| sheet.error("bad-version", node.place(), message).hint(HINT));
    }
    Some(text.to_owned())
}

/// `1.0.0`, `2.1.0-rc.1`, `1.0.0+build.7`: a semantic version.
fn is_version(text: &str) -> bool {
    let is_number = |part: &str| {
        let plain = !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        plain && (part == "0" || !part.starts_with('0'))
    };
    let is_word = |part: &str| {
        !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
    };
    let (rest, build) = text.split_once('+').map_or((text, None), |(rest, build)| (rest, Some(build)));
    let (numbers, early) = rest.split_once('-').map_or((rest, None), |(rest, early)| (rest, Some(early)));
    let numbers: Vec<&str> = numbers.split('.').collect();
    text.len() <= shape::NAME_CHARS_MAX
        && numbers.len() == 3
        && numbers.into_iter().all(is_number)
        && early.into_iter().chain(build).all(|words| words.split('.').all(is_word))
}

/// Who runs the commands of shell steps.
fn server_shell(mistakes: &mut Mistakes<'_>, node: &Node) -> bool {
    let word = node.as_text();
    if !matches!(word, Some("agent" | "server")) {
        mistakes.error(|sheet| {
            let message = "`shell` is one of `agent` and `server`";
            sheet
                .error("bad-value", node.place(), message)
                .hint("it says who runs the commands of shell steps")
        });
    }
    word == Some("server")
}

/// Reads the secrets, which only commands are given that the server runs.
pub(super) fn secrets<'n>(mistakes: &mut Mistakes<'_>, workflow: &'n Node, head: &Head) -> Secrets<'n> {
    let secrets = Secrets::read(mistakes, workflow);
    if let Some((key, _)) = workflow.entry(ROOT).filter(|(_, node)| !node.is_null() && !head.server_shell) {
        secrets.names().for_each(|name| {
            secrets.take(name);
        });
        mistakes.error(|sheet| {
            let message =
                "secrets are given only to commands that the server runs, and here an agent runs them";
            let diagnostic = sheet.error("secret-misplaced", key.place(), message);
            diagnostic.hint("write `shell: server`, or take `secrets` away")
        });
    }
    secrets
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_semantic() {
        for good in ["1.0.0", "0.0.1", "10.20.30", "1.0.0-rc.1", "1.0.0+build.7", "1.0.0-a-b.1+x"] {
            assert!(is_version(good), "{good}");
        }
        for bad in [
            "",
            "1",
            "1.0",
            "v1.0.0",
            "1.0.0.0",
            "01.0.0",
            "1.0.x",
            "1.0.0-",
            "1.0.0+",
            "1.0.0-a..b",
            " 1.0.0",
        ] {
            assert!(!is_version(bad), "{bad}");
        }
    }
}
