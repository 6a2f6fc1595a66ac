//! Steps as agents receive them: every value put in, nothing left to decide. Whatever dialect a run is of, what it asks
//! becomes one of seven types.
//!
//! | a run asks | the agent gets |
//! |---|---|
//! | what this dialect calls so | the same, `apply_hints` as a `mcp_call` of that name |
//! | a command for the agent | `agent_shell_command` |
//! | a tool | `mcp_call` |
//! | a word to a person | `user_message` |
//! | a question to a person | `user_input` |
//! | work for a sub-agent | `parallel_tasks` with one task |

use super::instructions;
use crate::view::asked::{label, step};
use crate::view::{Asked, AskedKind};
use kernel::plan::{Dialect, Plan};
use serde_json::{Map, Value, json};

/// What stands beside the definition of a step, and not in it.
const REPLACEMENTS: &str = "variable_replacements";
const EXPRESSION: &str = "original_expression";

/// The types of steps that agents receive.
pub const TYPES: [&str; 7] = [
    "shell_command",
    "agent_shell_command",
    "state_update",
    "mcp_call",
    "parallel_tasks",
    "user_message",
    "user_input",
];

/// A step that is ready to be carried out.
#[derive(Debug, Clone, PartialEq)]
pub struct Atomic {
    /// What it is called where it is handed in.
    pub id: String,
    /// One of the seven types.
    pub kind: &'static str,
    /// What to do, in one or two sentences.
    pub instructions: String,
    /// What it takes to do it.
    pub definition: Map<String, Value>,
    /// The placeholders of the definition and what was put in for them.
    pub replacements: Option<Value>,
    /// The expression that gave its value.
    pub expression: Option<Value>,
    /// Which attempt is due.
    pub attempt: u32,
    /// Why it is offered again.
    pub note: Option<String>,
    /// Whether only a human may answer.
    pub humans_only: bool,
    /// Whether the result should have come by now.
    pub overdue: bool,
}

impl Atomic {
    /// The step that a question of a run is.
    pub fn of(asked: &Asked) -> Atomic {
        let mut definition =
            if asked.dialect == Dialect::Reactive { asked.parameters.clone() } else { of_others(asked) };
        let replacements = definition.remove(REPLACEMENTS).filter(|found| !found.is_null());
        let expression = definition.remove(EXPRESSION).filter(|found| !found.is_null());
        definition.retain(|name, value| name != "kind" && !value.is_null());
        let kind = kind(asked);
        if asked.word == "apply_hints" {
            definition.insert("method".to_owned(), json!("apply_hints"));
        }
        Atomic {
            id: id(asked),
            kind,
            instructions: instructions::of(kind, &asked.word, &definition),
            definition,
            replacements,
            expression,
            attempt: asked.attempt,
            note: asked.note.clone(),
            humans_only: asked.is_gate(),
            overdue: asked.overdue,
        }
    }

    /// As it is answered.
    pub fn to_json(&self) -> Value {
        let mut value = json!({
            "id": self.id,
            "type": self.kind,
            "instructions": self.instructions,
            "definition": self.definition,
        });
        let more = [
            (REPLACEMENTS, self.replacements.clone()),
            (EXPRESSION, self.expression.clone()),
            ("attempt", Some(json!(self.attempt))),
            ("note", self.note.clone().map(Value::String)),
            ("humans_only", self.humans_only.then_some(Value::Bool(true))),
            ("overdue", self.overdue.then_some(Value::Bool(true))),
        ];
        for (key, found) in more {
            if let Some(found) = found {
                value[key] = found;
            }
        }
        value
    }

    /// The path at which its result is stored, if it is.
    pub fn stored_at(&self) -> Option<&str> {
        self.definition.get("state_update")?.get("path")?.as_str()
    }
}

/// What a step is called: by the steps that lead to it from the run that is driven. The first visit has no number.
pub fn id(asked: &Asked) -> String {
    let way: Vec<String> = asked.path.iter().map(|part| name(part)).collect();
    let own = match asked.dialect {
        Dialect::Reactive => way.join("/"),
        _ => asked.path.join("/"),
    };
    if asked.dialect == Dialect::Reactive && asked.word == "shell_command" {
        return format!("{own}.shell_command");
    }
    own
}

/// Whether a caller means this step: by what it is called, with its type behind it or not, or by the id of its question. A name
/// that the plan gives a step means that step and no other with its type behind it.
pub fn is_meant(asked: &Asked, named: &str, plan: &Plan) -> bool {
    let own = id(asked);
    let plain = own.strip_suffix(".shell_command").filter(|_| asked.word == "shell_command");
    let plain = plain.unwrap_or(&own);
    let typed = [asked.word.as_str(), kind(asked)].map(|word| format!("{plain}.{word}"));
    named == own
        || named == plain
        || typed.iter().any(|typed| typed == named) && plan.steps.iter().all(|step| step.id != named)
        || named == asked.question_id
        || named == step(&asked.effect)
}

/// The lane that an activity is of, and what its step is called there: `2/look@1` is `look` in lane 2.
pub fn lane(key: &str) -> (u32, String) {
    let (lane, rest) = match key.split_once('/') {
        Some((lane, rest)) if !lane.is_empty() && lane.bytes().all(|byte| byte.is_ascii_digit()) => {
            (lane.parse().unwrap_or_default(), rest)
        }
        _ => (0, key),
    };
    (lane, rest.strip_suffix("@1").unwrap_or(rest).to_owned())
}

fn name(key: &str) -> String {
    lane(key).1
}

fn kind(asked: &Asked) -> &'static str {
    if asked.dialect == Dialect::Reactive {
        let own = TYPES.into_iter().find(|kind| *kind == asked.word);
        return own.unwrap_or("mcp_call");
    }
    match (asked.word.as_str(), asked.kind) {
        ("shell", _) => "agent_shell_command",
        ("mcp_call", _) => "mcp_call",
        (_, AskedKind::Agent) => "parallel_tasks",
        (_, AskedKind::Info) => "user_message",
        _ => "user_input",
    }
}

/// The definition of a step of another dialect.
fn of_others(asked: &Asked) -> Map<String, Value> {
    let given = if asked.parameters.is_empty() { &asked.shown } else { &asked.parameters };
    let take = |names: &[(&str, &str)]| -> Map<String, Value> {
        let found = names.iter().filter_map(|(from, to)| Some(((*to).to_owned(), given.get(*from)?.clone())));
        found.collect()
    };
    match kind(asked) {
        "agent_shell_command" => take(&[("command", "command"), ("timeout", "timeout")]),
        "mcp_call" => take(&[("tool", "method"), ("args", "params")]),
        "user_message" => take(&[("message", "message")]),
        "user_input" => question(asked, given),
        _ => {
            let task = json!({ "task_id": step(&asked.effect), "context": given });
            Map::from_iter([("tasks".to_owned(), json!([task]))])
        }
    }
}

fn question(asked: &Asked, given: &Map<String, Value>) -> Map<String, Value> {
    let mut definition = Map::from_iter([("prompt".to_owned(), json!(asked.prompt))]);
    let choices: Vec<String> = asked.choices.iter().map(label).collect();
    if !choices.is_empty() {
        definition.insert("choices".to_owned(), json!(choices));
    }
    for name in ["default", "validation", "details"] {
        definition.extend(given.get(name).map(|value| (name.to_owned(), value.clone())));
    }
    definition
}
