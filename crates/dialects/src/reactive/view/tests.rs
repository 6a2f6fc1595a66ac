//! Paths, flat reads, what fits, what follows from what.

use super::dependencies::Dependencies;
use super::fit::fit;
use super::flat::{at, flat};
use super::path::keys;
use super::{atomic, prompts};
use kernel::Plan;
use kernel::plan::{Computed, Dialect, Expr, Flow, OnError, Sequence};
use serde_json::{Map, Value, json};

fn plan() -> Plan {
    let mut plan = Plan::new("p", Dialect::Reactive, Flow::Sequence(Sequence { bodies: vec![vec![]] }));
    plan.state.layers = ["computed", "raw", "state", "included"].map(str::to_owned).to_vec();
    let computed = |name: &str, from: &[&str]| Computed {
        name: format!("computed.{name}"),
        from: from.iter().map(|name| (*name).to_owned()).collect(),
        value: Expr::Const(Value::Null),
        on_error: OnError::Null,
        transform: None,
    };
    plan.state.computed = vec![
        computed("lines", &["raw.output"]),
        computed("long", &["computed.lines", "raw.limit"]),
        computed("count", &["computed.long"]),
    ];
    plan
}

fn state() -> Map<String, Value> {
    let Value::Object(state) = json!({
        "raw.a": "raw", "raw.b": {"x.y": [1, 2]}, "state.a": "state", "state.c": 3, "computed.a": "computed",
        "included.d": 4, "included.a": "included",
    }) else {
        unreachable!()
    };
    state
}

#[test]
fn a_path_is_read_as_it_is_written() {
    for (path, wanted) in [
        ("raw.a", vec!["raw", "a"]),
        ("raw.a.b-c", vec!["raw", "a", "b-c"]),
        (r#"raw.a["x.y"].z"#, vec!["raw", "a", "x.y", "z"]),
        (r#"raw.a['it\'s']"#, vec!["raw", "a", "it's"]),
        ("raw.list[2]", vec!["raw", "list", "2"]),
    ] {
        assert_eq!(keys(path).unwrap(), wanted, "{path}");
    }
    for bad in ["", "raw.", ".raw", "raw..a", "raw.a[", r#"raw.a["x]"#, r#"raw.a["x"y]"#] {
        assert!(keys(bad).is_err(), "{bad}");
    }
}

#[test]
fn the_first_layer_that_has_a_name_gives_its_value() {
    let all = Value::Object(flat(&plan(), &state()));
    assert_eq!(all, json!({"a": "computed", "b": {"x.y": [1, 2]}, "c": 3, "d": 4}));
    let read = |path: &str| at(&plan(), &state(), path).unwrap();
    assert_eq!(read("a"), Some(json!("computed")));
    assert_eq!(read("raw.a"), Some(json!("raw")));
    assert_eq!(read(r#"b["x.y"][1]"#), Some(json!(2)));
    assert_eq!(read("state"), Some(json!({"a": "state", "c": 3})));
    assert_eq!((read("nothing"), read("raw.b.x")), (None, None));
}

#[test]
fn a_field_is_explained_by_what_it_is_made_of() {
    let plan = plan();
    let of = |field: &str| Dependencies::of(&plan, field).map(|found| found.to_json());
    let long = json!({
        "direct_deps": ["computed.lines", "raw.limit"],
        "all_deps": ["computed.lines", "raw.limit", "raw.output"],
        "dependents": ["computed.count"],
    });
    assert_eq!((of("long"), of("computed.long")), (Some(long.clone()), Some(long)));
    assert_eq!(of("raw.output").unwrap()["dependents"], json!(["computed.lines"]));
    assert_eq!((of("lng"), of("raw.long")), (None, None));
}

#[test]
fn what_is_handed_in_fits_its_step() {
    let held = |kind: &str, definition: Value, said: Value| {
        let Value::Object(definition) = definition else { unreachable!() };
        fit(kind, &definition, said).map_err(|unfit| unfit.message)
    };
    let rule =
        || json!({"validation": {"pattern": "^(HEAD|branch .+)$", "error_message": "A branch or HEAD"}});
    for said in [json!("HEAD"), json!({"input": "branch x"}), json!({"response": "HEAD"})] {
        assert!(held("user_input", rule(), said).is_ok());
    }
    assert_eq!(held("user_input", rule(), json!("so HEAD")), Err("A branch or HEAD".to_owned()));
    assert_eq!(held("user_input", json!({}), json!(5)), Ok(json!("5")));
    assert!(held("user_input", json!({}), json!({"a": 1})).is_err());
    assert_eq!(held("apply_hints", json!({}), json!(2)), Ok(json!({"applied_count": 2})));
    assert!(held("apply_hints", json!({}), json!("two")).is_err());
    assert_eq!(held("user_message", json!({}), json!("seen")), Ok(Value::Null));
    let lines = || json!({"output_format": "lines"});
    assert_eq!(held("agent_shell_command", lines(), json!("a\nb\n")), Ok(json!(["a", "b"])));
    assert_eq!(held("agent_shell_command", lines(), json!(["a"])), Ok(json!(["a"])));
    let report = |code: i64| json!({"stdout": "{\"a\": 1}", "stderr": "", "exit_code": code});
    assert_eq!(held("shell_command", json!({"output_format": "json"}), report(0)), Ok(json!({"a": 1})));
    let said = held("shell_command", json!({"output_format": "json"}), report(3));
    assert_eq!(said, Err("the command ended with exit code 3".to_owned()));
    let pairs = held("agent_shell_command", json!({"output_format": "key_value"}), json!("A=1\nB: x\n"));
    assert_eq!(pairs, Ok(json!({"A": "1", "B": "x"})));
    assert_eq!(held("mcp_call", json!({}), json!([null])), Ok(json!([null])));
}

#[test]
fn a_key_says_in_which_lane_it_is() {
    for (key, wanted) in [
        ("look", (0, "look")),
        ("look@2", (0, "look@2")),
        ("3/look@1", (3, "look")),
        ("3/look@2", (3, "look@2")),
    ] {
        assert_eq!(atomic::lane(key), (wanted.0, wanted.1.to_owned()));
    }
}

#[test]
fn the_prompts_say_what_they_must() {
    let text = prompts::orchestrator("standards:fix");
    for kind in atomic::TYPES {
        assert!(text.contains(&format!("- {kind}: ")), "{kind}");
    }
    assert!((1..=8).all(|number| text.contains(&format!("\n{number}. "))) && !text.contains("\n9. "));
    let important = text.split("IMPORTANT:\n").nth(1).unwrap();
    assert_eq!(important.split("\n\n").next().unwrap().matches("\n- ").count() + 1, 5);
    let task = prompts::sub_agent("mossy-otter-41", "batch_0");
    assert!((1..=5).all(|number| task.contains(&format!("\n{number}. "))));
    assert!(task.contains("workflow_id: mossy-otter-41\ntask_id: batch_0"));
}
