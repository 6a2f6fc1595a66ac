//! Plans that do not fit together are found before they run.

use crate::build::*;
use kernel::Plan;
use kernel::plan::{Computed, Flow, Node, OnError, Place, WriteKind};
use serde_json::json;

fn broken(plan: &Plan) -> String {
    plan.check().expect_err("a broken plan").0
}

fn goto(body: u32, position: u32) -> Node {
    Node::Goto { to: Place { body, position }, iterations_max: 1 }
}

fn bodies(bodies: Vec<Vec<Node>>) -> Plan {
    sequence(vec![noop("a")], bodies)
}

#[test]
fn steps_have_names_of_their_own() {
    assert_eq!(broken(&line(vec![noop("a"), noop("a")])), "two steps have one name");
    assert_eq!(broken(&Plan { cleanup: vec![7], ..line(vec![noop("a")]) }), "cleanup names no step");
}

#[test]
fn nodes_name_what_is_there() {
    let missing = "a node names a step or body that is not there";
    for node in [
        act(1),
        when("true", 9, None),
        when("true", 0, Some(9)),
        whilst("true", 9, 1),
        each(just(json!([])), "i", 9),
        fork(just(json!([])), 9, 1),
        fork(just(json!([])), 1, 0),
        goto(9, 0),
        goto(0, 1),
    ] {
        assert_eq!(broken(&bodies(vec![vec![node.clone()], vec![]])), missing, "{node:?}");
    }
    assert_eq!(broken(&bodies(vec![])), "there is no body");
}

#[test]
fn bodies_nest_and_never_in_themselves() {
    let itself = "a body stands inside itself";
    assert_eq!(broken(&bodies(vec![vec![when("true", 0, None)]])), itself);
    assert_eq!(broken(&bodies(vec![vec![whilst("true", 1, 1)], vec![whilst("true", 1, 1)]])), itself);
    assert_eq!(
        broken(&bodies(vec![vec![], vec![when("true", 2, None)], vec![fork(just(json!([])), 1, 1)]])),
        itself
    );
    assert_eq!(bodies(vec![vec![when("true", 1, None), when("true", 1, Some(1))], vec![]]).check(), Ok(()));
}

#[test]
fn break_and_goto_lead_out_and_never_past_a_fork() {
    let outside = "a break stands outside any loop";
    assert_eq!(broken(&bodies(vec![vec![Node::Break]])), outside);
    assert_eq!(broken(&bodies(vec![vec![when("true", 1, None)], vec![Node::Break]])), outside);
    let forked = vec![vec![whilst("true", 1, 1)], vec![fork(just(json!([1])), 2, 1)], vec![Node::Break]];
    assert_eq!(broken(&bodies(forked)), outside);
    let astray = "a goto leads into a body that is not around it";
    assert_eq!(broken(&bodies(vec![vec![goto(1, 0), when("true", 1, None)], vec![act(0)]])), astray);
    assert_eq!(broken(&bodies(vec![vec![fork(just(json!([1])), 1, 1)], vec![goto(0, 0)]])), astray);
    let good = vec![
        vec![whilst("true", 1, 1)],
        vec![when("true", 2, None)],
        vec![Node::Break, goto(0, 0), goto(2, 0)],
    ];
    assert_eq!(bodies(good).check(), Ok(()));
}

#[test]
fn graphs_have_an_order() {
    let circle = graph(vec![(noop("a"), &[1], None), (noop("b"), &[0], None)]);
    assert_eq!(broken(&circle), "blocks wait for each other in a circle");
    assert_eq!(broken(&graph_of_width(0, vec![])), "no block may run at once");
    let mut plan = graph(vec![(noop("a"), &[], None), (noop("b"), &[0], None)]);
    if let Flow::Graph(graph) = &mut plan.flow {
        graph.blocks[1].depends_on.push(7);
    }
    assert_eq!(broken(&plan), "dependents do not fit dependencies");
    plan.steps.pop();
    assert_eq!(broken(&plan), "blocks and steps differ");
}

#[test]
fn machines_lead_somewhere() {
    assert_eq!(broken(&machine(vec![(noop("a"), &[("true", 1)])])), "a transition leads nowhere");
    assert_eq!(broken(&machine(vec![])), "states and steps differ");
    let mut plan = machine(vec![(noop("a"), &[("true", 1)]), (noop("b"), &[])]);
    state_of(&mut plan, 0).on_failure = Some(2);
    assert_eq!(broken(&plan), "a transition leads nowhere");
    state_of(&mut plan, 0).on_failure = None;
    (state_of(&mut plan, 0).own, state_of(&mut plan, 1).own) = (true, true);
    assert_eq!(broken(&plan), "a state of the server's own leads to another one");
}

#[test]
fn computed_fields_follow_what_they_read_and_nobody_writes_them() {
    let computed = |name: &str, from: &str| Computed {
        name: name.into(),
        from: [from.to_owned()].into(),
        value: just(json!(1)),
        on_error: OnError::Propagate,
        transform: None,
    };
    let plan = |fields: Vec<Computed>, body: Vec<Node>| {
        let mut plan = bodies(vec![body, vec![]]);
        plan.state.computed = fields;
        plan
    };
    let early = plan(vec![computed("a", "b"), computed("b", "x")], vec![]);
    assert_eq!(broken(&early), "computed field `a` stands before what it reads");
    assert_eq!(
        broken(&plan(vec![computed("a", "a")], vec![])),
        "computed field `a` stands before what it reads"
    );
    assert_eq!(
        broken(&plan(vec![computed("a", "x"), computed("a", "x")], vec![])),
        "two computed fields have one name"
    );
    let written = "a write has no field, or one that is computed";
    for node in [
        set(vec![change("a.b", WriteKind::Set, just(json!(1)))]),
        act_into(0, "a", "${result}"),
        fork_with(just(json!([])), 1, 1, kernel::plan::OnFailure::Fail, Some("a")),
        set(vec![kernel::plan::Write {
            path: vec![],
            kind: WriteKind::Set,
            value: just(json!(1)),
            keys: Vec::new(),
        }]),
    ] {
        assert_eq!(broken(&plan(vec![computed("a", "x")], vec![node])), written);
    }
    let valued = with_state(plan(vec![computed("a", "x")], vec![]), json!({"a": 1}));
    assert_eq!(broken(&valued), "a computed field has a first value");
}

#[test]
fn fields_are_in_layers_where_there_are_layers() {
    let plan = |body: Vec<Node>| layered(bodies(vec![body, vec![]]));
    let write = |field: &str| set(vec![layer(field, WriteKind::Set, just(json!(1)))]);
    let written = "a write has no field, or one that is computed";
    for field in ["x", "computed.x", "other.x", "raw.", ""] {
        assert_eq!(broken(&plan(vec![write(field)])), written, "{field}");
        let otherwise = vec![layer(field, WriteKind::Set, just(json!(1)))];
        let on_failure = kernel::plan::OnFailure::Fail;
        assert_eq!(broken(&plan(vec![Node::Do { step: 0, writes: vec![], on_failure, otherwise }])), written);
    }
    assert!(plan(vec![write("raw.x"), write("included.x")]).check().is_ok());
    let with = |computed: Computed| {
        let mut plan = plan(vec![]);
        plan.state.computed = vec![computed];
        plan
    };
    let nowhere = "a computed field is in no layer of its own, or follows from what is in none";
    assert_eq!(broken(&with(transform("raw.c", &["raw.a"], "c", OnError::Null))), nowhere);
    assert_eq!(broken(&with(transform("computed.c", &["other.a"], "c", OnError::Null))), nowhere);
    let good = with(transform("computed.c", &["raw.a"], "c", OnError::Null));
    assert!(good.check().is_ok());
    let valued = with_state(good.clone(), json!({"a": 1}));
    assert_eq!(broken(&valued), "a first value is in no layer that can be written");
    let mut flat = good;
    flat.state.layers.clear();
    assert_eq!(broken(&flat), "a rule needs layers of the state");
    let mut booked = plan(vec![]);
    booked.state.books =
        Some(kernel::plan::Books { failed: Some(vec!["computed.x".into()]), ..Default::default() });
    assert_eq!(broken(&booked), written);
}

#[test]
fn what_is_raised_was_caught() {
    let nothing = "nothing was caught where it is raised again";
    assert_eq!(broken(&bodies(vec![vec![Node::Raise]])), nothing);
    let tries = |body: u32, catch: Option<u32>| Node::Try { body, catch };
    assert_eq!(broken(&bodies(vec![vec![tries(1, Some(2))], vec![Node::Raise], vec![]])), nothing);
    assert!(bodies(vec![vec![tries(1, Some(2))], vec![], vec![Node::Raise]]).check().is_ok());
    let lost = "a node names a step or body that is not there";
    assert_eq!(broken(&bodies(vec![vec![tries(1, Some(7))], vec![]])), lost);
}
