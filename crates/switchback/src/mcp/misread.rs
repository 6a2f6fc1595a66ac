//! Requests of a known method whose parameters have another form than the protocol's. A call of a tool is answered all the
//! same, because only answers reach the model; other requests get the error that says what is wrong.

use super::problem::{Problem, said, said_value};
use super::tools;
use crate::settings::Settings;
use rmcp::ErrorData;
use rmcp::model::{
    CallToolRequestParams, CompleteRequestParams, CustomRequest, ErrorCode, GetPromptRequestParams,
    ReadResourceRequestParams,
};
use serde_json::{Value, json};

/// The method that calls a tool.
pub(super) const CALL: &str = "tools/call";

/// What is wrong with a call of a tool.
pub(super) fn call(request: &CustomRequest, settings: &Settings) -> Problem {
    let params = request.params.as_ref();
    let wrong = |argument: &str, error: String| {
        Problem::new("wrong-argument", error).with("argument", json!(argument))
    };
    match params.and_then(|params| params.get("name")) {
        Some(Value::String(_)) => {}
        None | Some(Value::Null) => {
            return wrong("name", "a call needs `name`: the name of a tool".to_owned())
                .options(tools::names(settings))
                .help("Call again with the `name` of one of these");
        }
        Some(other) => {
            return wrong("name", format!("`name` must be a text, not {}", said_value(other)))
                .options(tools::names(settings))
                .help("Call again with the `name` of one of these");
        }
    }
    match params.and_then(|params| params.get("arguments")) {
        None | Some(Value::Null | Value::Object(_)) => {
            let why = mistake::<CallToolRequestParams>(request);
            Problem::new("wrong-call", format!("the call cannot be read: {}", said(&why)))
                .help("Call again with `name` and `arguments`, and with nothing else that is needed")
        }
        Some(other) => {
            let error = format!(
                "`arguments` must be an object with a value for each argument, not {}",
                said_value(other)
            );
            wrong("arguments", error)
                .help("Call again with `arguments` of that form; {} where a tool needs none")
        }
    }
}

/// The error for any other request that nobody could read.
pub(super) fn error(request: &CustomRequest) -> ErrorData {
    let why = match request.method.as_str() {
        "resources/read" => mistake::<ReadResourceRequestParams>(request),
        "prompts/get" => mistake::<GetPromptRequestParams>(request),
        "completion/complete" => mistake::<CompleteRequestParams>(request),
        // It is said in words on its way out.
        method => return ErrorData::new(ErrorCode::METHOD_NOT_FOUND, method.to_owned(), None),
    };
    ErrorData::invalid_params(format!("{}: {}", request.method, said(&why)), None)
}

/// What the parameters of a request are not.
fn mistake<P: serde::de::DeserializeOwned>(request: &CustomRequest) -> String {
    match request.params_as::<P>() {
        Ok(Some(_)) => "its form is not the protocol's".to_owned(),
        Ok(None) => "it has no params".to_owned(),
        Err(error) => error.to_string(),
    }
}
