//! Actions that end by themselves, and the patience that a run has with all others.

use super::scenarios;
use crate::build::*;
use crate::drive::Drive;
use kernel::plan::{Expr, Step};
use kernel::{Bounds, Plan};
use serde_json::json;

scenarios![
    an_action_ends_by_itself_and_gives_what_its_step_says,
    a_result_before_the_time_is_taken,
    how_long_it_takes_may_be_asked,
    what_it_gives_may_be_asked,
    a_time_that_is_none_fails_the_step,
    what_it_gives_may_fail,
    an_action_that_ends_has_no_grace_and_no_timeout,
    a_run_that_closes_drops_it,
    cleanup_may_wait_as_well,
    patience_is_that_of_the_place,
];

fn wait_for(ms: Expr) -> Step {
    let shown = [("duration", just(json!(5)))];
    let gives = Expr::Object(vec![
        ("resumed".into(), just(json!(true))),
        ("duration".into(), text("${result.duration}")),
    ]);
    ending("w", &shown, ms, &[("result", gives)])
}

fn plan(step: Step) -> Plan {
    sequence(vec![step, agent("b")], vec![vec![within(0, act_into(0, "x", "${result.result}")), act(1)]])
}

#[test]
fn an_action_ends_by_itself_and_gives_what_its_step_says() {
    let mut it = Drive::start(plan(wait_for(just(json!(5_000)))));
    it.expect(&["offer w#1 duration=5", "timer w#1/due at 6000"]).stands("waiting: clock w 6000");
    it.fire("w#1/due").expect(&["withdraw w#1", "offer b#1"]);
    it.state("x", json!({"resumed": true, "duration": 5}));
}

#[test]
fn a_result_before_the_time_is_taken() {
    let mut it = Drive::start(plan(wait_for(just(json!(5_000)))));
    it.submit("w#1", json!({"result": "early"})).expect(&["withdraw w#1/due", "offer b#1"]);
    it.state("x", json!("early"));
}

#[test]
fn how_long_it_takes_may_be_asked() {
    let mut it =
        Drive::new(plan(wait_for(js("long", &[])))).evaluating(|_, _| Ok(json!(1.5))).started(json!({}));
    it.asks(&[&["long with "]]).expect(&["offer w#1 duration=5", "timer w#1/due at 1002"]);
}

#[test]
fn what_it_gives_may_be_asked() {
    let step = ending("w", &[("d", just(json!(3)))], just(json!(10)), &[("result", js("so", &["result.d"]))]);
    let mut it = Drive::new(plan(step)).evaluating(|_, _| Ok(json!("told"))).started(json!({}));
    it.fire("w#1/due").asks(&[&["so with result.d=3"]]).expect(&["withdraw w#1", "offer b#1"]);
    it.state("x", json!("told"));
}

#[test]
fn a_time_that_is_none_fails_the_step() {
    let mut it = Drive::start(plan(wait_for(just(json!("soon")))));
    it.expect(&[]).stands(
        "failed: step `w`: Expression error: a wait needs a number of milliseconds, and this is \"soon\"",
    );
}

#[test]
fn what_it_gives_may_fail() {
    let step = ending("w", &[], just(json!(10)), &[("result", text("${result.none}"))]);
    let mut it = Drive::start(plan(step));
    it.fire("w#1/due").expect(&["withdraw w#1"]).stands("failed: step `w`: `result` has no `none`");
}

#[test]
fn an_action_that_ends_has_no_grace_and_no_timeout() {
    let mut it = Drive::start(plan(wait_for(just(json!(50))).timeout(9)));
    it.expect(&["offer w#1 duration=5", "timer w#1/due at 1050"]);
    let mut none = Drive::start(plan(wait_for(just(json!(0)))));
    none.expect(&["offer w#1 duration=5", "timer w#1/due at 1000"])
        .fire("w#1/due")
        .expect(&["withdraw w#1", "offer b#1"]);
}

#[test]
fn a_run_that_closes_drops_it() {
    let mut it = Drive::start(plan(wait_for(just(json!(5_000)))));
    it.cancel().stands("cancelled: enough");
}

#[test]
fn cleanup_may_wait_as_well() {
    let mut plan = plan(wait_for(just(json!(5_000))));
    plan.cleanup = vec![0];
    let mut it = Drive::start(plan);
    it.cancel().expect(&[
        "withdraw w#1/due",
        "withdraw w#1",
        "timer run/close at 31000",
        "offer cleanup/w#1 duration=5",
        "timer cleanup/w#1/due at 6000",
    ]);
    it.fire("cleanup/w#1/due").stands("cancelled: enough");
}

#[test]
fn patience_is_that_of_the_place() {
    let bounds = |overdue_ms| Bounds { overdue_ms, ..Bounds::default() };
    let plan = || line(vec![agent("a").timeout(50)]);
    Drive::bound(plan(), bounds(None)).expect(&["offer a#1", "timer a#1/due at 901050"]);
    let mut it = Drive::bound(plan(), bounds(Some(1_000)));
    it.expect(&["offer a#1", "timer a#1/due at 2050"]).fire("a#1/due").expect(&["offer a#1 overdue"]);
    Drive::bound(plan(), bounds(Some(0))).expect(&["offer a#1", "timer a#1/due at 1050"]);
}
