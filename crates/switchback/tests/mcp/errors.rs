//! Calls that cannot be carried out: each says what, what there is, and what next. None is a protocol error.

use crate::client::{Client, Era};
use crate::world::{GREET, World};
use serde_json::{Value, json};
use std::io::Write;
use std::process::Stdio;

fn client(world: &World) -> Client {
    world.client()
}

// covers: D-12, D-94
#[test]
fn an_unknown_workflow_names_those_there_are() {
    let world = World::with(&[("greet", GREET)]);
    let mut client = client(&world);
    for tool in ["execute_workflow", "get_workflow_info"] {
        let problem = client.bad(tool, json!({"workflow": "gret"}));
        assert_eq!(problem["error"], "Workflow 'gret' not found");
        assert!(problem["available_workflows"].as_array().unwrap().contains(&json!("greet")));
        assert_eq!(problem["did_you_mean"], json!(["greet"]));
        assert_eq!(problem["help"], "Use list_workflows() to see all available workflows");
    }
    let problem = client.bad("execute_workflow", json!({"workflow": "../../etc/passwd"}));
    assert_eq!(problem["error"], "Workflow '../../etc/passwd' not found");
    let problem = client.bad("execute_workflow", json!({"workflow": "x".repeat(100_000)}));
    assert!(problem.to_string().len() < 5_000);
}

// covers: D-13, D-14, D-18
#[test]
fn missing_inputs_are_named_and_nothing_runs() {
    let world = World::with(&[("greet", GREET)]);
    let mut client = client(&world);
    for inputs in [json!(null), json!({}), json!({"times": 2}), json!({"who": null})] {
        let problem = client.bad("execute_workflow", json!({"workflow": "greet", "inputs": inputs}));
        assert_eq!(problem["error"], "Missing required inputs: who");
        assert_eq!(problem["required"], json!(["who"]));
        assert_eq!(problem["help"], "Use get_workflow_info() to see input requirements");
    }
    assert_eq!(client.good("get_workflow_status", json!({}))["runs"], json!([]));
    // One with a default counts as given, whatever it says about being required.
    let given =
        client.good("execute_workflow", json!({"workflow": "greet", "inputs": {"who": "a", "times": null}}));
    assert_eq!(given["status"], "success");
}

// covers: D-16
#[test]
fn wrong_inputs_say_what_is_wanted() {
    let world = World::with(&[("greet", GREET)]);
    let mut client = client(&world);
    let problem = client.bad("execute_workflow", json!({"workflow": "greet", "inputs": {"wo": "Ada"}}));
    assert_eq!(problem["error"], "`greet` has no input `wo`");
    assert_eq!(
        (&problem["available_options"], &problem["did_you_mean"]),
        (&json!(["who", "times"]), &json!(["who"]))
    );
    let inputs = json!({"who": "Ada", "times": "three"});
    let problem = client.bad("execute_workflow", json!({"workflow": "greet", "inputs": inputs}));
    assert_eq!(problem["code"], "wrong-input");
    assert!(problem["error"].as_str().unwrap().starts_with("input `times` must be integer"), "{problem:#}");
    assert_eq!(problem["input"]["times"]["type"], "integer");
    let problem = client.bad("execute_workflow", json!({"workflow": "greet", "inputs": ["Ada"]}));
    assert_eq!(problem["error"], "`inputs` must be an object with a value for each input, not a list");
}

// covers: D-18, D-24
#[test]
fn a_broken_definition_shows_its_mistakes_with_places() {
    let text = "name: broken\nblocks:\n  - {id: a, type: Shell, depends_on: [b], inputs: {command: x}}\n";
    let world = World::with(&[("broken", text)]);
    let problem = client(&world).bad("execute_workflow", json!({"workflow": "broken"}));
    assert_eq!(problem["code"], "invalid-definition");
    let first = &problem["diagnostics"][0];
    assert_eq!(
        (first["code"].as_str(), first["line"].as_u64()),
        (Some("unknown-block"), Some(3)),
        "{problem:#}"
    );
    assert_eq!(problem["file"], ".switchback/workflows/broken.yaml");
}

#[test]
fn arguments_are_known_and_of_their_type() {
    let world = World::with(&[("greet", GREET)]);
    let mut client = client(&world);
    let problem = client.bad("execute_workflow", json!({"workflow": "greet", "input": {}}));
    assert_eq!(problem["error"], "execute_workflow has no argument `input`");
    assert_eq!(problem["did_you_mean"], json!(["inputs"]));
    let problem = client.bad("execute_workflow", json!({}));
    assert_eq!(problem["code"], "missing-argument");
    for wrong in [json!(46), json!(-1), json!(1.5), json!("5")] {
        let problem = client.bad("get_workflow_status", json!({"workflow_id": "x", "wait_seconds": wrong}));
        let wanted = "`wait_seconds` must be a whole number from 0 to 45";
        assert!(problem["error"].as_str().unwrap().starts_with(wanted), "{problem:#}");
    }
    let problem = client.bad("get_workflow_status", json!({"workflow_id": "x", "detail": "hole"}));
    assert_eq!(
        (&problem["available_options"], &problem["did_you_mean"]),
        (&json!(["brief", "whole"]), &json!(["whole"]))
    );
    for (key, code) in [
        ("k".repeat(200), None),
        ("k".repeat(201), Some("wrong-argument")),
        (String::new(), Some("wrong-argument")),
    ] {
        let given = json!({"workflow": "greet", "inputs": {"who": "a"}, "request_key": key});
        assert_eq!(client.call("execute_workflow", given).0["code"].as_str(), code);
    }
}

#[test]
fn an_unknown_tool_names_those_there_are() {
    let world = World::new();
    let mut client = client(&world);
    let problem = client.bad("execute_workflows", json!({}));
    assert_eq!(problem["error"], "there is no tool `execute_workflows`");
    assert_eq!(problem["did_you_mean"], json!(["execute_workflow", "resume_workflow"]));
}

#[test]
fn an_unknown_run_names_near_ones() {
    let world = World::with(&[("greet", GREET)]);
    let mut client = client(&world);
    let answer = client.good("execute_workflow", json!({"workflow": "greet", "inputs": {"who": "Ada"}}));
    let id = answer["workflow_id"].as_str().unwrap();
    let wrong = format!("{}x", &id[..id.len() - 1]);
    for tool in ["get_workflow_status", "cancel_workflow"] {
        let problem = client.bad(tool, json!({"workflow_id": wrong}));
        assert_eq!(problem["code"], "unknown-run");
        assert_eq!(problem["did_you_mean"], json!([id]));
    }
    let problem = client.bad("cancel_workflow", json!({"workflow_id": id}));
    assert_eq!((problem["code"].as_str(), problem["status"].as_str()), (Some("run-over"), Some("succeeded")));
    assert_eq!(client.bad("cancel_workflow", json!({}))["code"], "missing-argument");
}

// covers: D-17
#[test]
fn without_a_store_every_tool_says_so() {
    let world = World::new();
    std::fs::write(world.data(), "not a folder").unwrap();
    let mut client = client(&world);
    for (tool, arguments) in [
        ("execute_workflow", json!({"workflow": "hello"})),
        ("list_workflows", json!({})),
        ("get_workflow_info", json!({"workflow": "hello"})),
        ("get_workflow_status", json!({})),
        ("cancel_workflow", json!({"workflow_id": "x"})),
    ] {
        let problem = client.bad(tool, arguments);
        assert_eq!(problem["error"], "Server context not available", "{tool}");
        assert_eq!(problem["help"], "This tool requires server context to access resources");
        assert!(problem["reason"].as_str().is_some_and(|reason| reason.contains("data")), "{problem:#}");
        assert!(problem["next"].is_string());
    }
}

#[test]
fn nothing_that_can_be_sent_is_a_protocol_error() {
    let world = World::with(&[("greet", GREET)]);
    let mut client = client(&world);
    let odd = [
        json!(null),
        json!(true),
        json!(-1),
        json!(1e300),
        json!(""),
        json!(" "),
        json!("\u{0}"),
        json!("%"),
        json!("a/../b"),
        json!("\u{1f9a6}".repeat(3_000)),
        json!([[]]),
        json!({"a": {"b": [null]}}),
        json!("{\"who\": 1}"),
        (0..60).fold(json!(1), |inner, _| json!([inner])),
    ];
    let names =
        ["workflow", "name", "inputs", "workflow_id", "run", "wait_seconds", "request_key", "detail", "all"];
    for tool in
        ["cancel_workflow", "execute_workflow", "get_workflow_info", "get_workflow_status", "list_workflows"]
    {
        for name in names {
            for value in &odd {
                let mut arguments = json!({ name: value });
                if tool == "execute_workflow" && name != "workflow" {
                    arguments["workflow"] = "greet".into();
                }
                let (value, is_error) = client.call(tool, arguments);
                assert!(value.is_object() && value.to_string().len() <= 20_000, "{tool} {name}");
                assert!(!is_error || value["error"].is_string(), "{value:#}");
            }
        }
    }
    // Inputs of every kind, too.
    for value in &odd {
        let given = json!({"workflow": "greet", "inputs": {"who": value, "times": value}});
        assert!(client.call("execute_workflow", given).0.is_object());
    }
}

#[test]
fn a_call_of_another_form_says_what_is_wrong() {
    let world = World::with(&[("greet", GREET)]);
    for era in Era::ALL {
        let mut client = world.client_with(era, &[]);
        let object = "`arguments` must be an object with a value for each argument, not";
        for (params, argument, said) in [
            (json!({"name": "list_workflows", "arguments": []}), "arguments", format!("{object} a list")),
            (json!({"name": "list_workflows", "arguments": 1}), "arguments", format!("{object} 1")),
            (json!({"name": "list_workflows", "arguments": "x"}), "arguments", format!("{object} \"x\"")),
            (json!({"arguments": {}}), "name", "a call needs `name`: the name of a tool".to_owned()),
            (json!({"name": null}), "name", "a call needs `name`: the name of a tool".to_owned()),
            (json!({"name": ["x"]}), "name", "`name` must be a text, not a list".to_owned()),
            (json!({}), "name", "a call needs `name`: the name of a tool".to_owned()),
        ] {
            let id = client.send("tools/call", params);
            let (problem, is_error) = client.called(id);
            assert!(is_error && problem["help"].is_string(), "{problem:#}");
            assert_eq!((&problem["argument"], &problem["error"]), (&json!(argument), &json!(said)));
        }
        // The same members as in any other answer.
        let mut members = |params| {
            let result = client.request("tools/call", params).unwrap();
            result.as_object().unwrap().keys().cloned().collect::<Vec<_>>()
        };
        assert_eq!(members(json!({"name": 1})), members(json!({"name": "nothing"})));
        let error = client.request("resources/read", json!({"uri": 1})).unwrap_err();
        assert!(error["code"] == -32602 && error["message"].as_str().unwrap().contains("string"), "{error}");
        assert_eq!(client.request("nobody/knows", json!({})).unwrap_err()["code"], -32601);
        assert!(client.close().success());
    }
}

#[test]
fn what_is_no_message_is_answered_with_its_id() {
    for era in Era::ALL {
        let world = World::new();
        let mut client = world.client_with(era, &[]);
        for (line, id, code) in [
            ("garbage", json!(null), -32700),
            ("[]", json!(null), -32600),
            (r#"{"jsonrpc":"1.0","id":"l","method":"ping"}"#, json!("l"), -32600),
            (r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#, json!(1.5), -32600),
            (r#"{"jsonrpc":"2.0","id":70,"method":"tools/list","params":[]}"#, json!(70), -32602),
        ] {
            client.line(line);
            let answer = client.next();
            assert_eq!((&answer["id"], &answer["error"]["code"]), (&id, &json!(code)), "{line} {answer}");
        }
        let meta = r#"{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}"#;
        for id in ["18446744073709551616", "-9223372036854775809", "1.0", "1e2"] {
            client.line(&format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/walk","params":{meta}}}"#));
            let answer = client.next();
            let came: Value = serde_json::from_str(id).unwrap();
            assert_eq!((&answer["id"], &answer["error"]["code"]), (&came, &json!(-32601)), "{id} {answer}");
        }
        for arguments in [r#"{"inputs":{"x":12345678901234567890123}}"#, r#"{"inputs":{"x":1,"x":2}}"#] {
            let params = format!(r#"{{"name":"execute_workflow","arguments":{arguments}}}"#);
            client.line(&format!(r#"{{"jsonrpc":"2.0","id":71,"method":"tools/call","params":{params}}}"#));
            let answer = client.next();
            assert_eq!((&answer["id"], &answer["error"]["code"]), (&json!(71), &json!(-32602)), "{answer}");
        }
        let batch =
            r#"[{"jsonrpc":"2.0","id":"b","method":"ping"},{"jsonrpc":"2.0","id":8,"method":"ping"}]"#;
        client.line(batch);
        let answers = client.next();
        assert_eq!((&answers[0]["id"], &answers[1]["id"]), (&json!("b"), &json!(8)), "{answers}");
        // Nobody is answered who did not ask.
        client.line(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":[]}"#);
        client.line("");
        for (method, why) in [
            ("tools/walk", "there is no method `tools/walk`"),
            ("logging/setLevel", "there is no method `logging/setLevel`"),
            ("", "a request needs `method`: its name is empty"),
        ] {
            let error = client.request(method, json!({ "level": "info" })).unwrap_err();
            assert_eq!((&error["code"], &error["message"]), (&json!(-32601), &json!(why)), "{method}");
        }
        assert!(client.close().success());
    }
}

#[test]
fn a_refusal_never_stands_in_the_middle_of_an_answer() {
    const LISTS: usize = 40;
    for args in [&["serve"][..], &["serve", "--no-daemon"]] {
        let world = World::new();
        let mut command = world.command("project", args);
        let mut server = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut said = server.stdin.take().unwrap();
        writeln!(said, r#"{{"jsonrpc":"2.0","id":"i","method":"initialize","params":{{"protocolVersion":"2025-06-18","capabilities":{{}},"clientInfo":{{"name":"t","version":"1"}}}}}}"#).unwrap();
        for id in 0..LISTS {
            writeln!(said, r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/list"}}"#).unwrap();
        }
        // Nobody reads: stdout is full, and an answer is half out when what is no message is refused.
        std::thread::sleep(std::time::Duration::from_millis(500));
        for id in 0..LISTS {
            writeln!(said, r#"{{"jsonrpc":"2.0","id":"r{id}","method":"ping","params":[]}}"#).unwrap();
        }
        std::thread::sleep(std::time::Duration::from_millis(500));
        drop(said);
        let told = server.wait_with_output().unwrap().stdout;
        assert!(told.len() > 1 << 17, "{args:?}: too little to fill a pipe: {}", told.len());
        let lines: Vec<Value> = std::str::from_utf8(&told)
            .unwrap()
            .lines()
            .map(|line| {
                serde_json::from_str(line).unwrap_or_else(|error| panic!("{args:?} {error}: {line:.200}"))
            })
            .collect();
        assert_eq!(lines.len(), 2 * LISTS + 1, "{args:?}");
    }
}

#[test]
fn an_answer_that_cannot_be_written_is_told_and_ends_it() {
    for args in [&["serve"][..], &["serve", "--no-daemon"]] {
        let world = World::new();
        let full = std::fs::File::create("/dev/full").unwrap();
        let mut command = world.command("project", args);
        let mut server = command.stdin(Stdio::piped()).stdout(full).stderr(Stdio::piped()).spawn().unwrap();
        // Its stdin stays open: the answer alone ends it.
        let mut said = server.stdin.take().unwrap();
        writeln!(said, r#"{{"jsonrpc":"2.0","id":1.5,"method":"ping"}}"#).unwrap();
        let ended = server.wait_with_output().unwrap();
        let told = String::from_utf8(ended.stderr).unwrap();
        assert!(
            told.contains("failed to write the answer to stdout: No space left on device"),
            "{args:?} {told}"
        );
        assert_eq!(ended.status.code(), Some(1), "{args:?}");
    }
}

#[test]
fn what_nobody_waits_for_may_come_before_a_conversation_has_begun() {
    let initialize = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}"#;
    let cancelled = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}"#;
    let early = [
        r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}"#,
        r#"{"jsonrpc":"2.0","method":"x/y"}"#,
        r#"{"jsonrpc":"2.0","id":3,"result":{}}"#,
        r#"{"jsonrpc":"2.0","id":3,"error":{"code":1,"message":"x"}}"#,
        cancelled,
    ];
    let newer = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "t", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let discover =
        json!({ "jsonrpc": "2.0", "id": 1, "method": "server/discover", "params": { "_meta": newer } });
    let list = |meta: Option<&Value>| {
        let params = meta.map_or(json!({}), |meta| json!({ "_meta": meta }));
        json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/list", "params": params }).to_string()
    };
    let refused = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;
    for args in [&["serve"][..], &["serve", "--no-daemon"]] {
        let world = World::new();
        for opening in
            [initialize, &discover.to_string(), r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#, refused]
        {
            let meta = (opening != initialize).then_some(&newer);
            let mut command = world.command("project", args);
            let piped = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
            let mut server = piped.spawn().unwrap();
            let mut said = server.stdin.take().unwrap();
            for line in early.iter().chain([&opening]).chain(&early).chain([&&*list(meta)]) {
                writeln!(said, "{line}").unwrap();
            }
            drop(said);
            let ended = server.wait_with_output().unwrap();
            let told = String::from_utf8(ended.stderr).unwrap();
            let answers: Vec<Value> = std::str::from_utf8(&ended.stdout)
                .unwrap()
                .lines()
                .map(|line| serde_json::from_str(line).unwrap())
                .collect();
            let ids: Vec<&Value> = answers.iter().map(|answer| &answer["id"]).collect();
            assert_eq!(ids, [1, 2], "{args:?} {opening} {told} {answers:?}");
            assert!(answers[1]["result"]["tools"].is_array(), "{args:?} {opening} {answers:?}");
            assert_eq!((ended.status.code(), &*told), (Some(0), ""), "{args:?} {opening}");
        }
    }
}

#[test]
fn a_project_folder_that_went_away_is_told() {
    let world = World::with(&[("greet", GREET)]);
    let mut client = world.client();
    assert!(client.good("get_workflow_info", json!({"workflow": "greet"})).get("warnings").is_none());
    let folder = world.project();
    std::fs::rename(&folder, folder.with_extension("elsewhere")).unwrap();
    let problem = client.bad("execute_workflow", json!({"workflow": "greet"}));
    let told = problem["warnings"][0].as_str().unwrap();
    assert!(told.contains("is not there any more: it was moved or deleted"), "{problem:#}");
    std::fs::rename(folder.with_extension("elsewhere"), &folder).unwrap();
    assert_eq!(
        client.good("execute_workflow", json!({"workflow": "greet", "inputs": {"who": "you"}}))["status"],
        "success"
    );
}
