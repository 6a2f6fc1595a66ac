//! What agents are told, word for word: every sentence ends in a call that they can make as it stands.

use crate::steps::due::{Action, Delegated, Due};
use crate::steps::instructions::{Reader, delegating, next, sub_agent};
use kernel::plan::{Gate, GateLevel};
use kernel::{Digest, EffectId, RunId};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

fn action(kind: &str, parameters: Value) -> Action {
    let Value::Object(parameters) = parameters else { unreachable!() };
    Action {
        run: RunId::new("mossy-otter-41"),
        effect: EffectId::new("build#2"),
        step_id: "build".to_owned(),
        attempt: 2,
        kind: kind.to_owned(),
        parameters,
        requires_action: kind != "set_state",
        overdue: false,
        note: None,
        attempts_left: None,
        check: None,
        since: 0,
        shown: Digest::of(b""),
        gate: None,
    }
}

fn given(count: u32, width: u32, agent: &str) -> Delegated {
    let root = RunId::new("mossy-otter-41");
    let open = vec![(root.child(&EffectId::new("each/child_1_scan#1")), json!("a.py"))];
    let (step_id, task) = ("each".to_owned(), "scan".to_owned());
    Delegated {
        run: root,
        step_id,
        agent: agent.to_owned(),
        task,
        count,
        done: 0,
        width,
        open,
        begun: BTreeSet::new(),
        works: false,
        seen: 3,
    }
}

#[test]
fn agents_are_told_what_to_do_and_call() {
    let kinds = [
        ("shell", json!({"command": "make"})),
        ("mcp_call", json!({"tool": "web_search", "args": {}})),
        ("delegate", json!({"instructions": "Think", "agent": null})),
        ("delegate", json!({"instructions": "Think", "agent": "@reviewer"})),
        ("prompt", json!({"message": "Done", "type": "info"})),
        ("prompt", json!({"message": "Sure?", "type": "confirm"})),
        ("prompt", json!({"message": "Where?", "type": "choice", "options": ["a", "b"]})),
        ("prompt", json!({"message": "Who?", "type": "text"})),
        ("wait", json!({"duration": 5})),
        ("set_state", json!({})),
    ];
    let mut told = String::new();
    for (kind, parameters) in kinds {
        let one = action(kind, parameters);
        for (who, reader) in [("main", Reader::Main), ("sub", Reader::Sub)] {
            told.push_str(&format!("{kind}, {who}: {}\n", next(&one, reader)));
        }
    }
    for level in [GateLevel::Ask, GateLevel::Proof] {
        let gated = Action { gate: Some(Gate { level }), ..action("prompt", json!({"type": "confirm"})) };
        told.push_str(&format!("gate {level:?}: {}\n", next(&gated, Reader::Main)));
    }
    let (failed, why) = (action("shell", json!({})), "the result does not hold: exited with 1".to_owned());
    let failed = Action { note: Some(why), attempts_left: Some(1), check: Some("npm test".into()), ..failed };
    told.push_str(&format!("unverified: {}\n", next(&failed, Reader::Main)));
    insta::assert_snapshot!(told);
}

#[test]
fn items_are_handed_over_with_all_that_a_sub_agent_needs() {
    let root = RunId::new("mossy-otter-41");
    let mut told = String::new();
    for one in [given(1, 100, "@task"), given(5, 1, "@task"), given(3, 100, "@security-analyzer")] {
        told.push_str(&format!("{}\n\n", delegating(&root, &one)));
    }
    told.push_str(&sub_agent("mossy-otter-41/each/child_1_scan#1", "scan", "a.py"));
    insta::assert_snapshot!(told);
}

#[test]
fn several_things_that_are_due_are_counted() {
    let root = RunId::new("mossy-otter-41");
    let shell = || action("shell", json!({"command": "make"}));
    let due = Due { all: vec![shell(), shell()], more: 3, delegated: vec![given(2, 100, "@task")] };
    let members: Map<String, Value> = due.members(&root);
    assert_eq!(members["actions"].as_array().map(Vec::len), Some(3));
    assert_eq!(members["more_actions"], 3);
    assert_eq!(members["action"], members["actions"][0]);
    let next = due.next(&root, Reader::Main).expect("a next call");
    assert!(
        next.ends_with("5 actions are due; each is handed in with its own workflow_id and step_id."),
        "{next}"
    );
    let none = Due::default();
    assert!(none.is_empty() && none.members(&root).is_empty() && none.next(&root, Reader::Main).is_none());
}
