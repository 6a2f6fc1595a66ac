//! Who the server is, and what it has.

use super::version;
use crate::install::Client;
use crate::world::World;
use serde_json::{Value, json};

pub(crate) fn play(client: Client, era: &str) {
    let Some(world) = World::of(client) else { return };
    let seen = world.converse("look", era);
    seen.is("version", version(era));
    seen.is(
        "server",
        json!({ "name": "switchback", "title": "Switchback", "version": env!("CARGO_PKG_VERSION") }),
    );
    seen.says("instructions", "Use this server to run the repeatable, multi-step work of this project");
    for capability in ["tools", "resources", "prompts", "completions"] {
        assert!(seen.at("capabilities").get(capability).is_some(), "no {capability} in {seen}");
    }
    let tools = seen.list("tools");
    let names: Vec<&Value> = tools.iter().map(|tool| &tool["name"]).collect();
    let wanted = [
        "cancel_workflow",
        "execute_workflow",
        "get_workflow_info",
        "get_workflow_status",
        "list_workflows",
        "resume_workflow",
    ];
    for name in wanted {
        assert!(names.contains(&&json!(name)), "no {name} in {seen}");
    }
    for tool in tools {
        let hints = &tool["annotations"];
        assert!(tool["title"].is_string() && tool["description"].is_string(), "{tool:#}");
        assert_eq!(tool["inputSchema"]["type"], "object", "{tool:#}");
        for hint in ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"] {
            assert!(hints[hint].is_boolean(), "no {hint}: {tool:#}");
        }
    }
    let hints = |name: &str| tools.iter().find(|tool| tool["name"] == name).map(|tool| &tool["annotations"]);
    assert_eq!(hints("list_workflows").map(|hints| &hints["readOnlyHint"]), Some(&json!(true)));
    assert_eq!(hints("execute_workflow").map(|hints| &hints["readOnlyHint"]), Some(&json!(false)));

    seen.is("resources", json!(["workflow://list", "switchback://runs"]));
    assert!(seen.list("templates").contains(&json!("switchback://run/{id}/journal")), "{seen}");
    let read = seen.at("read");
    let list = read["workflow://list"].as_str().unwrap_or_default();
    assert!(list.contains("\"greet\"") && list.contains("\"breaks\""), "{seen}");
    let definition = read["workflow://definition/greet"].as_str().unwrap_or_default();
    assert_eq!(definition, include_str!("../workflows/greet.yaml"));
    let nobody = &read["switchback://run/nobody"];
    assert_eq!(nobody["code"], code(client, era), "{seen}");
    assert!(
        nobody["message"].as_str().is_some_and(|said| said.contains("there is no run `nobody`")),
        "{seen}"
    );

    seen.is("prompts.0.name", "workflow_help");
    seen.is("prompts.0.arguments.0.name", "workflow_name");
    seen.says("prompt", "Run the workflow `greet`");
    seen.says("prompt", "- who (string, required): Whom to greet.");
    seen.is("completed", json!(["greet"]));
}

/// A resource that is not there: the newer era has no code of its own for it, and one SDK says so in the older era as well.
fn code(client: Client, era: &str) -> i32 {
    match (client, version(era)) {
        (_, "2026-07-28") | (Client::TypeScript, _) => -32602,
        _ => -32002,
    }
}
