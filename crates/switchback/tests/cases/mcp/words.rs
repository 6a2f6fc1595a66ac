//! What a client says in each era.

use serde_json::{Map, Value, json};

use crate::doors::Era;

const NAME: &str = "switchback-cases";

/// Returns the method and the parameters with which a client opens the conversation.
pub(super) fn opening(era: Era, abilities: &Value) -> (&'static str, Value) {
    match era {
        Era::Handshake => (
            "initialize",
            json!({ "protocolVersion": era.revision(), "capabilities": abilities, "clientInfo": client_info() }),
        ),
        Era::Stateless => ("server/discover", json!({})),
    }
}

/// Returns what a client says once it has been answered, if anything.
pub(super) fn after_opening(era: Era) -> Option<Value> {
    match era {
        Era::Handshake => Some(json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })),
        Era::Stateless => None,
    }
}

/// Returns a whole request. Progress is asked for under its own id.
pub(super) fn request(
    (era, abilities): (Era, &Value),
    id: u64,
    (method, params): (&str, &Value),
    progress: bool,
) -> Value {
    let mut params = params.as_object().cloned().unwrap_or_default();
    let mut meta = params.remove("_meta").and_then(|meta| meta.as_object().cloned()).unwrap_or_default();
    if era == Era::Stateless {
        meta.extend(who_asks(era, abilities));
    }
    if progress {
        meta.entry("progressToken").or_insert_with(|| id.into());
    }
    if !meta.is_empty() {
        params.insert("_meta".to_owned(), meta.into());
    }
    json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })
}

/// Returns the notification that a client no longer waits for an answer.
pub(super) fn cancelled((era, abilities): (Era, &Value), id: u64) -> Value {
    let mut params = Map::from_iter([
        ("requestId".to_owned(), json!(id)),
        ("reason".to_owned(), json!("the case says so")),
    ]);
    if era == Era::Stateless {
        params.insert("_meta".to_owned(), who_asks(era, abilities).into());
    }
    json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": params })
}

/// Returns what a client says to a request of the server: it can do nothing for it.
pub(super) fn answer(id: &Value, method: &str) -> Value {
    match method {
        "ping" => json!({ "jsonrpc": "2.0", "id": id, "result": {} }),
        _ => {
            let error = json!({ "code": -32601, "message": format!("the runner has no {method}") });
            json!({ "jsonrpc": "2.0", "id": id, "error": error })
        }
    }
}

fn who_asks(era: Era, abilities: &Value) -> Map<String, Value> {
    let key = |name: &str| format!("io.modelcontextprotocol/{name}");
    Map::from_iter([
        (key("protocolVersion"), era.revision().into()),
        (key("clientInfo"), client_info()),
        (key("clientCapabilities"), abilities.clone()),
    ])
}

fn client_info() -> Value {
    json!({ "name": NAME, "version": "1" })
}
