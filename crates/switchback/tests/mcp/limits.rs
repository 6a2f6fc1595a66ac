//! Answers that would be too large, at the edge.

use crate::world::{World, asker};
use serde_json::{Value, json};
use std::fmt::Write;

const ANSWER_BYTES_MAX: usize = 20_000;

/// The bytes of an answer, and the resource it links to.
fn size(result: &Value) -> (usize, Option<String>) {
    let link = result["content"].as_array().unwrap().iter().find(|one| one["type"] == "resource_link");
    let text = result["content"][0]["text"].as_str().unwrap().len();
    (text, link.map(|link| link["uri"].as_str().unwrap().to_owned()))
}

#[test]
fn five_hundred_blocks_with_sixteen_kilobytes_each_fit() {
    let mut text = "name: wide\nblocks:\n".to_owned();
    for number in 0..500 {
        // Half of them have as much as a journal carries, the others a little more, which is stored apart.
        let command = match number {
            _ if number % 2 == 0 => "head -c 16382 /dev/zero | tr \"\\\\0\" x",
            477 => "head -c 16384 /dev/zero | tr \"\\\\0\" x; echo the reason >&2; exit 3",
            _ => "head -c 16384 /dev/zero | tr \"\\\\0\" x",
        };
        writeln!(text, "  - {{id: block_{number}, type: Shell, inputs: {{command: '{command}'}}}}").unwrap();
    }
    let world = World::with(&[("wide", &text)]);
    let mut client = world.client();
    let id = client.begin("execute_workflow", json!({"workflow": "wide"}), json!({"progressToken": "p"}));
    let result = client.answer(id).unwrap();
    let (bytes, link) = size(&result);
    assert!(bytes <= ANSWER_BYTES_MAX, "{bytes}");
    let answer = &result["structuredContent"];
    assert_eq!(answer["status"], "failure");
    let run = answer["workflow_id"].as_str().unwrap();
    let uri = format!("switchback://run/{run}");
    assert_eq!((link.as_deref(), &answer["left_out"]["all_of_it"]), (Some(uri.as_str()), &json!(uri)));
    // The one that failed is there, with the end of what it said.
    assert!(answer["blocks"]["block_477"]["outputs"]["stderr"].as_str().unwrap().ends_with("the reason"));
    let shown = answer["blocks"].as_object().unwrap().len() as u64;
    assert_eq!(shown + answer["left_out"]["blocks"]["completed"].as_u64().unwrap(), 500);
    for detail in ["brief", "whole"] {
        let params =
            json!({"name": "get_workflow_status", "arguments": {"workflow_id": run, "detail": detail}});
        let result = client.request("tools/call", params).unwrap();
        let (bytes, link) = size(&result);
        assert!(bytes <= ANSWER_BYTES_MAX && link.is_some(), "{detail}: {bytes}");
        let steps = result["structuredContent"]["steps"].as_array().unwrap();
        assert!(steps.iter().any(|step| step["id"] == "block_477"), "{detail}");
    }
    // What was left out is one read away; a read has a bound of its own.
    let read = client.request("resources/read", json!({ "uri": uri })).unwrap();
    let whole = read["contents"][0]["text"].as_str().unwrap();
    assert!(whole.len() <= 1 << 20, "{}", whole.len());
    let whole: Value = serde_json::from_str(whole).unwrap();
    assert!(whole["steps"].as_array().unwrap().iter().any(|step| step["id"] == "block_477"));
    let step = client.request("resources/read", json!({"uri": format!("{uri}/step/block_3")})).unwrap();
    let step: Value = serde_json::from_str(step["contents"][0]["text"].as_str().unwrap()).unwrap();
    assert_eq!(step["outputs"]["stdout"].as_str().map(str::len), Some(16_384));
    let journal = client.request("resources/read", json!({"uri": format!("{uri}/journal")})).unwrap();
    let journal = journal["contents"][0]["text"].as_str().unwrap();
    let last: Value = serde_json::from_str(journal.lines().last().unwrap()).unwrap();
    assert!(journal.len() <= (1 << 20) + 200 && last["left_out_bytes"].is_u64(), "{last}");
}

#[test]
fn a_long_text_keeps_its_head_and_its_tail() {
    let text = "\
name: long
blocks:
  - {id: long, type: Shell, inputs: {command: 'echo first; head -c 60000 /dev/zero | tr \"\\\\0\" x; echo; echo last'}}
outputs: {all: '${blocks.long.outputs.stdout}'}
";
    let world = World::with(&[("long", text)]);
    let mut client = world.client();
    let params = json!({"name": "execute_workflow", "arguments": {"workflow": "long"}});
    let result = client.request("tools/call", params).unwrap();
    let answer = &result["structuredContent"];
    assert!(size(&result).0 <= ANSWER_BYTES_MAX);
    let all = answer["outputs"]["all"].as_str().unwrap();
    assert!(all.starts_with("first\n") && all.ends_with("last") && all.contains("bytes left out"), "{all}");
    // What a block gave is cut in the same way, though it is stored apart.
    let stdout = answer["blocks"]["long"]["outputs"]["stdout"].as_str().unwrap();
    assert!(stdout.starts_with("first\n") && stdout.ends_with("last"), "{stdout}");
    let run = answer["workflow_id"].as_str().unwrap();
    assert_eq!(answer["left_out"]["one_step"], format!("switchback://run/{run}/step/{{step}}"));
    let read = client.request("resources/read", json!({"uri": format!("switchback://run/{run}")})).unwrap();
    let whole: Value = serde_json::from_str(read["contents"][0]["text"].as_str().unwrap()).unwrap();
    assert_eq!(
        whole["outputs"]["all"].as_str().map(str::len),
        Some("first\n".len() + 60_000 + "\nlast".len())
    );
}

#[test]
fn many_workflows_are_listed_as_far_as_they_fit() {
    let world = World::new();
    for number in 0..300 {
        let text = format!(
            "name: flow-{number}\ndescription: {}\nblocks:\n  - {{id: a, type: Shell, inputs: {{command: x}}}}\n",
            "words ".repeat(30)
        );
        world.define(&format!("flow-{number}"), &text);
    }
    let mut client = world.client();
    let params = json!({"name": "list_workflows", "arguments": {}});
    let result = client.request("tools/call", params).unwrap();
    let (bytes, link) = size(&result);
    assert!(bytes <= ANSWER_BYTES_MAX, "{bytes}");
    assert_eq!(link.as_deref(), Some("workflow://list"));
    let problem = client.bad("execute_workflow", json!({"workflow": "flow-3000"}));
    assert_eq!(problem["available_workflows"].as_array().unwrap().len(), 100);
    let all = client.request("resources/read", json!({ "uri": "workflow://list" })).unwrap();
    let all: Vec<String> = serde_json::from_str(all["contents"][0]["text"].as_str().unwrap()).unwrap();
    assert!(all.len() > 300 && problem["more_options"] == all.len() - 100, "{} in all", all.len());
}

#[test]
fn what_is_stored_apart_is_shown_where_it_fits_and_named_where_it_does_not() {
    let block = |number: u32, bytes: u32| {
        let command = format!("head -c {bytes} /dev/zero | tr \"\\\\0\" x");
        format!("  - {{id: b{number}, type: Shell, inputs: {{command: '{command}'}}}}\n")
    };
    let many: String = (0..21).map(|number| block(number, 16_500)).collect();
    let one = format!("name: one\nblocks:\n{}", block(0, 17_000));
    let world = World::with(&[("one", &one), ("many", &format!("name: many\nblocks:\n{many}"))]);
    let mut client = world.client();
    let stdout = |answer: &Value, block: &str| answer["blocks"][block]["outputs"]["stdout"].clone();
    let one = client.good("execute_workflow", json!({"workflow": "one"}));
    assert_eq!(stdout(&one, "b0").as_str().map(str::len), Some(17_000), "{one:#}");
    let run = &one["workflow_id"];
    let status = client.good("get_workflow_status", json!({"workflow_id": run, "detail": "whole"}));
    assert_eq!(status["steps"][0]["outputs"]["stdout"], stdout(&one, "b0"));
    // Of the first twenty the value is there, cut; the next one says where it can be read.
    let all = client.good("execute_workflow", json!({"workflow": "many"}));
    assert!(stdout(&all, "b19").as_str().unwrap().contains("bytes left out"), "{all:#}");
    let named = stdout(&all, "b20");
    assert_eq!((&named["size"], named["head"].is_string()), (&json!(16_500), true), "{named}");
    let read = client.request("resources/read", json!({"uri": named["resource"]})).unwrap();
    assert!(read["contents"][0]["text"].as_str().unwrap().len() > 16_500);
}

#[test]
fn a_step_that_is_too_long_for_one_read_is_read_piece_by_piece() {
    let text = "name: long\nblocks:\n  - {id: count, type: Shell, inputs: {command: 'seq 1 150000 | tee /dev/stderr'}}\n";
    let world = World::with(&[("long", text)]);
    let mut client = world.client();
    let run = client.good("execute_workflow", json!({"workflow": "long"}))["workflow_id"].clone();
    let mut read = |uri: &str| -> Value {
        let read = client.request("resources/read", json!({ "uri": uri })).unwrap();
        let text = read["contents"][0]["text"].as_str().unwrap();
        assert!(text.len() <= 1 << 20, "{}", text.len());
        serde_json::from_str(text).unwrap()
    };
    let step = read(&format!("switchback://run/{}/step/count", run.as_str().unwrap()));
    assert!(step.to_string().len() > (1 << 20) - 10_000, "{}", step.to_string().len());
    let stdout = step["outputs"]["stdout"].as_str().unwrap();
    assert!(stdout.starts_with("1\n2\n") && stdout.ends_with("\n150000"));
    let left = step["left_out"]["values"].as_array().unwrap();
    let left = left.iter().find(|left| left["value"] == "outputs.stdout").unwrap();
    let mut next = left["goes_on_at"].as_str().map(str::to_owned);
    let from = next.as_ref().unwrap().rsplit('/').next().unwrap().parse::<usize>().unwrap();
    let mut all = stdout[..from].to_owned();
    while let Some(uri) = next {
        let piece = read(&uri);
        assert_eq!((piece["from"].as_u64(), &piece["bytes"]), (Some(all.len() as u64), &left["bytes"]));
        all.push_str(piece["text"].as_str().unwrap());
        next = piece["goes_on_at"].as_str().map(str::to_owned);
    }
    let wanted: Vec<String> = (1..=150_000).map(|number| number.to_string()).collect();
    assert!(all == wanted.join("\n"), "{} bytes", all.len());
}

#[test]
fn a_question_of_many_choices_fits_and_is_seen() {
    let choose = asker("choose", "inputs: {prompt: Which branch?, choices: '${inputs.all}'}");
    let world =
        World::with(&[("choose", &choose.replace("blocks:", "inputs: {all: {type: list}}\nblocks:"))]);
    let mut client = world.client();
    for count in [10, 11, 1_000, 20_000] {
        let all: Vec<String> = (0..count).map(|number| format!("branch-{number}")).collect();
        let arguments = json!({"workflow": "choose", "inputs": {"all": all}});
        let mut params = json!({"name": "execute_workflow", "arguments": arguments});
        for _ in 0..2 {
            let result = client.request("tools/call", params).unwrap();
            let (bytes, _) = size(&result);
            assert!(bytes <= ANSWER_BYTES_MAX, "{count}: {bytes}");
            let answer = &result["structuredContent"];
            let question = &answer["questions"][0];
            assert_eq!(question["prompt"], "Which branch?", "{answer:#}");
            let seen = question["choices"].as_array().unwrap().len();
            let left = answer["left_out"]["questions.choices"].as_u64().unwrap_or(0);
            assert_eq!(seen as u64 + left, count, "{answer:#}");
            let next = answer["next"].as_str().unwrap();
            assert!(next.len() < 500, "{next}");
            assert_eq!(next.contains("see `questions`"), count > 10, "{next}");
            let run = answer["workflow_id"].clone();
            params = json!({"name": "get_workflow_status", "arguments": {"workflow_id": run}});
        }
    }
}

/// An Agent block with a context, alone or called for each of two items.
const JUDGE: &str = "\
name: judge
inputs: {v: {type: string}}
blocks:
  - {id: a, type: Agent, inputs: {instructions: Judge it., context: {v: '${inputs.v}', w: short}}}
";
const CALLS: &str = "\
name: calls
inputs: {v: {type: string}}
blocks:
  - {id: c, type: ExecuteWorkflow, for_each: [1], inputs: {workflow: judge, inputs: {v: '${inputs.v}'}}}
";

#[test]
fn a_question_that_is_not_whole_says_what_to_read_first() {
    let world = World::with(&[("judge", JUDGE), ("calls", CALLS)]);
    let mut client = world.client();
    let text = |bytes: usize| format!("{}the end", "x".repeat(bytes - 7));
    // One that fits; one that fits no answer beside the rest; one that is over what a question has; each also from below.
    for (workflow, bytes, fits) in
        [("judge", 900, true), ("judge", 15_000, false), ("judge", 50_000, false), ("calls", 50_000, false)]
    {
        let arguments = json!({"workflow": workflow, "inputs": {"v": text(bytes)}});
        let mut params = json!({"name": "execute_workflow", "arguments": arguments});
        for tool in ["execute_workflow", "get_workflow_status"] {
            let result = client.request("tools/call", params).unwrap();
            let answer = &result["structuredContent"];
            assert!(size(&result).0 <= ANSWER_BYTES_MAX, "{answer:#}");
            let (question, next) = (&answer["questions"][0], answer["next"].as_str().unwrap());
            let shown = question["shown"]["context"]["v"].as_str().unwrap();
            assert!(shown.ends_with("the end"), "{shown}");
            assert_eq!(question["left_out"].is_null(), shown.len() == bytes, "{workflow} {bytes} {tool}");
            if shown.len() < bytes {
                assert_eq!(question["left_out"]["values"], json!(["context.v"]), "{answer:#}");
                let uri = question["left_out"]["all_of_it"].as_str().unwrap();
                assert!(next.starts_with("This answer has not all of what ") && next.contains(uri), "{next}");
                let links = result["content"].as_array().unwrap();
                assert!(links.iter().any(|one| one["uri"] == uri), "{links:?}");
                let read = client.request("resources/read", json!({ "uri": uri })).unwrap();
                let step: Value =
                    serde_json::from_str(read["contents"][0]["text"].as_str().unwrap()).unwrap();
                assert_eq!(step["inputs"]["context.v"], text(bytes), "{step}");
            } else {
                assert!(next.starts_with("`a` is yours"), "{next}");
            }
            assert!(
                shown.len() < bytes || fits || tool == "get_workflow_status",
                "{workflow} {bytes} {tool}"
            );
            let run = answer["workflow_id"].clone();
            params = json!({"name": "get_workflow_status", "arguments": {"workflow_id": run}});
        }
    }
}

#[test]
fn a_workflow_of_many_inputs_can_be_described() {
    let mut text = "name: many\ninputs:\n".to_owned();
    (0..3_000)
        .for_each(|number| writeln!(text, "  input_{number}: {{type: string, required: true}}").unwrap());
    text.push_str("blocks:\n  - {id: a, type: Shell, inputs: {command: 'true'}}\n");
    let world = World::with(&[("many", &text)]);
    let params = json!({"name": "get_workflow_info", "arguments": {"workflow": "many"}});
    let result = world.client().request("tools/call", params).unwrap();
    let (bytes, link) = size(&result);
    assert!(bytes <= ANSWER_BYTES_MAX && link.is_some(), "{bytes}");
    let answer = &result["structuredContent"];
    assert!(answer["next"].as_str().unwrap().contains("`example` has the inputs"), "{}", answer["next"]);
    assert!(!answer["example"]["arguments"]["inputs"].as_object().unwrap().is_empty(), "{answer:#}");
}
