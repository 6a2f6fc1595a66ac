//! What comes of each call: plain values, whose documents have the fields that their callers know. Every document carries
//! `success` and `error`; that nothing matched in time is no error.

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::refused::Refused;

/// What came of a call.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Answer {
    /// Of `open_terminal`.
    Opened(Opened),
    /// Of `send_input`.
    Sent(Sent),
    /// Of `await_output`.
    Awaited(Awaited),
    /// Of `get_screen_content`.
    Shown(Shown),
    /// Of `list_terminal_sessions`.
    Listed(Listed),
    /// Of `exit_terminal`.
    Exited(Exited),
}

/// A session was opened.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Opened {
    /// Its id.
    pub session_id: String,
    /// What runs in it.
    pub shell: String,
    /// Where it can be seen in a browser: nowhere.
    pub web_url: Option<String>,
    /// What it shows.
    pub screen_content: String,
    /// Whether its program runs.
    pub process_running: bool,
    /// Its size.
    pub size: String,
    /// Where it is recorded, if it is.
    pub recording: Option<String>,
    /// When this was so.
    pub timestamp: String,
}

/// Something was typed.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Sent {
    /// The session.
    pub session_id: String,
    /// What it shows.
    pub screen_content: String,
    /// Whether its program runs.
    pub process_running: bool,
    /// Whether output came before this was answered.
    pub has_output: bool,
    /// Bytes that its program has not taken.
    #[serde(skip_serializing_if = "is_zero")]
    pub unwritten_bytes: usize,
    /// When this was so.
    pub timestamp: String,
}

/// It was waited.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Awaited {
    /// The session.
    pub session_id: String,
    /// What matched; nothing if nothing did.
    pub match_text: Option<String>,
    /// The groups of the match, in the order of their brackets.
    pub groups: Vec<Option<String>>,
    /// Those that have names.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub named_groups: Map<String, Value>,
    /// How long it took, in seconds.
    pub elapsed_time: f64,
    /// Whether the time ran out.
    pub timed_out: bool,
    /// What it shows.
    pub screen_content: String,
    /// Whether its program runs.
    pub process_running: bool,
    /// When this was so.
    pub timestamp: String,
}

/// A session was looked at.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Shown {
    /// The session.
    pub session_id: String,
    /// What was asked for.
    pub screen_content: String,
    /// What is not in it, if something is not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left_out: Option<String>,
    /// Whether its program runs.
    pub process_running: bool,
    /// How it ended, if it has.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended: Option<String>,
    /// The cursor, as row and column from one.
    pub cursor: (u16, u16),
    /// When this was so.
    pub timestamp: String,
}

/// Sessions were listed.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Listed {
    /// How many live.
    pub total_sessions: usize,
    /// All that are known, those that have ended or were lost last.
    pub sessions: Vec<Row>,
    /// When this was so.
    pub timestamp: String,
}

/// One session in a list.
#[derive(Debug, Clone, PartialEq, Serialize, serde::Deserialize)]
pub struct Row {
    /// Its id.
    pub session_id: String,
    /// `running`, `ended` or `lost`.
    pub status: String,
    /// What runs in it.
    pub shell: String,
    /// The folder it began in.
    pub working_directory: String,
    /// The workspace it belongs to.
    pub workspace: String,
    /// Its size.
    pub size: Option<String>,
    /// The title that its program has set.
    pub title: Option<String>,
    /// What reads its keyboard, if that is not what it was opened with.
    pub foreground: Option<String>,
    /// For how long nothing came and nothing was typed, in seconds.
    pub idle_seconds: Option<f64>,
    /// When it was opened.
    pub opened_at: String,
    /// Who opened it.
    pub opened_by: String,
    /// The run it belongs to, if it does to one.
    pub run: Option<String>,
    /// How and when it ended, or why and when it was lost.
    pub what: Option<String>,
    /// The person who holds it, if one does.
    pub held_by: Option<String>,
    /// How many people look at it.
    pub watchers: usize,
    /// Where it is recorded, if it is.
    pub recording: Option<String>,
}

/// A session was ended.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Exited {
    /// The session.
    pub session_id: String,
    /// What became of it.
    pub message: String,
    /// Where it was recorded, if it was.
    pub recording: Option<String>,
    /// When this was so.
    pub timestamp: String,
}

impl Answer {
    /// The document of an answer, or of a refusal.
    pub fn document(answer: &Result<Answer, Refused>) -> Value {
        match answer {
            Ok(answer) => answer.to_json(),
            Err(refused) => refused.to_json(),
        }
    }

    /// The document: `success` first, `error` last.
    pub fn to_json(&self) -> Value {
        let mut document = json!({ "success": true });
        let Ok(Value::Object(fields)) = serde_json::to_value(self) else {
            unreachable!("BUG: an answer is no object")
        };
        for (name, value) in fields {
            document[name] = value;
        }
        document["error"] = Value::Null;
        document
    }
}

fn is_zero(number: &usize) -> bool {
    *number == 0
}
