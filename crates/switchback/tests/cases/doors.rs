//! The doors of the product, and which of them a case is played through.
//!
//! ```text
//!  alone              the command line, all of it in one process
//!  daemon             the command line, through the daemon
//!  mcp 2025-06-18     tools, a client that shakes hands first
//!  mcp 2026-07-28     tools, a client that says with each request who it is
//! ```
//!
//! The steps decide: a conversation goes through every door at which it can be held. Commands that only look at what is
//! stored may be typed beside a connection, so they never stand in the way.

use std::fmt;

use crate::case::{Action, Ask, Case, Source, Step, Target, Who};
use crate::said;

/// A way into the product.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Door {
    Alone,
    Daemon,
    Mcp(Era),
}

/// How a client and a server of MCP get to know each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Era {
    Handshake,
    Stateless,
}

impl Era {
    pub(crate) const ALL: [Self; 2] = [Self::Handshake, Self::Stateless];

    /// The revision of the protocol that is spoken.
    pub(crate) fn revision(self) -> &'static str {
        match self {
            Self::Handshake => "2025-06-18",
            Self::Stateless => "2026-07-28",
        }
    }
}

impl Door {
    pub(crate) const ALL: [Self; 4] =
        [Self::Alone, Self::Daemon, Self::Mcp(Era::Handshake), Self::Mcp(Era::Stateless)];

    /// The word a case says for one door or for several.
    pub(crate) const WORDS: [(&'static str, &'static [Self]); 5] = [
        ("alone", &[Self::Alone]),
        ("daemon", &[Self::Daemon]),
        ("command line", &[Self::Alone, Self::Daemon]),
        ("mcp", &[Self::Mcp(Era::Handshake), Self::Mcp(Era::Stateless)]),
        ("mcp 2026-07-28", &[Self::Mcp(Era::Stateless)]),
    ];
}

impl fmt::Display for Door {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Alone => f.write_str("alone"),
            Self::Daemon => f.write_str("daemon"),
            Self::Mcp(era) => write!(f, "mcp {}", era.revision()),
        }
    }
}

/// Returns why a case is not played through a door, or nothing if it is.
pub(crate) fn why_not(case: &Case, door: Door) -> Option<String> {
    if let Some(only) = &case.only {
        let words = Door::WORDS.iter().find(|(_, doors)| doors == only).map_or("others", |(word, _)| word);
        return (!only.contains(&door)).then(|| format!("it is about: {words}"));
    }
    let speaks_mcp = case.steps().find(|step| step.is_mcp());
    match (door, speaks_mcp) {
        (Door::Mcp(_), Some(_)) => None,
        (_, Some(step)) => Some(format!("line {}: {}", step.line, step.describe())),
        (Door::Alone, None) => {
            let who = kill_points_of(case)?;
            matches!(who, Who::Daemon | Who::Pipe).then(|| format!("kill points of the {}", who.word()))
        }
        (Door::Daemon, None) => case.steps().find_map(|step| ends_a_process(case, step)),
        (Door::Mcp(_), None) => case
            .steps()
            .find_map(|step| ends_a_process(case, step).or_else(|| unsayable(step)))
            .or_else(|| nothing_to_say(case)),
    }
}

fn kill_points_of(case: &Case) -> Option<Who> {
    case.conversation.iter().find_map(|step| match &step.action {
        Action::ForEachKillPoint(group) => Some(group.who),
        _ => None,
    })
}

/// A command that dies takes its runs with it only where it carries them itself.
fn ends_a_process(case: &Case, step: &Step) -> Option<String> {
    let of_command = kill_points_of(case).is_none_or(|who| who == Who::Command);
    match &step.action {
        Action::Signal { .. } => Some(format!("line {}: a signal to the command", step.line)),
        Action::Ask(Ask { kill_at: Some(_), .. }) if of_command => {
            Some(format!("line {}: kill points of the command", step.line))
        }
        _ => None,
    }
}

/// Returns why a step cannot be said with tools.
fn unsayable(step: &Step) -> Option<String> {
    let Action::Ask(ask) = &step.action else { return None };
    let Target::Run(args) = &ask.target else { return None };
    let why = |what: String| Some(format!("line {}: {what}", step.line));
    match args.first().map(String::as_str) {
        Some("check" | "verify" | "show" | "runs" | "list") => None,
        Some("run" | "cancel") => {
            let is_json = args.iter().any(|arg| arg == "--json");
            let by_text = |(_, source): &(String, Source)| matches!(source, Source::Regex(..)) && !is_json;
            if ask.kill_at.is_some() {
                return why("kill points".to_owned());
            }
            if !ask.env.is_empty() {
                return why("a command with an environment of its own".to_owned());
            }
            if ask.check.remember.iter().any(by_text) {
                return why("a text of the command line is remembered".to_owned());
            }
            let input = |pair: &&[String]| ["-i", "--input"].contains(&pair[0].as_str());
            if let Some(pair) = args.windows(2).filter(input).find(|pair| !pair[1].contains('=')) {
                return why(format!("no tool takes `{}`", pair[1]));
            }
            let known = |arg: &&String| ["-i", "--input", "--json", "--reason"].contains(&arg.as_str());
            let flag = args.iter().find(|arg| arg.starts_with('-') && !known(arg));
            flag.and_then(|flag| why(format!("no tool has `{flag}`")))
        }
        Some(verb) => why(format!("no tool does `{verb}`")),
        None => why("a command without words".to_owned()),
    }
}

/// A conversation in which everything is typed is the same at every door.
fn nothing_to_say(case: &Case) -> Option<String> {
    let is_said = |step: &Step| match &step.action {
        Action::Ask(Ask { target: Target::Run(args), .. }) => said::can_say(args),
        _ => false,
    };
    (!case.steps().any(is_said)).then(|| "nothing in it is said with tools".to_owned())
}
