//! Resources, the prompt and completion.

use crate::client::{Client, Era};
use crate::world::{GREET, World};
use serde_json::{Value, json};

fn text(client: &mut Client, uri: &str) -> String {
    let read = client.request("resources/read", json!({ "uri": uri })).unwrap();
    read["contents"][0]["text"].as_str().unwrap().to_owned()
}

// covers: D-07
#[test]
fn workflows_and_definitions_can_be_read() {
    for era in Era::ALL {
        let world = World::with(&[("greet", GREET)]);
        let mut client = world.client_with(era, &[]);
        let listed = client.request("resources/list", json!({})).unwrap();
        let uris: Vec<&str> =
            listed["resources"].as_array().unwrap().iter().map(|one| one["uri"].as_str().unwrap()).collect();
        assert_eq!(uris, ["workflow://list", "switchback://runs"]);
        let templates = client.request("resources/templates/list", json!({})).unwrap();
        assert_eq!(templates["resourceTemplates"].as_array().unwrap().len(), 9);
        // The same names as the tool gives.
        let names: Value = serde_json::from_str(&text(&mut client, "workflow://list")).unwrap();
        assert_eq!(names, client.good("list_workflows", json!({}))["workflows"]);
        assert_eq!(text(&mut client, "workflow://definition/greet"), GREET);
        let missing = match era {
            Era::Handshake => -32002,
            Era::Stateless => -32602,
        };
        for uri in [
            "workflow://definition/gret",
            "switchback://run/nobody",
            "switchback://nothing",
            "file:///etc/passwd",
        ] {
            let error = client.request("resources/read", json!({ "uri": uri })).unwrap_err();
            assert_eq!((&error["code"], &error["data"]["uri"]), (&json!(missing), &json!(uri)), "{error}");
        }
        let error =
            client.request("resources/read", json!({"uri": "workflow://definition/gret"})).unwrap_err();
        assert_eq!(error["data"]["did_you_mean"], json!(["greet"]));
    }
}

#[test]
fn runs_journals_and_steps_can_be_read() {
    let world = World::with(&[("greet", GREET)]);
    let mut client = world.client();
    let answer = client.good("execute_workflow", json!({"workflow": "greet", "inputs": {"who": "Ada"}}));
    let uri = format!("switchback://run/{}", answer["workflow_id"].as_str().unwrap());
    let runs: Value = serde_json::from_str(&text(&mut client, "switchback://runs")).unwrap();
    assert_eq!((&runs[0]["workflow_id"], &runs[0]["status"]), (&answer["workflow_id"], &json!("succeeded")));
    let run: Value = serde_json::from_str(&text(&mut client, &uri)).unwrap();
    assert_eq!(
        (&run["status"], &run["steps"][0]["outputs"]["stdout"]),
        (&json!("succeeded"), &json!("hello Ada"))
    );
    let step: Value = serde_json::from_str(&text(&mut client, &format!("{uri}/step/bye"))).unwrap();
    assert_eq!((&step["step"], &step["outputs"]["stdout"]), (&json!("bye"), &json!("bye")));
    let journal = text(&mut client, &format!("{uri}/journal"));
    let lines: Vec<Value> = journal.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines[0]["run"], answer["workflow_id"]);
    // What was read can be verified by anyone.
    let file = world.root().join("x.journal");
    std::fs::write(&file, journal).unwrap();
    let verified = world.command("project", &["verify", file.to_str().unwrap()]).output().unwrap();
    assert!(verified.status.success(), "{}", String::from_utf8_lossy(&verified.stderr));
    let error = client.request("resources/read", json!({"uri": format!("{uri}/step/by")})).unwrap_err();
    assert_eq!(error["data"]["did_you_mean"], json!(["bye"]));
    let piece = |from: &str| format!("{uri}/step/bye/outputs/{from}");
    let end: Value = serde_json::from_str(&text(&mut client, &piece("stdout/900"))).unwrap();
    assert_eq!((&end["from"], &end["text"], end.get("goes_on_at")), (&json!(3), &json!(""), None));
    let error = client.request("resources/read", json!({"uri": piece("stdot/0")})).unwrap_err();
    assert_eq!(error["data"]["did_you_mean"], json!(["stdout"]));
}

#[test]
fn a_step_says_what_became_of_its_items_whoever_reads_them() {
    const ITEMS: &str = r#"
name: NAME
blocks:
  - id: each
    type: Shell
    for_each: [a, b]
    inputs: {command: "echo ${each.item}; head -c 9000 /dev/zero | tr '\\0' x"}
"#;
    let read = format!("{ITEMS}outputs: {{all: '${{blocks.each.results}}'}}\n").replace("NAME", "read");
    let unread = ITEMS.replace("NAME", "unread");
    let world = World::with(&[("read", &read), ("unread", &unread)]);
    let mut client = world.client();
    for name in ["read", "unread"] {
        let answer = client.good("execute_workflow", json!({ "workflow": name }));
        let uri = format!("switchback://run/{}/step/each", answer["workflow_id"].as_str().unwrap());
        let step: Value = serde_json::from_str(&text(&mut client, &uri)).unwrap();
        let results = step["outputs"]["results"].as_array().unwrap();
        assert_eq!(results.len(), 2, "{name}");
        assert_eq!((&results[1]["item"], &results[1]["succeeded"]), (&json!("b"), &json!(true)));
        assert_eq!(results[1]["outputs"]["stdout"].as_str().unwrap().len(), 9002);
        let piece: Value =
            serde_json::from_str(&text(&mut client, &format!("{uri}/outputs/results/0"))).unwrap();
        assert_eq!(serde_json::from_str::<Value>(piece["text"].as_str().unwrap()).unwrap(), json!(results));
    }
}

// covers: D-08
#[test]
fn a_prompt_helps_with_a_workflow() {
    for era in Era::ALL {
        let world = World::with(&[("greet", GREET)]);
        let mut client = world.client_with(era, &[]);
        let prompts = client.request("prompts/list", json!({})).unwrap();
        assert_eq!(prompts["prompts"][0]["name"], "workflow_help");
        let params = json!({"name": "workflow_help", "arguments": {"workflow_name": "greet"}});
        let prompt = client.request("prompts/get", params).unwrap();
        let text = prompt["messages"][0]["content"]["text"].as_str().unwrap();
        assert!(
            text.contains("`greet`") && text.contains("- who (string, required): Whom to greet"),
            "{text}"
        );
        let params = json!({"name": "workflow_help", "arguments": {"workflow_name": "gret"}});
        let error = client.request("prompts/get", params).unwrap_err();
        assert_eq!(
            (&error["code"], &error["message"]),
            (&json!(-32602), &json!("Workflow 'gret' not found"))
        );
    }
}

#[test]
fn names_and_ids_are_completed() {
    let world = World::with(&[("greet", GREET)]);
    let mut client = world.client();
    let answer = client.good("execute_workflow", json!({"workflow": "greet", "inputs": {"who": "Ada"}}));
    let mut complete = |reference: Value, name: &str, typed: &str| {
        let params = json!({"ref": reference, "argument": {"name": name, "value": typed}});
        client.request("completion/complete", params).unwrap()["completion"]["values"].clone()
    };
    let prompt = json!({"type": "ref/prompt", "name": "workflow_help"});
    assert_eq!(complete(prompt, "workflow_name", "gre"), json!(["greet"]));
    let definition = json!({"type": "ref/resource", "uri": "workflow://definition/{name}"});
    assert_eq!(complete(definition, "name", "nothing"), json!([]));
    let run = json!({"type": "ref/resource", "uri": "switchback://run/{id}"});
    assert_eq!(complete(run, "id", ""), json!([answer["workflow_id"]]));
}

#[test]
fn a_definition_can_be_read_as_large_as_it_may_be() {
    let padded = |bytes: usize| format!("{GREET}#{}\n", "x".repeat(bytes - GREET.len() - 2));
    let world = World::with(&[("greet", &padded(1 << 20))]);
    let mut client = world.client();
    assert_eq!(text(&mut client, "workflow://definition/greet").len(), 1 << 20);
    world.define("greet", &padded((1 << 20) + 1));
    let error = client.request("resources/read", json!({"uri": "workflow://definition/greet"})).unwrap_err();
    assert_eq!(error["data"]["code"], "invalid-definition", "{error}");
}
