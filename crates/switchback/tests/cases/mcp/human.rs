//! The human behind a client: says what the case has written for them, in order, to whatever they are asked. In the older era
//! the server asks by a request, in the newer one by the result of a call, which is then made again.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::{Value, json};

use super::words;

/// What is said where nothing is to be said.
const SILENCE: &str = "silence";

/// The ids of calls that are made again begin here.
const AGAIN: u64 = 1_000_000;

/// Someone who can be asked, or nobody.
#[derive(Clone, Default)]
pub(super) struct Human(Arc<Mutex<Shared>>);

#[derive(Default)]
struct Shared {
    answers: Option<VecDeque<Value>>,
    /// Calls as they were made, by their ids.
    calls: BTreeMap<u64, Value>,
    again: u64,
}

impl Human {
    pub(super) fn new(answers: Option<Vec<Value>>) -> Self {
        let shared = Shared { answers: answers.map(VecDeque::from), ..Shared::default() };
        Self(Arc::new(Mutex::new(shared)))
    }

    /// What the client says that it can do.
    pub(super) fn abilities(&self) -> Value {
        if self.lock().answers.is_some() { json!({ "elicitation": {} }) } else { json!({}) }
    }

    /// Remembers a call that may have to be made again.
    pub(super) fn remember(&self, message: &Value) {
        if let (Some(id), true) = (message["id"].as_u64(), message["method"] == "tools/call") {
            self.lock().calls.insert(id, message.clone());
        }
    }

    /// What is said to a request of the server; nothing where someone is silent.
    pub(super) fn answer(&self, id: &Value, method: &str) -> Option<Value> {
        let said = match method {
            "elicitation/create" => self.lock().answers.as_mut().and_then(VecDeque::pop_front),
            _ => None,
        };
        match said {
            Some(said) if said == SILENCE => None,
            Some(result) => Some(json!({ "jsonrpc": "2.0", "id": id, "result": result })),
            None => Some(words::answer(id, method)),
        }
    }

    /// The call to be made again where its result is a question, with the answer.
    pub(super) fn again(&self, id: u64, message: &Value) -> Option<Value> {
        let result = message.get("result").filter(|result| result["resultType"] == "input_required")?;
        let mut shared = self.lock();
        let said = shared.answers.as_mut()?.pop_front().filter(|said| said != SILENCE)?;
        let mut call = shared.calls.get(&id)?.clone();
        let asked = result["inputRequests"].as_object()?.keys().next()?.clone();
        shared.again += 1;
        call["id"] = (AGAIN + shared.again).into();
        call["params"]["inputResponses"] = json!({ asked: said });
        call["params"]["requestState"] = result["requestState"].clone();
        drop(shared);
        self.remember(&call);
        Some(call)
    }

    fn lock(&self) -> MutexGuard<'_, Shared> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
