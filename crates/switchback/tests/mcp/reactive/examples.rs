//! Each example of the dialect, from its first step to its last.

use crate::reactive::agent::{Agent, Done};
use crate::reactive::place::{changed_since_commit, client, committed, with_examples};
use crate::world::World;
use serde_json::{Value, json};

/// Seven that count, and four that do not.
pub(crate) const CHANGED: [&str; 11] = [
    "README.md",
    "lib/vendor.min.js",
    "node_modules/x/index.js",
    "src/a.ts",
    "src/b.ts",
    "src/c.js",
    "src/d.ts",
    "src/e f.ts",
    "src/g.ts",
    "src/h.ts",
    "src/types.d.ts",
];

/// Who can do what `standards:fix` asks for.
pub(crate) fn mender(step: &Value, _task: &str) -> Done {
    let definition = &step["definition"];
    match (step["type"].as_str().unwrap(), definition["method"].as_str()) {
        ("mcp_call", Some("hints_for_file")) => {
            let file = definition["params"]["file_path"].as_str().unwrap();
            Done::Gives(json!([{ "rule": "names", "file": file }, { "rule": "length", "file": file }]))
        }
        ("mcp_call", Some("lint_project")) => Done::Gives(json!({ "errors": 0 })),
        ("user_message", _) => Done::Plainly,
        _ if definition["hints"].is_array() => {
            Done::Gives(json!({ "applied_count": definition["hints"].as_array().unwrap().len() }))
        }
        _ => panic!("nobody can do this: {step:#}"),
    }
}

fn message(step: &Value) -> String {
    step["definition"]["message"].as_str().unwrap_or_else(|| panic!("{step:#}")).trim_end().to_owned()
}

//
#[test]
fn standards_are_applied_in_batches_of_three_by_two_sub_agents_at_a_time() {
    let world = with_examples(&["standards/fix.yaml"]);
    changed_since_commit(&world, &CHANGED);
    let (mut client, mut told) = (client(&world), Vec::new());
    let state = {
        let hand = |step: &Value, task: &str| {
            told.extend((step["type"] == "user_message").then(|| message(step)));
            mender(step, task)
        };
        Agent::start(&mut client, "standards:fix", json!({}), hand).finish()
    };
    assert_eq!(told, ["7 files in 3 batches, 14 hints applied, 0 errors left."]);
    let batches = json!([
        { "id": "batch_0", "files": ["src/a.ts", "src/b.ts", "src/c.js"] },
        { "id": "batch_1", "files": ["src/d.ts", "src/e f.ts", "src/g.ts"] },
        { "id": "batch_2", "files": ["src/h.ts"] },
    ]);
    assert_eq!(state["file_batches"], batches, "{state:#}");
    assert_eq!(state["batch_status"], json!({ "batch_0": "done", "batch_1": "done", "batch_2": "done" }));
    assert_eq!(state["ready_batches"], json!([]));
    // A name with a dot and a slash is one key.
    assert_eq!(state["file_results"]["src/e f.ts"]["applied"], 2, "{state:#}");
    assert_eq!(state["sub_agent_errors"], json!([]));
}

//
#[test]
fn a_batch_that_fails_is_done_again_and_no_other() {
    let world = with_examples(&["standards/fix.yaml"]);
    changed_since_commit(&world, &CHANGED);
    let (mut client, mut failures) = (client(&world), 1);
    let hand = |step: &Value, task: &str| {
        let fails = task == "batch_1" && step["definition"]["method"] == "lint_project" && failures > 0;
        if fails {
            failures -= 1;
            return Done::Fails("the linter crashed");
        }
        mender(step, task)
    };
    let mut agent = Agent::start(&mut client, "standards:fix", json!({}), hand);
    let state = agent.finish();
    let linted =
        |task: &str| agent.seen.iter().filter(|seen| seen.starts_with(&format!("{task}/lint"))).count();
    assert_eq!((linted("batch_0"), linted("batch_1"), linted("batch_2")), (1, 2, 1), "{:?}", agent.seen);
    assert_eq!(state["summary"]["batches_done"], 3, "{state:#}");
    assert_eq!(state["summary"]["batches_failed"], 0, "{state:#}");
}

#[test]
fn where_nothing_differs_nobody_is_asked_for_anything() {
    let world = with_examples(&["standards/fix.yaml"]);
    committed(&world, &["src/a.ts"], "same\n");
    let mut client = client(&world);
    let mut agent = Agent::start(&mut client, "standards:fix", json!({}), |step, _| {
        assert_eq!(message(step), "No source file differs from HEAD.");
        Done::Plainly
    });
    let state = agent.finish();
    assert_eq!(agent.seen, ["nothing"]);
    assert_eq!(state["source_files"], json!([]), "{state:#}");
}

fn lines(count: usize, first: &str) -> String {
    format!("{first}\n{}", "x\n".repeat(count - 1))
}

//
#[test]
fn a_report_follows_from_two_commands() {
    let world = with_examples(&["files/large.yaml"]);
    world.write("project/src/big.ts", &lines(40, "export const big = 1;"));
    world.write("project/src/bigger.ts", &lines(60, "import { big } from './big';"));
    world.write("project/main.ts", &lines(2, "import { big } from './src/big.ts';"));
    world.write("project/node_modules/m/index.ts", &lines(500, ""));
    let mut client = client(&world);
    let mut told = Vec::new();
    let state = {
        let hand = |step: &Value, _: &str| {
            told.push(message(step));
            Done::Plainly
        };
        Agent::start(&mut client, "files:large", json!({ "limit": 30 }), hand).finish()
    };
    let expected = "Found 2 large files among 3 (34 lines on average).\n\
                    Split first: ./src/big.ts (40 lines, imported 2 times), ./src/bigger.ts (60 lines, imported 0 times)";
    assert_eq!(told, [expected]);
    assert_eq!(state["summary_stats"], json!({ "files": 3, "lines": 102, "average": 34, "large": 2 }));
}

#[test]
fn a_report_of_small_files_takes_the_other_branch() {
    let world = with_examples(&["files/large.yaml"]);
    world.write("project/main.ts", "const a = 1;\n");
    let mut client = client(&world);
    let mut agent = Agent::start(&mut client, "files:large", json!({}), |step, _| {
        assert_eq!(message(step), "None of 1 files has more than 1000 lines.");
        Done::Plainly
    });
    agent.finish();
    assert_eq!(agent.seen, ["none"]);
}

fn gated() -> World {
    let world = with_examples(&["quality/check.yaml", "quality/gate.yaml"]);
    committed(&world, &["src/a.ts", "src/b.ts", "src/c.d.ts", "other/d.ts"], "text\n");
    world
}

//
#[test]
fn a_shared_check_is_made_again_until_nothing_is_found() {
    let world = gated();
    let (mut client, mut mended, mut told) = (client(&world), Vec::new(), Vec::new());
    let state = {
        let hand = |step: &Value, _: &str| {
            let params = &step["definition"]["params"];
            match step["definition"]["method"].as_str() {
                Some("check_typescript") => {
                    let wrong = params["files"] == json!(["src/a.ts"]) && mended.is_empty();
                    Done::Gives(json!({ "errors": if wrong { 2 } else { 0 } }))
                }
                Some("lint_project") => Done::Gives(json!({ "errors": 0 })),
                Some("write_files") => {
                    mended.push(params["files"].clone());
                    Done::Gives(json!({ "written": 1 }))
                }
                _ => {
                    told.push(message(step));
                    Done::Plainly
                }
            }
        };
        Agent::start(&mut client, "quality:gate", json!({}), hand).finish()
    };
    assert_eq!(mended, [json!(["src/a.ts"])]);
    assert_eq!(told, ["2 files are clean after 2 rounds: 2, 0"]);
    // What the shared check calls `files` is its own.
    assert_eq!(state["files"], json!(["src/a.ts", "src/b.ts", "src/c.d.ts"]), "{state:#}");
    assert_eq!(state.get("type_results"), None, "{state:#}");
    assert_eq!(state["total_issues"], 0, "{state:#}");
}

#[test]
fn a_check_that_never_passes_is_given_up_after_three_rounds() {
    let world = gated();
    let mut client = client(&world);
    let mut agent = Agent::start(&mut client, "quality:gate", json!({}), |step, _| {
        match step["definition"]["method"].as_str() {
            Some("check_typescript" | "lint_project") => Done::Gives(json!({ "errors": 1 })),
            Some(_) => Done::Gives(Value::Null),
            None => {
                let said = message(step);
                assert_eq!(said, "4 issues are left in src/a.ts, src/b.ts after 3 rounds: 4, 4, 4");
                Done::Plainly
            }
        }
    });
    let state = agent.finish();
    assert_eq!(state["rounds"], 3, "{state:#}");
}

/// Plays the tasks of a release, some of which fail; gives the rounds, what was said, and the state.
fn released(inputs: Value, failing: &[&str]) -> (Value, String, Value) {
    let world = with_examples(&["release/tasks.yaml"]);
    let mut client = client(&world);
    let mut told = Vec::new();
    let state = {
        let hand = |step: &Value, task: &str| match step["type"].as_str() {
            Some("agent_shell_command") => {
                assert_eq!(step["definition"]["command"], format!("make {task}"), "{step:#}");
                if failing.contains(&task) { Done::Fails("make says no") } else { Done::Gives("made".into()) }
            }
            _ => {
                told.push(message(step));
                Done::Plainly
            }
        };
        Agent::start(&mut client, "release:tasks", inputs, hand).finish()
    };
    (state["round_log"].clone(), told.remove(0), state)
}

//
#[test]
fn tasks_begin_when_what_they_need_is_done() {
    let (rounds, told, _) = released(json!({}), &[]);
    assert_eq!(rounds, json!([["build", "lint"], ["test", "notes"], ["publish", "announce"]]));
    assert_eq!(told, "All 6 tasks of this minor release are done, in 3 rounds.");
}

#[test]
fn what_only_some_releases_need_is_waited_for_only_there() {
    let (rounds, _, _) = released(json!({ "level": "major" }), &[]);
    assert_eq!(rounds, json!([["build", "lint"], ["migrate", "test", "notes"], ["publish", "announce"]]));
    let (rounds, told, _) = released(json!({ "level": "patch" }), &[]);
    assert_eq!(rounds, json!([["build", "lint"], ["test", "notes"], ["publish"]]));
    assert_eq!(told, "All 5 tasks of this patch release are done, in 3 rounds.");
}

#[test]
fn what_needs_a_task_that_failed_is_never_begun() {
    let (rounds, told, state) = released(json!({}), &["lint"]);
    assert_eq!(rounds, json!([["build", "lint"], ["test"]]));
    assert_eq!(told, "1 tasks failed; not begun because of them: notes, announce, publish");
    assert_eq!(state["task_errors"][0]["task_id"], "lint", "{state:#}");
    let (_, told, _) = released(
        json!({ "tasks": [{ "id": "a", "priority": 1, "needs": ["b"] }, { "id": "b", "priority": 1, "needs": ["a"] }] }),
        &[],
    );
    assert_eq!(told, "0 tasks failed; not begun because of them: a, b");
}
