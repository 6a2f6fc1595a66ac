//! What an effect asks of git, read from its inputs.
//!
//! | input | what it is |
//! |---|---|
//! | `operation` | `create_worktree` or `remove_worktree` |
//! | `path` | where the worktree is |
//! | `branch`, `base_branch` | of one that is made |
//! | `force`, `delete_branch` | of one that is removed |

use super::trouble::Trouble;
use kernel::effect::Perform;
use kernel::{Data, RunId};
use serde_json::Value;

/// One wish.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Request {
    /// Where the worktree is, as it was written.
    pub(super) path: String,
    /// What is to be done with it.
    pub(super) what: What,
    /// Who asks: the run and its step, the same in every attempt.
    pub(super) by: String,
}

/// What is to be done with a worktree.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum What {
    /// It shall be there, on this branch.
    Create { branch: String, base: Option<String> },
    /// It shall not be there.
    Remove { force: bool, delete_branch: bool },
}

impl Request {
    /// Reads the inputs of an effect.
    pub(super) fn read(run: &RunId, perform: &Perform) -> Result<Request, Trouble> {
        let what = match text(perform, "operation")?.as_deref() {
            Some("create_worktree") => {
                // Nothing at all is what is checked out; an empty text is a mistake.
                let base =
                    text(perform, "base_branch")?.map(|_| needed(perform, "base_branch")).transpose()?;
                What::Create { branch: needed(perform, "branch")?, base }
            }
            Some("remove_worktree") => What::Remove {
                force: flag(perform, "force")?,
                delete_branch: flag(perform, "delete_branch")?,
            },
            other => {
                let named = other.unwrap_or("nothing");
                return Err(Trouble::Crashed(format!("this version has no git operation `{named}`")));
            }
        };
        Ok(Request { path: needed(perform, "path")?, what, by: format!("{run} {}", perform.step) })
    }
}

/// A text; numbers and truth values count as what they are written as.
fn text(perform: &Perform, name: &str) -> Result<Option<String>, Trouble> {
    match perform.inputs.get(name).and_then(Data::inline) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(value @ (Value::Number(_) | Value::Bool(_))) => Ok(Some(value.to_string())),
        Some(other) => Err(Trouble::Crashed(format!("`{name}` is text, and this is {other}"))),
    }
}

fn needed(perform: &Perform, name: &str) -> Result<String, Trouble> {
    let text = text(perform, name)?.filter(|text| !text.is_empty());
    text.ok_or_else(|| Trouble::Crashed(format!("`{name}` is empty")))
}

fn flag(perform: &Perform, name: &str) -> Result<bool, Trouble> {
    match perform.inputs.get(name).and_then(Data::inline) {
        None | Some(Value::Null) => Ok(false),
        Some(Value::Bool(flag)) => Ok(*flag),
        Some(other) => Err(Trouble::Crashed(format!("`{name}` is true or false, and this is {other}"))),
    }
}
