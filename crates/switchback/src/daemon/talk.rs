//! What a pipe remembers of a conversation, so that a new daemon can be told: how it was opened, and which requests have
//! no answer yet. Pure: lines in, lines out.
//!
//! Both eras are carried. The older one opens with `initialize`, which is said again to a new daemon and whose second
//! answer nobody hears; the newer one has no opening.

use asks::Asks;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::time::Instant;

mod asks;

#[cfg(test)]
mod tests;

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
    /// It answers a daemon that is gone: nobody gets it.
    Late,
}

/// How JSON-RPC calls what cannot be read, and what must not be asked.
const PARSE_ERROR: i32 = -32700;
const INVALID_REQUEST: i32 = -32600;

/// Where the key of a call stands among what is sent along with it, and when one that was sent before was taken first.
pub(crate) const KEY: &str = "switchback/request_key";
const AGAIN: &str = "switchback/again";

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
    /// What the daemon asks of the client.
    asks: Asks,
    /// Whether there is a daemon to which lines go at once.
    linked: bool,
    hung_up: Option<Instant>,
    over: bool,
}

struct Open {
    id: String,
    line: Vec<u8>,
    kind: Kind,
    /// When it was taken, in milliseconds since 1970.
    at: u64,
    /// Whether a daemon may have got it.
    sent: bool,
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
            Ok(message) => self.passed(line, head, message).map_or(Taken::Late, Taken::Pass),
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

    /// A line as the daemon gets it, if it is for this one. What it is to be told again is remembered.
    fn passed(&mut self, line: &Line, head: Option<Head<'_>>, message: Value) -> Option<Vec<u8>> {
        // What has the wrong form is the server's to refuse.
        let Some(head) = head else { return Some(line.to_vec()) };
        Some(match (head.id, head.method.as_deref()) {
            (Some(id), Some(method)) => {
                let (id, kind) = (id.get().to_owned(), kind(method));
                self.count += 1;
                let line = if kind == Kind::Tool { self.keyed(message) } else { line.to_vec() };
                if method == "initialize" {
                    (self.opening, self.opened) = (vec![line.clone()], None);
                }
                self.open
                    .insert(self.count, Open { id, line: line.clone(), kind, at: now(), sent: self.linked });
                line
            }
            (Some(_), None) => bytes(&self.asks.answered(message)?),
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
        })
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

    /// Takes a line of the daemon; gives what of it the client gets.
    pub(super) fn give<'l>(&mut self, line: &'l Line) -> Option<Cow<'l, Line>> {
        let message = || serde_json::from_slice::<Value>(line).unwrap_or_default();
        let given = match head(line) {
            Some(Head { id: Some(id), method: None, .. }) => {
                return self.answers(id.get()).then_some(Cow::Borrowed(line));
            }
            Some(Head { id: Some(_), method: Some(_), .. }) => self.asks.asked(message()),
            Some(Head { method: Some(method), .. }) if method == "notifications/cancelled" => {
                self.asks.cancelled(message())
            }
            _ => return Some(Cow::Borrowed(line)),
        };
        Some(Cow::Owned(bytes(&given)))
    }

    /// Whether an answer of the daemon is one that the client waits for.
    fn answers(&mut self, id: &str) -> bool {
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

    /// All that a new daemon must be told, in order. From now on lines go to it at once.
    pub(super) fn again(&mut self) -> Vec<Vec<u8>> {
        self.linked = true;
        let mut told = self.opening.clone();
        for open in self.open.values_mut().filter(|open| !self.opening.contains(&open.line)) {
            told.push(if open.sent && open.kind == Kind::Tool {
                marked(&open.line, open.at)
            } else {
                open.line.clone()
            });
            open.sent = true;
        }
        told
    }

    /// The daemon is gone. Gives what the client must be told of it.
    pub(super) fn unlink(&mut self) -> Vec<Vec<u8>> {
        self.linked = false;
        self.asks.withdrawn().iter().map(bytes).collect()
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

fn bytes(message: &Value) -> Vec<u8> {
    message.to_string().into_bytes()
}

/// A call that says of itself since when it may have been carried out.
fn marked(line: &Line, at: u64) -> Vec<u8> {
    let mut message: Value = serde_json::from_slice(line).unwrap_or_default();
    if let Some(Value::Object(meta)) = message.pointer_mut("/params/_meta") {
        meta.insert(AGAIN.to_owned(), at.into());
    }
    bytes(&message)
}

/// Milliseconds since 1970.
fn now() -> u64 {
    let since = std::time::UNIX_EPOCH.elapsed().unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
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
