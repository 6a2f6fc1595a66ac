//! A human behind the client is asked while a call waits: in both eras, with every way to answer and not to.

mod beside;
mod gates;

use crate::client::{Client, Era};
use crate::world::{World, asker};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

const CONFIRM: &str = "inputs: {prompt: Deploy?, kind: confirm, details: 3 files changed}";
const GATE: &str = "gate: ask, inputs: {prompt: Really?}";

/// Starts a run and gives the form that the human sees, and what answers it.
struct Asked {
    call: u64,
    form: Value,
    arguments: Value,
    /// The request of the older era, or the result of the newer one.
    raw: Value,
}

fn ask(client: &mut Client, era: Era, arguments: Value) -> Asked {
    let call = client.begin("execute_workflow", arguments.clone(), Value::Null);
    match era {
        Era::Handshake => {
            let raw = client.asked();
            assert_eq!(raw["method"], "elicitation/create");
            Asked { call, form: raw["params"].clone(), arguments, raw }
        }
        Era::Stateless => {
            let raw = client.answer(call).unwrap();
            assert_eq!(raw["resultType"], "input_required", "{raw:#}");
            let form = raw["inputRequests"].as_object().unwrap().values().next().unwrap()["params"].clone();
            Asked { call, form, arguments, raw }
        }
    }
}

/// Answers and gives what the call comes to.
fn answer(client: &mut Client, asked: Asked, result: Value) -> (Value, bool) {
    match asked.raw.get("resultType") {
        None => {
            client.reply(&asked.raw, result);
            client.called(asked.call)
        }
        Some(_) => {
            let again = again(&asked, result, None);
            let call = client.send("tools/call", again);
            client.called(call)
        }
    }
}

fn again(asked: &Asked, result: Value, state: Option<&str>) -> Value {
    let key = asked.raw["inputRequests"].as_object().unwrap().keys().next().unwrap();
    let state = state.unwrap_or_else(|| asked.raw["requestState"].as_str().unwrap());
    json!({
        "name": "execute_workflow", "arguments": asked.arguments,
        "inputResponses": { key: result }, "requestState": state,
    })
}

fn world(name: &str, question: &str) -> World {
    World::with(&[(name, &asker(name, question))])
}

#[test]
fn what_the_human_says_goes_on_with_the_run() {
    for era in Era::ALL {
        let world = world("deploy", CONFIRM);
        let mut client = world.asking(era);
        let asked = ask(&mut client, era, json!({ "workflow": "deploy" }));
        let message = asked.form["message"].as_str().unwrap();
        assert!(message.starts_with("Deploy?") && message.contains("3 files changed"), "{message}");
        assert_eq!(asked.form["requestedSchema"]["properties"]["response"]["type"], "boolean");
        assert_eq!(asked.form["requestedSchema"]["required"], json!(["response"]));
        let accept = json!({ "action": "accept", "content": { "response": true } });
        let (done, is_error) = answer(&mut client, asked, accept);
        assert!(!is_error, "{done:#}");
        assert_eq!((&done["status"], &done["outputs"]["said"]), (&json!("success"), &json!(true)));
        let uri = format!("switchback://run/{}/journal", done["workflow_id"].as_str().unwrap());
        let journal = client.request("resources/read", json!({ "uri": uri })).unwrap().to_string();
        assert!(journal.contains("elicitation through test-client"), "{journal}");
    }
}

#[test]
fn choices_and_texts_have_forms_of_their_own() {
    for era in Era::ALL {
        let world = world("choose", "inputs: {prompt: Where?, choices: [staging, production]}");
        world.define("name", &asker("name", "inputs: {prompt: Who?, default: Ada}"));
        let mut client = world.asking(era);
        let asked = ask(&mut client, era, json!({ "workflow": "choose" }));
        let field = &asked.form["requestedSchema"]["properties"]["response"];
        assert_eq!((&field["type"], &field["enum"]), (&json!("string"), &json!(["staging", "production"])));
        let accept = json!({ "action": "accept", "content": { "response": "production" } });
        assert_eq!(answer(&mut client, asked, accept).0["outputs"]["said"], "production");
        let asked = ask(&mut client, era, json!({ "workflow": "name" }));
        let field = &asked.form["requestedSchema"]["properties"]["response"];
        assert_eq!((&field["type"], &field["default"]), (&json!("string"), &json!("Ada")));
        let accept = json!({ "action": "accept", "content": { "response": "Grace" } });
        assert_eq!(answer(&mut client, asked, accept).0["outputs"]["said"], "Grace");
    }
}

#[test]
fn a_question_without_an_answer_stays_open() {
    let garbage = [
        json!({ "action": "decline" }),
        json!({ "action": "cancel" }),
        json!({ "action": "accept" }),
        json!({ "action": "accept", "content": { "other": 1 } }),
        json!({ "action": "shrug" }),
        json!({ "nothing": "of this kind" }),
    ];
    for era in Era::ALL {
        for result in &garbage {
            let world = world("deploy", CONFIRM);
            let mut client = world.asking(era);
            let asked = ask(&mut client, era, json!({ "workflow": "deploy" }));
            let (paused, is_error) = answer(&mut client, asked, result.clone());
            assert!(!is_error, "{paused:#}");
            assert_eq!(paused["status"], "paused", "{era:?} {result} {paused:#}");
            assert!(paused["note"].is_string(), "{era:?} {result} {paused:#}");
            assert_eq!(paused["questions"][0]["prompt"], "Deploy?");
            let id = &paused["workflow_id"];
            let done = client.good("resume_workflow", json!({ "workflow_id": id, "response": false }));
            assert_eq!(done["outputs"]["said"], false);
        }
    }
}

#[test]
fn a_plain_question_that_is_long_is_asked_with_its_beginning() {
    for era in Era::ALL {
        let details = format!("begin {} THE END", "é".repeat(5_000));
        let world = world("long", &format!("inputs: {{prompt: Deploy?, kind: confirm, details: {details}}}"));
        let mut client = world.asking(era);
        let asked = ask(&mut client, era, json!({ "workflow": "long" }));
        let message = asked.form["message"].as_str().unwrap();
        assert!(
            !message.contains("THE END") && message.contains("There is more: switchback answer "),
            "{message}"
        );
        let accept = json!({ "action": "accept", "content": { "response": true } });
        assert_eq!(answer(&mut client, asked, accept).0["status"], "success");
    }
}

#[test]
fn silence_ends_the_call_and_not_the_question() {
    let world = world("deploy", CONFIRM).env("SWITCHBACK_CALL_SECONDS", "1");
    let mut client = world.asking(Era::Handshake);
    let began = Instant::now();
    let asked = ask(&mut client, Era::Handshake, json!({ "workflow": "deploy" }));
    let (paused, _) = client.called(asked.call);
    assert!((900..15_000).contains(&began.elapsed().as_millis()), "{:?}", began.elapsed());
    assert_eq!((&paused["status"], &paused["questions"][0]["prompt"]), (&json!("paused"), &json!("Deploy?")));
    let withdrawn = |note: &Value| {
        note["method"] == "notifications/cancelled" && note["params"]["requestId"] == asked.raw["id"]
    };
    assert!(client.notes.iter().any(withdrawn), "{:?}", client.notes);
    // An answer that comes now does no harm, and none was taken.
    client.reply(&asked.raw, json!({ "action": "accept", "content": { "response": true } }));
    let status = client.good("get_workflow_status", json!({ "workflow_id": paused["workflow_id"] }));
    assert_eq!(status["status"], "waiting");
}

#[test]
fn a_question_that_is_answered_elsewhere_is_taken_back() {
    let world = world("deploy", CONFIRM);
    let mut client = world.asking(Era::Handshake);
    let asked = ask(&mut client, Era::Handshake, json!({ "workflow": "deploy" }));
    let runs = client.good("get_workflow_status", json!({}));
    let id = runs["runs"][0]["workflow_id"].clone();
    let done = client.good("resume_workflow", json!({ "workflow_id": id, "response": false }));
    assert_eq!(done["outputs"]["said"], false);
    let (answer, _) = client.called(asked.call);
    assert_eq!((&answer["status"], &answer["outputs"]["said"]), (&json!("success"), &json!(false)));
    assert_eq!(reason(&client, &asked), ["the question was answered elsewhere"]);
    client.reply(&asked.raw, json!({ "action": "accept", "content": { "response": true } }));
    assert!(!client.is_asked());
}

/// Why a form was taken back.
fn reason(client: &Client, asked: &Asked) -> Vec<String> {
    let its = client.notes.iter().filter(|note| note["params"]["requestId"] == asked.raw["id"]);
    its.map(|note| note["params"]["reason"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_form_that_ends_with_its_run_says_so() {
    let world = world("deploy", CONFIRM);
    let mut client = world.asking(Era::Handshake);
    let asked = ask(&mut client, Era::Handshake, json!({ "workflow": "deploy" }));
    let id = client.good("get_workflow_status", json!({}))["runs"][0]["workflow_id"].clone();
    client.good("cancel_workflow", json!({ "workflow_id": id }));
    let (answer, _) = client.called(asked.call);
    assert_eq!(answer["status"], "cancelled", "{answer}");
    assert_eq!(reason(&client, &asked), ["the run was cancelled"]);
}

/// Starts a run whose form is open, and a call beside it that waits for the run.
#[test]
fn who_does_not_wait_asks_nobody() {
    for era in Era::ALL {
        let world = world("deploy", CONFIRM);
        let mut client = world.asking(era);
        let run = client.good("execute_workflow", json!({ "workflow": "deploy", "wait_seconds": 0 }));
        let status = client.good("get_workflow_status", json!({ "workflow_id": run["workflow_id"] }));
        assert_eq!(status["questions"][0]["prompt"], "Deploy?");
        assert!(!client.is_asked());
    }
}

#[test]
fn progress_flows_while_a_human_thinks() {
    let world = world("deploy", CONFIRM);
    let mut client = world.asking(Era::Handshake);
    let id =
        client.begin("execute_workflow", json!({ "workflow": "deploy" }), json!({ "progressToken": "p" }));
    let asked = client.asked();
    client.listen(Duration::from_secs(11));
    assert!(client.told("p").iter().filter(|said| said.contains("waits for an answer")).count() >= 1);
    client.reply(&asked, json!({ "action": "accept", "content": { "response": true } }));
    assert_eq!(client.called(id).0["status"], "success");
}

#[test]
fn a_client_that_dies_while_it_is_asked_changes_nothing() {
    let world = world("deploy", CONFIRM);
    let mut client = world.asking(Era::Handshake);
    ask(&mut client, Era::Handshake, json!({ "workflow": "deploy" }));
    client.die();
    let mut next = world.client();
    let runs = next.good("get_workflow_status", json!({}));
    let id = runs["runs"][0]["workflow_id"].clone();
    let done = next.good("resume_workflow", json!({ "workflow_id": id, "response": true }));
    assert_eq!(done["outputs"]["said"], true);
}

#[test]
fn a_state_opens_only_for_the_call_it_was_sealed_for() {
    let world = world("deploy", CONFIRM);
    let mut client = world.asking(Era::Stateless);
    let asked = ask(&mut client, Era::Stateless, json!({ "workflow": "deploy" }));
    let accept = || json!({ "action": "accept", "content": { "response": true } });
    let state = asked.raw["requestState"].as_str().unwrap();
    let mut tampered = state.to_owned();
    let last = tampered.pop().unwrap();
    tampered.push(if last == 'A' { 'B' } else { 'A' });
    let refused = |client: &mut Client, params: Value| {
        let call = client.send("tools/call", params);
        let (value, is_error) = client.called(call);
        assert!(is_error, "{value:#}");
        value
    };
    for wrong in [tampered.as_str(), "", "rs1.x.y"] {
        let value = refused(&mut client, again(&asked, accept(), Some(wrong)));
        assert_eq!(value["code"], "wrong-state", "{value:#}");
        // The same call would start another run.
        let next = value["next"].as_str().unwrap();
        assert!(
            next.starts_with("Do not make the call again") && next.contains("get_workflow_status()"),
            "{next}"
        );
    }
    let mut other = again(&asked, accept(), None);
    other["arguments"]["wait_seconds"] = json!(45);
    assert_eq!(refused(&mut client, other)["code"], "wrong-state");
    let mut other = again(&asked, accept(), None);
    other.as_object_mut().unwrap().remove("requestState");
    assert_eq!(refused(&mut client, other)["code"], "wrong-state");
    let mut missing = again(&asked, accept(), None);
    missing["inputResponses"] = json!({});
    let value = refused(&mut client, missing);
    assert_eq!(
        (&value["code"], &value["questions"][0]["prompt"]),
        (&json!("stale-state"), &json!("Deploy?"))
    );
    // Nothing of all that has moved the run, and the order of arguments does not matter.
    let (done, is_error) = answer(&mut client, asked, accept());
    assert!(!is_error && done["status"] == "success", "{done:#}");
}

#[test]
fn a_state_outlives_the_server_and_the_same_answer_is_taken_once() {
    let world = world("deploy", CONFIRM);
    let mut client = world.asking(Era::Stateless);
    let asked = ask(&mut client, Era::Stateless, json!({ "workflow": "deploy" }));
    assert!(client.close().success());
    let mut client = world.asking(Era::Stateless);
    let accept = json!({ "action": "accept", "content": { "response": true } });
    for _ in 0..2 {
        let call = client.send("tools/call", again(&asked, accept.clone(), None));
        let (done, is_error) = client.called(call);
        assert!(!is_error && done["status"] == "success", "{done:#}");
    }
    let other = json!({ "action": "accept", "content": { "response": false } });
    let call = client.send("tools/call", again(&asked, other, None));
    let (late, is_error) = client.called(call);
    assert!(!is_error && late["note"].as_str().unwrap().contains("too late"), "{late:#}");
    assert_eq!(late["outputs"]["said"], true);
}

#[test]
fn whoever_answers_too_late_hears_that_before_anything_else_is_asked() {
    let world = world("deploy", CONFIRM);
    world.define(
        "twice",
        "name: twice\nblocks:\n  - {id: first, type: Prompt, inputs: {prompt: 'First?', kind: confirm}}\n  \
         - {id: second, type: Prompt, depends_on: [first], inputs: {prompt: 'Second?', kind: confirm}}\n",
    );
    let mut client = world.asking(Era::Stateless);
    let asked = ask(&mut client, Era::Stateless, json!({ "workflow": "twice", "request_key": "one" }));
    let mut answer = |said: bool| {
        let said = json!({ "action": "accept", "content": { "response": said } });
        let id = client.send("tools/call", again(&asked, said, None));
        client.answer(id).unwrap()
    };
    let result = answer(true);
    assert_eq!(result["resultType"], "input_required", "{result:#}");
    let result = answer(false);
    let late = &result["structuredContent"];
    assert!(late["note"].as_str().is_some_and(|note| note.contains("too late")), "{result:#}");
    assert_eq!((&late["status"], &late["questions"][0]["prompt"]), (&json!("paused"), &json!("Second?")));
}

#[test]
fn a_client_that_only_opens_pages_is_not_asked_in_a_form() {
    let world = world("deploy", CONFIRM);
    let command = world.command("project", &["serve", "--no-daemon"]);
    let mut client = Client::able(command, Era::Handshake, json!({ "elicitation": { "url": {} } }));
    let paused = client.good("execute_workflow", json!({ "workflow": "deploy" }));
    assert_eq!(paused["status"], "paused");
    assert!(!client.is_asked());
}

#[test]
fn who_may_change_nothing_asks_nobody() {
    for era in Era::ALL {
        let world = world("deploy", CONFIRM);
        let mut client = world.client();
        let paused = client.good("execute_workflow", json!({ "workflow": "deploy" }));
        assert!(client.close().success());
        let command = world.command("project", &["serve", "--no-daemon", "--read-only"]);
        let mut reader = Client::able(command, era, json!({ "elicitation": {} }));
        let given = json!({ "workflow_id": paused["workflow_id"], "wait_seconds": 45 });
        let status = reader.good("get_workflow_status", given);
        assert_eq!(
            (&status["status"], &status["questions"][0]["prompt"]),
            (&json!("waiting"), &json!("Deploy?"))
        );
        assert!(!reader.is_asked());
    }
}

#[test]
fn of_many_choices_one_is_typed() {
    for era in Era::ALL {
        let all: Vec<String> = (0..301).map(|number| format!("branch-{number}")).collect();
        let choose = asker("choose", "inputs: {prompt: Where?, choices: '${inputs.all}'}");
        let choose = choose.replace("blocks:", "inputs: {all: {type: list}}\nblocks:");
        let world = World::with(&[("choose", &choose)]);
        let mut client = world.asking(era);
        for (typed, said) in [("branch-250", "branch-250"), ("301", "branch-300")] {
            let asked = ask(&mut client, era, json!({ "workflow": "choose", "inputs": { "all": all } }));
            let field = &asked.form["requestedSchema"]["properties"]["response"];
            assert_eq!((&field["type"], field.get("enum")), (&json!("string"), None));
            let message = asked.form["message"].as_str().unwrap();
            assert!(message.contains("There are 301 choices: type one of them, or its number"), "{message}");
            let accept = json!({ "action": "accept", "content": { "response": typed } });
            let (done, is_error) = answer(&mut client, asked, accept);
            assert!(!is_error && done["outputs"]["said"] == said, "{done:#}");
        }
    }
}
