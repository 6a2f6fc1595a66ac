//! Machines whose ways are tests: what holds, in which order, after what, and the bounds of such a run.

use super::scenarios;
use crate::build::*;
use crate::drive::{Drive, failed, succeeded};
use kernel::language::Path;
use kernel::plan::{Deadline, Expr, Flow, Test};
use kernel::{FailureKind, Plan};
use serde_json::{Value, json};

scenarios![
    every_test_must_hold,
    fields_are_compared_by_type,
    what_is_not_there_is_nothing,
    patterns_are_asked_about_at_once,
    patterns_are_asked_about_only_where_they_decide,
    nothing_is_found_in_nothing,
    a_pattern_that_nobody_can_tell_fails_the_run,
    after_a_time_out_what_is_for_one_comes_first,
    a_time_out_says_which_state,
    any_other_failure_may_have_a_way,
    a_failure_that_nothing_takes_is_the_runs,
    a_loop_ends_at_the_bound_that_was_given,
    the_time_that_was_given_is_the_runs,
    a_child_says_how_deep_it_went,
    too_deep_is_a_result,
    what_cleans_up_may_spare_success,
    what_ends_well_ends_through_the_last_state,
    a_last_state_leads_nowhere_and_is_the_servers_own,
    a_machine_that_failed_says_how_far_it_came,
];

fn equals(field: &str, value: Value) -> Test {
    Test::Equals { field: field.into(), value }
}

fn contains(field: &str, text: &str) -> Test {
    Test::Contains { field: field.into(), text: text.into() }
}

fn found(pattern: &str, found: bool) -> Test {
    Test::Found { pattern: pattern.into(), found }
}

/// A state `a` with ways to `b`, `c`, `d`, in this order.
fn ways(tests: Vec<Vec<Test>>) -> Plan {
    let ways = tests.into_iter().zip(1..).collect();
    let others = ["b", "c", "d"].map(|id| (noop(id), Vec::new()));
    scripted([(noop("a"), ways)].into_iter().chain(others).collect())
}

/// Whether a way with these tests is taken after this result.
fn holds(tests: &[Test], result: Value) -> bool {
    let mut it = Drive::new(ways(vec![tests.to_vec()]))
        .evaluating(|pattern, scope| {
            Ok(json!(scope.values().any(|data| crate::say::data(data).contains(pattern))))
        })
        .started(json!({}));
    it.done("a@1#1", result);
    it.effects == ["perform b@2#1"]
}

// covers: T-78, T-79
#[test]
fn every_test_must_hold() {
    let both = [equals("success", json!(true)), equals("n", json!(1))];
    assert!(holds(&both, json!({"n": 1})));
    assert!(!holds(&both, json!({"n": 2})));
    assert!(!holds(&both, json!({"n": 1, "success": false})));
    assert!(holds(&[], json!({})));
}

#[test]
fn fields_are_compared_by_type() {
    assert!(holds(&[equals("n", json!(0))], json!({"n": 0})));
    assert!(!holds(&[equals("n", json!("0"))], json!({"n": 0})));
    assert!(holds(&[contains("n", "2")], json!({"n": 123})));
    assert!(holds(&[contains("list", r#"["x""#)], json!({"list": ["x", 1]})));
    assert!(!holds(&[contains("t", "X")], json!({"t": "x"})));
}

#[test]
fn what_is_not_there_is_nothing() {
    assert!(!holds(&[equals("none", json!(1))], json!({})));
    assert!(holds(&[equals("none", json!(null))], json!({})));
    assert!(!holds(&[contains("none", "x")], json!({})));
    assert!(holds(&[contains("none", "")], json!({})));
}

#[test]
fn patterns_are_asked_about_at_once() {
    let plan = ways(vec![vec![found("p", true)], vec![found("q", true)], vec![found("p", false)]]);
    let mut it = Drive::new(plan).evaluating(|pattern, _| Ok(json!(pattern == "q"))).started(json!({}));
    it.done("a@1#1", json!({"screen_content": "s", "match_text": "m"}));
    it.asks(&[&[r#"p; q with match_text="m", screen_content="s""#]]).expect(&["perform c@2#1"]);
}

#[test]
fn patterns_are_asked_about_only_where_they_decide() {
    let plan = ways(vec![vec![found("p", true), equals("n", json!(1))], vec![equals("n", json!(2))]]);
    let mut it = Drive::start(plan);
    it.done("a@1#1", json!({"screen_content": "s", "n": 2})).asks(&[]).expect(&["perform c@2#1"]);
}

// covers: T-81, C-73, C-74
#[test]
fn nothing_is_found_in_nothing() {
    assert!(!holds(&[found("", true)], json!({})));
    assert!(holds(&[found("", false)], json!({"screen_content": "", "match_text": null})));
    assert!(holds(&[found("x", true)], json!({"screen_content": "axb"})));
    assert!(holds(&[found("y", false)], json!({"match_text": "axb"})));
}

#[test]
fn a_pattern_that_nobody_can_tell_fails_the_run() {
    let plan = ways(vec![vec![found("(a+)+$", true)]]);
    let after = json!({"screen_content": "aaa"});
    let mut it = Drive::new(plan.clone()).evaluating(|_, _| Err("too much work".into())).started(json!({}));
    it.done("a@1#1", after.clone());
    it.stands(r#"failed: nobody can say whether "(a+)+$" is found: too much work"#);
    let mut it = Drive::new(plan.clone()).silent().started(json!({}));
    it.done("a@1#1", after.clone());
    it.stands(r#"failed: nobody can say whether "(a+)+$" is found: the evaluator died"#);
    let mut it = Drive::new(plan).evaluating(|_, _| Ok(json!("yes"))).started(json!({}));
    it.done("a@1#1", after);
    it.stands(r#"failed: nobody can say whether "(a+)+$" is found: the answer does not fit the question"#);
}

// covers: T-84, C-72
#[test]
fn after_a_time_out_what_is_for_one_comes_first() {
    let anything = vec![equals("success", json!(false))];
    let plan = |second: Vec<Test>, on_timeout: Option<u32>| {
        let mut plan = ways(vec![anything.clone(), second]);
        state_of(&mut plan, 0).on_timeout = on_timeout;
        plan
    };
    let late = || vec![Test::TimedOut(true), equals("success", json!(false))];
    let mut it = Drive::start(plan(late(), Some(3)));
    it.fails("a@1#1", FailureKind::TimedOut).expect(&["perform c@2#1"]);
    let mut it = Drive::start(plan(vec![Test::TimedOut(false)], Some(3)));
    it.fails("a@1#1", FailureKind::TimedOut).expect(&["perform d@2#1"]);
    let mut it = Drive::start(plan(vec![], Some(3)));
    it.fails("a@1#1", FailureKind::TimedOut).expect(&["perform d@2#1"]);
    let mut it = Drive::start(plan(late(), None));
    it.fails("a@1#1", FailureKind::Operation).expect(&["perform b@2#1"]);
    let mut it = Drive::start(plan(vec![Test::TimedOut(false)], None));
    it.fails("a@1#1", FailureKind::TimedOut).expect(&["perform b@2#1"]);
    assert!(holds(&[Test::TimedOut(false)], json!({})) && !holds(&[Test::TimedOut(true)], json!({})));
}

#[test]
fn a_time_out_says_which_state() {
    let mut plan = ways(vec![]);
    plan.steps[0].timeout = Deadline::After(500);
    let mut it = Drive::start(plan.clone());
    it.fails("a@1#1", FailureKind::TimedOut).stands("failed: State 'a' timed out after 0.5s");
    state_of(&mut plan, 0).on_timeout = Some(1);
    let mut it = Drive::start(plan.clone());
    it.fails("a@1#1", FailureKind::TimedOut).expect(&["perform b@2#1"]);
    it.state("error", json!("State 'a' timed out after 0.5s")).state("a_timeout_occurred", json!("true"));
    it.state("success", json!("false"));
    plan.steps[0].timeout = Deadline::Never;
    let mut it = Drive::start(plan);
    it.fails("a@1#1", FailureKind::TimedOut).state("error", json!("it broke"));
}

#[test]
fn any_other_failure_may_have_a_way() {
    let mut plan = ways(vec![vec![equals("success", json!(true))]]);
    state_of(&mut plan, 0).on_failure = Some(2);
    let mut it = Drive::start(plan.clone());
    it.fails("a@1#1", FailureKind::Operation).expect(&["perform c@2#1"]);
    state_of(&mut plan, 0).transitions.clear();
    let mut it = Drive::start(plan);
    it.done("a@1#1", json!({})).stands("succeeded");
}

// covers: T-72
#[test]
fn a_failure_that_nothing_takes_is_the_runs() {
    let mut it = Drive::start(ways(vec![vec![equals("success", json!(true))]]));
    it.fails("a@1#1", FailureKind::Operation).stands("failed: it broke");
}

// covers: C-79
#[test]
fn a_loop_ends_at_the_bound_that_was_given() {
    let plan =
        || with_input(scripted(vec![(noop("a"), vec![(vec![equals("n", json!(0))], 0)])]), "max_states");
    let mut it = Drive::new(plan()).started(json!({"max_states": 2}));
    it.done("a@1#1", json!({"n": 0})).done("a@2#1", json!({"n": 0}));
    it.stands("failed: Maximum states limit (2) reached - possible infinite loop");
    let mut it = Drive::new(plan()).started(json!({"max_states": 2}));
    it.done("a@1#1", json!({"n": 0})).done("a@2#1", json!({"n": 1})).stands("succeeded");
    let mut large = plan();
    large.limits.visits_max = 1;
    let mut it = Drive::new(large).started(json!({"max_states": 2}));
    it.done("a@1#1", json!({"n": 0}));
    it.stands("failed: Maximum states limit (1) reached - possible infinite loop");
}

#[test]
fn the_time_that_was_given_is_the_runs() {
    let plan = || with_input(ways(vec![]), "execution_timeout");
    let mut it = Drive::new(plan()).started(json!({"execution_timeout": 1.5}));
    it.expect(&["timer run/timeout at 2500", "perform a@1#1"]).fire("run/timeout");
    it.fails("a@1#1", FailureKind::Cancelled);
    it.stands("failed: Workflow execution timeout (1.5s) exceeded");
    let mut it = Drive::new(plan()).started(json!({"execution_timeout": 2}));
    it.done("a@1#1", json!({})).expect(&["withdraw run/timeout"]).stands("succeeded");
    Drive::new(plan()).started(json!({"execution_timeout": null})).expect(&["perform a@1#1"]);
}

// covers: T-33, T-89, T-98
#[test]
fn a_child_says_how_deep_it_went() {
    let plan = scripted(vec![
        (child("a", &[]), vec![(vec![], 1)]),
        (child("b", &[]), vec![(vec![], 2)]),
        (noop("c"), vec![]),
    ]);
    let plan = with_output(plan, "depth", text("${machine.depth}"));
    let mut it = Drive::start(plan);
    it.end_child("a@1#1", succeeded(json!({"recursion_depth": 2, "final_state": "end"})));
    it.state("workflow_final_state", json!("end")).end_child("b@2#1", failed());
    it.state("b_success", json!("false")).done("c@3#1", json!({})).stands("succeeded depth=3");
}

#[test]
fn too_deep_is_a_result() {
    let plan = scripted(vec![(child("a", &[]), vec![])]);
    let mut it = Drive::of(plan, None, 5);
    it.start_with(kernel::Fields::new());
    it.stands("failed: Maximum recursion depth (5) exceeded");
}

#[test]
fn what_cleans_up_may_spare_success() {
    let mut plan = ways(vec![]);
    plan.steps.push(noop("close"));
    plan.cleanup = vec![4];
    plan.cleanup_spares_success = true;
    Drive::start(plan.clone()).done("a@1#1", json!({})).expect(&[]).stands("succeeded");
    let mut it = Drive::start(plan);
    it.fails("a@1#1", FailureKind::Operation).stands("closing");
    it.done("cleanup/close#1", json!({})).stands("failed: it broke");
}

/// A machine whose run ends through a state of the server's own.
fn through_last() -> Plan {
    let plan = scripted(vec![(noop("a"), vec![]), (noop("keep"), vec![])]);
    let mut plan = with_output(plan, "kept", Expr::Optional(Path::of("result", &["kept"])));
    let Flow::Machine(machine) = &mut plan.flow else { unreachable!() };
    machine.finally = Some(1);
    machine.states[1].own = true;
    plan
}

// covers: T-99, T-112
#[test]
fn what_ends_well_ends_through_the_last_state() {
    let mut it = Drive::start(through_last());
    it.done("a@1#1", json!({})).expect(&["perform keep@1#1"]);
    it.done("keep@1#1", json!({"kept": "x"})).stands("succeeded kept=\"x\"");
    // It leaves no variables, and what comes of it changes nothing.
    let mut it = Drive::start(through_last());
    it.done("a@1#1", json!({})).fails("keep@1#1", FailureKind::TimedOut).stands("succeeded kept=null");
    // What fails never comes there.
    Drive::start(through_last()).fails("a@1#1", FailureKind::Operation).stands("failed: it broke");
}

#[test]
fn a_last_state_leads_nowhere_and_is_the_servers_own() {
    assert!(through_last().check().is_ok());
    let broken = |change: &dyn Fn(&mut kernel::plan::Machine)| {
        let mut plan = through_last();
        let Flow::Machine(machine) = &mut plan.flow else { unreachable!() };
        change(machine);
        plan.check().is_err()
    };
    assert!(broken(&|machine| machine.finally = Some(7)));
    assert!(broken(&|machine| machine.states[1].own = false));
    assert!(broken(&|machine| machine.states[1].on_timeout = Some(0)));
}

// covers: T-89, T-33
#[test]
fn a_machine_that_failed_says_how_far_it_came() {
    let plan = scripted(vec![(child("a", &[]), vec![(vec![], 1)]), (noop("b"), vec![])]);
    let mut below = Drive::of(plan.clone(), None, 1);
    below.start_with(kernel::Fields::new());
    below.end_child("a@1#1", succeeded(json!({"recursion_depth": 1}))).fails("b@2#1", FailureKind::Operation);
    let Some(kernel::Outcome::Failed { failure }) = below.run.outcome() else { panic!("it failed") };
    let reached = failure.reached.as_deref().map(|reached| (&*reached.state, reached.visits, reached.depth));
    assert_eq!(reached, Some(("b", 2, 2)));
    let mut it = Drive::start(with_output(plan, "depth", text("${machine.depth}")));
    it.end_child("a@1#1", kernel::Outcome::Failed { failure: failure.clone() });
    it.state("workflow_final_state", json!("b")).state("a_states_executed", json!("2"));
    it.done("b@2#1", json!({})).stands("succeeded depth=3");
}
