//! An answer on its way out: it fits, its text is its JSON, and what was left out is one link away.

use super::problem::Problem;
use super::seen::seen;
use rmcp::model::{CallToolResponse, CallToolResult, ContentBlock, InputRequiredResult, Resource};
use serde_json::{Value, json};

/// What a tool answers.
#[derive(Debug)]
pub(super) struct Answer {
    /// The document.
    pub(super) value: Value,
    /// The resource that has all of it.
    pub(super) rest: Option<String>,
    /// The same in plain words, where its JSON is hard to read.
    text: Option<String>,
    /// A question to a human, which is asked instead; the call is then made again.
    asks: Option<InputRequiredResult>,
}

/// What a tool answers, or why it does not.
pub(super) type Answered = Result<Answer, Problem>;

impl Answer {
    /// An answer that nothing is left out of unless it must.
    pub(super) fn new(value: Value) -> Self {
        Answer { value, rest: None, text: None, asks: None }
    }

    /// A question to a human.
    pub(super) fn asks(question: InputRequiredResult) -> Self {
        Answer { value: Value::Null, rest: None, text: None, asks: Some(question) }
    }

    /// Says the same in plain words, which are its text instead of its JSON.
    pub(super) fn text(self, text: String) -> Self {
        Answer { text: Some(text), ..self }
    }

    /// Names the resource that has all of it.
    pub(super) fn rest(self, uri: impl Into<String>) -> Self {
        Answer { rest: Some(uri.into()), ..self }
    }
}

/// What a call comes to; warnings are added to an answer.
pub(super) fn response(answered: Answered, warnings: &[String]) -> CallToolResponse {
    match answered {
        Ok(Answer { asks: Some(question), .. }) => question.into(),
        answered => result(answered, warnings).into(),
    }
}

/// The result of a call that nobody will answer, as the protocol of its era has it.
pub(crate) fn failed(code: &'static str, error: &str, next: &str, is_new: bool) -> Value {
    let help = "`switchback doctor` looks at this machine";
    let mut result = result(Err(Problem::new(code, error).next(next).help(help)), &[]);
    if !is_new {
        result.result_type = None;
    }
    serde_json::to_value(result).expect("BUG: a result has no JSON form")
}

/// The result of a call; warnings are added to it.
pub(super) fn result(answered: Answered, warnings: &[String]) -> CallToolResult {
    let (mut value, rest, text, is_error) = match answered {
        Ok(answer) => (answer.value, answer.rest, answer.text, false),
        Err(problem) => (problem.into_json(), None, None, true),
    };
    if !warnings.is_empty() {
        value["warnings"] = json!(warnings);
    }
    let (value, links) = seen(value, rest.as_deref());
    let mut result = match is_error {
        true => CallToolResult::structured_error(value),
        false => CallToolResult::structured(value),
    };
    if let Some(text) = text {
        let said: String = warnings.iter().map(|warning| format!("warning: {warning}\n")).collect();
        result.content = vec![ContentBlock::text(said + &text)];
    }
    for uri in links {
        let link = Resource::new(uri, "all of it").with_mime_type("application/json");
        result.content.push(ContentBlock::resource_link(link));
    }
    result
}
