//! Blocks that ask someone: the steps they become, and what is told of bad ones.

use super::{blocks, codes, good, told};
use kernel::plan::{Deadline, OnOverdue, Work};

#[test]
fn what_asks_becomes_an_action() {
    let plan = good(include_str!("inputs/asking.yaml")).plan;
    let steps: Vec<_> =
        plan.steps.iter().map(|step| (&step.id, &step.work, &step.verify, &step.keeps)).collect();
    insta::assert_snapshot!(serde_json::to_string_pretty(&steps).unwrap());
    let stage = &plan.steps[0];
    assert_eq!((stage.timeout, stage.on_overdue), (Deadline::After(3_600_000), OnOverdue::Fail));
    assert_eq!(plan.limits.overdue_ms, 0);
    assert!(plan.steps[..7].iter().all(|step| matches!(step.work, Work::Action { .. })));
}

#[test]
fn every_mistake_of_what_asks_is_told() {
    insta::assert_snapshot!(told("asking.yaml", include_str!("inputs/asking-bad.yaml")));
}

#[test]
fn words_without_effect_are_told() {
    for block in [
        "id: a, type: Prompt, retry: 3, inputs: {prompt: x}",
        "id: a, type: Agent, on_interrupt: retry, inputs: {instructions: x}",
        "id: a, type: Prompt, on_overdue: fail, inputs: {prompt: x}",
    ] {
        assert_eq!(codes(&blocks(&[block])), ["no-effect"], "{block}");
    }
}

#[test]
fn choices_have_an_edge() {
    let of = |count: usize| {
        let choices: Vec<String> = (0..count).map(|number| number.to_string()).collect();
        blocks(&[&format!("id: a, type: Prompt, inputs: {{prompt: x, choices: [{}]}}", choices.join(", "))])
    };
    assert_eq!(codes(&of(100)), [""; 0]);
    assert_eq!(codes(&of(101)), ["bad-value"]);
}

#[test]
fn a_part_of_a_result_that_has_the_name_of_the_whole_is_told() {
    let of = |name: &str, read: &str| {
        let schema = format!("{{type: object, properties: {{{name}: {{type: string}}}}}}");
        let block = format!("id: a, type: Agent, inputs: {{instructions: x, output_schema: {schema}}}");
        format!("{}outputs: {{o: \"${{{read}}}\"}}\n", blocks(&[&block]))
    };
    assert_eq!(codes(&of("response", "blocks.a.response.response")), ["hidden-output"]);
    for (name, read) in [("exit_code", "blocks.a.exit_code"), ("success", "blocks.a.outputs.success")] {
        let plan = good(&of(name, read)).plan;
        let output = serde_json::to_string(&plan.outputs).unwrap();
        assert!(output.contains(&format!("\"{name}\"")) && output.contains("outputs"), "{output}");
        let kernel::plan::Flow::Graph(graph) = &plan.flow else { panic!("a graph") };
        assert!(!graph.blocks[0].watched, "{name}");
    }
}

#[test]
fn choices_that_look_alike_are_told() {
    let of =
        |choices: &str| blocks(&[&format!("id: a, type: Prompt, inputs: {{prompt: x, choices: {choices}}}")]);
    for choices in
        ["[prod, pr\u{43e}d]", "[a, a]", "[\"a b\", \"a  b\"]", "[eu-west, eu\u{2011}west]", "[1, \"1\"]"]
    {
        assert_eq!(codes(&of(choices)), ["bad-value"], "{choices}");
    }
    let shown = told("choices.yaml", &of("[prod, pr\u{43e}d]"));
    assert!(
        shown.contains("two choices look the same") && shown.contains("is U+043E and looks like `o`"),
        "{shown}"
    );
    for choices in ["[prod, staging]", "[да, нет]", "[\"${inputs.x}\", \"${inputs.y}\"]"] {
        let codes = codes(&of(choices));
        assert!(!codes.contains(&"bad-value"), "{choices}: {codes:?}");
    }
}
