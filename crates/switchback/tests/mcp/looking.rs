//! Runs that are looked at: by id, by a beginning of it, as a list, and only from where they belong.

use crate::client::{Client, Era};
use crate::world::{GREET, World, sleeper};
use serde_json::{Value, json};

fn ran(client: &mut Client) -> String {
    let answer = client.good("execute_workflow", json!({"workflow": "greet", "inputs": {"who": "Ada"}}));
    answer["workflow_id"].as_str().unwrap().to_owned()
}

#[test]
fn a_status_holds_all_that_the_command_line_prints() {
    let world = World::with(&[("greet", GREET)]);
    let args = ["run", "greet", "-i", "who=Ada", "--json"];
    let mut command = world.command("project", &args);
    let output = command.env("SWITCHBACK_NO_DAEMON", "1").output().unwrap();
    let printed: Value = serde_json::from_slice(&output.stdout).unwrap();
    let status = world.client().good("get_workflow_status", json!({"workflow_id": printed["run"]}));
    for (key, value) in printed.as_object().unwrap() {
        assert_eq!(&status[key], value, "{key}");
    }
}

#[test]
fn any_unique_beginning_names_a_run() {
    let world = World::with(&[("greet", GREET)]);
    let mut client = world.client();
    let ids: Vec<String> = (0..3).map(|_| ran(&mut client)).collect();
    for id in &ids {
        let unique = |end: usize| ids.iter().filter(|other| other.starts_with(&id[..end])).count() == 1;
        let end = (1..=id.len()).find(|end| unique(*end)).unwrap();
        assert_eq!(
            client.good("get_workflow_status", json!({"run": &id[..end]}))["workflow_id"],
            *id.as_str()
        );
    }
    let status = client.good("get_workflow_status", json!({"workflow_id": ids[0], "detail": "whole"}));
    assert_eq!(status["steps"][0]["outputs"]["stdout"], "hello Ada");
    let brief = client.good("get_workflow_status", json!({"workflow_id": ids[0]}));
    assert_eq!(brief["steps"][0].get("outputs"), None);
}

#[test]
fn an_ambiguous_beginning_names_all_it_could_mean() {
    let world = World::with(&[("greet", GREET)]);
    let mut client = world.client();
    // Of 65 runs two begin with the same of 64 first words.
    let given = |_| {
        client.begin("execute_workflow", json!({"workflow": "greet", "inputs": {"who": "Ada"}}), json!(null))
    };
    let calls: Vec<u64> = (0..65).map(given).collect();
    let ids: Vec<String> =
        calls.into_iter().map(|id| client.called(id).0["workflow_id"].as_str().unwrap().to_owned()).collect();
    let word = |id: &String| id.split('-').next().unwrap().to_owned();
    let twice = ids.iter().find(|id| ids.iter().filter(|other| word(other) == word(id)).count() > 1).unwrap();
    let problem = client.bad("get_workflow_status", json!({"workflow_id": format!("{}-", word(twice))}));
    assert_eq!(problem["code"], "ambiguous-run");
    assert!(problem["available_options"].as_array().unwrap().contains(&json!(twice)));
    // The list has a bound.
    assert_eq!(client.good("get_workflow_status", json!({}))["runs"].as_array().unwrap().len(), 20);
}

#[test]
fn runs_of_other_folders_are_not_seen() {
    let world = World::with(&[("greet", GREET)]);
    let id = ran(&mut world.client());
    let mut other = Client::connect(world.command("other", &["serve", "--no-daemon"]), Era::Handshake);
    assert_eq!(other.good("get_workflow_status", json!({}))["runs"], json!([]));
    for word in [id.as_str(), &id[..4]] {
        let problem = other.bad("get_workflow_status", json!({"workflow_id": word}));
        assert!(!problem["available_options"].to_string().contains(&id), "{problem:#}");
        assert_eq!(other.bad("cancel_workflow", json!({"workflow_id": word}))["code"], "unknown-run");
    }
    for uri in [format!("switchback://run/{id}"), format!("switchback://run/{id}/journal")] {
        assert_eq!(other.request("resources/read", json!({ "uri": uri })).unwrap_err()["code"], -32002);
    }
    let runs = other.request("resources/read", json!({"uri": "switchback://runs"})).unwrap();
    assert_eq!(runs["contents"][0]["text"], "[]");
    // Unless it is asked for.
    let all = other.good("get_workflow_status", json!({"all": true}));
    assert_eq!(all["runs"][0]["workflow_id"], *id.as_str());
    let status = other.good("get_workflow_status", json!({"workflow_id": &id[..id.len() - 1], "all": true}));
    assert_eq!(status["status"], "succeeded");
}

#[test]
fn what_comes_next_works_from_where_it_is_asked() {
    let world = World::with(&[("nap", &sleeper("nap", "60"))]);
    let mut home = world.client_with(Era::Handshake, &[]);
    let id =
        home.good("execute_workflow", json!({"workflow": "nap", "wait_seconds": 0}))["workflow_id"].clone();
    drop(home);
    let mut other = Client::connect(world.command("other", &["serve", "--no-daemon"]), Era::Handshake);
    let status = other.good("get_workflow_status", json!({"workflow_id": id, "all": true}));
    let next = status["next"].as_str().unwrap();
    let belongs = format!("This run belongs to {}.", world.project().canonicalize().unwrap().display());
    assert!(next.starts_with(&belongs), "{next}");
    let call = format!("get_workflow_status(workflow_id={id}, all=true");
    assert!(next.contains(&call) && !next.contains("cancel_workflow("), "{next}");
    let list = other.good("get_workflow_status", json!({"all": true}));
    assert!(
        list["next"].as_str().unwrap().contains("get_workflow_status(workflow_id, all=true)"),
        "{list:#}"
    );
    let problem = other.bad("get_workflow_status", json!({"workflow_id": "nobody", "all": true}));
    assert_eq!(problem["error"], "there is no run `nobody`");
    // At home nothing is said of folders, and a run that was cancelled is not run again by the same key.
    assert!(other.close().success());
    let mut home = world.client();
    let cancelled = home.good("cancel_workflow", json!({"workflow_id": id}));
    let again = "Call execute_workflow if the work is to be done after all, with another request_key if one was given.";
    assert_eq!(cancelled["next"], again);
}
