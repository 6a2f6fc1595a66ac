//! Loops that never end, lists that grow and lists that are too long: each ends as an error of its run, which says what was too much.

use crate::reactive::place::client;
use crate::world::World;
use serde_json::{Value, json};

/// Runs a definition to where it stops, and gives its status.
fn ended(text: &str) -> Value {
    let world = World::new();
    world.write(
        "project/.aromcp/workflows/flow.yaml",
        &format!("name: flow\nversion: 1.0.0\nkind: reactive\n{text}"),
    );
    let mut client = client(&world);
    let started = client.good("workflow_start", json!({ "workflow": "flow" }));
    let run = &started["workflow_id"];
    client.good("workflow_get_next_step", json!({ "workflow_id": run, "wait_seconds": 40 }));
    client.good("get_workflow_status", json!({ "workflow_id": run }))
}

/// It failed, and says why.
fn failed(text: &str, words: &[&str]) {
    let status = ended(text);
    assert_eq!(status["status"], "failed", "{text}\n{status:#}");
    let error = status["error"].as_str().unwrap();
    assert!(words.iter().all(|word| error.contains(word)), "{text}\n{error}");
}

const COUNT: &str = "{type: state_update, path: raw.n, operation: increment}";

#[test]
fn a_loop_that_never_ends_is_left_at_its_bound_or_fails() {
    let endless = |rest: &str, max: &str| {
        format!(
            "default_state: {{raw: {{n: 0}}}}\nsteps:\n  - {{id: w, type: while, condition: 'true', max_iterations: {max}{rest}, body: [{COUNT}]}}\n  - {{id: end, type: user_message, message: '{{{{ n }}}}'}}\n"
        )
    };
    let left = ended(&endless("", "50"));
    assert_eq!(left["status"], "waiting", "{left:#}");
    assert!(left["warnings"].to_string().contains("50"), "{left:#}");
    failed(&endless(", on_max_iterations: fail", "50"), &["50"]);
}

#[test]
fn loops_inside_loops_that_do_nothing_for_anybody_have_a_bound_together() {
    let inner = format!("{{type: while, condition: 'true', max_iterations: 5000, body: [{COUNT}]}}");
    let flow = format!(
        "default_state: {{raw: {{n: 0}}}}\nsteps:\n  - {{id: w, type: while, condition: 'true', max_iterations: 5000, body: [{inner}]}}\n"
    );
    failed(&flow, &["20000"]);
    let each = "Array.from({length: 200}, (_, i) => i)";
    let flow = format!(
        "default_state: {{raw: {{n: 0}}}}\nsteps:\n  - {{id: f, type: foreach, items: '{{{{ {each} }}}}', steps: [{{type: foreach, items: '{{{{ {each} }}}}', steps: [{COUNT}]}}]}}\n"
    );
    failed(&flow, &["20000"]);
}

#[test]
fn ten_thousand_and_one_items_are_too_many() {
    let items = "{{ Array.from({length: 10001}, (_, i) => i) }}";
    let flow = format!(
        "default_state: {{raw: {{n: 0}}}}\nsteps:\n  - {{id: f, type: foreach, items: '{items}', steps: [{COUNT}]}}\n"
    );
    failed(&flow, &["`f`", "bound", "10000"]);
    let tasks = "sub_agent_tasks: {t: {steps: [{type: user_message, message: m}]}}";
    let flow = format!(
        "steps:\n  - {{id: f, type: parallel_foreach, items: '{items}', sub_agent_task: t}}\n{tasks}\n"
    );
    failed(&flow, &["`f`", "bound", "10000"]);
}

#[test]
fn what_is_no_list_is_no_items() {
    for items in ["{{ 7 }}", "{{ ({length: 3}) }}", "{{ null }}", "{{ 'abc' }}"] {
        failed(
            &format!(
                "default_state: {{raw: {{n: 0}}}}\nsteps:\n  - {{id: f, type: foreach, items: \"{items}\", steps: [{COUNT}]}}\n"
            ),
            &["list"],
        );
    }
}

#[test]
fn lists_and_texts_that_grow_come_to_the_bounds_of_the_state() {
    let growing = |value: &str| {
        format!(
            "default_state: {{raw: {{a: [1], n: 0, s: x}}}}\nsteps:\n  - {{id: w, type: while, condition: 'true', max_iterations: 9999, body: [{COUNT}, {{type: state_update, {value}}}]}}\n"
        )
    };
    // One value that is too large.
    failed(&growing("path: raw.a, value: '{{ a.concat(a) }}'"), &["larger than 1048576 bytes", "line"]);
    failed(&growing("path: raw.s, value: '{{ s }}{{ s }}'"), &["larger than 1048576 bytes", "line"]);
    // Each of them small, and all together too much.
    failed(
        &growing("path: raw.a, operation: append, value: \"{{ 'x'.repeat(300000) + n }}\""),
        &["the state would have", "1048576"],
    );
    // Not kept, but made again and again.
    failed(&growing("path: raw.s, value: \"{{ 'x'.repeat(900000) + n }}\""), &["16 MiB"]);
}

#[test]
fn computed_fields_that_are_too_large_are_errors_of_their_own_or_of_the_run() {
    // One that is larger than any value may be has failed, by its own rule.
    let world = World::new();
    let flow = "name: flow\nkind: reactive\ndefault_state: {raw: {n: 1}}\nstate_schema: {computed: {big: {from: raw.n, transform: \"'x'.repeat(input * 300000)\"}}}\nsteps:\n  - {id: w, type: while, condition: 'n < 9', body: [{type: state_update, path: raw.n, operation: increment}]}\n  - {id: end, type: user_message, message: m}\n";
    world.write("project/.aromcp/workflows/flow.yaml", flow);
    let mut client = client(&world);
    let run = client.good("workflow_start", json!({ "workflow": "flow" }))["workflow_id"].clone();
    let next = client.good("workflow_get_next_step", json!({ "workflow_id": run, "wait_seconds": 40 }));
    assert_eq!(next["step"]["id"], "end", "{next:#}");
    let state = client.good("workflow_state_read", json!({ "workflow_id": run, "paths": ["big", "n"] }));
    assert_eq!(state, json!({ "big": null, "n": 9 }));
    let traced = client.good("workflow_trace_transformations", json!({ "workflow_id": run, "field": "big" }));
    let last = traced["traces"].as_array().unwrap().last().unwrap()["error"].to_string();
    assert!(last.contains("larger than 1048576 bytes"), "{traced:#}");
    // Several that are too large together are too large for the state.
    let flow = "default_state: {raw: {n: 1}}\nstate_schema: {computed: {a: {from: raw.n, transform: \"'x'.repeat(600000)\"}, b: {from: raw.n, transform: \"'y'.repeat(600000)\"}}}\nsteps:\n  - {id: end, type: user_message, message: m}\n";
    failed(flow, &["the state would have 1200", "1048576"]);
}

#[test]
fn a_workflow_that_is_begun_again_and_again_has_a_bound() {
    let flow = "error_handling: {on_error: retry_workflow}\ndefault_state: {raw: {n: 0}}\nsteps:\n  - {id: count, type: state_update, path: raw.n, operation: increment}\n  - {id: no, type: shell_command, command: 'false'}\n";
    let status = ended(flow);
    assert_eq!(status["status"], "failed", "{status:#}");
}

#[test]
fn a_whole_state_of_defaults_that_is_too_large_is_refused_with_its_run() {
    let status = ended(
        "default_state: {raw: {big: \"{{ 'x'.repeat(3000000) }}\"}}\nsteps: [{id: end, type: user_message, message: m}]\n",
    );
    assert_eq!(status["status"], "failed", "{status:#}");
}
