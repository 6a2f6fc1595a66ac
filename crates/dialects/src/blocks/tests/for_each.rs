//! Blocks that are done for each item of a list.

use super::{blocks, codes, good, told};
use crate::blocks::{ITEMS_MAX, PARALLEL_MAX};
use kernel::plan::{Deadline, Each, Flow};

fn each(text: &str) -> Vec<Option<Each>> {
    let Flow::Graph(graph) = good(text).plan.flow else { panic!("a graph") };
    graph.blocks.into_iter().map(|block| block.for_each).collect()
}

fn one(for_each: &str) -> String {
    blocks(&[&format!(
        "id: a, type: Shell, for_each: {for_each}, inputs: {{command: 'echo ${{each.item}}'}}"
    )])
}

#[test]
fn every_mistake_of_items_is_told() {
    insta::assert_snapshot!(told("each.yaml", include_str!("inputs/for_each.yaml")));
}

#[test]
fn items_are_written_out_or_referred_to() {
    let width = |for_each: &str| each(&one(for_each))[0].clone().unwrap().width_max;
    assert_eq!(width("[a, b]"), Some(1));
    assert_eq!(width("{items: [a, b]}"), Some(1));
    assert_eq!(width("{items: [a, b], parallel: false}"), Some(1));
    assert_eq!(width("{items: [a, b], parallel: true}"), None);
    assert_eq!(width("{items: [a, b], parallel: 4}"), Some(4));
    let items =
        |for_each: &str| serde_json::to_string(&each(&one(for_each))[0].clone().unwrap().items).unwrap();
    assert_eq!(items("[a, {n: 1}]"), r#"{"const":["a",{"n":1}]}"#);
    assert!(items("['${metadata.run_id}']").starts_with(r#"{"list":"#));
    assert_eq!(each(&blocks(&["id: a, type: Shell, inputs: {command: x}"])), [None]);
}

#[test]
fn limits_have_their_edges() {
    let list = |count: usize| one(&format!("[{}]", vec!["1"; count].join(", ")));
    assert!(codes(&list(ITEMS_MAX)).is_empty());
    assert_eq!(codes(&list(ITEMS_MAX + 1)), ["too-many-items"]);
    assert_eq!(ITEMS_MAX as u32, kernel::Limits::default().items_max);
    let parallel = |count: u32| one(&format!("{{items: [a], parallel: {count}}}"));
    assert!(codes(&parallel(PARALLEL_MAX)).is_empty() && codes(&parallel(1)).is_empty());
    assert_eq!(codes(&parallel(PARALLEL_MAX + 1)), ["bad-value"]);
}

#[test]
fn others_read_the_results() {
    let read = |path: &str| format!("{}outputs: {{x: \"${{{path}}}\"}}\n", one("[a]"));
    for (path, keeps, watched) in [
        ("blocks.a.results", Some("outputs.results"), false),
        ("blocks.a.outputs.results[0].outputs.stdout", Some("outputs.results"), false),
        ("blocks.a.outputs.results[0].item.deep[1]", Some("outputs.results"), false),
        ("blocks.a.count", Some("outputs.count"), false),
        ("blocks.a.outputs.failed_count", Some("outputs.failed_count"), true),
        ("blocks.a.outputs", Some("outputs"), true),
        ("blocks.a.failed", None, true),
        ("blocks.a.outputs.success", None, true),
    ] {
        let plan = good(&read(path)).plan;
        assert_eq!(
            plan.steps[0].keeps.iter().map(String::as_str).collect::<Vec<_>>(),
            Vec::from_iter(keeps),
            "{path}"
        );
        let Flow::Graph(graph) = &plan.flow else { panic!("a graph") };
        assert_eq!(graph.blocks[0].watched, watched, "{path}");
    }
}

#[test]
fn each_is_a_word_of_the_shell_where_there_are_no_items() {
    let plain = blocks(&["id: a, type: Shell, inputs: {command: 'echo ${each.item}'}"]);
    assert_eq!(codes(&plain), ["left-to-shell"]);
    let array = blocks(&["id: a, type: Shell, inputs: {command: 'echo ${each[0]} ${eachother}'}"]);
    assert!(codes(&array).is_empty());
}

#[test]
fn a_run_may_have_a_time_of_its_own() {
    let plan = good(&format!("timeout: 5m\n{}", one("[a]"))).plan;
    assert_eq!(plan.deadline, Deadline::After(300_000));
    assert_eq!(good(&one("[a]")).plan.deadline, Deadline::Never);
    assert_eq!(codes(&format!("timeout: soon\n{}", one("[a]"))), ["bad-value"]);
}
