//! What a pipe remembers of a conversation, so that a new daemon can be told: how it was opened, and which requests have
//! no answer yet. Pure: lines in, lines out.
//!
//! Both eras are carried. The older one opens with `initialize`, which is said again to a new daemon and whose second
//! answer nobody hears; the newer one has no opening.

use crate::mcp::last::NOTIFICATION;
use crate::mcp::line::{self, Refused};
use crate::mcp::{cancelled_before, failed, ids, under_way};
use asks::Asks;
use rmcp::model::{ClientJsonRpcMessage, JsonRpcMessage, RequestId};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use serde_json::{Value, json};
use std::borrow::Cow;
use std::collections::{BTreeMap, VecDeque};
use std::time::{Duration, Instant};

mod asks;

#[cfg(test)]
mod tests;

/// One message, without its line break.
pub(super) type Line = [u8];

/// What becomes of a line of the client.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Taken {
    /// The daemon gets this.
    Pass(Vec<u8>),
    /// The daemon could not read it: the client gets this answer.
    Answer(Vec<u8>),
    /// It answers a daemon that is gone, or is a notification that nobody understands: nobody gets it.
    Dropped,
}

/// Where the key of a call stands among what is sent along with it, and when one that was sent before was taken first.
pub(crate) const KEY: &str = "switchback/request_key";
const AGAIN: &str = "switchback/again";

/// The method that calls a tool.
const CALL: &str = "tools/call";

/// How many calls that were cancelled are remembered.
const CANCELLED_MAX: usize = 1_000;

/// How long a daemon may say nothing at all while a request waits for it: longer than any call takes that is not told of
/// meanwhile.
pub(super) const SILENCE_MAX: Duration = Duration::from_secs(60);

/// What was said and not yet answered.
#[derive(Default)]
pub(super) struct Talk {
    /// Unlike that of any other pipe.
    name: Option<String>,
    /// The opening of the older era: the request, and the notification that follows its answer.
    opening: Vec<Vec<u8>>,
    /// The id under which the opening was said last, once it has been answered: other answers to it are not passed on.
    opened: Option<RequestId>,
    /// Requests without an answer, in the order they came.
    open: BTreeMap<u64, Open>,
    count: u64,
    /// The last calls that were cancelled, by their ids.
    cancelled: VecDeque<RequestId>,
    /// What the daemon asks of the client.
    asks: Asks,
    /// Whether there is a daemon to which lines go at once.
    linked: bool,
    hung_up: Option<Instant>,
    over: bool,
}

struct Open {
    id: RequestId,
    line: Vec<u8>,
    kind: Kind,
    /// When it was taken, in milliseconds since 1970.
    at: u64,
    since: Instant,
    /// Whether a daemon may have got it.
    sent: bool,
}

/// What becomes of a request when its daemon is stopped.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// A tool: the model reads the answer.
    Tool,
    /// One that stays open for as long as somebody listens.
    Stream,
    Other,
}

/// Why there will be no answer, and what to do about it.
#[derive(Clone, Debug)]
pub(super) struct Reason {
    /// A stable name in kebab-case.
    pub(super) code: &'static str,
    pub(super) error: Cow<'static, str>,
    pub(super) next: &'static str,
    /// What to do instead where a daemon may have got the request.
    pub(super) next_if_sent: Option<&'static str>,
}

#[derive(Deserialize)]
struct Head<'l> {
    #[serde(borrow)]
    id: Option<&'l RawValue>,
    #[serde(default)]
    method: Option<String>,
    #[serde(borrow)]
    params: Option<&'l RawValue>,
    #[serde(borrow)]
    error: Option<&'l RawValue>,
}

impl Talk {
    /// Takes a line of the client. What the server would drop, or answer without its id, is answered here.
    pub(super) fn take(&mut self, line: &Line) -> Taken {
        if let Some(id) = line::plain_call(line) {
            let passed = self.asked(line, &id, CALL).map(Taken::Pass);
            return passed.unwrap_or_else(|refused| Taken::Answer(refused.answer()));
        }
        let held = ids::inward(line);
        match line::read(line, &held) {
            Ok(Some(message)) => {
                self.passed(&held, &message).unwrap_or_else(|refused| Taken::Answer(refused.answer()))
            }
            Ok(None) => Taken::Dropped,
            Err(refused) => Taken::Answer(refused.answer()),
        }
    }

    /// A line as the daemon gets it, if it is for this one. What it is to be told again is remembered.
    fn passed(&mut self, line: &Line, message: &ClientJsonRpcMessage) -> Result<Taken, Refused> {
        let (head, value) = (head(line), || serde_json::from_slice::<Value>(line).unwrap_or_default());
        let method = head.as_ref().and_then(|head| head.method.as_deref()).unwrap_or_default();
        match message {
            JsonRpcMessage::Request(request) => {
                return self.asked(line, &request.id, method).map(Taken::Pass);
            }
            JsonRpcMessage::Response(_) => {
                let answer = self.asks.answered(value());
                return Ok(answer.map_or(Taken::Dropped, |answer| Taken::Pass(bytes(&answer))));
            }
            // As it was read: it may have come garbled.
            JsonRpcMessage::Error(error) => {
                let answer = self.asks.answered(serde_json::to_value(error).unwrap_or_default());
                return Ok(answer.map_or(Taken::Dropped, |answer| Taken::Pass(bytes(&answer))));
            }
            JsonRpcMessage::Notification(_) => {}
        }
        match method {
            "notifications/initialized" if !self.opening.is_empty() => {
                self.opening.truncate(1);
                self.opening.push(line.to_vec());
            }
            "notifications/cancelled" => {
                let cancelled = head.and_then(|head| cancelled(head.params?.get()));
                let is_it = |open: &Open| cancelled.as_ref() == Some(&open.id);
                let calls = self.open.values().filter(|open| is_it(open) && open.kind == Kind::Tool);
                self.cancelled.extend(calls.map(|open| open.id.clone()));
                self.forget_old();
                self.open.retain(|_, open| !is_it(open));
            }
            _ => {}
        }
        Ok(Taken::Pass(line.to_vec()))
    }

    /// A request as the daemon gets it, open from now on.
    fn asked(&mut self, line: &Line, id: &RequestId, method: &str) -> Result<Vec<u8>, Refused> {
        // Its answer may still be on its way, and would be taken for that of the next one.
        if self.cancelled.contains(id) {
            let shown = ids::written(&id.clone().into_json_value());
            let why = cancelled_before(&shown);
            return Err(Refused::request(id, why));
        }
        if self.open.values().any(|open| open.id == *id) {
            let shown = ids::written(&id.clone().into_json_value());
            return Err(Refused::request(id, under_way(&shown)));
        }
        let kind = kind(method);
        self.count += 1;
        let line = if kind == Kind::Tool { self.keyed(line) } else { line.to_vec() };
        // A second one is refused, and changes nothing.
        if method == "initialize" && self.opening.is_empty() {
            (self.opening, self.opened) = (vec![line.clone()], None);
        }
        let open = Open {
            id: id.clone(),
            line: line.clone(),
            kind,
            at: now(),
            since: Instant::now(),
            sent: self.linked,
        };
        self.open.insert(self.count, open);
        Ok(line)
    }

    /// A call with a key of its own, so that it can be asked again.
    fn keyed(&mut self, line: &Line) -> Vec<u8> {
        let count = self.count;
        let key = format!("{}-{count}", self.name());
        if let Some(line) = with_meta(line, &format!(r#""{KEY}":"{key}""#)) {
            return line;
        }
        let mut message: Value = serde_json::from_slice(line).unwrap_or_default();
        if let Some(Value::Object(params)) = message.get_mut("params") {
            let meta = params.entry("_meta").or_insert_with(|| json!({}));
            if meta.is_null() {
                *meta = json!({});
            }
            if let Value::Object(meta) = meta {
                meta.insert(KEY.to_owned(), key.into());
            }
        }
        bytes(&message)
    }

    fn name(&mut self) -> &str {
        self.name.get_or_insert_with(|| {
            let mut bytes = [0_u8; 12];
            getrandom(&mut bytes);
            bytes.iter().map(|byte| format!("{byte:02x}")).collect()
        })
    }

    /// Takes a line of the daemon; gives what of it the client gets.
    pub(super) fn give<'l>(&mut self, line: &'l Line) -> Option<Cow<'l, Line>> {
        let message = || serde_json::from_slice::<Value>(line).unwrap_or_default();
        let given = match head(line) {
            Some(Head { id: Some(id), method: None, error, .. }) => {
                return self.answers(id.get(), error.is_some()).then(|| ids::outward(line));
            }
            Some(Head { id: Some(_), method: Some(_), .. }) => self.asks.asked(message()),
            Some(Head { method: Some(method), .. }) if method == "notifications/cancelled" => {
                self.asks.cancelled(message())
            }
            _ => return Some(Cow::Borrowed(line)),
        };
        Some(Cow::Owned(bytes(&given)))
    }

    /// Whether an answer of the daemon is one that the client waits for. An opening that was refused opens nothing.
    fn answers(&mut self, id: &str, is_refused: bool) -> bool {
        // One number has many forms, and one text as well.
        let Ok(id) = serde_json::from_str::<RequestId>(id) else { return true };
        if self.cancelled.contains(&id) {
            return false;
        }
        let answered = self.open.iter().find(|(_, open)| open.id == id).map(|(number, _)| *number);
        match answered {
            Some(number) => {
                let open = self.open.remove(&number);
                let is_opening = open.is_some_and(|open| self.opening.first() == Some(&open.line));
                match (is_opening, is_refused) {
                    (true, true) => self.opening.clear(),
                    (true, false) => self.opened = Some(id),
                    (false, _) => {}
                }
                true
            }
            None => self.opened.as_ref() != Some(&id),
        }
    }

    /// All that a new daemon must be told, in order. From now on lines go to it at once.
    pub(super) fn again(&mut self) -> Vec<Vec<u8>> {
        self.linked = true;
        let mut told = self.opening.clone();
        if self.opened.is_some() {
            // The client may have given its id to another request since.
            let own = format!("switchback-opening-{}", self.name());
            told.iter_mut().take(1).for_each(|opening| *opening = with_id(opening, &own));
            self.opened = Some(RequestId::String(own.into()));
        }
        for open in self.open.values_mut().filter(|open| !self.opening.contains(&open.line)) {
            told.push(if open.sent && open.kind == Kind::Tool {
                marked(&open.line, open.at)
            } else {
                open.line.clone()
            });
            open.sent = true;
        }
        told.extend(self.last_line());
        told
    }

    /// The daemon is gone. Gives what the client must be told of it.
    pub(super) fn unlink(&mut self) -> Vec<Vec<u8>> {
        self.linked = false;
        self.asks.withdrawn().iter().map(bytes).collect()
    }

    /// Answers what is open, because the daemon never will, and says why.
    pub(super) fn unanswered(&mut self, why: &Reason) -> Vec<Vec<u8>> {
        let answered = std::mem::take(&mut self.open);
        let newer = self.opening.is_empty();
        if answered.values().any(|open| self.opening.first() == Some(&open.line)) {
            self.opening.clear();
        }
        answered.values().map(|open| unanswered(open, why, newer)).collect()
    }

    /// When a daemon that was last heard then, and goes on saying nothing, is not waited for any longer.
    pub(super) fn patience_ends(&self, heard: Instant) -> Option<Instant> {
        let waiting = self.open.values().filter(|open| open.kind != Kind::Stream);
        waiting.map(|open| open.since.max(heard) + SILENCE_MAX).min()
    }

    /// Answers what is open, because the daemon says nothing. What it says of that later, nobody hears.
    pub(super) fn silence(&mut self, why: &Reason) -> Vec<Vec<u8>> {
        let streams = self.open.extract_if(.., |_, open| open.kind == Kind::Stream).collect();
        self.cancelled.extend(self.open.values().map(|open| open.id.clone()));
        self.forget_old();
        let answers = self.unanswered(why);
        self.open = streams;
        answers
    }

    fn forget_old(&mut self) {
        while self.cancelled.len() > CANCELLED_MAX {
            self.cancelled.pop_front();
        }
    }

    /// The client has said its last line. Gives what the daemon is told of it.
    pub(super) fn hang_up(&mut self) -> Option<Vec<u8>> {
        self.hung_up = Some(Instant::now());
        self.last_line()
    }

    /// What a daemon is told while calls are under way whose client has said its last line.
    fn last_line(&self) -> Option<Vec<u8>> {
        let is_of_use = self.hung_up.is_some() && self.open.values().any(|open| open.kind == Kind::Tool);
        is_of_use.then(|| bytes(&json!({ "jsonrpc": "2.0", "method": NOTIFICATION })))
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
        self.over || (self.hung_up.is_some() && self.open.is_empty())
    }
}

fn bytes(message: &Value) -> Vec<u8> {
    message.to_string().into_bytes()
}

/// A call with one member more at the end of what is sent along with it, where there is room for it as the call is written.
fn with_meta(line: &Line, member: &str) -> Option<Vec<u8>> {
    #[derive(Deserialize)]
    struct Params<'l> {
        /// Also where it is `null`, which is not the same as not there.
        #[serde(borrow, default, rename = "_meta", deserialize_with = "as_it_stands")]
        meta: Option<&'l RawValue>,
    }
    fn as_it_stands<'de, D: Deserializer<'de>>(meta: D) -> Result<Option<&'de RawValue>, D::Error> {
        <&RawValue>::deserialize(meta).map(Some)
    }
    let params = head(line)?.params?.get();
    let Params { meta } = serde_json::from_str(params).ok()?;
    let (object, member) = match meta {
        Some(meta) => (meta.get(), member.to_owned()),
        None => (params, format!(r#""_meta":{{{member}}}"#)),
    };
    let inside = object.strip_prefix('{')?.strip_suffix('}')?;
    let comma = if inside.trim_ascii().is_empty() { "" } else { "," };
    let end = inside.as_ptr() as usize + inside.len() - line.as_ptr() as usize;
    Some([&line[..end], comma.as_bytes(), member.as_bytes(), &line[end..]].concat())
}

/// A request under another id.
fn with_id(line: &Line, id: &str) -> Vec<u8> {
    let mut message: Value = serde_json::from_slice(line).unwrap_or_default();
    message["id"] = id.into();
    bytes(&message)
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
        CALL => Kind::Tool,
        "subscriptions/listen" => Kind::Stream,
        _ => Kind::Other,
    }
}

fn cancelled(params: &str) -> Option<RequestId> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Cancelled {
        request_id: RequestId,
    }
    serde_json::from_str::<Cancelled>(params).ok().map(|cancelled| cancelled.request_id)
}

/// What a client hears instead of an answer. A model reads only the answers of tools.
fn unanswered(open: &Open, why: &Reason, newer: bool) -> Vec<u8> {
    let id = open.id.clone().into_json_value();
    let Reason { code, error, .. } = why;
    let next = why.next_if_sent.filter(|_| open.sent).unwrap_or(why.next);
    let answer = bytes(&match open.kind {
        Kind::Tool => json!({ "jsonrpc": "2.0", "id": id, "result": failed(code, error, next, newer) }),
        _ => {
            let error = json!({ "code": -32603, "message": format!("{error} {next}") });
            json!({ "jsonrpc": "2.0", "id": id, "error": error })
        }
    });
    ids::outward(&answer).into_owned()
}

/// Bytes that nobody can guess or repeat.
fn getrandom(bytes: &mut [u8]) {
    // Of so few bytes the system always gives all; were it to fail, the time would still tell pipes apart.
    if rustix::rand::getrandom(&mut *bytes, rustix::rand::GetRandomFlags::empty()).is_err() {
        let now = std::time::UNIX_EPOCH.elapsed().unwrap_or_default().as_nanos().to_le_bytes();
        bytes.iter_mut().zip(now).for_each(|(byte, now)| *byte = now);
    }
}
