//! `list_workflows`: what can be run by name in this project.

use super::{Hints, Later, Tool, schema};
use crate::mcp::answer::{Answer, Answered};
use crate::mcp::call::Call;
use crate::mcp::problem::Problem;
use crate::mcp::resources::uri;
use crate::mcp::workflows::{listed, names};
use engine::library::{Definition, Library};
use serde_json::{Map, Value, json};

/// Longest description in a list.
const DESCRIPTION_CHARS_MAX: usize = 320;

pub(super) const TOOL: Tool = Tool {
    name: "list_workflows",
    title: "List workflows",
    description: "Use this first, to see which workflows can be run in this project; for the inputs and blocks of one \
        use get_workflow_info, for runs that were started use get_workflow_status. Answers `workflows` (the names that \
        execute_workflow takes), `about` (for each name what it is for, its dialect, its file and group, who brought it and \
        what it hides), and `broken` (files that cannot run, with the first mistake). Files that changed are read again at \
        every call.",
    hints: Hints::LOOKS,
    toolset: Some(Toolset::Blocks),
    aliases: &[],
    schema: || {
        schema::object(
            json!({
                "contains": {
                    "type": "string",
                    "description": "Only workflows whose name or description contains this text."
                },
            }),
            &[],
        )
    },
    call: |call| -> Later<'_> { Box::pin(list(call)) },
};

use crate::settings::Toolset;

async fn list(call: &Call) -> Answered {
    let contains = call.arguments.text("contains")?.map(str::to_lowercase);
    let value =
        call.visit.look(move |visit, _| Ok::<_, Problem>(document(&*visit.library()?, contains.as_deref())));
    Ok(Answer::new(value.await??).rest(uri::WORKFLOWS))
}

fn document(library: &Library, contains: Option<&str>) -> Value {
    let wanted = |one: &&Definition| {
        let description = one.reading.plan.as_ref().map_or("", |plan| plan.description.as_str());
        let has = |text: &str| contains.is_none_or(|part| text.to_lowercase().contains(part));
        has(&one.name) || has(description)
    };
    let good: Vec<&Definition> = listed(library).filter(|one| one.runs()).filter(wanted).collect();
    let names: Vec<&str> =
        names(library).into_iter().filter(|name| good.iter().any(|one| one.name == *name)).collect();
    let about: Map<String, Value> = good.iter().map(|one| (one.name.clone(), short(library, one))).collect();
    let broken: Vec<Value> = listed(library).filter(|one| !one.runs()).filter(wanted).map(mistake).collect();
    let mut value = json!({ "workflows": names, "next": NEXT, "about": about });
    if !broken.is_empty() {
        value["broken"] = broken.into();
    }
    if !library.troubles.is_empty() {
        value["troubles"] = json!(library.troubles);
    }
    value
}

const NEXT: &str = "get_workflow_info(workflow) shows the inputs of one; execute_workflow(workflow, inputs) runs it; one of dialect `steps` is yours to carry out: start_workflow(workflow, inputs).";

fn short(library: &Library, definition: &Definition) -> Value {
    let plan = definition.reading.plan.as_ref();
    let description: String =
        plan.map_or("", |plan| plan.description.as_str()).chars().take(DESCRIPTION_CHARS_MAX).collect();
    let mut value = json!({
        "description": description,
        "dialect": plan.map(|plan| plan.dialect.as_str()),
        "file": definition.origin.shown,
        "from": definition.origin.kind.as_str(),
    });
    if let Some(group) = &definition.origin.group {
        value["group"] = json!(group);
    }
    if !definition.hides.is_empty() {
        value["hides"] = json!(definition.hides);
    }
    let doubts = library.passed_over(&definition.name);
    if !doubts.is_empty() {
        value["warnings"] = json!(doubts);
    }
    value
}

fn mistake(definition: &Definition) -> Value {
    let error = definition.reading.first_error();
    json!({
        "name": definition.name,
        "file": definition.origin.shown,
        "error": error.map(|error| json!({ "code": error.code, "message": error.message })),
    })
}
