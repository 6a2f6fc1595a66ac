//! CreateWorktree and RemoveWorktree: what the git adapter is given.
//!
//! | input | what it is |
//! |---|---|
//! | `operation` | `create_worktree` or `remove_worktree` |
//! | `path` | the folder of the worktree |
//! | `branch`, `base_branch` | of CreateWorktree |
//! | `force`, `delete_branch` | of RemoveWorktree |

use super::form::{Draft, Form, Outputs};
use super::shell::needed;
use crate::blocks::reader::{By, Piece, Reader};
use crate::shape::{self, Shape};
use crate::text::Node;
use kernel::language::Syntax;
use kernel::plan::{Adapter, Deadline, Expr, OnInterrupt, Work};
use serde_json::Value;
use std::collections::BTreeMap;

/// How long it may take where the definition does not say: ten minutes, because all files of a commit are written.
const TIMEOUT_MS: u64 = 600_000;

/// Makes a worktree of the repository that the run's folder belongs to.
pub(in crate::blocks) const CREATE: Form = Form {
    name: "CreateWorktree",
    outputs: Outputs::Named(&[("worktree_path", "text"), ("branch", "text"), ("created", "true or false")]),
    readable: &["path", "branch", "base_branch"],
    named_values: None,
    lower: |reader, block| lower(reader, block, &CREATE_KIND),
};

/// Removes one.
pub(in crate::blocks) const REMOVE: Form = Form {
    name: "RemoveWorktree",
    outputs: Outputs::Named(&[
        ("worktree_path", "text"),
        ("branch", "text"),
        ("removed", "true or false"),
        ("branch_deleted", "true or false"),
    ]),
    readable: &["path", "force", "delete_branch"],
    named_values: None,
    lower: |reader, block| lower(reader, block, &REMOVE_KIND),
};

/// What one of the two types takes.
struct Kind {
    operation: &'static str,
    shape: Shape,
    /// The form of its inputs, as a person would write them.
    hint: &'static str,
    /// Texts it cannot do without, and how to say them.
    needed: &'static [(&'static str, &'static str)],
    /// Other texts.
    texts: &'static [&'static str],
    /// What is true or false.
    flags: &'static [&'static str],
}

const BESIDE: &str = "it belongs beside `inputs`";

const ELSEWHERE: &[(&str, &str)] =
    &[("depends_on", BESIDE), ("condition", BESIDE), ("retry", BESIDE), ("on_interrupt", BESIDE)];

const PATH: (&str, &str) = ("path", "say where: `path: .worktrees/feature`");

const CREATE_KIND: Kind = Kind {
    operation: "create_worktree",
    shape: Shape {
        has_no: "CreateWorktree has no input",
        keys: &["path", "branch", "base_branch", "timeout"],
        elsewhere: ELSEWHERE,
    },
    hint: "write `inputs: {path: .worktrees/feature, branch: feature}`",
    needed: &[PATH, ("branch", "say on which branch: `branch: feature`")],
    texts: &["base_branch"],
    flags: &[],
};

const REMOVE_KIND: Kind = Kind {
    operation: "remove_worktree",
    shape: Shape {
        has_no: "RemoveWorktree has no input",
        keys: &["path", "force", "delete_branch", "timeout"],
        elsewhere: ELSEWHERE,
    },
    hint: "write `inputs: {path: .worktrees/feature}`",
    needed: &[PATH],
    texts: &[],
    flags: &["force", "delete_branch"],
};

fn lower(reader: &mut Reader<'_, '_>, block: usize, kind: &Kind) -> Draft {
    let inputs = inputs(reader, block, kind);
    let work = Work::Server { adapter: Adapter::Git, inputs, secrets: BTreeMap::new() };
    // Asked for twice it is done once.
    Draft { timeout: Deadline::After(TIMEOUT_MS), on_interrupt: OnInterrupt::Retry, ..Draft::new(work) }
}

fn inputs(reader: &mut Reader<'_, '_>, block: usize, kind: &Kind) -> Vec<(String, Expr)> {
    let node = reader.world.blocks[block].node;
    let (place, inputs) = match node.entry("inputs") {
        Some((key, inputs)) => (key.place(), Some(inputs)),
        None => (reader.world.blocks[block].place, None),
    };
    if inputs.is_some_and(|inputs| !shape::is_map(&mut reader.mistakes, inputs, "`inputs`", kind.hint)) {
        return Vec::new();
    }
    let meant = inputs.map(|inputs| shape::check_keys(&mut reader.mistakes, inputs, &kind.shape));
    let given = |name: &str| inputs.and_then(|inputs| inputs.get(name));
    let mut lowered = vec![("operation".to_owned(), Expr::Const(Value::String(kind.operation.to_owned())))];
    for (name, hint) in kind.needed {
        match given(name) {
            Some(node) => {
                if *name == PATH.0 {
                    reader.not_governing(node);
                }
                lowered.push(((*name).to_owned(), reader.worktree_text(node, block, name, hint)));
            }
            None if meant.as_ref().is_some_and(|meant| meant.contains(name)) => {}
            None => {
                let owner = reader.world.blocks[block].called(called(kind));
                shape::missing(&mut reader.mistakes, place, &owner, name, hint);
            }
        }
    }
    for name in kind.texts {
        if let Some(node) = given(name).filter(|node| !node.is_null()) {
            let hint = "leave it out for the branch that is checked out";
            lowered.push(((*name).to_owned(), reader.worktree_text(node, block, name, hint)));
        }
    }
    for name in kind.flags {
        if let Some(node) = given(name) {
            lowered.push(((*name).to_owned(), reader.worktree_flag(node, block, name)));
        }
    }
    lowered
}

fn called(kind: &Kind) -> &'static str {
    if kind.operation == CREATE_KIND.operation { "CreateWorktree" } else { "RemoveWorktree" }
}

impl<'n> Reader<'_, 'n> {
    fn worktree_text(&mut self, node: &'n Node, block: usize, name: &str, hint: &str) -> Expr {
        let nothing = Expr::Const(Value::Null);
        let Some(text) = shape::text(&mut self.mistakes, node, &format!("`{name}`")) else { return nothing };
        if text.is_empty() {
            self.mistakes.error(|sheet| {
                let message = format!("`{name}` is empty");
                sheet.error("bad-value", node.place(), message).hint(hint)
            });
        }
        needed(self.text(node, By::Inputs(block)))
    }

    /// Reads what is true or false, or a reference to what is.
    fn worktree_flag(&mut self, node: &'n Node, block: usize, name: &str) -> Expr {
        if let Some(flag) = node.as_bool() {
            return Expr::Const(Value::Bool(flag));
        }
        if node.as_string().is_some() {
            match self.pieces(node, By::Inputs(block), Syntax::Dollar).as_deref() {
                Some([Piece::Reference(path, _)]) => return Expr::Needed(path.clone()),
                None => return Expr::Const(Value::Null),
                _ => {}
            }
        }
        let hint = "write `true`, `false` or one reference";
        shape::wrong_kind(&mut self.mistakes, node, &format!("`{name}`"), "true or false", hint);
        Expr::Const(Value::Null)
    }
}
