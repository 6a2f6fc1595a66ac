//! The head of a definition: its name, what it is for, where it begins.

use super::Entry;
use crate::mistakes::Mistakes;
use crate::shape::{self, Shape};
use crate::text::{Node, Span};

pub(super) const WORKFLOW: Shape = Shape {
    has_no: "a state machine has no key",
    keys: &["name", "description", "initial_state", "states", "arguments", "return_values", "kind"],
    elsewhere: &[
        ("timeout", "it belongs to a state; a run is bounded by `execution_timeout` of its call"),
        ("action", "it belongs to a state"),
        ("transitions", "it belongs to a state"),
    ],
};

/// The longest name.
const NAME_CHARS_MAX: usize = 64;

/// The longest description.
const DESCRIPTION_CHARS_MAX: usize = 500;

/// The head.
pub(super) struct Head {
    pub(super) name: String,
    pub(super) description: String,
}

/// Reads the head.
pub(super) fn read(mistakes: &mut Mistakes<'_>, workflow: &Node, entry: Entry) -> Head {
    let meant = shape::check_keys(mistakes, workflow, &WORKFLOW);
    let name = match workflow.get("name").filter(|node| !node.is_null()) {
        Some(node) => {
            shape::text(mistakes, node, "`name`").inspect(|name| check_name(mistakes, node, name, entry))
        }
        None => {
            if !meant.contains("name") {
                let hint = "name it, so that it can be found: `name: run_tests`";
                shape::missing(mistakes, start_of(workflow), "the workflow", "name", hint);
            }
            None
        }
    };
    let description = description(mistakes, workflow, entry, meant.contains("description"));
    Head { name: name.unwrap_or_default().to_owned(), description }
}

/// Where a mapping begins.
pub(super) fn start_of(node: &Node) -> Span {
    node.as_map().and_then(|entries| entries.first()).map_or(node.place(), |(key, _)| key.span)
}

fn check_name(mistakes: &mut Mistakes<'_>, node: &Node, name: &str, entry: Entry) {
    let chars = name.chars().count();
    let first = |first: char| match entry {
        Entry::Inline => first.is_ascii_alphabetic(),
        _ => first.is_ascii_alphanumeric() || first == '_',
    };
    let inner = |byte: u8| match entry {
        Entry::Create => byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_',
        _ => byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'),
    };
    if name.starts_with(first) && name.bytes().all(inner) && chars <= NAME_CHARS_MAX {
        return;
    }
    let shown: String = name.chars().take(NAME_CHARS_MAX).collect();
    mistakes.error(|sheet| match entry {
        Entry::Create if chars <= NAME_CHARS_MAX => {
            let message = format!(
                "Workflow name '{shown}' must be lowercase with only letters, numbers, and underscores"
            );
            sheet.error("bad-name", node.place(), message)
        }
        _ => sheet.error("bad-name", node.place(), format!("`{shown}` cannot be the name of a workflow")).hint(format!(
            "a name begins with a letter and goes on with letters, digits, `_` and `-`, up to {NAME_CHARS_MAX}"
        )),
    });
}

fn description(mistakes: &mut Mistakes<'_>, workflow: &Node, entry: Entry, meant: bool) -> String {
    let Some(node) = workflow.get("description").filter(|node| !node.is_null()) else {
        if entry == Entry::Create && !meant {
            let hint = "say what it is for: `description: Builds the project`";
            shape::missing(mistakes, start_of(workflow), "the workflow", "description", hint);
        }
        return String::new();
    };
    let Some(text) = shape::text(mistakes, node, "`description`") else { return String::new() };
    bounded(mistakes, node, text, (usize::from(entry == Entry::Create), DESCRIPTION_CHARS_MAX));
    text.to_owned()
}

/// Reports a description that is too short or too long.
pub(super) fn bounded(mistakes: &mut Mistakes<'_>, node: &Node, text: &str, (min, max): (usize, usize)) {
    let chars = text.chars().count();
    if (min..=max).contains(&chars) {
        return;
    }
    mistakes.error(|sheet| {
        let message = format!("`description` has {chars} characters; {min} to {max} are allowed");
        sheet.error("too-long", node.place(), message)
    });
}
