//! Says effects, questions and statuses in a few words, so that expectations read like a story.

use kernel::data::{Kind, Reference};
use kernel::question::Piece;
use kernel::{Data, Digest, Effect, Outcome, Question, Status, Waiting};
use serde_json::Value;

pub(crate) fn effect(effect: &Effect) -> String {
    match effect {
        Effect::Perform(perform) => format!("perform {}{}", perform.id, inputs(&perform.inputs)),
        Effect::Offer(action) => {
            let overdue = if action.overdue { " overdue" } else { "" };
            format!("offer {}{}{overdue}", action.id, inputs(&action.inputs))
        }
        Effect::Withdraw { id } => format!("withdraw {id}"),
        Effect::StartTimer { id, due } => format!("timer {id} at {due}"),
        Effect::StartChild { id, workflow, inputs: given, depth, .. } => {
            format!("child {id} {workflow} depth {depth}{}", inputs(given))
        }
        Effect::CancelChild { id, reason, .. } => format!("cancel {id}: {reason}"),
        Effect::TellParent { effect, outcome, .. } => format!("tell {effect} {}", self::outcome(outcome)),
    }
}

fn inputs(fields: &kernel::Fields) -> String {
    if fields.is_empty() {
        return String::new();
    }
    let said = fields.iter().map(|(name, data)| format!("{name}={}", self::data(data)));
    format!(" {}", said.collect::<Vec<_>>().join(" "))
}

pub(crate) fn data(data: &Data) -> String {
    match data {
        Data::Inline(value) => value.to_string(),
        Data::Stored(reference) => format!("<{}>", reference.head),
    }
}

pub(crate) fn question(question: &Question) -> String {
    match question {
        Question::Evaluate { expressions, scope, .. } => {
            let scope = scope.iter().map(|(path, data)| format!("{path}={}", self::data(data)));
            format!("{} with {}", expressions.join("; "), scope.collect::<Vec<_>>().join(", "))
        }
        Question::Compute { fields, scope, .. } => {
            let names = fields.iter().map(|field| field.name.as_str()).collect::<Vec<_>>();
            let scope = scope.iter().map(|(path, data)| format!("{path}={}", self::data(data)));
            format!("compute {} with {}", names.join("; "), scope.collect::<Vec<_>>().join(", "))
        }
        Question::Load { .. } => "load".to_owned(),
        Question::Gather { wholes, .. } => {
            let stored = wholes.iter().flatten().filter(|piece| !matches!(piece, Piece::Json(_))).count();
            format!("gather {stored}")
        }
    }
}

pub(crate) fn outcome(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Succeeded { outputs } => format!("succeeded{}", inputs(outputs)),
        Outcome::Failed { failure } => format!("failed: {failure}"),
        Outcome::Cancelled { reason } => format!("cancelled: {reason}"),
    }
}

pub(crate) fn status(status: &Status) -> String {
    match status {
        Status::Queued => "queued".into(),
        Status::Running => "running".into(),
        Status::Waiting(waiting) => {
            let said = waiting.iter().map(|waiting| match waiting {
                Waiting::Agent(step) => format!("agent {step}"),
                Waiting::Human(step) => format!("human {step}"),
                Waiting::Decision(step) => format!("decision {step}"),
                Waiting::Clock(step, due) => format!("clock {step} {due}"),
                Waiting::Child(step) => format!("child {step}"),
            });
            format!("waiting: {}", said.collect::<Vec<_>>().join(", "))
        }
        Status::Closing => "closing".into(),
        Status::Ended(ended) => outcome(ended),
    }
}

/// A reference to a value, and its digest.
pub(crate) fn stored(value: &Value) -> (Data, Digest) {
    let (kind, body) = match value {
        Value::String(text) => (Kind::Text, text.clone()),
        other => (Kind::Json, other.to_string()),
    };
    let digest = Digest::of(body.as_bytes());
    let head = body.chars().take(8).collect();
    (Data::Stored(Reference { digest, size: body.len() as u64, kind, head }), digest)
}
