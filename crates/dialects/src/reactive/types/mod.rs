//! The types of steps, one file each: its keys, and the work and node that it becomes.

mod agent_shell_command;
mod apply_hints;
mod break_;
mod conditional;
mod exit;
mod foreach;
mod form;
mod include_workflow;
mod mcp_call;
mod parallel_foreach;
mod shell_command;
mod state_update;
mod user_input;
mod user_message;
mod while_;

pub(super) use form::{Form, Lowered};
pub use parallel_foreach::PARALLEL as PARALLEL_DEFAULT;
pub use shell_command::TIMEOUT_MS;
pub use while_::ITERATIONS as ITERATIONS_DEFAULT;

/// Every type, in the order in which they are listed.
const ALL: [&Form; 14] = [
    &shell_command::FORM,
    &agent_shell_command::FORM,
    &mcp_call::FORM,
    &user_input::FORM,
    &user_message::FORM,
    &state_update::FORM,
    &apply_hints::FORM,
    &conditional::FORM,
    &while_::FORM,
    &foreach::FORM,
    &parallel_foreach::FORM,
    &include_workflow::FORM,
    &break_::FORM,
    &exit::FORM,
];

/// Words of other dialects, and what they are called here.
const MEANT: [(&str, &str); 9] = [
    ("shell", "shell_command"),
    ("condition", "conditional"),
    ("if", "conditional"),
    ("set_state", "state_update"),
    ("prompt", "user_input"),
    ("message", "user_message"),
    ("parallel_tasks", "parallel_foreach"),
    ("include", "include_workflow"),
    ("return", "exit"),
];

/// Returns the type of a word.
pub(super) fn named(word: &str) -> Option<&'static Form> {
    ALL.into_iter().find(|form| form.name == word)
}

/// The names of all types.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    ALL.into_iter().map(|form| form.name)
}

/// What a word of another dialect is called here.
pub(super) fn meant(word: &str) -> Option<&'static str> {
    MEANT.iter().find(|(other, _)| *other == word).map(|(_, name)| *name)
}
