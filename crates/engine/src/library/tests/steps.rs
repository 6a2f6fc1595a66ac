//! Definitions of `steps`: their tasks are pinned with them, their folder can be named, and settings say how they are read.

use super::*;
use dialects::ReadOptions;
use kernel::plan::{Work, Workflow};

const STEPS: &str = "\
name: research
version: 1.0.0
initial_state: {topics: [a]}
steps:
  - {id: each, type: foreach, needs_state: [topics], items: \"{{ state.topics }}\", task: look, agent: \"@task\", output_to: found}
tasks:
  look:
    steps:
      - {id: search, type: shell, command: \"echo {{ item }}\", output_to: seen}
";

#[test]
fn tasks_are_pinned_with_their_workflow() {
    let folder = tempfile::tempdir().unwrap();
    put(folder.path(), "work/workflows/research.yaml", STEPS);
    let library = Library::scan(&around(folder.path()));
    let found = &library.find("research").unwrap().reading;
    let plan = found.plan.as_ref().unwrap();
    let Work::Child { workflow: Workflow::Pinned { plan: digest, .. }, .. } = &plan.steps[0].work else {
        panic!()
    };
    let pinned: Vec<_> = found.pinned.iter().map(|plan| plan.digest()).collect();
    assert_eq!(pinned, [*digest]);
    // The name of a task is nobody's outside.
    assert!(library.doubts("research", found).is_empty());
}

#[test]
fn who_calls_a_workflow_pins_its_tasks_as_well() {
    let folder = tempfile::tempdir().unwrap();
    put(folder.path(), "work/workflows/research.yaml", STEPS);
    let calls = "name: caller\nblocks:\n  - {id: a, type: ExecuteWorkflow, inputs: {workflow: research}}\noutputs: {all: \"${blocks.a.outputs.result}\"}\n";
    put(folder.path(), "work/.switchback/workflows/caller.yaml", calls);
    let library = Library::scan(&around(folder.path()));
    let found = &library.find("caller").unwrap().reading;
    let mut names: Vec<&str> = found.pinned.iter().map(|plan| plan.name.as_str()).collect();
    names.sort_unstable();
    assert_eq!(names, ["look", "research"], "{:?}", found.diagnostics);
}

#[test]
fn the_folder_of_the_tools_of_steps_can_be_named() {
    let folder = tempfile::tempdir().unwrap();
    put(folder.path(), "work/flows/research.yaml", STEPS);
    put(folder.path(), "work/workflows/other.yaml", &STEPS.replace("name: research", "name: other"));
    let around = Surroundings { definitions: Some("flows".into()), ..around(folder.path()) };
    let library = Shelf::new(around).library(Order::Steps);
    assert_eq!(files(&library), ["flows/research.yaml"]);
    assert_eq!(library.definitions[0].origin.kind, PlaceKind::Source(kernel::plan::Dialect::Steps));
}

#[test]
fn settings_say_how_a_definition_is_read() {
    let folder = tempfile::tempdir().unwrap();
    put(folder.path(), "work/workflows/research.yaml", &STEPS.replace("needs_state: [topics], ", ""));
    let strict = Library::scan(&around(folder.path()));
    assert_eq!(strict.find("research").unwrap().reading.first_error().unwrap().code, "undeclared-state");
    let reading = ReadOptions { infer_needs_state: true, ..ReadOptions::default() };
    let around = Surroundings { reading, ..around(folder.path()) };
    let lenient = Library::scan(&around);
    let found = &lenient.find("research").unwrap().reading;
    assert!(found.plan.is_some());
    assert_eq!(found.diagnostics.iter().map(|one| one.code).collect::<Vec<_>>(), ["inferred-state"]);
}
