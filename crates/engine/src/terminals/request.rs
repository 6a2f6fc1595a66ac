//! What can be asked of terminals: one plain value a tool, read from the arguments of that tool.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

/// The tools, in the order of their names.
pub const TOOLS: [&str; 6] = [
    "await_output",
    "exit_terminal",
    "get_screen_content",
    "list_terminal_sessions",
    "open_terminal",
    "send_input",
];

/// One call.
#[derive(Debug, Clone, PartialEq)]
pub enum Request {
    /// `open_terminal`.
    Open(Open),
    /// `send_input`.
    Send(Send),
    /// `await_output`.
    Await(Await),
    /// `get_screen_content`.
    Look(Look),
    /// `list_terminal_sessions`.
    List,
    /// `exit_terminal`.
    Exit(Exit),
}

/// How soon a call can be answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pace {
    /// At once.
    Instant,
    /// Mostly at once; now and then after some milliseconds, or seconds where a program does not read.
    Brief,
    /// When it is done.
    Slow,
}

/// A pattern of so many bytes takes no time to speak of.
const PLAIN_BYTES_MAX: usize = 200;

/// Whether a pattern is short, and looks neither around nor back: these are searched in time that grows with the text alone.
fn is_plain(pattern: &str) -> bool {
    let looks_back =
        |pair: &[u8]| pair[0] == b'\\' && (pair[1].is_ascii_digit() || matches!(pair[1], b'k' | b'g'));
    let is_regular = !pattern.contains("(?") && !pattern.as_bytes().windows(2).any(looks_back);
    is_regular && pattern.len() <= PLAIN_BYTES_MAX
}

/// Opens a session.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Open {
    /// A program, or a command line of one; `bash` where nothing is said.
    pub shell: Option<String>,
    /// Further arguments. Where they are given, `shell` is the program alone, blanks and all.
    pub arguments: Option<Vec<String>>,
    /// The folder it starts in, from the workspace.
    pub working_directory: Option<String>,
    /// Variables beside those of the workspace.
    pub environment: Option<BTreeMap<String, String>>,
    /// The width.
    pub columns: Option<u16>,
    /// The height.
    pub rows: Option<u16>,
    /// How long nothing must come before it is answered; at the first output where nothing is said.
    pub settle_ms: Option<u64>,
}

/// Types into a session.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Send {
    /// The session.
    pub session_id: String,
    /// What is typed, as it is.
    pub input_text: String,
    /// Names of keys in the text (`<Enter>`, `<C-c>`) stand for keys.
    #[serde(default)]
    pub keys: Option<bool>,
    /// How long nothing must come before it is answered; at the first output where nothing is said.
    #[serde(default)]
    pub settle_ms: Option<u64>,
}

/// Waits for a pattern.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Await {
    /// The session.
    pub session_id: String,
    /// A regular expression.
    pub pattern: String,
    /// For how long, in seconds.
    #[serde(default)]
    pub timeout: Option<f64>,
}

/// Looks at a session.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Look {
    /// The session.
    pub session_id: String,
    /// What is shown; the screen where nothing is said.
    #[serde(default)]
    pub content_mode: Option<ContentMode>,
    /// How many lines `tail` shows.
    #[serde(default)]
    pub line_count: Option<u32>,
}

/// What is shown of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ContentMode {
    /// The rows that are seen.
    Screen,
    /// What came after the last input.
    SinceInput,
    /// The last lines.
    Tail,
    /// All lines that are kept.
    History,
}

/// Ends a session.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Exit {
    /// The session.
    pub session_id: String,
}

/// Why arguments are no request.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unread {
    /// No tool has this name.
    #[error("there is no terminal tool `{0}`")]
    Tool(String),
    /// An argument is missing, unknown or of another form.
    #[error("the arguments do not fit: {0}")]
    Arguments(String),
}

impl Request {
    /// How long it takes where nothing is waited for that is not there yet.
    pub fn pace(&self) -> Pace {
        match self {
            Request::Look(_) => Pace::Instant,
            Request::Await(wait) if is_plain(&wait.pattern) => Pace::Instant,
            Request::Await(_) => Pace::Brief,
            Request::Send(send) if send.settle_ms.is_none() => Pace::Brief,
            Request::Open(_) | Request::Send(_) | Request::List | Request::Exit(_) => Pace::Slow,
        }
    }

    /// Reads the arguments of a tool; one that is `null` is not given.
    pub fn read(tool: &str, arguments: Value) -> Result<Request, Unread> {
        let arguments = without_nulls(arguments);
        match tool {
            "open_terminal" => fields(arguments).map(Request::Open),
            "send_input" => fields(arguments).map(Request::Send),
            "await_output" => fields(arguments).map(Request::Await),
            "get_screen_content" => fields(arguments).map(Request::Look),
            "list_terminal_sessions" => fields::<Nothing>(arguments).map(|_| Request::List),
            "exit_terminal" => fields(arguments).map(Request::Exit),
            other => Err(Unread::Tool(other.to_owned())),
        }
    }

    /// The session that is meant, if one is.
    pub fn session_id(&self) -> Option<&str> {
        match self {
            Request::Open(_) | Request::List => None,
            Request::Send(Send { session_id, .. })
            | Request::Await(Await { session_id, .. })
            | Request::Look(Look { session_id, .. })
            | Request::Exit(Exit { session_id }) => Some(session_id),
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Nothing {}

fn fields<T: for<'d> Deserialize<'d>>(arguments: Value) -> Result<T, Unread> {
    serde_json::from_value(arguments).map_err(|error| Unread::Arguments(error.to_string()))
}

fn without_nulls(arguments: Value) -> Value {
    match arguments {
        Value::Object(members) => members.into_iter().filter(|(_, value)| !value.is_null()).collect(),
        Value::Null => Value::Object(Default::default()),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_takes_no_time_is_instant() {
        let pace =
            |pattern: &str| Request::Await(Await { pattern: pattern.to_owned(), ..Await::default() }).pace();
        for pattern in ["^done$", r"\$ $", r"(\d+) passed", &"x".repeat(200)] {
            assert_eq!(pace(pattern), Pace::Instant, "{pattern}");
        }
        for pattern in ["(?=a)a", "(?<!x)y", r"(a+)+\1", r"(?P<n>a)\k<n>", &"x".repeat(201)] {
            assert_eq!(pace(pattern), Pace::Brief, "{pattern}");
        }
        let send = |settle_ms| Request::Send(Send { settle_ms, ..Send::default() }).pace();
        assert_eq!((send(None), send(Some(50)), Request::List.pace()), (Pace::Brief, Pace::Slow, Pace::Slow));
    }
    use serde_json::json;

    #[test]
    fn arguments_become_requests() {
        let read =
            Request::read("await_output", json!({"session_id": "t1", "pattern": "x", "timeout": null}));
        let wanted = Await { session_id: "t1".to_owned(), pattern: "x".to_owned(), timeout: None };
        assert_eq!(read, Ok(Request::Await(wanted)));
        assert_eq!(Request::read("list_terminal_sessions", Value::Null), Ok(Request::List));
        for tool in TOOLS {
            assert!(matches!(Request::read(tool, json!({"sesion": 1})), Err(Unread::Arguments(_))), "{tool}");
        }
        assert_eq!(Request::read("type", json!({})), Err(Unread::Tool("type".to_owned())));
    }
}
