//! One state: its action, its time and its ways.

use super::action::{self, Action};
use super::nested::Nested;
use super::{Entry, condition, tools};
use crate::mistakes::Mistakes;
use crate::near::nearest;
use crate::shape::{self, Shape, did_you_mean, wrong_kind};
use crate::text::{Node, Source};
use kernel::plan::{Deadline, OnInterrupt, State, Step, Transition, Work};
use serde_json::Value;

const STATE: Shape = Shape {
    has_no: "a state has no key",
    keys: &["action", "transitions", "timeout", "timeout_seconds", "on_timeout"],
    elsewhere: &[("tool", "it belongs to `action`"), ("params", "it belongs to `action`")],
};

const TRANSITION: Shape = Shape {
    has_no: "a transition has no key",
    keys: &["condition", "next_state", "pattern"],
    elsewhere: &[],
};

/// How long a state may take, in seconds.
const SECONDS_MIN: f64 = 0.1;
const SECONDS_MAX: f64 = 300.0;

/// How long a state takes at most where it does not say.
const SECONDS_USUAL: f64 = 30.0;

/// What a state has over the time for which its tool waits, in seconds.
const SECONDS_OVER: f64 = 5.0;

/// The states of a definition: each with its key and what it is.
pub(super) type States<'n> = Vec<(&'n str, &'n Node, &'n Node)>;

/// A state as it was read.
pub(super) struct Draft {
    pub(super) step: Step,
    pub(super) state: State,
    /// The conditions as they were written.
    pub(super) written: Vec<Value>,
    /// The workflow that stands in it and is run by it.
    pub(super) nested: Option<Nested>,
}

/// Reads states with the same mistakes and names.
pub(super) struct Reader<'r, 's, 'n> {
    pub(super) mistakes: &'r mut Mistakes<'s>,
    pub(super) states: &'r States<'n>,
    pub(super) entry: Entry,
    pub(super) source: &'r Source,
}

impl Reader<'_, '_, '_> {
    /// Reads one state.
    pub(super) fn state(&mut self, id: &str, key: &Node, node: &Node) -> Option<Draft> {
        if node.is_null()
            || !shape::is_map(self.mistakes, node, &format!("state `{id}`"), "write `{action: ..}`")
        {
            if node.is_null() {
                shape::missing(
                    self.mistakes,
                    key.place(),
                    &format!("state `{id}`"),
                    "action",
                    "say what it does",
                );
            }
            return None;
        }
        shape::check_keys(self.mistakes, node, &STATE);
        let action = action::read(self.mistakes, node, id, (self.entry, self.source));
        let seconds = self.seconds(node);
        let (transitions, written) = self.transitions(id, node);
        let on_timeout = node.get("on_timeout").and_then(|target| self.timeout_target(id, target));
        let Action { tool, work, waits, nested } = action?;
        let timeout = deadline(seconds, waits, &work);
        // What waits for output may also fail before its time is up.
        let on_failure = on_timeout.filter(|_| tools::tool(tool).is_some_and(|tool| tool.waits));
        let mut step = Step::new(id, work);
        // A session ends with the server that holds it: asking again can only be told that it is gone.
        (step.kind, step.timeout, step.on_interrupt) = (tool.to_owned(), timeout, OnInterrupt::Retry);
        let state = State { transitions, on_timeout, on_failure, ..State::default() };
        Some(Draft { step, state, written, nested })
    }

    /// How long the state may take, where it says so.
    fn seconds(&mut self, node: &Node) -> Option<f64> {
        let given = ["timeout", "timeout_seconds"].map(|key| node.get(key).map(|value| (key, value)));
        if let [Some((_, one)), Some((key, other))] = &given
            && one.as_f64() != other.as_f64()
        {
            let message = format!("`timeout` and `{key}` are the same thing, and differ");
            self.mistakes.error(|sheet| {
                sheet.error("two-times", other.place(), message).related(one.place(), "the other one is here")
            });
        }
        let (key, value) = given.into_iter().flatten().next()?;
        let seconds = value.as_f64().filter(|_| value.as_string().is_none());
        let good = seconds.is_some_and(|seconds| (SECONDS_MIN..=SECONDS_MAX).contains(&seconds));
        if !good {
            self.mistakes.error(|sheet| {
                let message = format!("`{key}` is a number of seconds from {SECONDS_MIN} to {SECONDS_MAX}");
                sheet.error("bad-value", value.place(), message)
            });
        }
        seconds.filter(|_| good)
    }

    fn transitions(&mut self, id: &str, state: &Node) -> (Vec<Transition>, Vec<Value>) {
        let Some(node) = state.get("transitions").filter(|node| !node.is_null()) else {
            return Default::default();
        };
        let Some(items) = node.as_list() else {
            let hint = "write `- {condition: .., next_state: ..}`";
            wrong_kind(self.mistakes, node, "`transitions`", "a list", hint);
            return Default::default();
        };
        let max = if self.entry == Entry::Create { 10 } else { 20 };
        if items.len() > max {
            let message = format!("state `{id}` has {} transitions; at most {max} are allowed", items.len());
            self.mistakes.error(|sheet| sheet.error("too-many", node.place(), message));
        }
        let ways = items.iter().filter_map(|item| self.transition(id, item));
        ways.unzip()
    }

    fn transition(&mut self, id: &str, node: &Node) -> Option<(Transition, Value)> {
        if node.as_map().is_none() {
            let hint = "write `{condition: {success: true}, next_state: done}`";
            wrong_kind(self.mistakes, node, "a transition", "a mapping", hint);
            return None;
        }
        shape::check_keys(self.mistakes, node, &TRANSITION);
        let (condition, target) = (node.get("condition"), node.get("next_state"));
        for (key, value) in [("condition", condition), ("next_state", target)] {
            if value.is_none() {
                let hint = "write `{condition: {success: true}, next_state: done}`";
                shape::missing(self.mistakes, node.place(), "the transition", key, hint);
            }
        }
        let tests = condition.map(|condition| condition::read(self.mistakes, node, condition));
        let to = target.and_then(|target| self.target(id, target));
        Some((Transition::tested(tests?, to?), condition?.to_value()))
    }

    /// The position of the state that a transition leads to.
    fn target(&mut self, id: &str, node: &Node) -> Option<u32> {
        let name = shape::text(self.mistakes, node, "`next_state`")?;
        let message = match self.entry {
            Entry::Create => format!("State '{id}' transition target '{name}' not found"),
            _ => format!("State '{id}' references non-existent state '{name}'"),
        };
        self.position(node, name, message)
    }

    fn timeout_target(&mut self, id: &str, node: &Node) -> Option<u32> {
        let name = shape::text(self.mistakes, node, "`on_timeout`")?;
        self.position(node, name, format!("State '{id}' timeout target '{name}' not found"))
    }

    /// The position of a state; reported where there is none.
    pub(super) fn position(&mut self, node: &Node, name: &str, message: String) -> Option<u32> {
        let found = self.states.iter().position(|(id, ..)| *id == name);
        if found.is_none() {
            let near = nearest(name, self.states.iter().map(|(id, ..)| *id));
            self.mistakes.error(|sheet| {
                let diagnostic = sheet.error("unknown-state", node.place(), message);
                match near {
                    Some(word) => diagnostic.label(did_you_mean(word)),
                    None => diagnostic,
                }
            });
        }
        found.and_then(|found| u32::try_from(found).ok())
    }
}

/// How long an attempt may take. A workflow has its own bound.
fn deadline(seconds: Option<f64>, waits: Option<f64>, work: &Work) -> Deadline {
    let seconds = match (seconds, waits, work) {
        (Some(seconds), ..) => seconds,
        (None, _, Work::Child { .. }) => return Deadline::Never,
        (None, Some(waits), _) => SECONDS_USUAL.max(waits + SECONDS_OVER),
        (None, None, _) => SECONDS_USUAL,
    };
    Deadline::After((seconds * 1_000.0).round() as u64)
}
