//! What a case is: plain data, read once, run as often as needed. cases/README.md describes it for authors.
//!
//! A step is an [`Action`]. An [`Ask`] is a question put to the product and what its answer must be; its
//! [`Target`] says through which door. Tools called over MCP will be one more target with a driver of its own.

use std::time::Duration;

use serde_json::Value;

/// One file of `cases/`.
#[derive(Debug)]
pub(crate) struct Case {
    pub(crate) about: String,
    pub(crate) files: Vec<(String, String)>,
    pub(crate) env: Vec<(String, String)>,
    pub(crate) conversation: Vec<Step>,
}

/// One step of a conversation and the line it stands on.
#[derive(Debug)]
pub(crate) struct Step {
    pub(crate) line: usize,
    pub(crate) action: Action,
}

#[derive(Debug)]
pub(crate) enum Action {
    Ask(Ask),
    Write(Vec<(String, String)>),
    Await { name: String, limit: Duration, check: Check },
    Signal { name: String, signal: SignalName },
    ForEachKillPoint { of: Box<Step>, steps: Vec<Step> },
}

/// A question put to the product.
#[derive(Debug)]
pub(crate) struct Ask {
    pub(crate) target: Target,
    pub(crate) env: Vec<(String, String)>,
    pub(crate) kill_at: Option<KillAt>,
    pub(crate) limit: Duration,
    /// The name under which the command goes on while the conversation continues.
    pub(crate) background: Option<String>,
    pub(crate) check: Check,
}

/// The door a question goes through.
#[derive(Debug)]
pub(crate) enum Target {
    /// The arguments of the product's command line.
    Run(Vec<String>),
    /// A helper of the case itself, given to `sh -c`.
    Shell(String),
}

/// At which kill point the command must die.
#[derive(Debug, Clone, Copy)]
pub(crate) enum KillAt {
    Number(u64),
    /// The one that the surrounding `for_each_kill_point` has come to.
    Each,
}

#[derive(Debug, Clone, Copy)]
pub(crate) enum SignalName {
    Int,
    Term,
    Kill,
}

/// What an answer must be and what to keep of it.
#[derive(Debug, Default)]
pub(crate) struct Check {
    pub(crate) exit: Option<Value>,
    pub(crate) stdout: Option<Value>,
    pub(crate) stderr: Option<Value>,
    pub(crate) json: Option<Value>,
    pub(crate) files: Vec<(String, Value)>,
    pub(crate) remember: Vec<(String, Source)>,
}

/// Where a remembered value comes from.
#[derive(Debug)]
pub(crate) enum Source {
    /// A JSON pointer into stdout.
    Json(String),
    /// A regular expression; its first group, or all of it.
    Stdout(String),
    Stderr(String),
}
