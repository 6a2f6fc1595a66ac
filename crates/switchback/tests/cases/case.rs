//! What a case is: plain data, read once, played as often as needed. cases/README.md describes it for authors.
//!
//! A step is an [`Action`]. An [`Ask`] is a question put to the product and what its answer must be; its
//! [`Target`] says how it is put. Through which doors the whole conversation is played is decided in `doors`.

use std::time::Duration;

use serde_json::Value;

use crate::answer::Part;
use crate::doors::{Door, Era};

/// One file of `cases/`.
#[derive(Debug)]
pub(crate) struct Case {
    pub(crate) about: String,
    pub(crate) files: Vec<(String, String)>,
    pub(crate) env: Vec<(String, String)>,
    /// The doors it is about, where it is not about all of them.
    pub(crate) only: Option<Vec<Door>>,
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
    Connect(Connect),
    Disconnect(String),
    CancelCall(String),
    ForEachKillPoint(KillPoints),
}

/// A question put to the product.
#[derive(Debug)]
pub(crate) struct Ask {
    pub(crate) target: Target,
    pub(crate) env: Vec<(String, String)>,
    pub(crate) kill_at: Option<KillAt>,
    pub(crate) limit: Duration,
    /// The name under which it goes on while the conversation continues.
    pub(crate) background: Option<String>,
    pub(crate) check: Check,
}

/// How a question is put.
#[derive(Debug)]
pub(crate) enum Target {
    /// The arguments of the product's command line.
    Run(Vec<String>),
    /// A helper of the case itself, given to `sh -c`.
    Shell(String),
    /// A request over MCP.
    Request(Request),
}

/// A request of one client.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    pub(crate) client: String,
    pub(crate) method: String,
    pub(crate) params: Value,
    /// Whether it asks to be told of progress.
    pub(crate) progress: bool,
}

/// The client that speaks where a step names none.
pub(crate) const FIRST_CLIENT: &str = "client";

/// A client that comes in.
#[derive(Debug)]
pub(crate) struct Connect {
    pub(crate) name: String,
    /// The project folder, inside the workspace.
    pub(crate) folder: Option<String>,
    /// What is said to `serve`.
    pub(crate) args: Vec<String>,
    pub(crate) env: Vec<(String, String)>,
    pub(crate) era: Option<Era>,
    /// What someone behind it says to whatever they are asked.
    pub(crate) answers: Option<Vec<serde_json::Value>>,
    pub(crate) kill_at: Option<KillAt>,
    pub(crate) limit: Duration,
    pub(crate) check: Check,
}

impl Connect {
    /// A client with nothing of its own.
    pub(crate) fn plain(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            folder: None,
            args: Vec::new(),
            env: Vec::new(),
            era: None,
            answers: None,
            kill_at: None,
            limit: LIMIT_DEFAULT,
            check: Check::default(),
        }
    }
}

/// How long an answer may take where a step does not say.
pub(crate) const LIMIT_DEFAULT: Duration = Duration::from_secs(60);

/// At which kill point a process must die.
#[derive(Debug, Clone, Copy)]
pub(crate) enum KillAt {
    Number(u64),
    /// The one that the surrounding `for_each_kill_point` has come to.
    Each,
}

/// A group that is repeated for each kill point.
#[derive(Debug)]
pub(crate) struct KillPoints {
    /// Which processes count and die.
    pub(crate) who: Who,
    /// What is played undisturbed to count the points.
    pub(crate) of: Vec<Step>,
    pub(crate) steps: Vec<Step>,
}

/// A process of the product, by what it does.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Who {
    /// The one that was started.
    Command,
    Daemon,
    Pipe,
    Evaluator,
}

impl Who {
    pub(crate) const ALL: [Self; 4] = [Self::Command, Self::Daemon, Self::Pipe, Self::Evaluator];

    /// The word for it, in cases and in `SWITCHBACK_KILL_WHO`.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Command => "command",
            Self::Daemon => "daemon",
            Self::Pipe => "pipe",
            Self::Evaluator => "evaluator",
        }
    }
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
    pub(crate) parts: Vec<(Part, Value)>,
    pub(crate) files: Vec<(String, Value)>,
    pub(crate) remember: Vec<(String, Source)>,
}

/// Where a remembered value comes from.
#[derive(Debug)]
pub(crate) enum Source {
    /// A JSON pointer into a part that is data.
    Pointer(Part, String),
    /// A regular expression over a part that is text; its first group, or all of it.
    Regex(Part, String),
}

impl Case {
    /// Returns every step, those of a repeated group too.
    pub(crate) fn steps(&self) -> impl Iterator<Item = &Step> {
        self.conversation.iter().flat_map(Step::all)
    }
}

impl Step {
    fn all(&self) -> Box<dyn Iterator<Item = &Step> + '_> {
        match &self.action {
            Action::ForEachKillPoint(group) => Box::new(group.of.iter().chain(&group.steps)),
            _ => Box::new(std::iter::once(self)),
        }
    }

    /// Returns whether only a client of MCP can take it.
    pub(crate) fn is_mcp(&self) -> bool {
        match &self.action {
            Action::Ask(Ask { target, .. }) => matches!(target, Target::Request(_)),
            Action::Connect(_) | Action::Disconnect(_) | Action::CancelCall(_) => true,
            _ => false,
        }
    }

    /// Returns the step in words.
    pub(crate) fn describe(&self) -> String {
        match &self.action {
            Action::Ask(Ask { target, .. }) => target.describe(),
            Action::Write(files) => {
                let paths: Vec<&str> = files.iter().map(|(path, _)| path.as_str()).collect();
                format!("write {}", paths.join(", "))
            }
            Action::Await { name, .. } => format!("await {name}"),
            Action::Signal { name, .. } => format!("signal {name}"),
            Action::Connect(connect) => format!("connect {}", connect.name),
            Action::Disconnect(name) => format!("disconnect {name}"),
            Action::CancelCall(name) => format!("cancel_call {name}"),
            Action::ForEachKillPoint(_) => "for each kill point".to_owned(),
        }
    }
}

impl Target {
    fn describe(&self) -> String {
        match self {
            Self::Run(args) => format!("switchback {}", args.join(" ")),
            Self::Shell(text) => format!("shell: {}", text.lines().next().unwrap_or_default()),
            Self::Request(request) => {
                let name = ["name", "uri"].iter().find_map(|key| request.params.get(key)?.as_str());
                format!("{} {}", request.method, name.unwrap_or_default()).trim_end().to_owned()
            }
        }
    }
}
