//! The tools: one file each, one table for all. Lists are made once and handed out.

mod await_output;
mod begin;
mod cancel_workflow;
mod complete_step;
mod create_workflow;
mod driven;
mod execute_workflow;
mod exit_terminal;
mod get_next_step;
mod get_screen_content;
mod get_workflow_info;
mod get_workflow_schema;
mod get_workflow_state;
mod get_workflow_status;
mod hand_in;
mod list_terminal_sessions;
mod list_workflows;
mod open_terminal;
mod reactive;
mod resume_workflow;
mod run_workflow;
mod schema;
mod send_input;
mod start_workflow;
mod status;
mod submit_result;
mod submit_step_result;
mod workflow_checkpoint;
mod workflow_complete;
mod workflow_debug_info;
mod workflow_explain_plan;
mod workflow_get_info;
mod workflow_get_next_step;
mod workflow_list;
mod workflow_load_definition;
mod workflow_resume;
mod workflow_start;
mod workflow_state_dependencies;
mod workflow_state_read;
mod workflow_state_update;
mod workflow_step_complete;
mod workflow_test_transformation;
mod workflow_trace_transformations;

pub(super) use begin::now;
pub(super) use workflow_state_dependencies::unknown as unknown_field;

use super::answer::Answered;
use super::call::Call;
use super::problem::{Problem, said};
use crate::settings::{Settings, Toolset};
use rmcp::model::{Tool as Listed, ToolAnnotations};
use serde_json::Value;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, OnceLock};

/// An answer that comes later.
pub(super) type Later<'c> = Pin<Box<dyn Future<Output = Answered> + Send + 'c>>;

/// A tool.
pub(super) struct Tool {
    /// Its name.
    pub(super) name: &'static str,
    /// Its name for people.
    title: &'static str,
    /// When to use it, what it does, what it answers.
    description: &'static str,
    /// What a client may expect of it.
    hints: Hints,
    /// The group it is in; without one it is always there.
    toolset: Option<Toolset>,
    /// Other names that sources use for it.
    aliases: &'static [&'static str],
    /// What it takes.
    schema: fn() -> Value,
    /// Carries a call out.
    pub(super) call: for<'c> fn(&'c Call) -> Later<'c>,
}

/// What a client may expect of a tool.
#[derive(Clone, Copy)]
struct Hints {
    read_only: bool,
    destructive: bool,
    idempotent: bool,
    open_world: bool,
}

impl Hints {
    /// It changes nothing.
    const LOOKS: Hints = Hints { read_only: true, destructive: false, idempotent: true, open_world: false };
}

static TOOLS: [Tool; 36] = [
    await_output::TOOL,
    cancel_workflow::TOOL,
    create_workflow::TOOL,
    execute_workflow::TOOL,
    exit_terminal::TOOL,
    get_next_step::TOOL,
    get_screen_content::TOOL,
    get_workflow_info::TOOL,
    get_workflow_schema::TOOL,
    get_workflow_state::TOOL,
    get_workflow_status::TOOL,
    list_terminal_sessions::TOOL,
    list_workflows::TOOL,
    open_terminal::TOOL,
    resume_workflow::TOOL,
    run_workflow::TOOL,
    send_input::TOOL,
    start_workflow::TOOL,
    submit_result::TOOL,
    submit_step_result::TOOL,
    workflow_checkpoint::TOOL,
    workflow_complete::TOOL,
    workflow_debug_info::TOOL,
    workflow_explain_plan::TOOL,
    workflow_get_info::TOOL,
    workflow_get_next_step::TOOL,
    workflow_list::TOOL,
    workflow_load_definition::TOOL,
    workflow_resume::TOOL,
    workflow_start::TOOL,
    workflow_state_dependencies::TOOL,
    workflow_state_read::TOOL,
    workflow_state_update::TOOL,
    workflow_step_complete::TOOL,
    workflow_test_transformation::TOOL,
    workflow_trace_transformations::TOOL,
];

impl Tool {
    /// Whether it changes nothing.
    pub(super) const fn is_read_only(&self) -> bool {
        self.hints.read_only
    }

    /// Whether it works on terminals.
    pub(super) fn is_terminal(&self) -> bool {
        self.toolset == Some(Toolset::Terminal)
    }

    /// The names of what it takes.
    pub(super) fn properties(&self) -> Vec<&'static str> {
        let position = TOOLS.iter().position(|tool| tool.name == self.name);
        let listed = position.and_then(|position| made()[position].input_schema.get("properties"));
        listed
            .and_then(Value::as_object)
            .map(|members| members.keys().map(String::as_str).collect())
            .unwrap_or_default()
    }

    /// Why it is not offered, if it is not.
    fn why_off(&self, settings: &Settings) -> Option<String> {
        if let Some(toolset) = self.toolset.filter(|toolset| !settings.toolsets.contains(toolset)) {
            return Some(format!("its group `{}` is off: {}", toolset.as_str(), settings.why_off(toolset)));
        }
        let who = settings.read_only.as_ref().filter(|_| !self.hints.read_only)?;
        Some(format!("only tools that change nothing are on, because of {who}"))
    }
}

/// The tools that hold for a client, in the order of their names.
pub(super) fn list(settings: &Settings) -> Vec<Listed> {
    let offered = TOOLS.iter().zip(made()).filter(|(tool, _)| tool.why_off(settings).is_none());
    offered.map(|(_, listed)| listed.clone()).collect()
}

/// A tool as it is listed.
pub(super) fn listed(name: &str) -> Option<Listed> {
    let position = TOOLS.iter().position(|tool| tool.name == name)?;
    Some(made()[position].clone())
}

/// The tool that a name means, if it is offered. Dotted names and those of the sources mean the same.
pub(super) fn find(name: &str, settings: &Settings) -> Result<&'static Tool, Problem> {
    let plain = name.replace(['.', '-'], "_");
    let meant = |tool: &&Tool| tool.name == plain || tool.aliases.contains(&plain.as_str());
    let Some(tool) = TOOLS.iter().find(meant) else { return Err(unknown(name, settings)) };
    match tool.why_off(settings) {
        None => Ok(tool),
        Some(why) => Err(Problem::new("tool-off", format!("{} is off", tool.name))
            .with("reason", why.into())
            .options(names(settings))
            .help("Whoever starts this server can turn it on; the other tools are there")),
    }
}

fn unknown(name: &str, settings: &Settings) -> Problem {
    Problem::new("unknown-tool", format!("there is no tool `{}`", said(name)))
        .options(names(settings))
        .near(name)
        .help("Call one of these")
}

/// The names of those that hold for a client.
pub(super) fn names(settings: &Settings) -> Vec<&'static str> {
    TOOLS.iter().filter(|tool| tool.why_off(settings).is_none()).map(|tool| tool.name).collect()
}

/// All tools as they are listed, made once.
fn made() -> &'static [Listed] {
    static MADE: OnceLock<Vec<Listed>> = OnceLock::new();
    MADE.get_or_init(|| TOOLS.iter().map(make).collect())
}

fn make(tool: &Tool) -> Listed {
    let Value::Object(schema) = (tool.schema)() else {
        unreachable!("BUG: the schema of {} is no object", tool.name)
    };
    let Hints { read_only, destructive, idempotent, open_world } = tool.hints;
    let hints = ToolAnnotations::with_title(tool.title)
        .read_only(read_only)
        .destructive(destructive)
        .idempotent(idempotent)
        .open_world(open_world);
    Listed::new(tool.name, tool.description, Arc::new(schema)).with_title(tool.title).with_annotations(hints)
}
