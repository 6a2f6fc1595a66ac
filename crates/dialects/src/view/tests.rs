//! What each piece of news does to a line.

use super::*;
use kernel::plan::{Adapter, Dialect, Flow, Graph, Node, OnFailure, Sequence, Step, Work};
use kernel::{Failure, FailureKind, Fields, News, Outcome, Plan};

fn timeline() -> Timeline {
    let mut plan = Plan::new("test", Dialect::Blocks, Flow::Graph(Graph::new(Vec::new(), 1)));
    let work = || Work::Server { adapter: Adapter::Noop, inputs: Vec::new(), secrets: Default::default() };
    plan.steps = ["a", "b"].map(|id| Step::new(id, work())).into();
    Timeline::new(&plan)
}

fn began(key: &str, step: u32, attempt: u32) -> News {
    News::Began { key: key.to_owned(), step, attempt, inputs: Fields::new() }
}

fn ended(key: &str, failure: Option<Failure>, since: u64) -> News {
    News::Ended { key: key.to_owned(), step: 0, failure, outputs: Fields::new(), since }
}

fn failure(kind: FailureKind) -> Failure {
    Failure::new(kind, "said no")
}

#[test]
fn an_attempt_that_is_repeated_keeps_its_beginning() {
    let mut timeline = timeline();
    timeline.turn(1, 100, &[began("a", 0, 1)]);
    let retrying = News::Retrying {
        key: "a".to_owned(),
        attempt: 1,
        failure: failure(FailureKind::Operation),
        due: 900,
    };
    timeline.turn(2, 300, &[retrying]);
    let line = timeline.line("a").unwrap();
    assert_eq!((line.state, line.due, line.reason.as_deref()), (State::Resting, Some(900), Some("said no")));
    assert_eq!(line.state.status(), "running");
    timeline.turn(3, 900, &[began("a", 0, 2)]);
    timeline.turn(4, 1_000, &[ended("a", None, 100)]);
    let line = timeline.line("a").unwrap();
    assert_eq!((line.state, line.attempt, line.started_at), (State::Succeeded, 2, Some(100)));
    assert_eq!((line.duration_ms, line.reason.as_deref(), line.due), (Some(900), None, None));
}

#[test]
fn a_step_that_is_done_again_begins_anew() {
    let mut timeline = timeline();
    timeline.turn(1, 100, &[began("0/a", 0, 1), ended("0/a", Some(failure(FailureKind::Crashed)), 100)]);
    timeline.turn(2, 200, &[began("1/a", 0, 1)]);
    let line = timeline.line("a").unwrap();
    assert_eq!((line.state, line.started_at, line.reason.as_deref()), (State::Running, Some(200), None));
}

#[test]
fn a_step_of_several_tasks_has_failed_where_it_failed_in_one() {
    let lane = |lane: u32, task: &str| News::LaneBegan {
        lane,
        step: 1,
        task_id: task.to_owned(),
        attempt: 1,
        index: 0,
        item: kernel::Data::Inline(1.into()),
        context: Fields::new(),
    };
    let mut timeline = timeline();
    timeline.turn(1, 100, &[lane(1, "x"), lane(2, "y"), began("1/a@1", 0, 1), began("2/a@1", 0, 1)]);
    timeline.turn(2, 200, &[ended("1/a@1", Some(failure(FailureKind::Operation)), 100)]);
    timeline.turn(3, 300, &[ended("2/a@1", None, 100)]);
    let line = timeline.line("a").unwrap();
    assert_eq!((line.state, line.reason.as_deref()), (State::Failed, Some("in task x: said no")));
    timeline.turn(4, 400, &[lane(3, "x"), began("3/a@1", 0, 1), ended("3/a@1", None, 400)]);
    let line = timeline.line("a").unwrap();
    assert_eq!((line.state, line.reason.as_deref()), (State::Succeeded, None), "it was done again");
}

#[test]
fn a_step_whose_result_could_not_be_kept_has_failed() {
    let mut plan = Plan::new("test", Dialect::Reactive, Flow::Graph(Graph::new(Vec::new(), 1)));
    let work = || Work::Server { adapter: Adapter::Noop, inputs: Vec::new(), secrets: Default::default() };
    (plan.steps, plan.state.layers) = (vec![Step::new("a", work())], vec!["raw".to_owned()]);
    let mut timeline = Timeline::new(&plan);
    let why = Failure::new(FailureKind::Expression, "step `a`: `deep` cannot be set in text");
    let closing = News::Closing { outcome: Outcome::Failed { failure: why } };
    timeline.turn(1, 100, &[began("a", 0, 1), ended("a", None, 100), closing]);
    let line = timeline.line("a").unwrap();
    assert_eq!((line.state, line.reason.as_deref()), (State::Failed, Some("`deep` cannot be set in text")));
}

#[test]
fn each_way_to_end_has_its_words() {
    for (kind, status, outcome) in [
        (None, "completed", "success"),
        (Some(FailureKind::Operation), "completed", "failure"),
        (Some(FailureKind::Crashed), "failed", "n/a"),
        (Some(FailureKind::TimedOut), "failed", "n/a"),
        (Some(FailureKind::Interrupted), "failed", "n/a"),
        (Some(FailureKind::Cancelled), "cancelled", "n/a"),
    ] {
        let mut timeline = timeline();
        timeline.turn(1, 100, &[began("a", 0, 1), ended("a", kind.map(failure), 100)]);
        let state = timeline.lines[0].state;
        assert_eq!((state.status(), state.outcome(), state.is_over()), (status, outcome, true));
    }
}

#[test]
fn an_interrupted_step_waits_and_an_abandoned_one_says_so() {
    let mut timeline = timeline();
    let interrupted = News::Interrupted { key: "a".to_owned(), attempt: 1 };
    timeline.turn(1, 100, &[began("a", 0, 1), began("b", 1, 1), interrupted]);
    assert_eq!(timeline.lines[0].state.status(), "interrupted");
    let outcome = Outcome::Cancelled { reason: "enough".to_owned() };
    timeline.turn(2, 150, &[News::Closing { outcome: outcome.clone() }]);
    assert_eq!((timeline.outcome.as_ref(), timeline.ended_at), (Some(&outcome), None));
    timeline.turn(3, 400, &[News::Over { outcome, abandoned: vec!["b".to_owned()] }]);
    assert_eq!((timeline.lines[1].state, timeline.duration_ms()), (State::Interrupted, Some(300)));
}

#[test]
fn a_turn_that_comes_twice_counts_once() {
    let mut timeline = timeline();
    timeline.turn(1, 100, &[began("a", 0, 1)]);
    timeline.turn(2, 200, &[ended("a", None, 100)]);
    let before = timeline.clone();
    timeline.turn(1, 100, &[began("a", 0, 1)]);
    timeline.turn(2, 200, &[ended("a", Some(failure(FailureKind::Crashed)), 100)]);
    assert_eq!(timeline, before);
}

#[test]
fn stored_data_is_shown_by_what_is_known_of_it() {
    let reference = kernel::data::Reference {
        digest: kernel::Digest::of_json(&1),
        size: 70_000,
        kind: kernel::data::Kind::Text,
        head: "first words".to_owned(),
    };
    let value = shown(&Data::Stored(reference));
    assert_eq!((value["size"].as_u64(), value["head"].as_str()), (Some(70_000), Some("first words")));
}

#[test]
fn a_command_whose_failure_is_a_result_is_done() {
    let work = Work::Server { adapter: Adapter::Process, inputs: Vec::new(), secrets: Default::default() };
    let steps = vec![Step::new("a", work.clone()), Step::new("b", work)];
    let node = |step, on_failure| Node::Within {
        step,
        when: None,
        node: Box::new(Node::Do { step, writes: Vec::new(), on_failure, otherwise: Vec::new() }),
    };
    let bodies = vec![vec![node(0, OnFailure::Take), node(1, OnFailure::Fail)]];
    let mut plan = Plan::new("test", Dialect::Steps, Flow::Sequence(Sequence { bodies }));
    plan.steps = steps;
    for (step, kind, outcome) in [
        (0, FailureKind::Operation, "success"),
        (0, FailureKind::TimedOut, "n/a"),
        (1, FailureKind::Operation, "failure"),
    ] {
        let (mut timeline, id) = (Timeline::new(&plan), ["a", "b"][step as usize]);
        let (failure, outputs) = (Some(failure(kind)), Fields::new());
        let ended = News::Ended { key: id.to_owned(), step, failure, outputs, since: 0 };
        timeline.turn(1, 0, &[began(id, step, 1), ended]);
        let line = timeline.line(id).unwrap();
        assert_eq!(
            (line.state.outcome(), line.reason.is_none()),
            (outcome, outcome == "success"),
            "{kind:?}"
        );
    }
}

#[test]
fn a_skipped_step_says_why() {
    let mut timeline = timeline();
    timeline.turn(1, 0, &[News::Skipped { step: 1, reason: "no".to_owned() }]);
    let line = timeline.line("b").unwrap();
    assert_eq!((line.state.status(), line.reason.as_deref(), line.attempt), ("skipped", Some("no"), 0));
    assert_eq!((line.started_at, line.duration_ms), (None, None));
}

fn items_of_a() -> Timeline {
    let mut plan = Plan::new("test", Dialect::Blocks, Flow::Graph(Graph::new(Vec::new(), 1)));
    let work = Work::Server { adapter: Adapter::Noop, inputs: Vec::new(), secrets: Default::default() };
    plan.steps = vec![Step::new("a", work)];
    let mut graph = Graph::new(vec![("a".to_owned(), Vec::new(), None)], 1);
    let items = kernel::plan::Expr::Const(serde_json::json!(["p", "q"]));
    graph.blocks[0].for_each = Some(kernel::plan::Each { items, width_max: None });
    plan.flow = Flow::Graph(graph);
    Timeline::new(&plan)
}

fn item(index: u32) -> News {
    let data = Data::Inline(["p", "q"][index as usize].into());
    News::Item { key: format!("a[{index}]"), step: 0, index, item: data }
}

#[test]
fn a_step_counts_the_attempts_of_the_item_that_took_most() {
    let mut timeline = items_of_a();
    timeline.turn(1, 100, &[item(0), began("a[0]", 0, 1), item(1), began("a[1]", 0, 1)]);
    timeline.turn(2, 200, &[began("a[0]", 0, 2), began("a[0]", 0, 3), began("a[1]", 0, 2)]);
    timeline.turn(3, 300, &[ended("a[0]", None, 100), ended("a[1]", None, 100)]);
    let attempts: Vec<u32> = timeline.lines[0].parts().iter().map(|part| part.attempt).collect();
    assert_eq!((timeline.lines[0].attempt, attempts.as_slice()), (3, &[3, 2][..]));
}

#[test]
fn work_that_is_asked_for_again_is_another_attempt() {
    let mut timeline = items_of_a();
    let (offered, checking) = (News::Offered { key: "a".to_owned() }, News::Checking { key: "a".to_owned() });
    let unverified = News::Unverified { key: "a".to_owned(), failure: failure(FailureKind::Operation) };
    timeline.turn(1, 100, &[began("a", 0, 1), offered.clone()]);
    assert_eq!(timeline.lines[0].attempt, 1);
    timeline.turn(2, 200, std::slice::from_ref(&checking));
    timeline.turn(3, 300, &[unverified.clone(), offered.clone()]);
    assert_eq!(timeline.lines[0].attempt, 2);
    timeline.turn(4, 400, std::slice::from_ref(&checking));
    timeline.turn(5, 500, &[unverified.clone(), offered]);
    timeline.turn(6, 600, &[checking]);
    timeline.turn(7, 700, &[unverified, ended("a", Some(failure(FailureKind::Operation)), 100)]);
    assert_eq!(timeline.lines[0].attempt, 3);
}

#[test]
fn each_item_has_a_line_of_its_own() {
    let mut timeline = items_of_a();
    assert_eq!(timeline.lines[0].parts().len(), 0);
    timeline.turn(1, 100, &[item(0), began("a[0]", 0, 1), item(1), began("a[1]", 0, 1)]);
    timeline.turn(2, 200, &[ended("a[1]", Some(failure(FailureKind::Operation)), 100)]);
    let line = &timeline.lines[0];
    assert_eq!((line.state, line.started_at, line.attempt), (State::Running, Some(100), 1));
    assert_eq!(timeline.line("a[0]").map(|line| line.state), Some(State::Running));
    let second = timeline.line("a[1]").unwrap();
    assert_eq!(
        (second.state, second.item.as_ref().and_then(Data::inline)),
        (State::Failed, Some(&"q".into()))
    );
    timeline.turn(3, 300, &[News::Interrupted { key: "a[0]".to_owned(), attempt: 1 }]);
    assert_eq!(timeline.lines[0].state, State::Interrupted);
    timeline.turn(4, 400, &[began("a[0]", 0, 2)]);
    assert_eq!(timeline.lines[0].state, State::Running);
    assert_eq!(timeline.line("a[0]").unwrap().item.as_ref().and_then(Data::inline), Some(&"p".into()));
    timeline.turn(
        5,
        500,
        &[ended("a[0]", None, 100), ended("a", Some(failure(FailureKind::Operation)), 100)],
    );
    let line = &timeline.lines[0];
    assert_eq!((line.state, line.duration_ms, line.parts().len()), (State::Failed, Some(400), 2));
    assert!(timeline.line("a[2]").is_none() && timeline.line("b[0]").is_none());
}

/// The step's state is counted along and never looked for among its items: it is the same as if it were.
#[test]
fn a_step_of_many_items_stands_as_they_do() {
    let item =
        |index: u32| News::Item { key: format!("a[{index}]"), step: 0, index, item: Data::Inline(1.into()) };
    let mut timeline = items_of_a();
    for (index, seq) in (0..1_000_u32).zip(1..) {
        let mut news = vec![item(index), began(&format!("a[{index}]"), 0, 1)];
        news.extend(index.checked_sub(8).map(|over| ended(&format!("a[{over}]"), None, 1)));
        timeline.turn(seq, seq, &news);
        let open = timeline.lines[0].parts().iter().filter(|item| !item.state.is_over()).count();
        assert_eq!(open, usize::try_from(index + 1).unwrap().min(8));
        assert_eq!(timeline.lines[0].state, State::Running);
    }
    let cut_off = (992..1_000).map(|index| News::Interrupted { key: format!("a[{index}]"), attempt: 1 });
    timeline.turn(1_001, 1_001, &cut_off.collect::<Vec<_>>());
    assert_eq!(timeline.lines[0].state, State::Interrupted);
}
