//! What a pipe remembers of a conversation, so that a new daemon can be told: how it was opened, and which requests have
//! no answer yet. Pure: lines in, lines out.
//!
//! Both eras are carried. The older one opens with `initialize`, which is said again to a new daemon and whose second
//! answer nobody hears; the newer one has no opening.

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::time::Instant;

/// One message, without its line break.
pub(super) type Line = [u8];

/// The longest line that the server reads.
const LINE_BYTES_MAX: usize = 16 << 20;

/// What becomes of a line of the client.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Taken {
    /// The daemon gets this.
    Pass(Vec<u8>),
    /// The daemon could not read it: the client gets this answer.
    Answer(Vec<u8>),
}

/// How JSON-RPC calls what cannot be read, and what must not be asked.
const PARSE_ERROR: i32 = -32700;
const INVALID_REQUEST: i32 = -32600;

/// Where the key of a call stands among what is sent along with it.
pub(crate) const KEY: &str = "switchback/request_key";

/// What was said and not yet answered.
#[derive(Default)]
pub(super) struct Talk {
    /// Unlike that of any other pipe.
    name: Option<String>,
    /// The opening of the older era: the request, and the notification that follows its answer.
    opening: Vec<Vec<u8>>,
    /// The id of the opening, once it has been answered: other answers to it are not passed on.
    opened: Option<String>,
    /// Requests without an answer, in the order they came.
    open: BTreeMap<u64, Open>,
    count: u64,
    hung_up: Option<Instant>,
    over: bool,
}

struct Open {
    id: String,
    line: Vec<u8>,
    kind: Kind,
}

/// What becomes of a request when its daemon is stopped.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// A tool: the model reads the answer.
    Tool,
    /// It never ends by itself, and the next daemon is asked again.
    Listening,
    Other,
}

#[derive(Deserialize)]
struct Head<'l> {
    #[serde(borrow)]
    id: Option<&'l RawValue>,
    #[serde(default)]
    method: Option<String>,
    #[serde(borrow)]
    params: Option<&'l RawValue>,
}

impl Talk {
    /// Takes a line of the client. What the server would drop without a word is answered here.
    pub(super) fn take(&mut self, line: &Line) -> Taken {
        let head = head(line);
        match self.readable(line, head.as_ref()) {
            Ok(message) => Taken::Pass(self.passed(line, head, message)),
            Err((code, why)) => {
                let id = head.and_then(|head| head.id.map(|id| id.get().to_owned()));
                Taken::Answer(refusal(id.as_deref().unwrap_or("null"), code, &why))
            }
        }
    }

    /// A line as the server reads it, or how JSON-RPC calls what is wrong with it.
    fn readable(&self, line: &Line, head: Option<&Head<'_>>) -> Result<Value, (i32, String)> {
        if line.len() > LINE_BYTES_MAX {
            let why = format!(
                "a message has at most {LINE_BYTES_MAX} bytes, and this one has {}; what is larger belongs into a file",
                line.len()
            );
            return Err((INVALID_REQUEST, why));
        }
        let message: Value = serde_json::from_slice(line)
            .map_err(|error| (PARSE_ERROR, format!("this line is not JSON that can be read: {error}")))?;
        let id = head.filter(|head| head.method.is_some()).and_then(|head| head.id).map(RawValue::get);
        match id.filter(|id| self.open.values().any(|open| open.id == *id)) {
            Some(id) => Err((INVALID_REQUEST, format!("a request with the id {id} is still under way"))),
            None => Ok(message),
        }
    }

    /// A line as the daemon gets it. What it is to be told again is remembered.
    fn passed(&mut self, line: &Line, head: Option<Head<'_>>, message: Value) -> Vec<u8> {
        // What has the wrong form is the server's to refuse.
        let Some(head) = head else { return line.to_vec() };
        match (head.id, head.method.as_deref()) {
            (Some(id), Some(method)) => {
                let (id, kind) = (id.get().to_owned(), kind(method));
                self.count += 1;
                let line = if kind == Kind::Tool { self.keyed(message) } else { line.to_vec() };
                if method == "initialize" {
                    (self.opening, self.opened) = (vec![line.clone()], None);
                }
                self.open.insert(self.count, Open { id, line: line.clone(), kind });
                line
            }
            (None, Some("notifications/initialized")) => {
                self.opening.truncate(1);
                self.opening.push(line.to_vec());
                line.to_vec()
            }
            (None, Some("notifications/cancelled")) => {
                let cancelled = head.params.and_then(|params| cancelled(params.get()));
                self.open.retain(|_, open| cancelled.as_ref() != Some(&open.id));
                line.to_vec()
            }
            _ => line.to_vec(),
        }
    }

    /// A call with a key of its own, so that it can be asked again.
    fn keyed(&mut self, mut message: Value) -> Vec<u8> {
        let name = self.name.get_or_insert_with(|| {
            let mut bytes = [0_u8; 12];
            getrandom(&mut bytes);
            bytes.iter().map(|byte| format!("{byte:02x}")).collect()
        });
        let key = format!("{name}-{}", self.count);
        if let Some(Value::Object(params)) = message.get_mut("params")
            && let Value::Object(meta) = params.entry("_meta").or_insert_with(|| json!({}))
        {
            meta.insert(KEY.to_owned(), key.into());
        }
        message.to_string().into_bytes()
    }

    /// Takes a line of the daemon; says whether the client gets it.
    pub(super) fn give(&mut self, line: &Line) -> bool {
        let Some(Head { id: Some(id), method: None, .. }) = head(line) else { return true };
        let id = id.get();
        let answered = self.open.iter().find(|(_, open)| open.id == id).map(|(number, _)| *number);
        match answered {
            Some(number) => {
                let open = self.open.remove(&number);
                if open.is_some_and(|open| self.opening.first() == Some(&open.line)) {
                    self.opened = Some(id.to_owned());
                }
                true
            }
            None => self.opened.as_deref() != Some(id),
        }
    }

    /// All that a new daemon must be told, in order.
    pub(super) fn again(&self) -> Vec<Vec<u8>> {
        let opening = self.opening.iter().cloned();
        let open = self.open.values().map(|open| &open.line).filter(|line| !self.opening.contains(line));
        opening.chain(open.cloned()).collect()
    }

    /// Answers what is open, because the daemon never will, and says why. What listens is kept for the next one.
    pub(super) fn unanswered(&mut self, why: &str) -> Vec<Vec<u8>> {
        let (kept, answered): (BTreeMap<_, _>, BTreeMap<_, _>) =
            std::mem::take(&mut self.open).into_iter().partition(|(_, open)| open.kind == Kind::Listening);
        self.open = kept;
        let newer = self.opening.is_empty();
        answered.values().map(|open| unanswered(open, why, newer)).collect()
    }

    /// The client has said its last line.
    pub(super) fn hang_up(&mut self) {
        self.hung_up = Some(Instant::now());
    }

    /// Nobody hears what is said.
    pub(super) fn give_up(&mut self) {
        self.over = true;
    }

    pub(super) fn hung_up_since(&self) -> Option<Instant> {
        self.hung_up
    }

    /// Whether nothing more will be said.
    pub(super) fn is_over(&self) -> bool {
        let answered = || self.open.values().all(|open| open.kind == Kind::Listening);
        self.over || (self.hung_up.is_some() && answered())
    }
}

/// An answer that says why there is none.
fn refusal(id: &str, code: i32, why: &str) -> Vec<u8> {
    let id: Value = serde_json::from_str(id).unwrap_or_default();
    json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": why } }).to_string().into_bytes()
}

fn head(line: &Line) -> Option<Head<'_>> {
    serde_json::from_slice(line).ok()
}

fn kind(method: &str) -> Kind {
    match method {
        "tools/call" => Kind::Tool,
        "subscriptions/listen" => Kind::Listening,
        _ => Kind::Other,
    }
}

fn cancelled(params: &str) -> Option<String> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Cancelled<'p> {
        #[serde(borrow)]
        request_id: &'p RawValue,
    }
    serde_json::from_str::<Cancelled<'_>>(params).ok().map(|cancelled| cancelled.request_id.get().to_owned())
}

/// What a client hears instead of an answer. A model reads only the answers of tools.
fn unanswered(open: &Open, why: &str, newer: bool) -> Vec<u8> {
    let id: Value = serde_json::from_str(&open.id).unwrap_or_default();
    let answer = match open.kind {
        Kind::Tool => {
            let mut result = json!({ "content": [{ "type": "text", "text": why }], "isError": true });
            if newer {
                result["resultType"] = "complete".into();
            }
            json!({ "jsonrpc": "2.0", "id": id, "result": result })
        }
        _ => json!({ "jsonrpc": "2.0", "id": id, "error": { "code": -32603, "message": why } }),
    };
    answer.to_string().into_bytes()
}

/// Bytes that nobody can guess or repeat.
fn getrandom(bytes: &mut [u8]) {
    // Of so few bytes the system always gives all; were it to fail, the time would still tell pipes apart.
    if rustix::rand::getrandom(&mut *bytes, rustix::rand::GetRandomFlags::empty()).is_err() {
        let now = std::time::UNIX_EPOCH.elapsed().unwrap_or_default().as_nanos().to_le_bytes();
        bytes.iter_mut().zip(now).for_each(|(byte, now)| *byte = now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn take(talk: &mut Talk, message: Value) -> Value {
        match talk.take(message.to_string().as_bytes()) {
            Taken::Pass(line) => serde_json::from_slice(&line).unwrap(),
            Taken::Answer(line) => panic!("{}", String::from_utf8_lossy(&line)),
        }
    }

    fn refused(talk: &mut Talk, line: &str) -> Value {
        match talk.take(line.as_bytes()) {
            Taken::Answer(line) => serde_json::from_slice(&line).unwrap(),
            Taken::Pass(_) => panic!("it was passed on: {line:.100}"),
        }
    }

    fn give(talk: &mut Talk, id: u64) -> bool {
        talk.give(json!({ "jsonrpc": "2.0", "id": id, "result": {} }).to_string().as_bytes())
    }

    fn again(talk: &Talk) -> Vec<String> {
        let shown = |line: &Vec<u8>| {
            let message: Value = serde_json::from_slice(line).unwrap();
            format!("{} {}", message["method"].as_str().unwrap(), message["id"])
        };
        talk.again().iter().map(shown).collect()
    }

    fn opened() -> Talk {
        let mut talk = Talk::default();
        take(&mut talk, json!({ "id": 0, "method": "initialize", "params": {} }));
        assert!(give(&mut talk, 0));
        take(&mut talk, json!({ "method": "notifications/initialized" }));
        talk
    }

    #[test]
    fn a_new_daemon_is_told_the_opening_and_what_has_no_answer() {
        let mut talk = opened();
        for id in 1..=3 {
            take(&mut talk, json!({ "id": id, "method": "tools/call", "params": { "name": "x" } }));
        }
        assert!(give(&mut talk, 2));
        take(&mut talk, json!({ "method": "notifications/cancelled", "params": { "requestId": 3 } }));
        assert_eq!(again(&talk), ["initialize 0", "notifications/initialized null", "tools/call 1"]);
        assert!(!give(&mut talk, 0), "the second answer to the opening is not passed on");
        assert!(give(&mut talk, 1));
    }

    #[test]
    fn an_opening_without_an_answer_is_said_once_more_and_its_answer_is_heard() {
        let mut talk = Talk::default();
        take(&mut talk, json!({ "id": "a", "method": "initialize", "params": {} }));
        assert_eq!(again(&talk), ["initialize \"a\""]);
        assert!(talk.give(br#"{"id":"a","result":{}}"#));
        assert!(!talk.give(br#"{"id":"a","result":{}}"#));
    }

    #[test]
    fn each_call_has_a_key_and_keeps_it() {
        let mut talk = Talk::default();
        let call = json!({ "id": 1, "method": "tools/call", "params": { "name": "x", "_meta": { "progressToken": 7 } } });
        let first = take(&mut talk, call.clone());
        let key = first["params"]["_meta"][KEY].as_str().unwrap().to_owned();
        assert_eq!(first["params"]["_meta"]["progressToken"], 7);
        let mut other = call;
        other["id"] = json!(2);
        assert_ne!(take(&mut talk, other)["params"]["_meta"][KEY], key.as_str());
        let said: Value = serde_json::from_slice(&talk.again()[0]).unwrap();
        assert_eq!(said["params"]["_meta"][KEY], key.as_str());
    }

    #[test]
    fn what_is_open_when_the_daemon_is_stopped_is_answered_and_listening_goes_on() {
        let mut talk = Talk::default();
        take(&mut talk, json!({ "id": 1, "method": "subscriptions/listen", "params": {} }));
        take(&mut talk, json!({ "id": 2, "method": "tools/call", "params": { "name": "x" } }));
        take(&mut talk, json!({ "id": 3, "method": "tools/list", "params": {} }));
        let answers: Vec<Value> =
            talk.unanswered("stopped").iter().map(|line| serde_json::from_slice(line).unwrap()).collect();
        assert_eq!(answers[0]["result"]["isError"], true);
        assert_eq!(answers[1]["error"]["code"], -32603);
        assert_eq!(again(&talk), ["subscriptions/listen 1"]);
        talk.hang_up();
        assert!(talk.is_over());
    }

    #[test]
    fn what_the_server_could_not_read_is_answered_here() {
        let mut talk = Talk::default();
        let deep = format!(r#"{{"id":3,"method":"x","params":{}1{}}}"#, "[".repeat(200), "]".repeat(200));
        for (line, id) in [
            ("not json", Value::Null),
            (r#"{"id":1,"method":"x","params":{"a":"\ud800x"}}"#, json!(1)),
            (r#"{"id":"two","method":"x","params":{"a":1e400}}"#, json!("two")),
            (&deep, json!(3)),
        ] {
            let answer = refused(&mut talk, line);
            assert_eq!((&answer["error"]["code"], &answer["id"]), (&json!(PARSE_ERROR), &id), "{answer}");
        }
        assert!(talk.again().is_empty());
        assert!(talk.give(b"not json"), "what the daemon says is passed on");
    }

    #[test]
    fn a_line_may_be_as_long_as_the_server_reads_and_no_longer() {
        let line = |length: usize| {
            let frame = r#"{"id":1,"method":"x","params":""}"#.len();
            format!(r#"{{"id":1,"method":"x","params":"{}"}}"#, "x".repeat(length - frame))
        };
        assert!(matches!(Talk::default().take(line(LINE_BYTES_MAX).as_bytes()), Taken::Pass(_)));
        let answer = refused(&mut Talk::default(), &line(LINE_BYTES_MAX + 1));
        assert_eq!((&answer["error"]["code"], &answer["id"]), (&json!(INVALID_REQUEST), &json!(1)));
    }

    #[test]
    fn an_id_that_is_under_way_is_not_used_again() {
        let mut talk = Talk::default();
        let call = json!({ "id": 5, "method": "tools/call", "params": { "name": "x" } });
        take(&mut talk, call.clone());
        assert_eq!(refused(&mut talk, &call.to_string())["error"]["code"], INVALID_REQUEST);
        assert!(give(&mut talk, 5));
        take(&mut talk, call);
    }
}
