//! Workflows as tools name them: the one that a name means, all there are, and what each is like.

use super::problem::{Problem, said};
use super::takes;
use engine::dialects::blocks::view::waves;
use engine::kernel::Plan;
use engine::kernel::plan::{Adapter, Audience, Dialect, Flow, Step, Work};
use engine::library::{Definition, Library, Order, PlaceKind};
use engine::secrets::used;
use serde_json::{Map, Value, json};
use std::path::Path;
use std::sync::Arc;

/// How many files to be mended are named.
const FILES_MAX: usize = 3;

/// How many mistakes of a definition are shown.
const MISTAKES_MAX: usize = 20;

const HELP: &str = "Use list_workflows() to see all available workflows";

/// Those that can be run by name, in order.
pub(super) fn names(library: &Library) -> Vec<&str> {
    let mut names: Vec<&str> =
        listed(library).filter(|one| one.runs()).map(|one| one.name.as_str()).collect();
    names.sort_unstable();
    names
}

/// Those that nothing hides.
pub(super) fn listed(library: &Library) -> impl Iterator<Item = &Definition> {
    library.definitions().filter(|definition| definition.hidden_by.is_none())
}

/// The definition that a name means.
pub(super) fn find<'l>(library: &'l Library, name: &str) -> Result<&'l Definition, Problem> {
    library.find(name).map_err(|missing| {
        let problem = Problem::new("unknown-workflow", format!("Workflow '{}' not found", said(name)))
            .options_as("available_workflows", names(library))
            .near(name)
            .help(HELP);
        match missing.malformed {
            true => problem.with("reason", json!(missing.to_string())),
            false => problem.with("looked_in", json!(missing.places)),
        }
    })
}

/// The definition that a name means to the tools of a source: those of `reactive` name the two files that were looked for.
pub(super) fn find_in<'l>(library: &'l Library, order: Order, name: &str) -> Result<&'l Definition, Problem> {
    if order != Order::Reactive {
        return find(library, name);
    }
    library.find(name).map_err(|missing| {
        let shown = said(name);
        let error = format!(
            "Workflow '{shown}' not found in:\n    - ./.aromcp/workflows/{shown}.yaml\n    - ~/.aromcp/workflows/{shown}.yaml"
        );
        let problem = Problem::new("unknown-workflow", error)
            .options_as("available_workflows", names(library))
            .near(name)
            .help("Use workflow_list() to see all available workflows");
        match missing.malformed {
            true => problem.with("reason", json!(missing.to_string())),
            false => problem.with("looked_in", json!(missing.places)),
        }
    })
}

/// Whether a definition is of the project, or of its user and of all projects.
pub(super) fn whose(definition: &Definition, workspace: &Path) -> &'static str {
    let own = definition.origin.path.as_ref().is_some_and(|path| path.starts_with(workspace));
    if own { "project" } else { "global" }
}

/// The whole path of a definition.
pub(super) fn path(definition: &Definition) -> String {
    match &definition.origin.path {
        Some(path) => path.display().to_string(),
        None => definition.origin.shown.clone(),
    }
}

/// The plan of a definition, or what is wrong with it.
pub(super) fn plan(definition: &Definition) -> Result<&Arc<Plan>, Problem> {
    let reading = &definition.reading;
    reading.plan.as_ref().ok_or_else(|| {
        let Definition { name, origin, .. } = definition;
        let mistakes = reading.diagnostics.to_json(&reading.sources());
        let mut mistakes: Vec<Value> = mistakes.as_array().cloned().unwrap_or_default();
        let count = mistakes.len();
        mistakes.truncate(MISTAKES_MAX);
        let error = format!("workflow '{name}' cannot run: {}", reading.diagnostics.summary());
        let mut mended: Vec<&str> = mistakes.iter().filter_map(|mistake| mistake["file"].as_str()).collect();
        mended.sort_unstable();
        mended.dedup();
        mended.truncate(FILES_MAX);
        if mended.is_empty() {
            mended.push(&origin.shown);
        }
        Problem::new("invalid-definition", error)
            .with("file", json!(origin.shown))
            .with("diagnostics", mistakes.iter().map(|mistake| short(mistake, &origin.shown)).collect())
            .with("more_diagnostics", json!(count.saturating_sub(MISTAKES_MAX)))
            .help(format!("Mend {}; it is read again at the next call", mended.join(", ")))
    })
}

/// A mistake as an agent needs it; where it is in a file that the definition imports, with that file.
fn short(diagnostic: &Value, own: &str) -> Value {
    let mut value = Map::new();
    let elsewhere = diagnostic["file"].as_str().filter(|file| *file != own);
    value.extend(elsewhere.map(|file| ("file".to_owned(), file.into())));
    for key in ["code", "severity", "message", "line", "column", "label", "hint"] {
        if let Some(found) = diagnostic.get(key).filter(|found| !found.is_null()) {
            value.insert(key.to_owned(), found.clone());
        }
    }
    value.into()
}

/// Where a definition came from and what it hides.
pub(super) fn source(definition: &Definition) -> Value {
    json!({
        "file": definition.origin.shown,
        "place": definition.origin.place,
        "group": definition.origin.group,
        "named_by": definition.origin.kind.as_str(),
        "built_in": definition.origin.kind == PlaceKind::BuiltIn,
        "hides": definition.hides,
        "hidden_by": definition.hidden_by,
        "note": definition.note,
    })
}

/// What it does, and what waits for what.
pub(super) fn blocks(plan: &Plan) -> Value {
    let id = |position: u32| plan.steps[position as usize].id.as_str();
    let block = |(position, step): (usize, &engine::kernel::plan::Step)| {
        let mut value = json!({ "id": step.id, "does": does(&step.work) });
        if let Flow::Graph(graph) = &plan.flow {
            let block = &graph.blocks[position];
            value["depends_on"] = block.depends_on.iter().map(|earlier| id(*earlier)).collect();
            value["conditional"] = block.condition.is_some().into();
        }
        value
    };
    plan.steps.iter().enumerate().map(block).collect()
}

/// The document that describes a workflow.
pub(super) fn about(definition: &Definition, plan: &Plan) -> Value {
    let outputs: Vec<&str> = plan.outputs.iter().map(|(name, _)| name.as_str()).collect();
    let mut value = json!({
        "name": definition.name,
        "description": plan.description,
        "dialect": plan.dialect.as_str(),
        "inputs": takes::table(plan),
        "input_schema": takes::schema(plan),
        "example": takes::example(&definition.name, plan),
        "outputs": outputs,
        "secrets": used(plan),
        "source": source(definition),
        "definition": super::resources::uri::definition(&definition.name),
    });
    match plan.dialect {
        Dialect::Steps | Dialect::Reactive => {
            let step = |step: &Step| json!({ "id": step.id, "type": step.kind });
            value["steps"] = plan.steps.iter().map(step).collect();
        }
        _ => (value["waves"], value["blocks"]) = (waves(plan).into(), blocks(plan)),
    }
    value
}

fn does(work: &Work) -> &'static str {
    match work {
        Work::Server { adapter, .. } => match adapter {
            Adapter::Process => "command",
            Adapter::File => "file",
            Adapter::Git => "git",
            Adapter::Terminal => "terminal",
            Adapter::Mcp => "tool of another server",
            Adapter::Schema => "schema",
            Adapter::Noop => "nothing but give what it was given",
        },
        Work::Action { gate: Some(_), .. } => "question that only a human may answer",
        Work::Action { audience: Audience::Human, .. } => "question for a human",
        Work::Action { audience: Audience::Agent, .. } => "work for the agent",
        Work::Child { .. } => "workflow",
        Work::Wait { .. } => "wait",
        Work::Make { .. } => "value",
    }
}
