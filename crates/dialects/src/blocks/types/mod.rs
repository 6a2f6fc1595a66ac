//! The types of blocks, one file each: what it takes and gives, and the step it becomes.

mod form;
mod render;
mod shell;

pub(super) use form::{Draft, Form};
pub use shell::SHELL_TIMEOUT_MS;

/// Every type of this version, in the order in which they are listed.
pub(super) const ALL: [&Form; 2] = [&shell::FORM, &render::FORM];

/// Types of the dialect that this version does not have.
const LATER: [&str; 10] = [
    "ExecuteWorkflow",
    "CreateFile",
    "ReadFile",
    "Prompt",
    "Agent",
    "CreateWorktree",
    "RemoveWorktree",
    "ReadJSONState",
    "WriteJSONState",
    "MergeJSONState",
];

/// Returns the type of a name.
pub(super) fn named(name: &str) -> Option<&'static Form> {
    ALL.into_iter().find(|form| form.name == name)
}

/// The names of all types.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    ALL.into_iter().map(|form| form.name)
}

/// Tells whether a type is part of the dialect and not of this version.
pub(super) fn comes_later(name: &str) -> bool {
    LATER.contains(&name)
}
