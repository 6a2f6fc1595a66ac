//! Inspector's command line: one question a process, in the era that its configuration names.

use crate::install::Client;
use crate::seen::Seen;
use crate::world::World;
use serde_json::{Value, json};
use std::fs;

/// What Inspector's exit codes mean.
const ANSWERED: i32 = 0;
const REFUSED: i32 = 1;
const TOOL_ERROR: i32 = 5;

struct Inspector {
    world: World,
}

impl Inspector {
    fn new(era: &str) -> Option<Inspector> {
        let world = World::of(Client::Inspector)?;
        let server = json!({
            "command": env!("CARGO_BIN_EXE_switchback"),
            "args": ["serve"],
            "env": { "SWITCHBACK_HOME": world.path("home") },
            "protocolEra": era,
        });
        fs::write(world.path("mcp.json"), json!({ "mcpServers": { "here": server } }).to_string()).unwrap();
        Some(Inspector { world })
    }

    /// Asks one question; gives the exit code and what was printed.
    fn ask(&self, method: &str, more: &[&str]) -> (i32, Seen) {
        let program = "node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js";
        let mut command = self.world.client_command();
        command.arg(self.world.path(program)).arg("--cli").arg("--config").arg(self.world.path("mcp.json"));
        command.args(["--server", "here", "--format", "json", "--method", method]).args(more);
        let ended = self.world.run(command.env("MCP_INSPECTOR_SECRET_STORE", "memory"));
        let Some(code) = ended.code() else { panic!("{method}: {}", self.world.told(&ended)) };
        let printed: Value = serde_json::from_str(&ended.stdout).unwrap_or_default();
        let document =
            json!({ "asked": [method, more], "result": printed["result"], "stderr": ended.stderr });
        (code, Seen(document))
    }

    /// Asks something that must be answered.
    #[track_caller]
    fn answer(&self, method: &str, more: &[&str]) -> Seen {
        let (code, seen) = self.ask(method, more);
        assert_eq!(code, ANSWERED, "{seen}");
        seen
    }
}

fn play(era: &str, version: &str) {
    let Some(inspector) = Inspector::new(era) else { return };
    let seen = inspector.answer("initialize", &[]);
    seen.is("result.protocolVersion", version);
    seen.is("result.serverInfo.name", "switchback");
    let seen = inspector.answer("tools/list", &[]);
    let tools: Vec<&Value> = seen.list("result.tools").iter().map(|tool| &tool["name"]).collect();
    assert!(tools.contains(&&json!("execute_workflow")), "{seen}");
    let seen = inspector.answer("resources/read", &["--uri", "workflow://definition/greet"]);
    seen.is("result.contents.0.text", include_str!("workflows/greet.yaml"));
    let help = ["--prompt-name", "workflow_help", "--prompt-args", "workflow_name=greet"];
    inspector.answer("prompts/get", &help).says("result.messages.0.content.text", "Run the workflow `greet`");
    calls(&inspector);
}

fn calls(inspector: &Inspector) {
    let call = |given: Value| {
        let given = given.to_string();
        inspector.ask("tools/call", &["--tool-name", "execute_workflow", "--tool-args-json", &given])
    };
    let (code, seen) = call(json!({ "workflow": "greet", "inputs": { "who": "you" } }));
    assert_eq!(code, ANSWERED, "{seen}");
    seen.is("result.structuredContent.status", "success");
    seen.is("result.structuredContent.outputs.text", "hello you!");
    let (code, seen) = call(json!({ "workflow": "graet" }));
    assert_eq!(code, TOOL_ERROR, "{seen}");
    seen.is("result.isError", true);
    seen.is("result.structuredContent.did_you_mean", json!(["greet"]));
    let (code, seen) = inspector.ask("resources/read", &["--uri", "switchback://run/nobody"]);
    assert_eq!(code, REFUSED, "{seen}");
    seen.says("stderr", "there is no run `nobody`");
}

// covers: D-95
#[test]
fn the_older_era() {
    play("legacy", "2025-11-25");
}

#[test]
fn the_newer_era() {
    play("modern", "2026-07-28");
}
