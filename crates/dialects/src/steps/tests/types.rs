//! What single types of steps become.

use super::good::{node, step};
use super::{codes, good, steps};
use kernel::plan::{Audience, Expr, Gate, GateLevel, Node, OnFailure, OnOverdue, Plan, Work};
use serde_json::{Value, json};

fn plan(step: &str) -> Plan {
    good(&steps(&[step])).plan
}

/// What whoever carries a step out is shown, as far as it is known.
fn shown(step: &str) -> Value {
    match &plan(step).steps[0].work {
        Work::Action { inputs, .. } => {
            let said = |value: &Expr| match value {
                Expr::Words { value, .. } => (**value).clone(),
                value => value.clone(),
            };
            let fields = inputs.iter().map(|(name, value)| match &said(value) {
                Expr::Const(value) => (name.clone(), value.clone()),
                Expr::Foreign(foreign) => (name.clone(), foreign.source.clone().into()),
                other => (name.clone(), serde_json::to_value(other).unwrap()),
            });
            Value::Object(fields.collect())
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn actions_show_what_the_words_of_actions_say() {
    for (step, expected) in [
        ("id: a, type: shell, command: \"ls {{ inputs.x }}\"", json!({"command": "ls {{ inputs.x }}"})),
        ("id: a, type: mcp_call, tool: a.b, parameters: {c: 1}", json!({"tool": "a.b", "args": {"c": 1}})),
        ("id: a, type: mcp_call, tool: a.b", json!({"tool": "a.b", "args": {}})),
        (
            "id: a, type: mcp_call, mcp: {method: a.b, params: {c: 1}}",
            json!({"tool": "a.b", "args": {"c": 1}}),
        ),
        (
            "id: a, type: delegate, instructions: x, agent: \"@b\"",
            json!({"instructions": "x", "agent": "@b"}),
        ),
        ("id: a, type: delegate, instructions: x", json!({"instructions": "x", "agent": null})),
        ("id: a, type: wait, duration_seconds: 30, message: x", json!({"duration": 30, "message": "x"})),
        ("id: a, type: prompt, message: x", json!({"message": "x", "type": "text"})),
        ("id: a, type: prompt, type: confirm, message: x", json!({"message": "x", "type": "confirm"})),
        ("id: a, type: info, message: x", json!({"message": "x", "type": "info"})),
        (
            "id: a, type: prompt, message: x, options: [a, 2]",
            json!({"message": "x", "type": "choice", "options": ["a", 2]}),
        ),
        (
            "id: a, type: text, message: x, default: y, validation: {min_length: 1, max_length: 9, pattern: z}",
            json!({
                "message": "x", "type": "text", "default": "y",
                "validation": {"minLength": 1, "maxLength": 9, "pattern": "z"},
            }),
        ),
    ] {
        assert_eq!(shown(step), expected, "{step}");
    }
}

#[test]
fn a_wait_ends_by_itself() {
    let ends = |step: &str| match plan(step).steps[0].work.clone() {
        Work::Action { ends: Some(ends), audience: Audience::Agent, .. } => ends,
        other => panic!("{other:?}"),
    };
    let fixed = ends("id: a, type: wait, duration_seconds: 1.5");
    assert_eq!(fixed.ms, Expr::Const(json!(1500)));
    let gives = serde_json::to_value(&fixed.gives).unwrap();
    assert_eq!(gives[0][0], "result");
    assert_eq!(gives[0][1]["object"][0], json!(["resumed", {"const": true}]));
    let Expr::Foreign(computed) = ends("id: a, type: wait, duration_seconds: \"{{ inputs.x }}\"").ms else {
        panic!()
    };
    assert_eq!(computed.source, "{{ ( inputs.x ) | milliseconds }}");
    assert_eq!(computed.reads.len(), 1);
    for bad in ["-1", "31536001", "soon", "\"{{ 1 }} s\"", "[1]"] {
        let text = steps(&[&format!("id: a, type: wait, duration_seconds: {bad}")]);
        assert_eq!(codes(&text).len(), 1, "{bad}");
    }
    for good in ["0", "31536000"] {
        plan(&format!("id: a, type: wait, duration_seconds: {good}"));
    }
}

#[test]
fn a_no_at_a_gate_stops_the_run_unless_someone_looks_at_it() {
    let plan = plan("id: a, type: confirm, message: x, gate: ask, timeout: 1h, output_to: r");
    let Work::Action { gate, .. } = &plan.steps[0].work else { panic!() };
    assert_eq!(*gate, Some(Gate { level: GateLevel::Ask }));
    assert!(matches!(node(&plan, "a"), Node::Do { on_failure: OnFailure::Fail, .. }));
    // Where a step looks at the answer, the flow decides what a no means.
    let read = good(&steps(&[
        "id: a, type: confirm, message: x, gate: ask, output_to: r",
        "id: b, type: shell, needs_state: [r], command: \"{{ state.r }}\"",
    ]));
    assert!(matches!(node(&read.plan, "a"), Node::Do { on_failure: OnFailure::Take, .. }));
}

#[test]
fn silence_does_what_the_workflow_or_the_step_says() {
    let text = steps(&[
        "id: a, type: shell, command: x",
        "id: b, type: shell, command: x, on_overdue: offer",
        "id: c, type: confirm, message: x, gate: ask, timeout: 1h",
        "id: d, type: wait, duration_seconds: 1",
    ]);
    let plan = good(&format!("on_overdue: fail\n{text}")).plan;
    let of = |id: &str| step(&plan, id).on_overdue;
    assert_eq!(
        [of("a"), of("b"), of("c"), of("d")],
        [OnOverdue::Fail, OnOverdue::Offer, OnOverdue::Offer, OnOverdue::Offer]
    );
}

#[test]
fn updates_see_those_before_them() {
    let plan = plan(
        "id: a, type: set_state, updates: {x1: \"{{ inputs.x }}\", y1: \"{{ x1 ~ x1 }}\", z1: 5}, output_to: all",
    );
    let Node::Set { writes } = node(&plan, "a") else { panic!() };
    let fields: Vec<&str> = writes.iter().map(|write| write.path[0].as_str()).collect();
    assert_eq!(fields, ["x1", "y1", "z1", "all"]);
    let Expr::Foreign(second) = &writes[1].value else { panic!() };
    assert_eq!(second.reads.iter().map(ToString::to_string).collect::<Vec<_>>(), ["x1"]);
    assert_eq!(
        codes(&steps(&["id: a, type: set_state, updates: {y1: \"{{ x1 }}\", x1: 5}"])),
        ["unknown-name"]
    );
}

#[test]
fn expressions_read_whole_fields() {
    let plan = plan(
        "id: a, type: shell, needs_state: [a, b], command: \"{{ state.a.deep[0] }} {{ state['b'] }} {{ state }} {{ now() }} \
         {{ inputs.x.y }} {% for v in state.a %}{{ v }}{% endfor %} {{ range(3) }}\"",
    );
    let Work::Action { inputs, .. } = &plan.steps[0].work else { panic!() };
    let Expr::Words { value, .. } = &inputs[0].1 else { panic!() };
    let Expr::Foreign(foreign) = &**value else { panic!() };
    let reads: Vec<String> = foreign.reads.iter().map(ToString::to_string).collect();
    assert_eq!(reads, ["inputs.x", "now", "state", "state.a", "state.b"]);
}

#[test]
fn a_sub_agent_is_shown_changes_and_asks_nobody() {
    let read = good(include_str!("inputs/everything.yaml"));
    let of = |agent: Option<&str>| {
        read.tasks.iter().find(|task| task.name == "look" && task.agent.as_deref() == agent).unwrap()
    };
    let (own, given) = (of(None), of(Some("@task")));
    assert!(matches!(node(own, "note"), Node::Set { .. }));
    assert!(matches!(node(own, "sure"), Node::Do { .. }));
    assert!(matches!(node(given, "sure"), Node::Fail { .. }));
    let Node::Do { writes, .. } = node(given, "note") else { panic!() };
    assert_eq!(writes.len(), 1);
    let Work::Action { inputs, .. } = &step(given, "note").work else { panic!() };
    assert_eq!(inputs[0], ("message".to_owned(), Expr::Const("State updated internally".into())));
    assert_eq!(
        (step(given, "note").kind.as_str(), step(given, "sure").kind.as_str()),
        ("set_state", "prompt")
    );
}
