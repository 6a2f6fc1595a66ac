//! Tasks of sub-agents: lanes with names of their own, what they are given, so many at once, and begun again after a failure.

use super::scenarios;
use crate::build::*;
use crate::drive::Drive;
use kernel::plan::{Expr, Flow, Node, OnFailure, REVISION, Tasks, WriteKind};
use kernel::{EffectId, FailureKind, News, Plan, TaskStage};
use serde_json::json;

scenarios![
    tasks_have_names_and_what_they_are_given,
    tasks_are_made_with_one_round_of_questions,
    so_many_at_once,
    names_are_told_apart,
    a_name_that_is_none_fails,
    a_failed_task_begins_again_after_all_others,
    errors_of_tasks_are_collected,
    errors_that_cannot_be_written_are_told,
    a_task_fails_with_whatever_fails_in_it,
    no_more_tasks_begin_once_one_has_failed_for_good,
    a_fork_of_no_tasks_has_ended,
    a_run_that_closes_tells_of_its_tasks,
    many_tasks_are_kept_as_content,
    only_tasks_that_failed_are_done_again,
];

fn tasks() -> Tasks {
    Tasks {
        step: 1,
        task: "process".into(),
        id: text("${item.id}"),
        given: vec![("files".into(), text("${item.files}")), ("branch".into(), text("${inputs.branch}"))],
        prompt: None,
        retries_max: 0,
        errors: None,
    }
}

fn items(count: u32) -> Expr {
    let item = |n: u32| json!({"id": format!("batch_{n}"), "files": [format!("{n}.ts")]});
    just((1..=count).map(item).collect())
}

fn fork_of(items: Expr, width_max: u32, on_failure: OnFailure, tasks: Tasks) -> Plan {
    let fork = Node::Fork {
        items,
        variable: "item".into(),
        body: 1,
        width_max,
        on_failure,
        collect: None,
        tasks: Some(Box::new(tasks)),
    };
    let work = agent_with("work", &[("x", text("${task_id} ${files} ${inputs.files} ${branch} ${index}"))]);
    let bodies = vec![vec![within(1, fork), act(2)], vec![act(0)]];
    let plan = layered(sequence(vec![work, control("all", &[]), agent("after")], bodies));
    with_input(plan, "branch")
}

fn start(plan: Plan) -> Drive {
    Drive::new(plan).started(json!({"branch": "main"}))
}

fn stages(it: &Drive) -> Vec<(String, TaskStage, u32)> {
    let forking = it.run.forking();
    let tasks = forking.first().map_or(&[][..], |forking| &forking.tasks);
    tasks.iter().map(|task| (task.id.clone(), task.stage, task.attempts)).collect()
}

#[test]
fn tasks_have_names_and_what_they_are_given() {
    let mut it = start(fork_of(items(2), 5, OnFailure::Fail, tasks()));
    it.expect(&[
        "offer 1/work@1#1 x=\"batch_1 [\\\"1.ts\\\"] [\\\"1.ts\\\"] main 0\"",
        "offer 2/work@1#1 x=\"batch_2 [\\\"2.ts\\\"] [\\\"2.ts\\\"] main 1\"",
    ]);
    let forking = &it.run.forking()[0];
    assert_eq!((forking.step, forking.task.as_str(), forking.width_max), (1, "process", 5));
    let told = json!([
        {"task_id": "batch_1", "context": {"branch": "main", "files": ["1.ts"]}},
        {"task_id": "batch_2", "context": {"branch": "main", "files": ["2.ts"]}},
    ]);
    assert_eq!(it.value(&forking.told), told);
    assert_eq!(forking.tasks[1].lane, Some(2));
    assert_eq!(it.run.task_of(&EffectId::new("2/work@1#1")), Some("batch_2"));
    let began = it.turn.news.iter().filter(|news| matches!(news, News::LaneBegan { .. })).count();
    assert_eq!(began, 2);
    it.submit("2/work@1#1", json!({}));
    assert!(
        matches!(&it.turn.news.last(), Some(News::LaneEnded { task_id, failure: None, again: false, .. })
        if task_id == "batch_2")
    );
    it.submit("1/work@1#1", json!({})).expect(&["offer after#1"]);
    assert!(it.run.forking().is_empty());
    it.finish();
}

#[test]
fn tasks_are_made_with_one_round_of_questions() {
    let asked = Tasks {
        id: js("id", &["item"]),
        given: vec![("n".into(), js("n", &["index"]))],
        prompt: Some(js("prompt", &["item"])),
        ..tasks()
    };
    let mut plan = fork_of(just(json!(["a", "b"])), 1, OnFailure::Fail, asked);
    plan.steps[0] = agent("work");
    let mut it = Drive::new(plan)
        .evaluating(|source, scope| match source {
            "n" => Ok(scope["index"].inline().unwrap().clone()),
            other => Ok(format!("{other} {}", scope["item"].inline().unwrap().as_str().unwrap()).into()),
        })
        .started(json!({}));
    it.asks(&[&["id; n; prompt with index=0, item=\"a\"", "id; n; prompt with index=1, item=\"b\""]]);
    let told = json!([
        {"task_id": "id a", "context": {"n": 0}, "prompt": "prompt a"},
        {"task_id": "id b", "context": {"n": 1}, "prompt": "prompt b"},
    ]);
    assert_eq!(it.value(&it.run.forking()[0].told), told);
    it.submit("1/work@1#1", json!({})).asks(&[]).expect(&["offer 2/work@1#1"]);
    it.finish();
}

#[test]
fn so_many_at_once() {
    let mut it = start(fork_of(items(3), 2, OnFailure::Fail, tasks()));
    assert_eq!(it.effects.len(), 2);
    let stage = |it: &Drive| stages(it).into_iter().map(|(_, stage, _)| stage).collect::<Vec<_>>();
    assert_eq!(stage(&it), [TaskStage::Running, TaskStage::Running, TaskStage::Waiting]);
    it.submit("1/work@1#1", json!({}));
    assert_eq!(stage(&it), [TaskStage::Done, TaskStage::Running, TaskStage::Running]);
    it.submit("3/work@1#1", json!({})).submit("2/work@1#1", json!({})).expect(&["offer after#1"]);
    it.finish();
}

#[test]
fn names_are_told_apart() {
    let same = Tasks { id: text("${item}"), given: vec![], ..tasks() };
    let mut plan = fork_of(just(json!(["a", "a", "a_2", "a", 7])), 9, OnFailure::Fail, same);
    plan.steps[0] = agent("work");
    let it = start(plan);
    let ids: Vec<String> = stages(&it).into_iter().map(|(id, ..)| id).collect();
    assert_eq!(ids, ["a", "a_2", "a_2_2", "a_3", "7"]);
    it.finish();
}

#[test]
fn a_name_that_is_none_fails() {
    for (item, why) in [
        (json!(null), "its name must be text or a number, and this is nothing"),
        (json!(""), "its name is empty"),
        (json!("x".repeat(201)), "its name has 201 bytes; at most 200 are allowed"),
    ] {
        let mut it = start(fork_of(
            just(json!([item])),
            1,
            OnFailure::Continue,
            Tasks { id: text("${item}"), given: vec![], ..tasks() },
        ));
        let message = format!("failed: step `all`: Expression error: task 1 of 1: {why}");
        it.stands(&message);
    }
}

/// A task whose work is the server's.
fn failing(on_failure: OnFailure, tasks: Tasks) -> Plan {
    let mut plan = fork_of(items(3), 2, on_failure, tasks);
    plan.steps[0] = noop("work");
    plan
}

#[test]
fn a_failed_task_begins_again_after_all_others() {
    let mut it = start(failing(OnFailure::Fail, Tasks { retries_max: 1, ..tasks() }));
    it.fails("1/work@1#1", FailureKind::Operation).expect(&["perform 3/work@1#1"]);
    assert_eq!(stages(&it)[0], ("batch_1".into(), TaskStage::Waiting, 1));
    it.done("2/work@1#1", json!({})).expect(&[]);
    it.done("3/work@1#1", json!({})).expect(&["perform 4/work@1#1"]);
    assert_eq!(stages(&it)[0], ("batch_1".into(), TaskStage::Running, 2));
    let began = it.turn.news.iter().any(
        |news| matches!(news, News::LaneBegan { task_id, attempt: 2, lane: 4, .. } if task_id == "batch_1"),
    );
    assert!(began);
    it.done("4/work@1#1", json!({})).expect(&["offer after#1"]);
    it.finish();
    let mut it = start(failing(OnFailure::Fail, Tasks { retries_max: 1, ..tasks() }));
    it.fails("1/work@1#1", FailureKind::Operation)
        .done("2/work@1#1", json!({}))
        .done("3/work@1#1", json!({}));
    it.fails("4/work@1#1", FailureKind::Operation).stands("failed: step `all`: step `work`: it broke");
}

#[test]
fn errors_of_tasks_are_collected() {
    let errors = Some(vec!["raw.errors".to_owned()]);
    let mut it =
        start(failing(OnFailure::Continue, Tasks { retries_max: 1, errors: errors.clone(), ..tasks() }));
    it.fails("1/work@1#1", FailureKind::Operation)
        .done("2/work@1#1", json!({}))
        .done("3/work@1#1", json!({}));
    it.fails("4/work@1#1", FailureKind::Crashed).expect(&["offer after#1"]);
    it.state(
        "raw.errors",
        json!([{"task_id": "batch_1", "message": "step `work`: it broke", "type": "crashed", "attempts": 2}]),
    );
    it.finish();
    let mut it = start(failing(OnFailure::Fail, Tasks { errors, ..tasks() }));
    it.fails("1/work@1#1", FailureKind::Operation).done("2/work@1#1", json!({}));
    it.stands("failed: step `all`: step `work`: it broke");
    assert_eq!(it.run.state_field("raw.errors").unwrap().inline().unwrap()[0]["attempts"], json!(1));
}

#[test]
fn errors_that_cannot_be_written_are_told() {
    let errors = Some(vec!["raw.errors".to_owned()]);
    let plan = failing(OnFailure::Continue, Tasks { errors, ..tasks() });
    let mut it = start(with_state(plan, json!({"raw.errors": "a text"})));
    it.fails("1/work@1#1", FailureKind::Operation)
        .done("2/work@1#1", json!({}))
        .done("3/work@1#1", json!({}));
    it.expect(&["offer after#1"]).state("raw.errors", json!("a text"));
    let told = "why tasks failed could not be written: nothing can be appended to text";
    assert!(it.turn.news.iter().any(|news| matches!(news, News::Warned { message, .. } if message == told)));
    it.finish();
}

#[test]
fn a_task_fails_with_whatever_fails_in_it() {
    let mut plan = failing(OnFailure::Continue, Tasks { errors: Some(vec!["raw.errors".into()]), ..tasks() });
    let kernel::plan::Flow::Sequence(flow) = &mut plan.flow else { panic!() };
    flow.bodies[1] = vec![set(vec![layer("raw.x", WriteKind::Set, text("${none}"))])];
    let it = start(plan);
    let errors = it.run.state_field("raw.errors").unwrap().inline().unwrap().clone();
    assert_eq!(errors.as_array().map(Vec::len), Some(3));
    assert_eq!(errors[0]["message"], json!("nothing is called `none` here"));
    it.finish();
}

#[test]
fn no_more_tasks_begin_once_one_has_failed_for_good() {
    let mut it = start(failing(OnFailure::Fail, tasks()));
    it.fails("1/work@1#1", FailureKind::Operation).expect(&[]);
    it.done("2/work@1#1", json!({})).stands("failed: step `all`: step `work`: it broke");
}

#[test]
fn a_fork_of_no_tasks_has_ended() {
    let mut it = start(fork_of(just(json!([])), 2, OnFailure::Fail, tasks()));
    it.expect(&["offer after#1"]);
    let told = it.turn.news.iter().filter(|news| {
        matches!(news, News::Began { step: 1, .. } | News::Ended { step: 1, failure: None, .. })
    });
    assert_eq!(told.count(), 2);
    it.finish();
}

#[test]
fn a_run_that_closes_tells_of_its_tasks() {
    let mut it = start(fork_of(items(1), 2, OnFailure::Fail, tasks()));
    it.cancel();
    assert!(it.turn.news.iter().any(|news| matches!(news, News::Ended { step: 1, failure: Some(_), .. })));
    it.finish();
}

#[test]
fn many_tasks_are_kept_as_content() {
    let item = |n: u32| json!({"id": format!("batch_{n}"), "files": ["x".repeat(700)]});
    let items = just((1..=30).map(item).collect());
    let mut it = start(fork_of(items, 3, OnFailure::Fail, tasks()));
    assert!(it.run.forking()[0].told.inline().is_none());
    for lane in 1..=30 {
        let effect = format!("{lane}/work@1#1");
        it.submit(&effect, json!({}));
    }
    it.expect(&["offer after#1"]);
    it.finish();
}

#[test]
fn only_tasks_that_failed_are_done_again() {
    let mut plan = fork_of(items(2), 5, OnFailure::Fail, tasks());
    (plan.revision, plan.steps[0]) = (REVISION, noop("work"));
    plan.steps.push(agent("repair"));
    let Flow::Sequence(sequence) = &mut plan.flow else { panic!() };
    let again = Node::Again { body: 2, catch: 3, times_max: 9 };
    let fork = std::mem::replace(&mut sequence.bodies[0][0], again);
    sequence.bodies.extend([vec![fork], vec![act(3)]]);
    let mut it = start(plan);
    it.done("1/work@1#1", json!({})).fails("2/work@1#1", FailureKind::Operation).expect(&["offer repair#1"]);
    it.submit("repair#1", json!({})).expect(&["perform 3/work@2#1"]);
    let stands =
        |it: &Drive| -> Vec<TaskStage> { stages(it).into_iter().map(|(_, stage, _)| stage).collect() };
    assert_eq!(stands(&it), [TaskStage::Done, TaskStage::Running]);
    it.fails("3/work@2#1", FailureKind::Operation).expect(&["offer repair@2#1"]);
    it.submit("repair@2#1", json!({})).done("4/work@3#1", json!({})).expect(&["offer after#1"]);
    it.finish();
}
