//! Says with tools what a case says on the command line, and brings the answer back in the words of `--json`.
//!
//! ```text
//!  run FILE|NAME -i k=v    (the file is put into the library)  get_workflow_info, execute_workflow, get_workflow_status
//!  check FILE --json       get_workflow_info, which says what is wrong with it
//!  show RUN --json         get_workflow_status
//!  runs --json             get_workflow_status without an id
//!  cancel RUN              cancel_workflow, get_workflow_status
//! ```
//!
//! What was left out of an answer is read from the resource that it names. The exit code follows from the status.

use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};

use crate::answer::Reply;
use crate::case::{FIRST_CLIENT, Request};
use crate::clients::Clients;
use crate::mcp::Waiting;
use crate::process::{End, Ended};
use crate::workspace::Workspace;

const LIBRARY: &str = ".switchback/workflows/";

/// How long one question may take that answers at once.
const AT_ONCE: Duration = Duration::from_secs(20);

/// Something that was said with tools and is not answered yet.
pub(crate) struct Said {
    verb: Verb,
    waiting: Waiting,
}

#[derive(Clone, Copy, PartialEq)]
enum Verb {
    Run,
    Check,
    Show,
    Runs,
    Cancel,
}

/// Returns whether there are tools for a command.
pub(crate) fn can_say(args: &[String]) -> bool {
    let is_json = args.iter().any(|arg| arg == "--json");
    match args.first().map(String::as_str) {
        Some("run" | "cancel") => true,
        Some("show") => is_json && !args.iter().any(|arg| arg == "--journal"),
        Some("runs") => is_json && args.len() == 2,
        Some("check") => is_json && args.len() == 3,
        _ => false,
    }
}

/// Says a command with tools.
pub(crate) fn begin(args: &[String], clients: &mut Clients, workspace: &Workspace) -> Result<Said, String> {
    let words = Words::read(args)?;
    let (verb, tool, arguments) = match words.verb {
        "run" => {
            let workflow = shelve(words.subject, workspace)?;
            let inputs = inputs(&workflow, &words.inputs, clients)?;
            (Verb::Run, "execute_workflow", json!({ "workflow": workflow, "inputs": inputs }))
        }
        "check" => {
            let workflow = shelve(words.subject, workspace)?;
            (Verb::Check, "get_workflow_info", json!({ "workflow": workflow }))
        }
        "show" => {
            let arguments = json!({ "workflow_id": words.subject, "detail": "whole" });
            (Verb::Show, "get_workflow_status", arguments)
        }
        "runs" => (Verb::Runs, "get_workflow_status", json!({})),
        _ => (Verb::Cancel, "cancel_workflow", json!({ "workflow_id": words.subject })),
    };
    Ok(Said { verb, waiting: call(tool, &arguments, clients)? })
}

impl Said {
    /// Waits until what was asked for is done, and returns it as the command line would have.
    pub(crate) fn end(self, clients: &mut Clients, limit: Duration) -> Result<Ended, String> {
        let deadline = Instant::now() + limit;
        let reply = self.waiting.wait(limit)?;
        if let Some(refused) = refusal(&reply)? {
            return Ok(refused);
        }
        match self.verb {
            Verb::Show => return Ok(ended(0, &whole(reply.json.unwrap_or_default(), clients)?)),
            Verb::Check => return Ok(ended(0, &json!({ "diagnostics": [] }))),
            Verb::Runs => return Ok(ended(0, &runs(reply.json.unwrap_or_default()))),
            Verb::Run | Verb::Cancel => {}
        }
        let answer = reply.json.unwrap_or_default();
        let run = ["/workflow_id", "/metadata/workflow_id", "/run"];
        let run = run.iter().find_map(|pointer| answer.pointer(pointer)?.as_str());
        let run = run.ok_or_else(|| format!("the answer names no run: {answer}"))?;
        let document = settled(run, deadline, clients)?;
        let exit = match (self.verb, document["status"].as_str()) {
            (Verb::Cancel, Some("cancelled")) | (_, Some("succeeded")) => 0,
            (_, Some("failed" | "cancelled")) => 100,
            (_, Some("waiting")) => 3,
            (_, status) => return Err(format!("run {run} is {status:?}: {document}")),
        };
        Ok(ended(exit, &document))
    }
}

/// The words of a command line.
struct Words<'a> {
    verb: &'a str,
    subject: &'a str,
    inputs: Vec<(&'a str, &'a str)>,
}

impl<'a> Words<'a> {
    fn read(args: &'a [String]) -> Result<Self, String> {
        let mut args = args.iter().map(String::as_str);
        let verb = args.next().unwrap_or_default();
        let (mut subject, mut inputs) = (None, Vec::new());
        while let Some(arg) = args.next() {
            match arg {
                "--json" => {}
                "-i" | "--input" => {
                    let pair = args.next().unwrap_or_default();
                    inputs.push(pair.split_once('=').unwrap_or((pair, "")));
                }
                word => subject = subject.or(Some(word)),
            }
        }
        match subject {
            None if verb != "runs" => Err(format!("`{verb}` does not say of what")),
            subject => Ok(Self { verb, subject: subject.unwrap_or_default(), inputs }),
        }
    }
}

/// Puts a file into the library and returns the word that means it there. A name means itself.
fn shelve(word: &str, workspace: &Workspace) -> Result<String, String> {
    let is_file =
        word.contains('/') || [".yaml", ".yml", ".json"].iter().any(|ending| word.ends_with(ending));
    if !is_file {
        return Ok(word.to_owned());
    }
    let name = word.rsplit('/').next().unwrap_or(word);
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    if let Some(content) = workspace.read(word).map_err(|error| error.to_string())? {
        let shelved = [(format!("{LIBRARY}{name}"), content)];
        workspace.write(&shelved).map_err(|error| error.to_string())?;
    }
    Ok(stem.to_owned())
}

/// Returns the inputs as the workflow declares them: text stays text, all else is data.
fn inputs(
    workflow: &str,
    given: &[(&str, &str)],
    clients: &mut Clients,
) -> Result<Map<String, Value>, String> {
    if given.is_empty() {
        return Ok(Map::new());
    }
    let info = call("get_workflow_info", &json!({ "workflow": workflow }), clients)?.wait(AT_ONCE)?;
    let declared = info.json.unwrap_or_default()["inputs"].take();
    let type_of = |name: &str| {
        let named = |input: &&Value| input["name"] == name;
        let listed = declared.as_array().and_then(|inputs| inputs.iter().find(named));
        listed.or_else(|| declared.get(name)).and_then(|input| input["type"].as_str()).map(str::to_owned)
    };
    let typed = |(name, text): &(&str, &str)| {
        let value = match type_of(name).as_deref() {
            None | Some("string") => Value::from(*text),
            Some(_) => serde_json::from_str(text).unwrap_or_else(|_| Value::from(*text)),
        };
        ((*name).to_owned(), value)
    };
    Ok(given.iter().map(typed).collect())
}

/// Waits for a run, one call after the other, and returns how it stands.
fn settled(run: &str, deadline: Instant, clients: &mut Clients) -> Result<Value, String> {
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        let seconds = left.as_secs().clamp(1, 45);
        let arguments = json!({ "workflow_id": run, "wait_seconds": seconds });
        let reply = call("get_workflow_status", &arguments, clients)?.wait(left + AT_ONCE)?;
        if reply.error || reply.protocol_error.is_some() {
            return Err(format!("there is no status of {run}: {reply:?}"));
        }
        let document = whole(reply.json.unwrap_or_default(), clients)?;
        let goes_on = matches!(document["status"].as_str(), Some("queued" | "running" | "closing"));
        if !goes_on || left.is_zero() {
            return Ok(document);
        }
    }
}

/// Returns a list of runs in which each goes by the word of the command line.
fn runs(mut document: Value) -> Value {
    for run in document["runs"].as_array_mut().into_iter().flatten() {
        run["run"] = run["workflow_id"].take();
    }
    document
}

/// Returns all of a document of which something was left out.
fn whole(document: Value, clients: &mut Clients) -> Result<Value, String> {
    let Some(uri) = document.pointer("/left_out/all_of_it").and_then(Value::as_str) else {
        return Ok(document);
    };
    let params = json!({ "uri": uri });
    let request = Request {
        client: FIRST_CLIENT.to_owned(),
        method: "resources/read".to_owned(),
        params,
        progress: false,
    };
    let reply = clients.send(&request)?.wait(AT_ONCE)?;
    reply.json.ok_or_else(|| format!("{uri} is no document: {}", reply.text))
}

/// Returns a call that was not carried out as the command line would have refused it.
fn refusal(reply: &Reply) -> Result<Option<Ended>, String> {
    if let Some(error) = &reply.protocol_error {
        return Err(format!("the call was refused: {error}"));
    }
    let answer = reply.json.clone().unwrap_or_default();
    let Some(code) = answer["code"].as_str().filter(|_| reply.error) else { return Ok(None) };
    let near = answer["did_you_mean"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let near: Vec<String> = near.map(|name| format!("`{name}`")).collect();
    let hints = if near.is_empty() { vec![] } else { vec![format!("did you mean {}?", near.join(" or "))] };
    let mut document = json!({ "error": { "code": code, "message": answer["error"], "hints": hints } });
    if let Some(diagnostics) = answer["diagnostics"].as_array() {
        let file = answer["file"].as_str().unwrap_or_default();
        let file = file.strip_prefix(LIBRARY).unwrap_or(file);
        document["diagnostics"] = diagnostics.iter().map(|one| in_file(one, file)).collect();
    }
    let exit = if code == "invalid-definition" { 5 } else { 2 };
    Ok(Some(ended(exit, &document)))
}

/// Says of each mistake in which file it is, by the name that the case knows.
fn in_file(diagnostic: &Value, file: &str) -> Value {
    let mut diagnostic = diagnostic.clone();
    diagnostic["file"] = file.into();
    diagnostic
}

fn call(tool: &str, arguments: &Value, clients: &mut Clients) -> Result<Waiting, String> {
    let params = json!({ "name": tool, "arguments": arguments });
    let method = "tools/call".to_owned();
    clients.send(&Request { client: FIRST_CLIENT.to_owned(), method, params, progress: true })
}

fn ended(exit: i32, document: &Value) -> Ended {
    let stdout = format!("{document}\n");
    Ended { end: End::Exit(exit), stdout, stderr: String::new(), is_said: true }
}
