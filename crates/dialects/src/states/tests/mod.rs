//! Definitions and the exact plan or text they give: `inputs/` holds the definitions, `snapshots/` the rest.

mod bad;
mod contracts;
mod documented;
mod good;
mod limits;

use super::Entry;
use crate::diagnostic::{Diagnostics, Look};
use crate::read::Read;
use crate::text::{Source, load};
use kernel::plan::{Machine, State, Step};
use kernel::{Plan, plan::Flow};

fn read_as(text: &str, entry: Entry) -> Result<Read, Diagnostics> {
    let source = Source::new("some.yaml", text);
    let root = load(&source).expect("it is YAML");
    super::read(&source, &root, entry)
}

/// Reads what must be good.
fn good(text: &str) -> Read {
    let source = Source::new("some.yaml", text);
    read_as(text, Entry::Any).unwrap_or_else(|found| panic!("{}", found.render(&[source], Look::default())))
}

/// What a person sees of a definition that is bad.
fn told(name: &str, text: &str, entry: Entry) -> String {
    let source = Source::new(name, text);
    let root = load(&source).expect("it is YAML");
    super::read(&source, &root, entry)
        .map(|read| read.plan)
        .expect_err("it is bad")
        .render(&[source], Look::default())
}

/// What is said of a definition, in the order of the places.
fn said(text: &str, entry: Entry) -> Vec<String> {
    let found = match read_as(text, entry) {
        Ok(read) => read.warnings,
        Err(found) => found,
    };
    found.iter().map(|one| one.message.clone()).collect()
}

/// The codes of what is said.
pub(super) fn codes(text: &str, entry: Entry) -> Vec<&'static str> {
    match read_as(text, entry) {
        Ok(read) => read.warnings.iter().map(|one| one.code).collect(),
        Err(found) => found.iter().map(|one| one.code).collect(),
    }
}

/// A definition of one state, given by what stands in its braces.
pub(super) fn one(state: &str) -> String {
    format!("name: test\ndescription: A test\ninitial_state: a\nstates:\n  a: {{{state}}}\n")
}

/// A definition of a state that lists sessions and has one way to itself, under this condition.
fn when(condition: &str) -> String {
    one(&format!(
        "action: {{tool: list_terminal_sessions, params: {{}}}}, transitions: [{{condition: {condition}, next_state: a}}]"
    ))
}

fn machine(plan: &Plan) -> &Machine {
    match &plan.flow {
        Flow::Machine(machine) => machine,
        other => panic!("{other:?}"),
    }
}

fn state<'p>(plan: &'p Plan, id: &str) -> (&'p Step, &'p State) {
    let position = plan.steps.iter().position(|step| step.id == id).expect("a state");
    (&plan.steps[position], &machine(plan).states[position])
}
