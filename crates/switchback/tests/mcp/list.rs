//! The list of tools against what clients can take, and as a whole.

use crate::client::Era;
use crate::world::World;
use serde_json::{Value, json};

/// Names that every client takes, with a server's name before them.
fn is_name(name: &str) -> bool {
    let mut letters = name.chars();
    letters.next().is_some_and(|first| first.is_ascii_lowercase())
        && letters.all(|letter| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '_')
        && name.len() <= 60 - "switchback".len()
}

fn tools(era: Era) -> Vec<Value> {
    tools_with(era, &[])
}

fn tools_with(era: Era, args: &[&str]) -> Vec<Value> {
    let world = World::new();
    let mut client = world.client_with(era, args);
    client.request("tools/list", json!({})).unwrap()["tools"].as_array().unwrap().clone()
}

// covers: D-10, D-01, D-05, D-06, D-104
#[test]
fn every_tool_keeps_the_limits_of_clients() {
    keep_the_limits(&tools(Era::Handshake), 17);
    keep_the_limits(&tools_with(Era::Handshake, &["--toolsets", "all"]), 36);
}

fn keep_the_limits(tools: &[Value], wanted: usize) {
    let names: Vec<&str> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    let mut sorted = names.clone();
    sorted.sort_unstable();
    assert_eq!(names, sorted);
    for tool in tools {
        let name = tool["name"].as_str().unwrap();
        assert!(is_name(name), "{name}");
        assert!(tool["title"].as_str().is_some_and(|title| !title.is_empty()), "{name}");
        let description = tool["description"].as_str().unwrap();
        assert!(description.starts_with("Use this") && description.chars().count() <= 2048, "{name}");
        for hint in ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"] {
            assert!(tool["annotations"][hint].is_boolean(), "{name} {hint}");
        }
        keeps_to_flat_schemas(name, &tool["inputSchema"]);
    }
    // What a model reads before anything else: 1,500 bytes a tool.
    let (bytes, count) = (Value::from(tools.to_vec()).to_string().len(), tools.len());
    assert!(bytes <= 1_500 * count && count == wanted, "the whole list of {count} has {bytes} bytes");
}

fn keeps_to_flat_schemas(tool: &str, schema: &Value) {
    assert_eq!(
        (&schema["type"], &schema["additionalProperties"]),
        (&json!("object"), &json!(false)),
        "{tool}"
    );
    for word in ["oneOf", "anyOf", "allOf", "not", "$ref", "$defs"] {
        assert!(!schema.to_string().contains(&format!("\"{word}\"")), "{tool} {word}");
    }
    let properties = schema["properties"].as_object().unwrap();
    for (name, property) in properties {
        assert!(property["description"].as_str().is_some_and(|text| !text.is_empty()), "{tool}.{name}");
    }
    for required in schema["required"].as_array().unwrap() {
        assert!(properties.contains_key(required.as_str().unwrap()), "{tool} {required}");
    }
}

#[test]
fn the_whole_list_is_as_it_was() {
    insta::assert_snapshot!(serde_json::to_string_pretty(&tools(Era::Handshake)).unwrap());
}

#[test]
fn the_list_of_reactive_and_debug_is_as_it_was() {
    let tools = tools_with(Era::Handshake, &["--toolsets", "reactive,debug"]);
    insta::assert_snapshot!(serde_json::to_string_pretty(&tools).unwrap());
}

#[test]
fn both_eras_see_the_same_list() {
    assert_eq!(tools(Era::Handshake), tools(Era::Stateless));
}

// covers: D-09, D-89
#[test]
fn the_server_says_who_it_is_and_when_to_use_it() {
    for era in Era::ALL {
        let world = World::new();
        let client = world.client_with(era, &[]);
        let about = match era {
            Era::Handshake => &client.server["serverInfo"],
            Era::Stateless => &client.server["_meta"]["io.modelcontextprotocol/serverInfo"],
        };
        assert_eq!(about["name"], "switchback", "{}", client.server);
        assert_eq!((about["title"].as_str(), about["version"].as_str()), (Some("Switchback"), Some("0.1.0")));
        let instructions = client.server["instructions"].as_str().unwrap();
        assert!(instructions.starts_with("Use this server to ") && instructions.chars().count() <= 2048);
        assert!(client.close().success());
    }
}

#[test]
fn every_list_has_one_page() {
    for era in Era::ALL {
        let world = World::new();
        let mut client = world.client_with(era, &[]);
        for list in ["tools/list", "resources/list", "resources/templates/list", "prompts/list"] {
            let whole = client.request(list, json!({})).unwrap();
            assert_eq!(whole["nextCursor"], Value::Null);
            let error = client.request(list, json!({ "cursor": "x" })).unwrap_err();
            assert_eq!(error["code"], -32602, "{list}: {error}");
            assert!(error["message"].as_str().unwrap().contains("leave `cursor` out"), "{error}");
        }
    }
}
