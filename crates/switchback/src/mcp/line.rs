//! One line of a client, before anything else sees it: a message of the protocol, or the answer to what is none. What reads
//! messages below answers such lines without their id or not at all, and whoever asked would wait for ever.
//!
//! Only what cannot be read is looked at more closely: what the server takes is never refused here.

use super::ids;
use super::intake;
use super::problem::{said, said_value};
use engine::adapters::exact;
use rmcp::ErrorData;
use rmcp::model::{ClientJsonRpcMessage, ClientRequest, ErrorCode, RequestId};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

/// The longest line that a client may send.
pub(crate) const LINE_BYTES_MAX: usize = 16 << 20;

/// The most lists and maps of a message: each takes many times the room that it has as text.
pub(crate) const PARTS_MAX: usize = 250_000;

/// What some programs put before a text.
const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// Why a line is no message.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Refused {
    /// The id that came, or those of a batch, each as it was written.
    ids: Vec<String>,
    is_batch: bool,
    code: ErrorCode,
    why: String,
}

impl Refused {
    fn new(id: String, code: ErrorCode, why: String) -> Refused {
        Refused { ids: vec![id], is_batch: false, code, why }
    }

    /// A request that must not be made.
    pub(crate) fn request(id: &RequestId, why: String) -> Refused {
        Refused::new(ids::written(&id.clone().into_json_value()), ErrorCode::INVALID_REQUEST, why)
    }

    /// A line that is longer than any may be; its id as it was written.
    pub(crate) fn too_long(id: String, length: usize) -> Refused {
        let why = format!(
            "a message has at most {LINE_BYTES_MAX} bytes, and this one has {length}; what is larger belongs into a file"
        );
        Refused::new(id, ErrorCode::INVALID_REQUEST, why)
    }

    /// A line with more lists and maps than any may have.
    pub(crate) fn too_dense(id: String) -> Refused {
        let why = format!(
            "a message has at most {PARTS_MAX} lists and maps, and this one has more; what is larger belongs into a file"
        );
        Refused::new(id, ErrorCode::INVALID_REQUEST, why)
    }

    /// The answer of the protocol, as a line.
    pub(crate) fn answer(&self) -> Vec<u8> {
        let error = json!({ "code": self.code, "message": self.why });
        let answer = |id: &String| format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{error}}}"#);
        let answers = self.ids.iter().map(answer).collect::<Vec<_>>().join(",");
        if self.is_batch { format!("[{answers}]") } else { answers }.into_bytes()
    }
}

/// A line without what stands around its message.
pub(crate) fn bare(line: &[u8]) -> &[u8] {
    line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line).trim_ascii()
}

/// The message of a line that came, which is given also with an id that can be held; nothing where it is a notification that
/// nobody understands, because those are never answered. An answer that has not the form of one is never answered either: whoever
/// waits for it hears that.
pub(crate) fn read(came: &[u8], line: &[u8]) -> Result<Option<ClientJsonRpcMessage>, Refused> {
    if came.len() > LINE_BYTES_MAX {
        return Err(Refused::too_long(id_in(came), came.len()));
    }
    // A list would be read as an object by the order of its parts.
    let read = if is_object(line) {
        serde_json::from_slice(line)
    } else {
        Err(serde::de::Error::custom("no object"))
    };
    let error = match read {
        Ok(message) => return held(line, message).map(Some),
        Err(error) => error,
    };
    let value: Value = serde_json::from_slice(line).map_err(|error| {
        let why = format!("this line is not JSON that can be read: {error}");
        Refused::new(id_in(came), ErrorCode::PARSE_ERROR, why)
    })?;
    if is_answer(&value) {
        return Ok(garbled(&value, &error));
    }
    let id = id_in(came);
    let (code, why) = match wrong(&value, &id) {
        Some(wrong) => wrong,
        None if is_notification(&value) => return Ok(None),
        None => {
            // A name that stands there twice is what its reader minds and does not say.
            let twice = std::str::from_utf8(line).ok().and_then(|line| exact(line).err());
            let why = twice.unwrap_or_else(|| error.to_string());
            (ErrorCode::INVALID_REQUEST, format!("this is no message of the protocol: {}", said(&why)))
        }
    };
    let refused = Refused::new(id, code, why);
    let batch = batch(came);
    Err(if batch.is_empty() { refused } else { Refused { ids: batch, is_batch: true, ..refused } })
}

/// The id of a plain call of a tool: one that nothing is wrong with and that has nothing but what nearly every call has. What is
/// not one may be one all the same, and is read as a whole.
pub(crate) fn plain_call(line: &[u8]) -> Option<RequestId> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Message<'l> {
        jsonrpc: &'l str,
        #[serde(borrow)]
        id: &'l RawValue,
        method: &'l str,
        #[serde(borrow)]
        params: &'l RawValue,
    }
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Params<'l> {
        #[serde(rename = "name")]
        _name: &'l str,
        #[serde(borrow)]
        arguments: Option<&'l RawValue>,
        #[serde(rename = "_meta")]
        _meta: Option<Map<String, Value>>,
    }
    /// How long it may be, and how many lists and objects may stand in it: so none is too deep.
    const BYTES_MAX: usize = 64 << 10;
    const NESTED_MAX: usize = 64;
    let opens = |line: &[u8]| line.iter().filter(|byte| matches!(byte, b'{' | b'[')).count();
    if line.len() > BYTES_MAX || opens(line) > NESTED_MAX || !is_object(line) {
        return None;
    }
    let Message { jsonrpc, id, method, params } = serde_json::from_slice(line).ok()?;
    let params: Params<'_> = serde_json::from_str(objects(params)?).ok()?;
    let is_call = jsonrpc == "2.0" && method == "tools/call" && !ids::is_odd(id.get());
    let is_exact = |arguments: &RawValue| exact(arguments.get()).is_ok_and(|value| value.is_object());
    (is_call && params.arguments.is_none_or(is_exact)).then(|| serde_json::from_str(id.get()).ok())?
}

/// A message that can be held as it was written: nothing that someone relies on is rounded or dropped without a word.
fn held(line: &[u8], message: ClientJsonRpcMessage) -> Result<ClientJsonRpcMessage, Refused> {
    #[derive(Deserialize)]
    struct Head<'l> {
        #[serde(borrow)]
        params: Option<&'l RawValue>,
    }
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Params<'l> {
        #[serde(borrow)]
        arguments: Option<&'l RawValue>,
        #[serde(borrow)]
        input_responses: Option<&'l RawValue>,
    }
    let request = match &message {
        ClientJsonRpcMessage::Request(request) => request,
        ClientJsonRpcMessage::Response(response) => {
            let twice = std::str::from_utf8(line).ok().and_then(|line| exact(line).err());
            let id = response.id.clone();
            return Ok(twice.map_or(message, |why| unread(id, &why)));
        }
        _ => return Ok(message),
    };
    if let Some(id) = ids::broken(&request.id) {
        return Err(Refused::request(&request.id, no_id(&said(id))));
    }
    let params = serde_json::from_slice(line).ok().and_then(|Head { params }| params);
    if params.is_some_and(|params| params.get().starts_with('[')) {
        let id = ids::written(&request.id.clone().into_json_value());
        let why = "`params` must be an object, not a list".to_owned();
        return Err(Refused::new(id, ErrorCode::INVALID_PARAMS, why));
    }
    if let ClientRequest::CallToolRequest(_) = request.request
        && let Some(params) = params.and_then(objects)
        && let Ok(params) = serde_json::from_str::<Params<'_>>(params)
    {
        let given = [("arguments", params.arguments), ("inputResponses", params.input_responses)];
        for (name, given) in given {
            let Some(Err(why)) = given.map(|given| exact(given.get())) else { continue };
            let id = ids::written(&request.id.clone().into_json_value());
            let why = format!("`{name}` cannot be taken as they stand there: {}", said(&why));
            return Err(Refused::new(id, ErrorCode::INVALID_PARAMS, why));
        }
    }
    Ok(message)
}

fn no_id(came: &str) -> String {
    format!("`id` must be a text or a whole number, not {came}")
}

/// What is wrong with a message, if it is one of the mistakes that have a name. Its id as it was written: a number may be rounded
/// in the value.
fn wrong(value: &Value, id: &str) -> Option<(ErrorCode, String)> {
    let invalid = |why: String| Some((ErrorCode::INVALID_REQUEST, why));
    let Value::Object(message) = value else {
        return invalid(match value {
            Value::Array(_) => {
                "a line holds one message: send each of a batch on a line of its own".to_owned()
            }
            other => format!("a message is an object, not {}", said_value(other)),
        });
    };
    match message.get("jsonrpc") {
        Some(Value::String(version)) if version == "2.0" => {}
        Some(other) => return invalid(format!("`jsonrpc` must be \"2.0\", not {}", said_value(other))),
        None => return invalid("a message needs `jsonrpc`: \"2.0\"".to_owned()),
    }
    if let Some(held) = message.get("id").filter(|_| !ids::is_id(id)) {
        return invalid(no_id(&if held.is_number() { said(id) } else { said_value(held) }));
    }
    match message.get("method") {
        Some(Value::String(_)) => {}
        Some(other) => return invalid(format!("`method` must be a text, not {}", said_value(other))),
        None => return invalid("a request needs `method`, and an answer `result` or `error`".to_owned()),
    }
    message.get("id").and_then(|_| wrong_params(message)).map(|why| (ErrorCode::INVALID_PARAMS, why))
}

fn wrong_params(message: &Map<String, Value>) -> Option<String> {
    let params = match message.get("params")? {
        Value::Object(params) => params,
        Value::Null => return None,
        other => return Some(format!("`params` must be an object, not {}", said_value(other))),
    };
    match params.get("_meta")? {
        Value::Object(_) | Value::Null => None,
        other => Some(format!("`_meta` must be an object, not {}", said_value(other))),
    }
}

/// An answer that cannot be read, as an answer that says so; nothing where it does not say what it answers.
fn garbled(value: &Value, error: &serde_json::Error) -> Option<ClientJsonRpcMessage> {
    let id = RequestId::deserialize(value.get("id")?).ok()?;
    Some(unread(id, &error.to_string()))
}

/// What stands in for an answer that cannot be taken as it is.
fn unread(id: RequestId, why: &str) -> ClientJsonRpcMessage {
    let why = format!("the answer has not the form of one: {}", said(why));
    ClientJsonRpcMessage::error(ErrorData::invalid_request(why, None), Some(id))
}

/// The ids of the requests in a batch: each of them is waited for.
fn batch(line: &[u8]) -> Vec<String> {
    #[derive(Deserialize)]
    struct Head<'l> {
        #[serde(borrow)]
        id: &'l RawValue,
        #[serde(rename = "method")]
        _method: IgnoredAny,
    }
    let all: Vec<&RawValue> = serde_json::from_slice(line).unwrap_or_default();
    let all = all.into_iter().filter_map(objects);
    let requests = all.filter_map(|one| serde_json::from_str::<Head<'_>>(one).ok());
    requests.map(|head| head.id.get().to_owned()).collect()
}

/// Whether it begins as an object does.
fn is_object(line: &[u8]) -> bool {
    bare(line).starts_with(b"{")
}

/// The text of an object.
fn objects(one: &RawValue) -> Option<&str> {
    Some(one.get()).filter(|text| text.starts_with('{'))
}

fn is_notification(message: &Value) -> bool {
    message.get("method").is_some() && message.get("id").is_none()
}

fn is_answer(message: &Value) -> bool {
    message.get("method").is_none() && (message.get("result").is_some() || message.get("error").is_some())
}

/// The id of a line that is no message, as it was written.
fn id_in(line: &[u8]) -> String {
    #[derive(Deserialize)]
    struct Head<'l> {
        #[serde(borrow)]
        id: Option<&'l RawValue>,
    }
    let head: Option<Head<'_>> = serde_json::from_slice(line).ok().filter(|_| is_object(line));
    let id = head.and_then(|head| head.id).map(|id| id.get().to_owned());
    // What is no JSON at all, such as a text with a raw control character in it, still has an id at its top.
    let id = id.unwrap_or_else(|| intake::id_of(line));
    let is_readable = !id.starts_with('"') || serde_json::from_str::<String>(&id).is_ok();
    if is_readable { id } else { "null".to_owned() }
}

#[cfg(test)]
mod tests;
