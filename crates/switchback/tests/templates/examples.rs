//! The group `examples`.

use crate::world::World;
use serde_json::{Value, json};

#[test]
fn hello_greets_whatever_the_name_is() {
    let world = World::new();
    assert_eq!(world.run("hello", &[]).outputs()["greeting"], "Hello, world!");
    let odd = world.run("hello", &[("who", "$(touch pwned)\"'")]);
    assert_eq!(odd.outputs()["greeting"], "Hello, $(touch pwned)\"'!");
    assert!(!world.path("pwned").exists());
    let mistaken = world.run("hello", &[("whom", "Ada")]);
    assert_eq!(
        (mistaken.code, mistaken.document["error"]["code"].as_str()),
        (Some(2), Some("unknown-input"))
    );
}

#[test]
fn a_command_is_run_for_each_item_and_what_it_gave_keeps_the_order() {
    let world = World::new();
    let items = r#"["slow", "$(touch pwned)", "x y"]"#;
    let command = r#"test "$ITEM" = slow && until test -e "done-2"; do :; done; touch "done-$INDEX"; printf '%s' "$ITEM""#;
    let ran = world.run("parallel-map", &[("items", items), ("command", command)]);
    let outputs = ran.outputs();
    assert_eq!(
        (&outputs["all_succeeded"], &outputs["count"], &outputs["failed_count"]),
        (&json!(true), &json!(3), &json!(0))
    );
    let said: Vec<&Value> =
        outputs["results"].as_array().unwrap().iter().map(|row| &row["outputs"]["stdout"]).collect();
    assert_eq!(said, ["slow", "$(touch pwned)", "x y"]);
    assert!(!world.path("pwned").exists());
    let none = world.run("parallel-map", &[("items", "[]"), ("command", "exit 1")]);
    assert_eq!((&none.outputs()["count"], &none.outputs()["results"]), (&json!(0), &json!([])));
}

#[test]
fn an_item_that_fails_stops_no_other_and_fails_the_run_unless_that_is_not_wanted() {
    let world = World::new();
    let inputs = [("items", "[1, 2, 3]"), ("command", "touch ran-$ITEM; test $ITEM != 2")];
    let failed = world.run("parallel-map", &inputs);
    assert!(failed.error().contains("1 of 3 items failed\n2: "), "{}", failed.error());
    assert!(["ran-1", "ran-2", "ran-3"].iter().all(|name| world.path(name).exists()));
    let kept = world.run("parallel-map", &[inputs[0], inputs[1], ("strict", "false")]);
    let outputs = kept.outputs();
    assert_eq!((&outputs["all_succeeded"], &outputs["failed_count"]), (&json!(false), &json!(1)));
    let succeeded: Vec<&Value> =
        outputs["results"].as_array().unwrap().iter().map(|row| &row["succeeded"]).collect();
    assert_eq!(succeeded, [true, false, true]);
    let wrong = world.run("parallel-map", &[("items", "7"), ("command", "true")]);
    assert_eq!(wrong.code, Some(2), "{:#}", wrong.document);
}
