//! `create_workflow`: keeps a definition of a state machine, if it is good.

use super::{Hints, Later, Tool, schema};
use crate::mcp::answer::{Answer, Answered};
use crate::mcp::call::Call;
use crate::mcp::machine::{from_text, is_a_sentence, kept, of_form};
use crate::mcp::tools::now;
use crate::mcp::visit::Visit;
use crate::settings::Toolset;
use engine::dialects::ReadOptions;
use engine::dialects::diagnostic::{Diagnostic, Severity};
use engine::dialects::states::Entry;
use engine::dialects::states::view::signature;
use engine::dialects::text::Source;
use engine::kept::NotCreated;
use engine::library::{Order, read_text};
use serde_json::{Value, json};

pub(super) const TOOL: Tool = Tool {
    name: "create_workflow",
    title: "Keep a state machine",
    description: "Use this to keep the definition of a state machine with a contract of environment variables, to be run later by \
        run_workflow(workflow_name, session_id); to run a definition at once give it to run_workflow. ⚠️ IMPORTANT: Run \
        get_workflow_schema() tool FIRST to get the current JSON schema before creating workflows. The schema is auto-generated \
        from current MCP tools and may change when tools are updated. `workflow_definition` has `name`, `description`, `initial_state`, \
        `states`, and `arguments` and `return_values` that name environment variables. A state has `action` with one of \
        open_terminal, send_input, get_screen_content, await_output, list_terminal_sessions, exit_terminal. Conditions are \
        success, failure, timeout, pattern_match and pattern_no_match with `pattern`. An existing name is refused unless \
        `overwrite_existing` is true. Answers `workflow_signature`: what to export before, and what is set after.",
    hints: Hints { read_only: false, destructive: true, idempotent: true, open_world: false },
    toolset: Some(Toolset::Authoring),
    aliases: &[],
    schema: || {
        schema::object(
            json!({
                "workflow_definition": { "type": "object", "description": "The definition, as get_workflow_schema gives its format." },
                "overwrite_existing": { "type": "boolean", "default": false, "description": "Replace one of the same name." },
            }),
            &["workflow_definition"],
        )
    },
    call: |call| -> Later<'_> { Box::pin(create(call)) },
};

/// What is said of a definition whose form is wrong.
const NO_MATCH: &str = "Workflow definition does not match current MCP tool schema.";

async fn create(call: &Call) -> Answered {
    let overwrites = call.arguments.flag("overwrite_existing")?;
    let definition = call.arguments.value("workflow_definition").cloned().map_or(Value::Null, from_text);
    if !definition.is_object() {
        let why = "'workflow_definition' must be an object".to_owned();
        return Ok(Answer::new(refused("", vec![why], NO_MATCH.to_owned())));
    }
    let answer = call.visit.look(move |visit, _| created(visit, &definition, overwrites)).await?;
    Ok(Answer::new(answer))
}

fn created(visit: &Visit, definition: &Value, overwrites: bool) -> Value {
    let text = serde_json::to_string_pretty(definition).unwrap_or_default();
    let options = ReadOptions { states: Entry::Create, ..ReadOptions::default() };
    let reading = read_text(Source::new("workflow_definition", text), options);
    let errors: Vec<&Diagnostic> =
        reading.diagnostics.iter().filter(|one| one.severity == Severity::Error).collect();
    let Some(plan) = &reading.plan else {
        return invalid(&reading.source, &errors);
    };
    let library = match visit.library_of(Order::States) {
        Ok(library) => library,
        Err(problem) => {
            return refused(&plan.name, Vec::new(), format!("Workflow creation failed: {problem}"));
        }
    };
    match kept(visit).create(definition, overwrites, now(), &library) {
        Ok(name) => json!({
            "success": true,
            "workflow_name": name,
            "stored_file": format!("{name}.json"),
            "workflow_signature": signature(plan.notes.get("contract"), &plan.description),
            "validation_errors": [],
            "error": null,
        }),
        Err(taken @ NotCreated::Taken(_)) => {
            let error = format!("{taken}. Use overwrite_existing=true to replace.");
            refused(&plan.name, vec![taken.to_string()], error)
        }
        Err(elsewhere @ NotCreated::Elsewhere { .. }) => {
            refused(&plan.name, vec![elsewhere.to_string()], format!("{elsewhere}."))
        }
        Err(other) => refused(&plan.name, Vec::new(), format!("Workflow creation failed: {other}")),
    }
}

/// What is wrong with a definition: what its form forbids comes first.
fn invalid(source: &Source, errors: &[&Diagnostic]) -> Value {
    let form = errors.iter().filter(|one| !is_a_sentence(one));
    let told = form.map(|one| format!("JSON Schema validation failed: {}", of_form(source, one)));
    let told: Vec<String> = told.collect();
    if !told.is_empty() {
        return refused("", told, NO_MATCH.to_owned());
    }
    let told: Vec<String> = errors.iter().map(|one| one.message.clone()).collect();
    let first = told.first().cloned().unwrap_or_default();
    refused("", told, format!("Workflow model validation failed: {first}"))
}

fn refused(name: &str, errors: Vec<String>, error: String) -> Value {
    json!({
        "success": false,
        "workflow_name": name,
        "stored_file": "",
        "workflow_signature": {},
        "validation_errors": errors,
        "error": error,
    })
}
