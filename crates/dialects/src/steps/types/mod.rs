//! The types of steps, one file each: its keys, and the work and node that it becomes.

mod condition;
mod delegate;
mod foreach;
mod form;
mod goto;
mod mcp_call;
mod prompt;
mod return_;
mod server_shell;
mod set_state;
mod shell;
mod wait;

pub use delegate::TIMEOUT_MS as TIMEOUT_MS_OF_DELEGATE;
pub use foreach::{CHILDREN_MAX, PENDING_MAX};
pub(super) use form::{Form, Lowered};
pub use goto::ITERATIONS_MAX as GOTO_MAX;
pub use shell::TIMEOUT_MS;

/// Every type, in the order in which they are listed.
const ALL: [&Form; 10] = [
    &condition::FORM,
    &set_state::FORM,
    &foreach::FORM,
    &return_::FORM,
    &goto::FORM,
    &shell::FORM,
    &mcp_call::FORM,
    &prompt::FORM,
    &wait::FORM,
    &delegate::FORM,
];

/// Returns the type of a word: its name, or a kind of prompts.
pub(super) fn named(word: &str) -> Option<&'static Form> {
    let is_prompt = prompt::KINDS.contains(&word);
    ALL.into_iter().find(|form| form.name == word).or(is_prompt.then_some(&prompt::FORM))
}

/// A type where the server runs commands itself.
pub(super) fn of_server(form: &'static Form) -> &'static Form {
    if form.name == server_shell::FORM.name { &server_shell::FORM } else { form }
}

/// The names of all types.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    ALL.into_iter().map(|form| form.name)
}

/// All words that can stand as a type.
pub(super) fn words() -> impl Iterator<Item = &'static str> {
    names().chain(prompt::KINDS)
}
