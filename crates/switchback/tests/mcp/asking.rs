//! A run that asks: every door says what, and `resume_workflow` gives the answer.

use crate::client::{Client, Era};
use crate::world::{World, asker};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

const DEPLOY: &str = "inputs: {prompt: Deploy?, kind: confirm, details: 3 files changed}";
const GATE: &str = "gate: ask, inputs: {prompt: Really?}";

fn world() -> World {
    World::with(&[
        ("deploy", &asker("deploy", DEPLOY)),
        ("gate", &asker("gate", GATE)),
        ("choose", &asker("choose", "inputs: {prompt: Where?, choices: [staging, production]}")),
        (
            "two",
            "\
name: two
blocks:
  - {id: first, type: Prompt, inputs: {prompt: One?, kind: confirm}}
  - {id: second, type: Prompt, inputs: {prompt: Two?}}
outputs:
  both: \"${blocks.first.outputs.response} ${blocks.second.outputs.response}\"
",
        ),
        (
            "agent",
            "\
name: agent
blocks:
  - id: find
    type: Agent
    inputs:
      instructions: Find the cause.
      output_schema: {type: object, properties: {cause: {type: string}}, required: [cause]}
outputs:
  cause: \"${blocks.find.outputs.cause}\"
",
        ),
    ])
}

fn paused(client: &mut Client, workflow: &str) -> (Value, String) {
    let began = Instant::now();
    let answer = client.good("execute_workflow", json!({ "workflow": workflow }));
    assert!(began.elapsed() < Duration::from_secs(20), "nobody waits for someone who cannot be asked");
    assert_eq!(answer["status"], "paused", "{answer:#}");
    let id = answer["workflow_id"].as_str().unwrap().to_owned();
    (answer, id)
}

// covers: D-36, D-75, XD-06
#[test]
fn a_paused_run_says_what_it_asks_and_goes_on_with_the_answer() {
    for era in Era::ALL {
        let world = world();
        let mut client = world.client_with(era, &[]);
        let (answer, id) = paused(&mut client, "deploy");
        let question = &answer["questions"][0];
        assert_eq!((&question["prompt"], &question["kind"]), (&json!("Deploy?"), &json!("confirm")));
        assert_eq!(question["shown"]["details"], "3 files changed");
        let next = answer["next"].as_str().unwrap();
        assert!(
            next.contains(&format!("resume_workflow(workflow_id=\"{id}\", response=true or false)")),
            "{next}"
        );
        let status = client.good("get_workflow_status", json!({ "workflow_id": id, "wait_seconds": 45 }));
        assert_eq!((&status["status"], &status["questions"]), (&json!("waiting"), &answer["questions"]));
        let done = client.good("resume_workflow", json!({ "workflow_id": id, "response": "yes" }));
        assert_eq!((&done["status"], &done["outputs"]["said"]), (&json!("success"), &json!(true)));
        assert_eq!((done.get("questions"), done.get("next")), (None, None));
    }
}

#[test]
fn an_answer_that_does_not_fit_moves_nothing() {
    let world = world();
    let mut client = world.client();
    let (_, id) = paused(&mut client, "choose");
    let wrong = client.bad("resume_workflow", json!({ "workflow_id": id, "response": "prodution" }));
    assert_eq!(wrong["code"], "wrong-answer");
    assert!(wrong["fits"].as_str().unwrap().contains("2 production"), "{wrong:#}");
    assert_eq!(wrong["question"]["choices"], json!(["staging", "production"]));
    let none = client.bad("resume_workflow", json!({ "workflow_id": id }));
    assert_eq!(
        (&none["code"], &none["questions"][0]["prompt"]),
        (&json!("missing-argument"), &json!("Where?"))
    );
    let old = client.bad("resume_workflow", json!({ "workflow_id": id, "response": 2, "attempt": 7 }));
    assert_eq!((&old["code"], &old["due"]["attempt"]), (&json!("old-attempt"), &json!(1)));
    let done = client.good("resume_workflow", json!({ "workflow_id": id, "response": 2, "attempt": 1 }));
    assert_eq!(done["outputs"]["said"], "production");
}

#[test]
fn the_same_answer_again_hears_the_same_and_another_is_refused() {
    let world = world();
    let mut client = world.client();
    let (answer, id) = paused(&mut client, "choose");
    let question = answer["questions"][0]["question_id"].clone();
    let said = json!({ "workflow_id": id, "question_id": question, "response": "staging" });
    let first = client.good("resume_workflow", said.clone());
    let again = client.good("resume_workflow", said);
    assert_eq!((&first["status"], &first["outputs"]), (&again["status"], &again["outputs"]));
    // Without a name the answer is recognised by what it says.
    let unnamed = client.good("resume_workflow", json!({ "workflow_id": id, "response": "staging" }));
    assert_eq!(unnamed["outputs"]["said"], "staging");
    let other = json!({ "workflow_id": id, "question_id": question, "response": "production" });
    let other = client.bad("resume_workflow", other);
    assert_eq!(other["code"], "already-answered", "{other:#}");
    let unnamed = client.bad("resume_workflow", json!({ "workflow_id": id, "response": "production" }));
    assert_eq!((&unnamed["code"], &unnamed["status"]), (&json!("nothing-asked"), &json!("succeeded")));
}

#[test]
fn of_several_questions_one_is_named() {
    let world = world();
    let mut client = world.client();
    let (answer, id) = paused(&mut client, "two");
    assert_eq!(answer["questions"].as_array().unwrap().len(), 2);
    let several = client.bad("resume_workflow", json!({ "workflow_id": id, "response": "x" }));
    assert_eq!(several["code"], "several-questions");
    assert_eq!(several["available_options"], json!(["first#1", "second#1"]));
    let unknown = json!({ "workflow_id": id, "question_id": "secnd#1", "response": "x" });
    let unknown = client.bad("resume_workflow", unknown);
    assert_eq!(
        (&unknown["code"], &unknown["did_you_mean"]),
        (&json!("unknown-question"), &json!(["second#1"]))
    );
    let one = json!({ "workflow_id": id, "question_id": "second#1", "response": "x" });
    let one = client.good("resume_workflow", one);
    assert_eq!((&one["status"], &one["questions"][0]["prompt"]), (&json!("paused"), &json!("One?")));
    let done = client.good("resume_workflow", json!({ "workflow_id": id, "response": true }));
    assert_eq!(done["outputs"]["both"], "true x");
}

#[test]
fn an_agent_does_not_answer_for_a_human_at_a_gate() {
    let world = world();
    let mut client = world.client();
    let (answer, id) = paused(&mut client, "gate");
    assert!(answer["next"].as_str().unwrap().contains(&format!("switchback answer {id}")), "{answer:#}");
    let refused = client.bad("resume_workflow", json!({ "workflow_id": id, "response": true }));
    assert_eq!(refused["code"], "humans-only");
    assert!(refused["next"].as_str().unwrap().contains(&format!("switchback answer {id}")));
    let status = client.good("get_workflow_status", json!({ "workflow_id": id }));
    assert_eq!(
        (&status["status"], &status["questions"][0]["prompt"]),
        (&json!("waiting"), &json!("Really?"))
    );
}

#[test]
fn a_gate_is_waited_at_and_other_questions_are_told_at_once() {
    let world = world();
    let mut client = world.client();
    let (answer, id) = paused(&mut client, "gate");
    let wait = format!("get_workflow_status(workflow_id=\"{id}\", wait_seconds=45) waits for it");
    assert!(answer["next"].as_str().unwrap().contains(&wait), "{answer:#}");
    let began = Instant::now();
    let status = client.good("get_workflow_status", json!({ "workflow_id": id, "wait_seconds": 2 }));
    assert!(began.elapsed() >= Duration::from_secs(2), "{:?}", began.elapsed());
    assert_eq!((&status["status"], &status["next"]), (&json!("waiting"), &answer["next"]));
    // It hears of whatever moves the run.
    let wanted = json!({ "workflow_id": id, "wait_seconds": 45 });
    let began = Instant::now();
    let call = client.begin("get_workflow_status", wanted, Value::Null);
    client.good("get_workflow_status", json!({ "workflow_id": id }));
    assert!(!client.has_answer(call));
    client.good("cancel_workflow", json!({ "workflow_id": id }));
    assert_eq!(client.called(call).0["status"], "cancelled");
    // What the agent does or relays is told at once.
    for workflow in ["agent", "two"] {
        let (_, id) = paused(&mut client, workflow);
        let status = client.good("get_workflow_status", json!({ "workflow_id": id, "wait_seconds": 45 }));
        assert_eq!(status["status"], "waiting");
    }
    assert!(began.elapsed() < Duration::from_secs(30), "{:?}", began.elapsed());
}

#[test]
fn whoever_waits_at_a_gate_hears_what_a_human_said_elsewhere() {
    let world = world();
    let serve = || world.command("project", &["serve"]);
    let mut client = Client::connect(serve(), Era::Handshake);
    let (_, id) = paused(&mut client, "gate");
    let wanted = json!({ "workflow_id": id, "wait_seconds": 45 });
    let call = client.begin("get_workflow_status", wanted.clone(), Value::Null);
    client.good("get_workflow_status", json!({ "workflow_id": id }));
    let mut human = Client::able(serve(), Era::Handshake, json!({ "elicitation": {} }));
    let theirs = human.begin("get_workflow_status", wanted, Value::Null);
    let asked = human.asked();
    human.reply(&asked, json!({ "action": "accept", "content": { "response": true } }));
    assert_eq!(human.called(theirs).0["status"], "succeeded");
    assert_eq!(client.called(call).0["status"], "succeeded");
}

#[test]
fn work_for_the_agent_comes_with_its_schema() {
    let world = world();
    let mut client = world.client();
    let (answer, id) = paused(&mut client, "agent");
    let question = &answer["questions"][0];
    assert_eq!((&question["for"], &question["prompt"]), (&json!("the agent"), &json!("Find the cause.")));
    assert_eq!(question["output_schema"]["required"], json!(["cause"]));
    let wrong = client.bad("resume_workflow", json!({ "workflow_id": id, "response": { "reason": "x" } }));
    assert_eq!(wrong["code"], "wrong-answer");
    let done =
        client.good("resume_workflow", json!({ "workflow_id": id, "response": { "cause": "a typo" } }));
    assert_eq!(done["outputs"]["cause"], "a typo", "{done:#}");
}

#[test]
fn a_run_that_asks_nothing_says_how_it_stands() {
    let world = World::with(&[("nap", &crate::world::sleeper("nap", "30"))]);
    let mut client = world.client();
    let run = client.good("execute_workflow", json!({ "workflow": "nap", "wait_seconds": 0 }));
    let id = &run["workflow_id"];
    let none = client.bad("resume_workflow", json!({ "workflow_id": id, "response": true }));
    assert_eq!((&none["code"], &none["status"]), (&json!("nothing-asked"), &json!("running")));
    assert!(none["next"].as_str().unwrap().contains("wait_seconds=45"));
    client.good("cancel_workflow", json!({ "workflow_id": id }));
}
