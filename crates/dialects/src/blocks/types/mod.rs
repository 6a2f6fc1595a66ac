//! The types of blocks, one file each: what it takes and gives, and the step it becomes.

mod action;
mod agent;
mod create_file;
mod execute;
mod file;
mod form;
mod interpreter;
mod json_state;
mod prompt;
mod read_file;
mod render;
mod shell;
mod verify;
mod worktree;

pub(super) use form::{Draft, Form, OBJECT, Outputs};
pub use shell::SHELL_TIMEOUT_MS;

use crate::text::Node;

/// Every type of this version, in the order in which they are listed.
pub(super) const ALL: [&Form; 12] = [
    &shell::FORM,
    &execute::FORM,
    &render::FORM,
    &worktree::CREATE,
    &worktree::REMOVE,
    &create_file::FORM,
    &read_file::FORM,
    &json_state::READ,
    &json_state::WRITE,
    &json_state::MERGE,
    &prompt::FORM,
    &agent::FORM,
];

/// Returns the type of a name.
pub(super) fn named(name: &str) -> Option<&'static Form> {
    ALL.into_iter().find(|form| form.name == name)
}

/// The form that a block of a type has with what it is given.
pub(super) fn as_given(form: &'static Form, inputs: Option<&Node>) -> &'static Form {
    let has_target = inputs.is_some_and(|inputs| inputs.get("target").is_some());
    if has_target && form.name == render::FORM.name { &render::WITH_TARGET } else { form }
}

/// The names of all types.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    ALL.into_iter().map(|form| form.name)
}
