//! What a daemon asks of the client while a call waits. Each daemon counts its requests from nought; the client hears numbers
//! that no two daemons share, so that an answer to one that is gone is never taken for an answer to the next.

use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The requests that the client has not answered.
#[derive(Default)]
pub(super) struct Asks {
    next: u64,
    /// The number that the client hears, and what the daemon calls it.
    open: BTreeMap<u64, Value>,
}

impl Asks {
    /// A request of the daemon as the client gets it.
    pub(super) fn asked(&mut self, mut request: Value) -> Value {
        let number = self.next;
        self.next += 1;
        self.open.insert(number, request["id"].take());
        request["id"] = number.into();
        request
    }

    /// An answer of the client as the daemon gets it; nothing if the daemon that asked is gone.
    pub(super) fn answered(&mut self, mut answer: Value) -> Option<Value> {
        // Some gateways write numbers as texts, which all SDKs take; ours are numbers alone, so that no other can be meant.
        let in_text = |id: &str| id.parse().ok().filter(|number: &u64| number.to_string() == id);
        let number = answer["id"].as_u64().or_else(|| in_text(answer["id"].as_str()?))?;
        answer["id"] = self.open.remove(&number)?;
        Some(answer)
    }

    /// A request that the daemon takes back, as the client gets it.
    pub(super) fn cancelled(&mut self, mut notification: Value) -> Value {
        let id = &notification["params"]["requestId"];
        if let Some(number) = self.open.iter().find(|(_, known)| *known == id).map(|(number, _)| *number) {
            self.open.remove(&number);
            notification["params"]["requestId"] = number.into();
        }
        notification
    }

    /// The daemon is gone: the client need not answer any more.
    pub(super) fn withdrawn(&mut self) -> Vec<Value> {
        let open = std::mem::take(&mut self.open);
        let cancelled = |number: &u64| {
            json!({
                "jsonrpc": "2.0",
                "method": "notifications/cancelled",
                "params": { "requestId": number, "reason": "the daemon that asked has ended" },
            })
        };
        open.keys().map(cancelled).collect()
    }
}
