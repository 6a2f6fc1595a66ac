//! Calls of other workflows: what is pinned, what is left to the run, and every mistake at its place.

use super::{codes, good, source};
use crate::diagnostic::{Diagnostics, Look};
use crate::known::{Callee, Known, NAME_BYTES_MAX, is_callable};
use crate::read::{Read, ReadOptions, read_with};
use kernel::plan::{Expr, Work, Workflow};
use std::cell::RefCell;
use std::sync::Arc;

/// Knows one workflow, and something odd of others; remembers what it was asked.
#[derive(Default)]
struct Shelf(RefCell<Vec<String>>);

const DEPLOY: &str = "\
name: deploy
inputs:
  stage: {type: string, required: true}
  count: {type: integer, default: 1}
  ratio: {type: number, required: true, default: 1}
  on: {type: boolean}
  tags: {type: list}
  any: {required: true}
blocks: [{id: a, type: Shell, inputs: {command: 'true'}}]
outputs: {url: x, status: y, success: z, all: {b: 1}}
";

impl Known for Shelf {
    fn workflow(&self, name: &str) -> Callee {
        self.0.borrow_mut().push(name.to_owned());
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        match name {
            "deploy" => {
                let plan = Arc::new(good(DEPLOY).plan);
                Callee::Found { digest: plan.digest(), plan, passed_over: Vec::new() }
            }
            "deplyo" => Callee::Absent { near: names(&["deploy"]) },
            "broken" => Callee::Broken { why: "it has no blocks (broken.yaml, line 2)".to_owned() },
            "circle" => Callee::Circle { names: names(&["test", "circle", "test"]) },
            "deep" => Callee::TooDeep { names: vec!["x".to_owned(); 30], depth_max: 5 },
            "many" => Callee::TooMany { count_max: 256 },
            _ => Callee::Absent { near: Vec::new() },
        }
    }
}

fn linked(text: &str) -> Result<Read, Diagnostics> {
    read_with(&source("calls.yaml", text), &Shelf::default(), ReadOptions::default())
}

fn call(inputs: &str) -> String {
    format!(
        "name: test\ninputs: {{name: {{type: string, default: a}}}}\nblocks:\n  - {{id: call, type: ExecuteWorkflow, inputs: {{{inputs}}}}}\n"
    )
}

fn workflow(read: &Read) -> &Workflow {
    match &read.plan.steps[0].work {
        Work::Child { workflow, .. } => workflow,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_constant_is_pinned_and_a_name_with_references_is_not() {
    let digest = good(DEPLOY).plan.digest();
    let read = linked(&call("workflow: deploy, inputs: {stage: x, any: 1}")).unwrap();
    assert_eq!(workflow(&read), &Workflow::Pinned { name: "deploy".to_owned(), plan: digest });
    assert_eq!(read.plan.pinned, [("deploy".to_owned(), digest)].into());
    for name in ["${inputs.name}", "deploy-${inputs.name}"] {
        let read = linked(&call(&format!("workflow: \"{name}\", inputs: {{whatever: x}}"))).unwrap();
        assert!(matches!(workflow(&read), Workflow::Named(Expr::Needed(_) | Expr::Template(_))), "{name}");
        assert!(read.plan.pinned.is_empty());
    }
}

#[test]
fn read_by_itself_everything_is_found_when_it_is_called() {
    let read = good(&call("workflow: deploy, inputs: {whatever: x}"));
    assert_eq!(workflow(&read), &Workflow::Named(Expr::Const("deploy".into())));
    let outputs = "outputs: {x: \"${blocks.call.anything.at.all}\", y: \"${blocks.call.success}\"}\n";
    assert!(good(&format!("{}{outputs}", call("workflow: deploy"))).plan.pinned.is_empty());
}

#[test]
fn each_name_is_asked_for_once_and_what_cannot_be_one_never() {
    let blocks: String =
        ["deploy", "deploy", "../deploy", ".x", "a/b", "'a\\b'", "\"${inputs.x}\"", "", "deploy"]
            .iter()
            .zip(0..)
            .map(|(name, id)| {
                format!("  - {{id: b{id}, type: ExecuteWorkflow, inputs: {{workflow: {name}}}}}\n")
            })
            .collect();
    let shelf = Shelf::default();
    let text = format!("name: test\nblocks:\n{blocks}");
    assert!(read_with(&source("calls.yaml", &text), &shelf, ReadOptions::default()).is_err());
    assert_eq!(*shelf.0.borrow(), ["deploy"]);
}

#[test]
fn names_are_never_paths() {
    assert!(is_callable("v1.2:a-b_c") && is_callable(&"x".repeat(NAME_BYTES_MAX)));
    for bad in ["", "..", "a..b", "../a", "a/b", "a\\b", ".a", "-a", "é", &"x".repeat(NAME_BYTES_MAX + 1)] {
        assert!(!is_callable(bad), "{bad}");
    }
}

#[test]
fn every_mistake_of_a_call_is_told() {
    let text = include_str!("inputs/calls.yaml");
    let found = linked(text).map(|read| read.plan).unwrap_err();
    insta::assert_snapshot!(found.render(&[source("calls.yaml", text)], Look::default()));
}

#[test]
fn what_may_be_of_its_type_is_no_mistake() {
    for given in [
        "stage: x, any: null",
        "stage: \"${inputs.name}\", any: [1]",
        "stage: \"a ${inputs.name}\", any: {a: 1}",
        "stage: x, any: 1, count: \"${inputs.name}\"",
        "stage: x, any: 1, on: null, tags: [1, \"${inputs.name}\"]",
        "stage: x, any: 1, ratio: 1.5, on: true",
    ] {
        let read = linked(&call(&format!("workflow: deploy, inputs: {{{given}}}")));
        assert!(read.is_ok(), "{given}: {:?}", read.err());
    }
}

#[test]
fn outputs_are_those_of_the_workflow_and_reserved_words_win() {
    let read = |outputs: &str| {
        linked(&format!(
            "{}outputs: {{o: \"${{{outputs}}}\"}}\n",
            call("workflow: deploy, inputs: {stage: x, any: 1}")
        ))
    };
    for (written, expected) in [
        ("blocks.call.url", "blocks.call.outputs.url"),
        ("blocks.call.outputs.all.b", "blocks.call.outputs.all.b"),
        ("blocks.call.all.b", "blocks.call.outputs.all.b"),
        ("blocks.call.status", "blocks.call.metadata.status"),
        ("blocks.call.outputs.status", "blocks.call.outputs.status"),
        ("blocks.call.success", "blocks.call.metadata.succeeded"),
        ("blocks.call.outputs.success", "blocks.call.outputs.success"),
        ("blocks.call.inputs.inputs.stage", "blocks.call.inputs.stage"),
    ] {
        let plan = read(written).unwrap().plan;
        let Expr::Template(template) = &plan.outputs[0].1 else { panic!("{written}") };
        assert_eq!(template.whole().unwrap().to_string(), expected, "{written}");
    }
    for bad in [
        "blocks.call.ulr",
        "blocks.call.outputs.x",
        "blocks.call.inputs.inputs.x",
        "blocks.call.inputs.stage",
    ] {
        assert!(read(bad).is_err(), "{bad}");
    }
    let warnings = read("blocks.call.url").unwrap().warnings;
    assert_eq!(warnings.iter().map(|one| one.code).collect::<Vec<_>>(), ["reserved-name", "reserved-name"]);
}

#[test]
fn outputs_of_items_are_read_through_the_results() {
    let text = |path: &str| {
        let call = call("workflow: deploy, inputs: {stage: x, any: 1}")
            .replace("id: call,", "id: call, for_each: [1],");
        format!("{call}outputs: {{o: \"${{{path}}}\"}}\n")
    };
    let hinted = "blocks.call.outputs.results[0].outputs.status";
    let warnings = linked(&text(hinted)).unwrap().warnings;
    let hint = warnings.iter().next().and_then(|first| first.hint.clone());
    assert_eq!(hint, Some(format!("read it as `${{{hinted}}}`")));
    let wrong = linked(&text("blocks.call.outputs.status")).unwrap_err();
    assert!(
        format!("{wrong:?}").contains("write `blocks.call.outputs.results[0].outputs.status`"),
        "{wrong:?}"
    );
}

#[test]
fn a_run_that_was_cut_off_goes_on() {
    let text = call("workflow: deploy")
        .replace("id: call,", "id: call, on_interrupt: retry, retry: 2, timeout: 5s,");
    assert_eq!(codes(&text), ["no-effect"]);
}
