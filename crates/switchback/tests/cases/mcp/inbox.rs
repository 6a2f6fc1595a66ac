//! What came from a server and who waits for it.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::Value;

use super::human::Human;
use crate::answer::Reply;

/// Requests that have not been answered, by their ids, and what was wrong with what came.
#[derive(Clone, Default)]
pub(super) struct Inbox(Arc<Mutex<Shared>>);

#[derive(Default)]
struct Shared {
    waiting: BTreeMap<u64, Sender<Value>>,
    troubles: Vec<String>,
    closed: bool,
}

/// A request that is on its way.
pub(crate) struct Waiting {
    pub(crate) id: u64,
    pub(crate) client: String,
    method: String,
    incoming: Receiver<Value>,
}

impl Inbox {
    /// Makes ready for the answer to a request.
    pub(super) fn expect(&self, id: u64, client: &str, method: &str) -> Waiting {
        let (tell, incoming) = channel();
        let mut shared = self.lock();
        // After the end nobody tells anything: the receiver must know.
        if !shared.closed {
            shared.waiting.insert(id, tell);
        }
        Waiting { id, client: client.to_owned(), method: method.to_owned(), incoming }
    }

    /// Reads all that a server says until it hangs up. What must be answered is answered by `human` and sent by `send`.
    pub(super) fn read(&self, from: impl Read, human: &Human, send: impl Fn(&Value)) {
        for line in BufReader::new(from).lines() {
            let Ok(line) = line else { break };
            match serde_json::from_str::<Value>(&line) {
                Ok(message) if message.get("jsonrpc") == Some(&"2.0".into()) => {
                    self.take(message, human, &send)
                }
                _ => self.lock().troubles.push(format!("no message of JSON-RPC: {line}")),
            }
        }
        let mut shared = self.lock();
        shared.closed = true;
        shared.waiting.clear();
    }

    /// Returns what was wrong with what came.
    pub(super) fn troubles(&self) -> Vec<String> {
        self.lock().troubles.clone()
    }

    fn take(&self, message: Value, human: &Human, send: &impl Fn(&Value)) {
        let method = message.get("method").and_then(Value::as_str);
        match (method, message.get("id")) {
            (Some(method), Some(id)) => {
                if let Some(answer) = human.answer(id, method) {
                    send(&answer);
                }
            }
            (Some("notifications/progress"), None) => {
                let token = message.pointer("/params/progressToken").and_then(Value::as_u64);
                self.tell(token, message);
            }
            (Some(_), None) => {}
            (None, id) => {
                let id = id.and_then(Value::as_u64);
                if let Some((id, call)) = id.and_then(|id| Some((id, human.again(id, &message)?))) {
                    self.moved(id, &call);
                    return send(&call);
                }
                self.tell(id, message);
                id.map(|id| self.lock().waiting.remove(&id));
            }
        }
    }

    /// Whoever waits for a call waits for the one that takes its place.
    fn moved(&self, id: u64, call: &Value) {
        let mut shared = self.lock();
        if let (Some(tell), Some(again)) = (shared.waiting.remove(&id), call["id"].as_u64()) {
            shared.waiting.insert(again, tell);
        }
    }

    /// Whoever has given up waiting hears nothing.
    fn tell(&self, id: Option<u64>, message: Value) {
        let shared = self.lock();
        if let Some(tell) = id.and_then(|id| shared.waiting.get(&id)) {
            let _ = tell.send(message);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Shared> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Waiting {
    /// Waits for the answer. The error says that none came in time.
    pub(crate) fn wait(self, limit: Duration) -> Result<Reply, String> {
        let deadline = std::time::Instant::now() + limit;
        let mut progress = Vec::new();
        loop {
            let left = deadline.saturating_duration_since(std::time::Instant::now());
            match self.incoming.recv_timeout(left) {
                Ok(message) if message.get("method").is_some() => {
                    let said = message.pointer("/params/message").and_then(Value::as_str);
                    progress.push(said.unwrap_or_default().to_owned());
                }
                Ok(message) => return Ok(Reply::read(&self.method, &message, progress)),
                Err(RecvTimeoutError::Disconnected) => return Ok(Reply::gone(progress)),
                Err(RecvTimeoutError::Timeout) => {
                    return Err(format!("no answer to {} after {} s", self.method, limit.as_secs()));
                }
            }
        }
    }
}
