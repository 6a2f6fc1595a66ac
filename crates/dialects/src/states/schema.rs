//! The format of definitions as it is published: a JSON schema, the tools that a state may call, and the rules in words. All of
//! it is made from the table of tools, so that none of it can lag behind.

use super::tools::{Param, SESSION_ID, TERMINAL, Tool};
use serde_json::{Map, Value, json};
use std::fmt::Write;

/// Small letters, digits and lines: names of workflows and states that are created.
const NAME: &str = "^[a-z0-9_]+$";

/// Names of variables.
const VARIABLE: &str = "^[A-Z][A-Z0-9_]*$";

/// The schema of definitions that are created.
pub fn json_schema() -> Value {
    json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "Workflow Definition",
        "description": "A state machine over terminal tools, with contracts of environment variables.",
        "type": "object",
        "properties": {
            "name": { "type": "string", "pattern": NAME, "minLength": 1, "maxLength": 64 },
            "description": { "type": "string", "minLength": 1, "maxLength": 500 },
            "arguments": variables("Environment variables that must be set before the workflow runs"),
            "return_values": variables("Environment variables that it must have set when it ends"),
            "initial_state": { "type": "string", "pattern": NAME },
            "states": {
                "type": "object",
                "minProperties": 1,
                "maxProperties": 50,
                "patternProperties": { NAME: state() },
                "additionalProperties": false
            },
            "kind": { "const": "states" }
        },
        "required": ["name", "description", "initial_state", "states"],
        "additionalProperties": false
    })
}

fn variables(description: &str) -> Value {
    let said = json!({ "type": "string", "minLength": 1, "maxLength": 200 });
    let whole = json!({
        "type": "object",
        "properties": {
            "name": { "type": "string", "pattern": VARIABLE, "minLength": 1, "maxLength": 64 },
            "description": said,
            "required": { "type": "boolean", "default": true }
        },
        "required": ["description"],
        "additionalProperties": false
    });
    json!({
        "type": "object",
        "description": description,
        "maxProperties": 20,
        "patternProperties": { VARIABLE: { "anyOf": [said, whole] } },
        "additionalProperties": false
    })
}

fn state() -> Value {
    let tools: Vec<&str> = TERMINAL.iter().map(|tool| tool.name).collect();
    let seconds = json!({ "type": "number", "minimum": 0.1, "maximum": 300.0 });
    json!({
        "type": "object",
        "properties": {
            "action": {
                "type": "object",
                "properties": {
                    "tool": { "enum": tools },
                    "params": { "type": "object", "default": {} }
                },
                "required": ["tool"],
                "additionalProperties": false
            },
            "transitions": { "type": "array", "maxItems": 10, "items": transition() },
            "timeout": seconds,
            "timeout_seconds": seconds,
            "on_timeout": { "type": "string", "pattern": NAME }
        },
        "required": ["action"],
        "additionalProperties": false
    })
}

fn transition() -> Value {
    let words = ["success", "failure", "timeout", "pattern_match", "pattern_no_match", "pattern_not_match"];
    let text = json!({ "type": "string" });
    let keys = json!({
        "type": "object",
        "minProperties": 1,
        "properties": {
            "success": { "type": "boolean" },
            "pattern_match": text,
            "pattern_not_match": text,
            "pattern_no_match": text,
            "field_equals": { "type": "object" },
            "field_contains": { "type": "object" },
            "timeout_occurred": { "type": "boolean" },
            "description": { "type": "string", "maxLength": 200 }
        },
        "additionalProperties": false
    });
    json!({
        "type": "object",
        "properties": {
            "condition": { "anyOf": [{ "enum": words }, keys] },
            "pattern": { "type": "string", "description": "The regular expression of pattern_match and pattern_no_match" },
            "next_state": { "type": "string", "pattern": NAME }
        },
        "required": ["condition", "next_state"],
        "additionalProperties": false
    })
}

/// A definition that can be kept and run as it stands: it runs what a variable says, and tells by another what came of it.
pub fn example() -> Value {
    let types = |text: &str| json!({ "tool": "send_input", "params": { "input_text": text } });
    json!({
        "name": "workflow_identifier",
        "description": "Runs a command and says whether it came to a good end",
        "arguments": {
            "ENV_VAR_NAME": { "name": "ENV_VAR_NAME", "description": "The command", "required": true }
        },
        "return_values": {
            "RESULT_VAR": { "name": "RESULT_VAR", "description": "SUCCESS or FAILURE", "required": true }
        },
        "initial_state": "start",
        "states": {
            "start": {
                "action": types("\"$ENV_VAR_NAME\"\n"),
                "transitions": [
                    { "condition": "success", "next_state": "check_result" },
                    { "condition": "failure", "next_state": "failure" }
                ],
                "timeout_seconds": 30.0
            },
            "check_result": {
                "action": { "tool": "await_output", "params": { "pattern": "Build complete.*", "timeout": 10.0 } },
                "transitions": [
                    { "condition": "pattern_match", "pattern": "SUCCESS", "next_state": "success" },
                    { "condition": "timeout", "next_state": "failure" },
                    { "condition": "success", "next_state": "failure" }
                ]
            },
            "success": { "action": types("export RESULT_VAR=SUCCESS\n"), "transitions": [] },
            "failure": { "action": types("export RESULT_VAR=FAILURE\n"), "transitions": [] }
        }
    })
}

/// The tools that a state may call, each with what it takes beside its session.
pub fn available_tools() -> Value {
    let tool = |tool: &Tool| {
        let taken = tool.params.iter().filter(|param| param.name != SESSION_ID);
        let parameters: Map<String, Value> =
            taken.map(|param| (param.name.to_owned(), parameter(param))).collect();
        let about = json!({
            "description": tool.description,
            "parameters": parameters,
            "returns_success": true,
            "supports_timeout": tool.waits,
        });
        (tool.name.to_owned(), about)
    };
    Value::Object(TERMINAL.iter().map(tool).collect())
}

fn parameter(param: &Param) -> Value {
    let default: Option<Value> = param.default.and_then(|default| serde_json::from_str(default).ok());
    json!({
        "type": param.kind.as_str(),
        "description": param.description,
        "required": param.required,
        "default": default,
    })
}

/// The format in words, as it was made at a time.
pub fn documentation(at: &str) -> String {
    let mut text = format!("# Workflow Definition Schema\n\nGenerated at {at}.\n\n## Available MCP Tools\n");
    for tool in &TERMINAL {
        let _ = write!(text, "\n### {}\n{}\n", tool.name, tool.description);
        for param in tool.params.iter().filter(|param| param.name != SESSION_ID) {
            let mark = if param.required { "required" } else { "optional" };
            let _ = writeln!(
                text,
                "- `{}` ({mark}): {} — {}",
                param.name,
                param.kind.as_str(),
                param.description
            );
        }
    }
    let schema = serde_json::to_string_pretty(&json_schema()).unwrap_or_default();
    let _ = write!(
        text,
        "\n`session_id` is put in where a tool takes it and none is given.\n\n## JSON Schema\n\n```json\n{schema}\n```\n"
    );
    text.push_str(RULES);
    let example = serde_json::to_string_pretty(&example()).unwrap_or_default();
    let _ = write!(text, "\n## Example\n\n```json\n{example}\n```\n");
    text
}

const RULES: &str = "
## State Machine Transitions

Transitions are tried in order, and the first that holds is taken; where none holds, the workflow ends.

- `success`: the tool succeeded
- `failure`: the tool failed or gave an error
- `timeout`: the state took too long, or `await_output` ended without a match
- `pattern_match` with `pattern`: the regular expression is found in the matched text or on the screen
- `pattern_no_match` with `pattern`: it is not found

A condition may also be an object: `success`, `pattern_match`, `pattern_not_match`, `field_equals`, `field_contains`,
`timeout_occurred`, of which all must hold. An object with only a `description` is taken when the tool succeeded.

## Environment Variable Contract

`arguments` must be set in the session before the workflow runs (`export NAME=value`), `return_values` must be set when it has
ended. A variable is set if the shell knows it, empty or not. One with `required: false` may be missing.
";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::states::Entry;
    use crate::states::tests::{codes, one};
    use crate::text::{Source, load};

    /// Whether the published schema takes a definition.
    fn is_taken(text: &str) -> bool {
        let definition = load(&Source::new("some.yaml", text)).unwrap().to_value();
        jsonschema::validator_for(&json_schema()).unwrap().is_valid(&definition)
    }

    // covers: T-40, C-42, C-48, C-58, C-59, C-62
    #[test]
    fn the_schema_says_what_the_reader_says() {
        let action = "action: {tool: exit_terminal, params: {}}";
        let way = |condition: &str| {
            one(&format!("{action}, transitions: [{{condition: {condition}, next_state: a}}]"))
        };
        for text in [
            one(action),
            one("action: {tool: exit_terminal}"),
            one("action: {tool: run_workflow, params: {workflow_name: x}}"),
            one("action: {tool: exit_terminal}, timeout_seconds: 300"),
            one("action: {tool: exit_terminal}, timeout_seconds: 301"),
            one("action: {tool: exit_terminal}, when: 1"),
            way("success"),
            way("{success: true}"),
            way("{description: x}"),
            way("pattern_no_match, pattern: x"),
            way("maybe"),
            way("{}"),
            way("{maybe: 1}"),
            format!("{}arguments: {{A: x}}\n", one(action)),
            format!("{}arguments: {{a: x}}\n", one(action)),
            format!("{}arguments: {{A: {{description: x, required: false}}}}\n", one(action)),
            one(action).replace("name: test", "name: Test"),
            one(action).replace("description: A test\n", ""),
            one(action).replace("initial_state: a\n", ""),
        ] {
            assert_eq!(is_taken(&text), codes(&text, Entry::Create).is_empty(), "{text}");
        }
    }

    // covers: C-43, C-44, C-45, C-46
    #[test]
    fn tools_are_told_without_their_session() {
        let tools = available_tools();
        assert_eq!(tools.as_object().unwrap().len(), 6);
        assert_eq!(tools["send_input"]["parameters"].get("session_id"), None);
        let timeout = &tools["await_output"]["parameters"]["timeout"];
        assert_eq!(
            (&timeout["type"], &timeout["required"], &timeout["default"]),
            (&json!("number"), &json!(false), &json!(10.0))
        );
        let waits: Vec<&String> = tools
            .as_object()
            .unwrap()
            .iter()
            .filter(|(_, tool)| tool["supports_timeout"] == true)
            .map(|(name, _)| name)
            .collect();
        assert_eq!(waits, ["await_output"]);
    }

    // covers: C-106
    #[test]
    fn the_example_is_good() {
        let text = example().to_string();
        assert!(is_taken(&text));
        assert_eq!(codes(&text, Entry::Create), Vec::<&str>::new());
        assert!(documentation("now").contains("\"name\": \"workflow_identifier\""));
    }

    // covers: C-47
    #[test]
    fn words_have_their_headings() {
        let text = documentation("now");
        for heading in [
            "Available MCP Tools",
            "JSON Schema",
            "State Machine Transitions",
            "Environment Variable Contract",
            "Example",
        ] {
            assert!(text.contains(&format!("\n## {heading}\n")), "{heading}");
        }
        assert!(text.contains("`pattern` (required)") && text.contains("`timeout` (optional)"));
    }
}
