//! Resources: definitions, runs and journals, whole. An answer that had to leave something out names one of these.
//!
//! Only what belongs to the caller's folder can be read. A read has a bound too; what it leaves out is said in it.

mod read;
mod step;
pub(super) mod uri;

pub(super) use read::read;

use rmcp::model::{Resource, ResourceTemplate};

const JSON: &str = "application/json";

/// The resources that are always there.
pub(super) fn list() -> Vec<Resource> {
    vec![
        Resource::new(uri::WORKFLOWS, "workflows")
            .with_title("Workflows")
            .with_description("The names of all workflows that can be run in this project")
            .with_mime_type(JSON),
        Resource::new(uri::RUNS, "runs")
            .with_title("Runs")
            .with_description("The runs of this project that are open or ended last")
            .with_mime_type(JSON),
    ]
}

/// The resources that are named by something.
pub(super) fn templates() -> Vec<ResourceTemplate> {
    let template = |uri: &str, name: &str, title: &str, about: &str| {
        ResourceTemplate::new(uri, name).with_title(title).with_description(about)
    };
    vec![
        template("workflow://definition/{name}", "definition", "Definition", "The text of a workflow's definition"),
        template(
            "switchback://run/{id}",
            "run",
            "Run",
            "A run with every step, what each was given and what it gave; long values are named by their digest",
        )
        .with_mime_type(JSON),
        template(
            "switchback://run/{id}/journal",
            "journal",
            "Journal",
            "All that happened to a run, one JSON document a line, each with the hash that chains it to the one before",
        )
        .with_mime_type("application/x-ndjson"),
        template(
            "switchback://run/{id}/state",
            "state",
            "State",
            "All values of a run's state in one object",
        )
        .with_mime_type(JSON),
        template(
            "switchback://run/{id}/state/{entry}",
            "checkpoint",
            "State at a checkpoint",
            "The state of a run as it was after one of its entries, as workflow_checkpoint names it",
        )
        .with_mime_type(JSON),
        template(
            "switchback://run/{id}/transformations",
            "transformations",
            "Computations",
            "The computations of a run's fields in order, the newest 10,000 as far as they fit",
        )
        .with_mime_type(JSON),
        template(
            "switchback://run/{id}/transformations/{field}",
            "transformations of a field",
            "Computations of a field",
            "The same of one computed field",
        )
        .with_mime_type(JSON),
        template(
            "switchback://run/{id}/step/{step}",
            "step",
            "Step",
            "What one step of a run was given and gave, in full",
        )
        .with_mime_type(JSON),
        template(
            "switchback://run/{id}/step/{step}/{side}/{name}/{from}",
            "value",
            "Value of a step",
            "One value of a step from a byte on, for what is too long for one read; side is inputs or outputs",
        )
        .with_mime_type(JSON),
    ]
}
