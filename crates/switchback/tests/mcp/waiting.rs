//! How long a call waits, what it is told meanwhile, and that the run does not care.

use crate::client::{Client, Era};
use crate::world::{GREET, World, asker, sleeper};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader};
use std::process::Stdio;
use std::time::{Duration, Instant};

#[test]
fn a_call_ends_at_its_bound_and_the_next_one_waits_again() {
    for era in Era::ALL {
        let world = World::with(&[("nap", &sleeper("nap", "4"))]).env("SWITCHBACK_CALL_SECONDS", "1");
        let mut client = world.client_with(era, &[]);
        let began = Instant::now();
        let answer = client.good("execute_workflow", json!({"workflow": "nap"}));
        assert!((1_000..3_500).contains(&began.elapsed().as_millis()), "{:?}", began.elapsed());
        assert_eq!(answer["status"], "running");
        let id = answer["workflow_id"].as_str().unwrap();
        let next = answer["next"].as_str().unwrap();
        assert!(
            next.contains(&format!("get_workflow_status(workflow_id=\"{id}\", wait_seconds=45)")),
            "{next}"
        );
        assert_eq!(answer["blocks"]["nap"]["metadata"]["status"], "running");
        let mut status = Value::Null;
        for _ in 0..10 {
            status = client.good("get_workflow_status", json!({"workflow_id": id, "wait_seconds": 45}));
            if status["status"] != "running" {
                break;
            }
            assert!(status["next"].as_str().unwrap().contains("wait_seconds=45"));
        }
        assert_eq!(status["status"], "succeeded");
        assert_eq!(status.get("next"), None);
    }
}

#[test]
fn nobody_waits_who_does_not_want_to() {
    let world = World::with(&[("nap", &sleeper("nap", "30"))]);
    let mut client = world.client();
    let began = Instant::now();
    let answer = client.good("execute_workflow", json!({"workflow": "nap", "wait_seconds": 0}));
    let status = client.good("get_workflow_status", json!({"workflow_id": answer["workflow_id"]}));
    assert!(began.elapsed() < Duration::from_secs(10));
    assert_eq!((&answer["status"], &status["status"]), (&json!("running"), &json!("running")));
    let cancelled =
        client.good("cancel_workflow", json!({"workflow_id": answer["workflow_id"], "reason": "enough"}));
    assert!(began.elapsed() < Duration::from_secs(20));
    assert_eq!((&cancelled["status"], &cancelled["error"]), (&json!("cancelled"), &json!("enough")));
    // Once more is harmless.
    let again = client.good("cancel_workflow", json!({"workflow_id": answer["workflow_id"]}));
    assert_eq!((&again["status"], &again["error"]), (&json!("cancelled"), &json!("enough")));
}

#[test]
fn who_asked_for_a_cancel_is_on_record() {
    let world = World::with(&[("nap", &sleeper("nap", "30"))]);
    let mut client = world.client();
    let answer = client.good("execute_workflow", json!({"workflow": "nap", "wait_seconds": 0}));
    client.good("cancel_workflow", json!({"workflow_id": answer["workflow_id"]}));
    let uri = format!("switchback://run/{}/journal", answer["workflow_id"].as_str().unwrap());
    let journal = client.request("resources/read", json!({ "uri": uri })).unwrap();
    let text = journal["contents"][0]["text"].as_str().unwrap();
    assert!(text.contains(r#""agent":"test-client""#), "{text}");
}

#[test]
fn progress_names_steps_that_started_and_ended() {
    for era in Era::ALL {
        let world = World::with(&[("greet", GREET)]);
        let mut client = world.client_with(era, &[]);
        let arguments = json!({"workflow": "greet", "inputs": {"who": "Ada"}});
        let id = client.begin("execute_workflow", arguments, json!({"progressToken": "p"}));
        client.called(id);
        let told =
            ["`hello` started", "`hello` succeeded (1 of 2)", "`bye` started", "`bye` succeeded (2 of 2)"];
        assert_eq!(client.told("p"), told);
        let counts: Vec<f64> =
            client.notes.iter().map(|note| note["params"]["progress"].as_f64().unwrap()).collect();
        assert!(counts.is_sorted_by(|one, other| one < other), "{counts:?}");
        // All of it came before the answer.
        client.listen(Duration::from_millis(300));
        assert_eq!(client.told("p").len(), told.len());
    }
}

#[test]
fn progress_says_why_a_step_failed_or_is_skipped() {
    let text = "\
name: fails
blocks:
  - {id: bad, type: Shell, inputs: {command: exit 3}}
  - {id: after, type: Shell, depends_on: [bad], inputs: {command: x}}
";
    let world = World::with(&[("fails", text)]);
    let mut client = world.client();
    let id = client.begin("execute_workflow", json!({"workflow": "fails"}), json!({"progressToken": "p"}));
    client.called(id);
    let told = client.told("p");
    assert_eq!(told[0], "`bad` started");
    assert!(told.iter().any(|line| line.starts_with("`bad` failed: exited with 3")), "{told:?}");
    assert!(told.iter().any(|line| line.starts_with("`after` is skipped: `bad` failed")), "{told:?}");
}

#[test]
fn whoever_listens_waits_past_the_bound_and_hears_a_sign_of_life() {
    let world = World::with(&[("nap", &sleeper("nap", "12"))]).env("SWITCHBACK_CALL_SECONDS", "1");
    let mut client = world.client();
    let id = client.begin("execute_workflow", json!({"workflow": "nap"}), json!({"progressToken": "p"}));
    let (answer, _) = client.called(id);
    assert_eq!(answer["status"], "success");
    assert_eq!(client.told("p"), ["`nap` started", "running: `nap` (0 of 1)", "`nap` succeeded (1 of 1)"]);
    // Who says how long is taken at their word.
    let arguments = json!({"workflow": "nap", "wait_seconds": 1});
    let id = client.begin("execute_workflow", arguments, json!({"progressToken": "q"}));
    assert_eq!(client.called(id).0["status"], "running");
}

#[test]
fn cancelling_a_call_leaves_the_run_going() {
    for era in Era::ALL {
        let world = World::with(&[("nap", &sleeper("nap", "3"))]);
        let mut client = world.client_with(era, &[]);
        let arguments = json!({"workflow": "nap", "request_key": "one"});
        let id = client.begin("execute_workflow", arguments, json!({"progressToken": "p"}));
        while client.told("p").is_empty() {
            client.listen(Duration::from_millis(50));
        }
        client.notify("notifications/cancelled", json!({"requestId": id, "reason": "impatient"}));
        client.listen(Duration::from_millis(300));
        assert!(!client.has_answer(id));
        let runs = client.good("get_workflow_status", json!({}))["runs"].clone();
        assert_eq!((runs.as_array().unwrap().len(), &runs[0]["status"]), (1, &json!("running")));
        let status = client
            .good("get_workflow_status", json!({"workflow_id": runs[0]["workflow_id"], "wait_seconds": 45}));
        assert_eq!(status["status"], "succeeded");
    }
}

#[test]
fn a_client_that_hangs_up_is_let_go() {
    let world = World::with(&[("nap", &sleeper("nap", "600"))]);
    let mut client = world.client();
    client.begin("execute_workflow", json!({"workflow": "nap"}), json!({"progressToken": "p"}));
    while client.told("p").is_empty() {
        client.listen(Duration::from_millis(50));
    }
    let began = Instant::now();
    assert!(client.close().success());
    assert!(began.elapsed() < Duration::from_secs(30));
    // What the lone server left is found again, and says what to do.
    let mut client = world.client();
    let runs = client.good("get_workflow_status", json!({}))["runs"].clone();
    let status = client.good("get_workflow_status", json!({"workflow_id": runs[0]["workflow_id"]}));
    assert!(status["next"].as_str().unwrap().contains("switchback resume"), "{status:#}");
}

#[test]
fn a_hundred_calls_at_once_are_all_answered() {
    let world = World::with(&[("greet", GREET)]);
    let mut client = world.client();
    let arguments = json!({"workflow": "greet", "inputs": {"who": "Ada"}});
    let calls: Vec<u64> =
        (0..100).map(|_| client.begin("execute_workflow", arguments.clone(), json!(null))).collect();
    let mut runs: Vec<String> = calls
        .into_iter()
        .map(|id| {
            let (answer, _) = client.called(id);
            assert_eq!(answer["outputs"]["text"], "hello Ada", "{answer:#}");
            answer["workflow_id"].to_string()
        })
        .collect();
    runs.sort();
    runs.dedup();
    assert_eq!(runs.len(), 100);
}

#[test]
fn a_run_that_is_set_aside_is_not_waited_for() {
    let text = sleeper("nap", "600").replace("type: Shell,", "type: Shell, on_interrupt: retry,");
    let world = World::with(&[("nap", &text)]);
    let mut starter = world.command("project", &["run", "nap"]).stderr(Stdio::piped()).spawn().unwrap();
    // Once it says something it listens to signals.
    let mut said = BufReader::new(starter.stderr.take().unwrap()).lines();
    said.next().unwrap().unwrap();
    let mut client = Client::connect(world.command("project", &["serve"]), Era::Handshake);
    let runs = client.good("get_workflow_status", json!({}))["runs"].clone();
    let run = runs[0]["workflow_id"].as_str().unwrap();
    let wanted = json!({"workflow_id": run, "wait_seconds": 45});
    let began = Instant::now();
    let call = client.begin("get_workflow_status", wanted, json!({"progressToken": "p"}));
    // An answer to another question: the first one is waited for by now.
    client.good("get_workflow_status", json!({}));
    kill_process(Pid::from_child(&starter), Signal::INT).unwrap();
    starter.wait().unwrap();
    let (answer, _) = client.called(call);
    assert_eq!(answer["status"], "interrupted", "{answer:#}");
    assert!(answer["next"].as_str().unwrap().contains(&format!("switchback resume {run}")), "{answer:#}");
    assert!(began.elapsed() < Duration::from_secs(40), "it waited as long as it may");
}

#[test]
fn a_call_whose_client_has_said_its_last_line_is_answered_before_the_server_ends() {
    for era in Era::ALL {
        for (serve, status, told) in [
            (&["serve"][..], "running", "get_workflow_status(workflow_id="),
            // With the server ends what carries the run.
            (&["serve", "--no-daemon"], "paused", "A person goes on with it by `switchback resume "),
        ] {
            let world = World::with(&[("nap", &sleeper("nap", "600"))]).env("SWITCHBACK_CALL_SECONDS", "3");
            let mut client = Client::connect(world.command("project", serve), era);
            let id =
                client.begin("execute_workflow", json!({"workflow": "nap"}), json!({"progressToken": "p"}));
            while client.told("p").is_empty() {
                client.listen(Duration::from_millis(50));
            }
            let began = Instant::now();
            client.says_no_more();
            let (answer, _) = client.called(id);
            assert_eq!(answer["status"], status, "{era:?} {serve:?} {answer:#}");
            assert!(answer["next"].as_str().unwrap().contains(told), "{era:?} {serve:?} {answer:#}");
            assert!(client.close().success());
            assert!(began.elapsed() < Duration::from_secs(30), "{era:?} {serve:?} {:?}", began.elapsed());
        }
    }
}

#[test]
fn a_server_that_carries_its_runs_answers_before_a_signal_ends_it() {
    for (signal, says_no_more) in
        [(Signal::TERM, false), (Signal::HUP, false), (Signal::INT, false), (Signal::TERM, true)]
    {
        let world = World::with(&[("nap", &sleeper("nap", "600"))]);
        let mut client = Client::connect(world.command("project", &["serve", "--no-daemon"]), Era::Handshake);
        let calls = [(); 3].map(|()| {
            client.begin("execute_workflow", json!({"workflow": "nap"}), json!({"progressToken": "p"}))
        });
        while client.told("p").len() < 3 {
            client.listen(Duration::from_millis(50));
        }
        let began = Instant::now();
        if says_no_more {
            client.says_no_more();
        }
        kill_process(client.pid(), signal).unwrap();
        for id in calls {
            let (answer, _) = client.called(id);
            assert_eq!(answer["status"], "paused", "{signal:?} {answer:#}");
            let next = answer["next"].as_str().unwrap();
            assert!(
                next.contains("A person goes on with it by `switchback resume "),
                "{signal:?} {answer:#}"
            );
        }
        assert_eq!(client.close().code(), Some(130), "{signal:?}");
        assert!(began.elapsed() < Duration::from_secs(4), "{signal:?} {:?}", began.elapsed());
        let runs = world.command("project", &["runs", "--json"]).output().unwrap();
        let told = String::from_utf8_lossy(&runs.stdout).into_owned();
        assert_eq!(told.matches("`nap` was interrupted").count(), 3, "{told}");
    }
}

#[test]
fn what_ends_soon_after_the_last_line_is_answered_as_it_ended() {
    for serve in [&["serve"][..], &["serve", "--no-daemon"]] {
        let world = World::with(&[("nap", &sleeper("nap", "1"))]);
        let mut client = Client::connect(world.command("project", serve), Era::Handshake);
        let calls =
            [(); 2].map(|()| client.begin("execute_workflow", json!({"workflow": "nap"}), Value::Null));
        client.says_no_more();
        for id in calls {
            assert_eq!(client.called(id).0["status"], "success", "{serve:?}");
        }
        assert!(client.close().success());
    }
}

#[test]
fn a_form_that_nobody_can_answer_any_more_is_taken_back_and_its_call_answered() {
    for serve in [&["serve"][..], &["serve", "--no-daemon"]] {
        let world = World::with(&[("gate", &asker("gate", "gate: ask, inputs: {prompt: Really?}"))]);
        let command = world.command("project", serve);
        let mut client = Client::able(command, Era::Handshake, json!({ "elicitation": {} }));
        let id = client.begin("execute_workflow", json!({"workflow": "gate"}), Value::Null);
        let asked = client.asked();
        let began = Instant::now();
        client.says_no_more();
        let (answer, _) = client.called(id);
        assert_eq!(answer["status"], "paused", "{serve:?} {answer:#}");
        assert!(answer["note"].as_str().unwrap().contains("hung up"), "{serve:?} {answer:#}");
        assert!(client.notes.iter().any(|note| note["params"]["requestId"] == asked["id"]), "{serve:?}");
        assert!(client.close().success());
        assert!(began.elapsed() < Duration::from_secs(30), "{serve:?} {:?}", began.elapsed());
    }
}
