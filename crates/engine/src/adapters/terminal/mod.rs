//! Terminals: one effect is one call of a tool, with the parameters that its state was given. What the tool says are the outputs;
//! that it said no is a failure with them, so that a state machine can go another way.
//!
//! Three tools are the server's own: one holds a contract against a session (`check`), one ends the sessions that a run has opened
//! (`close`), one keeps the definition of a run that has succeeded (`keep`).

mod check;
mod close;
mod keep;
mod script;

use crate::answers::Answers;
use crate::terminals::{Answer, CallOff, Exit, Keeper, NO_SESSION, Refused, Request, Visitor};
use dialects::states::tools::SESSION_ID;
use dialects::states::{CHECK, CLOSE, KEEP, PARAMS, SESSION, TOOL};
use kernel::effect::Perform;
use kernel::event::Report;
use kernel::{Data, Failure, FailureKind, Fields};
use serde_json::{Map, Value, json};

/// The tools that change nothing, or nothing that matters twice.
const WAITS: [&str; 4] = ["await_output", "get_screen_content", "list_terminal_sessions", CHECK];

/// A call to be carried out, by whom, who knows the definitions around it, and how it is called off.
pub(crate) struct Call<'c> {
    pub(crate) answers: &'c dyn Answers,
    pub(crate) keeper: &'c Keeper,
    pub(crate) visitor: &'c Visitor,
    pub(crate) call_off: &'c CallOff,
}

/// Whether an effect only waits and looks, so that it can be done again without harm.
pub(crate) fn only_waits(perform: &Perform) -> bool {
    let tool = perform.inputs.get(TOOL).and_then(Data::inline).and_then(Value::as_str);
    tool.is_some_and(|tool| WAITS.contains(&tool))
}

/// Carries an effect out. It may wait as long as its tool does.
pub(crate) fn perform(call: &Call<'_>, perform: &Perform) -> Report {
    let value = |name: &str| perform.inputs.get(name).and_then(Data::inline).cloned().unwrap_or(Value::Null);
    let tool = value(TOOL);
    let mut params = match value(PARAMS) {
        Value::Object(params) => params,
        _ => Map::new(),
    };
    let session = value(SESSION);
    if !session.is_null() {
        params.entry(SESSION_ID).or_insert(session);
    }
    match tool.as_str().unwrap_or_default() {
        CHECK => call.check(&params),
        CLOSE => call.close(&params),
        KEEP => call.keep(&params),
        tool => {
            let is_again = perform.id.attempt().is_some_and(|attempt| attempt > 1);
            call.tool(tool, params, is_again)
        }
    }
}

impl Call<'_> {
    fn tool(&self, tool: &str, params: Map<String, Value>, is_again: bool) -> Report {
        match Request::read(tool, Value::Object(params)) {
            Ok(request) => match (&request, self.ask(&request)) {
                // An attempt that was cut off may have ended it: then what was wanted has happened.
                (Request::Exit(exit), Err(refused)) if is_again && refused.code == NO_SESSION => gone(exit),
                (_, answer) => told(tool, answer),
            },
            Err(unread) => failed(FailureKind::Operation, json!({"error": format!("{tool}: {unread}")})),
        }
    }

    fn ask(&self, request: &Request) -> Result<Answer, Refused> {
        self.keeper.carry_out(self.visitor, request, None, self.call_off)
    }
}

/// What came of a call.
fn told(tool: &str, answer: Result<Answer, Refused>) -> Report {
    let answer = match answer {
        Ok(answer) => answer,
        Err(refused) => return failed(FailureKind::Operation, refused.to_json()),
    };
    let mut document = answer.to_json();
    if let Answer::Awaited(awaited) = &answer
        && awaited.match_text.is_none()
    {
        let seconds = awaited.elapsed_time;
        document["error"] = match awaited.timed_out {
            true => format!("{tool}: the pattern did not appear within {seconds} s").into(),
            false => format!("{tool}: the program has ended, and the pattern did not appear before").into(),
        };
        return failed(FailureKind::TimedOut, document);
    }
    Report::Done { outputs: fields(document) }
}

/// A session that is gone already.
fn gone(Exit { session_id }: &Exit) -> Report {
    let message = format!("Session {session_id} is gone");
    Report::Done { outputs: fields(json!({"success": true, "session_id": session_id, "message": message})) }
}

/// A call that said no: its document says so, and why.
fn failed(kind: FailureKind, mut document: Value) -> Report {
    document["success"] = false.into();
    let message = document["error"].as_str().unwrap_or_default().to_owned();
    Report::Failed { failure: Failure::new(kind, message), outputs: fields(document) }
}

fn fields(document: Value) -> Fields {
    match document {
        Value::Object(fields) => {
            fields.into_iter().map(|(name, value)| (name, Data::Inline(value))).collect()
        }
        _ => Fields::new(),
    }
}
