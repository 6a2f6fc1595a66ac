//! Workflows that are found, described and run.

use crate::client::Era;
use crate::world::{GREET, World};
use serde_json::json;

// covers: D-01, D-02, D-03, D-04, D-11
#[test]
fn a_workflow_is_found_described_and_run_in_both_eras() {
    for era in Era::ALL {
        let world = World::with(&[("greet", GREET)]);
        let mut client = world.client_with(era, &[]);
        let list = client.good("list_workflows", json!({}));
        assert!(list["workflows"].as_array().unwrap().contains(&json!("greet")), "{list:#}");
        assert_eq!(list["about"]["greet"]["description"], "Greets someone.");
        let info = client.good("get_workflow_info", json!({"workflow": "greet"}));
        assert_eq!(info["inputs"]["who"]["required"], true);
        let answer = client.good("execute_workflow", json!({"workflow": "greet", "inputs": {"who": "Ada"}}));
        assert_eq!(answer["status"], "success");
        assert_eq!(answer["outputs"], json!({"text": "hello Ada"}));
        assert_eq!(answer["error"], json!(null));
        assert_eq!(answer.get("next"), None);
        let block = &answer["blocks"]["hello"];
        assert_eq!(block["inputs"]["command"], "echo hello ${inputs.who}");
        assert_eq!(
            (&block["outputs"]["stdout"], &block["outputs"]["exit_code"]),
            (&json!("hello Ada"), &json!(0))
        );
        assert_eq!(block["metadata"]["succeeded"], true);
        let metadata = &answer["metadata"];
        assert_eq!(
            (&metadata["workflow_name"], &metadata["workflow_id"]),
            (&json!("greet"), &answer["workflow_id"])
        );
        assert!(metadata["start_time"].as_str().is_some_and(|time| time.ends_with('Z')));
        assert!(metadata["duration_ms"].is_u64());
    }
}

// covers: D-15, D-18
#[test]
fn a_failing_run_gives_a_failure_response() {
    let text = "\
name: fails
blocks:
  - {id: good, type: Shell, inputs: {command: echo fine}}
  - {id: bad, type: Shell, depends_on: [good], inputs: {command: 'echo broken >&2; exit 3'}}
outputs: {x: 1}
";
    let world = World::with(&[("fails", text)]);
    let answer = world.client().good("execute_workflow", json!({"workflow": "fails"}));
    assert_eq!((answer["status"].as_str(), &answer["outputs"]), (Some("failure"), &json!({})));
    assert_eq!(answer["error"], "`bad` exited with 3: broken");
    assert_eq!(answer["metadata"]["failed_blocks"], json!(["bad"]));
    assert_eq!(answer["blocks"]["bad"]["outputs"]["stderr"], "broken");
    assert!(answer["next"].as_str().unwrap().contains("get_workflow_status"));
}

// covers: D-06, D-28, D-86
#[test]
fn a_description_shows_waves_source_and_what_is_hidden() {
    let world = World::with(&[("greet", GREET)]);
    world.write("project/workflows/greet.yaml", &GREET.replace("Greets", "Also greets"));
    let mut client = world.client();
    let info = client.good("get_workflow_info", json!({"workflow_name": "greet"}));
    assert_eq!(info["description"], "Greets someone.");
    assert_eq!(
        info["inputs"]["times"],
        json!({"type": "integer", "required": false, "default": 1, "description": ""})
    );
    assert_eq!((&info["outputs"], &info["waves"]), (&json!(["text"]), &json!([["hello"], ["bye"]])));
    assert_eq!(info["blocks"][1]["depends_on"], json!(["hello"]));
    assert_eq!(info["source"]["file"], ".switchback/workflows/greet.yaml");
    assert_eq!(info["source"]["hides"], json!(["workflows/greet.yaml"]));
    assert_eq!(client.good("get_workflow_source", json!({"name": "greet"})), info);
}

// covers: D-05
#[test]
fn a_list_names_what_can_run_and_what_is_broken() {
    let world = World::with(&[("greet", GREET), ("broken", "name: broken\nblocks: 3\n")]);
    let mut client = world.client();
    let list = client.good("list_workflows", json!({}));
    assert!(!list["workflows"].as_array().unwrap().contains(&json!("broken")));
    assert_eq!(list["broken"][0]["file"], ".switchback/workflows/broken.yaml");
    assert!(list["broken"][0]["error"]["code"].is_string());
    let some = client.good("list_workflows", json!({"contains": "GREETS some"}));
    assert_eq!(some["workflows"], json!(["greet"]));
    // What changed is seen at the next call.
    world.define("broken", &GREET.replace("name: greet", "name: broken"));
    assert!(client.good("list_workflows", json!({})).get("broken").is_none());
}

#[test]
fn synonyms_and_other_spellings_mean_the_same() {
    let world = World::with(&[("greet", GREET)]);
    let mut client = world.client();
    for (tool, word) in [
        ("execute_workflow", "name"),
        ("execute.workflow", "workflow_name"),
        ("execute-workflow", "workflow"),
    ] {
        let answer = client.good(tool, json!({word: "greet", "inputs": "{\"who\": \"Ada\"}"}));
        for word in ["workflow_id", "run_id", "run"] {
            let status = client.good("get_workflow_status", json!({word: answer["workflow_id"]}));
            assert_eq!(
                (&status["status"], &status["workflow_id"]),
                (&json!("succeeded"), &answer["workflow_id"])
            );
        }
    }
    let problem = client.bad("execute_workflow", json!({"name": "a", "workflow": "b"}));
    assert_eq!(problem["code"], "wrong-argument");
}

// covers: D-88
#[test]
fn stdout_is_the_protocol_and_nothing_else() {
    let text = "name: loud\nblocks:\n  - {id: a, type: Shell, inputs: {command: 'echo out; echo err >&2'}}\n";
    let world = World::with(&[("loud", text)]);
    let mut client = world.client();
    client.good("execute_workflow", json!({"workflow": "loud"}));
    // The client panics at every line that is not a message.
    assert!(client.notes.is_empty());
    assert!(client.close().success());
}

#[test]
fn a_value_that_no_process_can_take_is_told_by_its_place() {
    let text = "\
name: two
inputs: {a: {type: string}, b: {type: string}}
blocks:
  - {id: say, type: Shell, inputs: {command: 'echo ${inputs.a} ${inputs.b}'}}
";
    let world = World::with(&[("two", text)]);
    let inputs = json!({"a": "fine", "b": "not\u{0}fine"});
    let answer = world.client().good("execute_workflow", json!({"workflow": "two", "inputs": inputs}));
    assert_eq!(answer["status"], "failure");
    let said = "the value of reference 2 in its command contains a NUL byte, which no process can be given: remove it";
    let error = answer["error"].as_str().unwrap();
    assert!(error.contains("`say` could not be started") && error.contains(said), "{error}");
    assert_eq!(answer["blocks"]["say"]["outputs"]["stdout"], "", "{answer:#}");
}
