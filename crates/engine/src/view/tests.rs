//! How steps read, by the news about them.

use super::*;
use kernel::plan::{Adapter, Dialect, Flow, Graph, Work};
use kernel::{Failure, FailureKind, Fields};

fn view() -> View {
    let names = ["build", "push"];
    let shape = names.iter().map(|name| ((*name).to_owned(), vec![], None)).collect();
    let mut plan = Plan::new("test", Dialect::Blocks, Flow::Graph(Graph::new(shape, 1)));
    let work = || Work::Server { adapter: Adapter::Noop, inputs: vec![], secrets: Default::default() };
    plan.steps = names.iter().map(|name| kernel::plan::Step::new(*name, work())).collect();
    View::new(RunId::new("r"), Arc::new(plan), "/w".into(), 0)
}

fn took(view: &mut View, seq: u64, at: u64, news: Vec<News>) -> bool {
    view.take(&Progress { run: RunId::new("r"), seq, at, news, status: Status::Running })
}

fn began(step: u32, attempt: u32) -> News {
    News::Began { key: format!("k{step}"), step, attempt, inputs: Fields::new() }
}

fn ended(step: u32, since: u64, kind: Option<FailureKind>) -> News {
    let failure = kind.map(|kind| Failure::new(kind, "no"));
    News::Ended { key: format!("k{step}"), step, failure, outputs: Fields::new(), since }
}

#[test]
fn a_turn_counts_once() {
    let mut view = view();
    assert!(took(&mut view, 1, 10, vec![began(0, 1)]));
    assert!(!took(&mut view, 1, 10, vec![ended(0, 10, None)]));
    assert_eq!((view.since, view.lines()[0].state), (10, State::Running));
}

#[test]
fn what_nobody_carries_was_interrupted() {
    let mut view = view();
    took(&mut view, 1, 10, vec![began(0, 1), began(1, 1)]);
    took(&mut view, 2, 20, vec![ended(1, 10, Some(FailureKind::Operation))]);
    assert_eq!((view.word(), view.interrupted().count()), ("running", 0));
    view.left = true;
    assert_eq!(view.word(), "interrupted");
    assert_eq!(view.undecided().map(|line| line.id.as_str()).collect::<Vec<_>>(), ["build"]);
    let news = News::Interrupted { key: "k0".into(), attempt: 1 };
    assert_eq!(view.line_of(&news).map(|line| line.id.as_str()), Some("build"));
}

#[test]
fn what_was_claimed_of_an_action_is_looked_at_again_without_a_decision() {
    let mut view = view();
    let ask =
        Work::Action { audience: kernel::plan::Audience::Agent, gate: None, inputs: vec![], ends: None };
    Arc::make_mut(&mut view.plan).steps[0].work = ask;
    let key = || "k0".to_owned();
    let news = vec![began(0, 1), News::Offered { key: key() }, News::Checking { key: key() }];
    took(&mut view, 1, 10, news);
    view.left = true;
    assert_eq!((view.word(), view.interrupted().count()), ("interrupted", 1));
    assert_eq!(view.undecided().count(), 0);
}

#[test]
fn a_run_whose_called_run_works_works() {
    let mut view = view();
    let child = RunId::new("r/k0#1");
    let nested = News::Nested { key: "k0".into(), child: child.clone(), workflow: "w".into() };
    let progress = |waiting: Vec<Waiting>| Progress {
        run: RunId::new("r"),
        seq: 1,
        at: 10,
        news: vec![began(0, 1), nested.clone()],
        status: Status::Waiting(waiting),
    };
    let below = || Waiting::Child("build".to_owned());
    view.take(&progress(vec![below()]));
    assert_eq!((view.word(), view.waiting_for()), ("running", vec![]));
    view.status = Status::Waiting(vec![Waiting::Clock("push".into(), 0), below()]);
    assert_eq!((view.word(), view.waiting_for().len()), ("running", 1));
    // It waits itself, for someone.
    view.still = vec![child];
    assert_eq!((view.word(), view.waiting_for().len()), ("waiting", 2));
    view.left = true;
    assert_eq!(view.word(), "interrupted");
}

#[test]
fn a_run_waits_only_for_someone() {
    let mut view = view();
    let resting = |due| News::Retrying {
        key: "k0".into(),
        attempt: 1,
        failure: Failure::new(FailureKind::Operation, "no"),
        due,
    };
    let clock = || Waiting::Clock("build".into(), 1_000);
    took(&mut view, 1, 10, vec![began(0, 1), resting(1_000)]);
    view.status = Status::Waiting(vec![clock()]);
    assert_eq!((view.word(), &view.response()["status"]), ("running", &"running".into()));
    assert_eq!(view.waiting_for(), ["the next attempt of `build` at 1970-01-01T00:00:01.000Z"]);
    // What only sleeps says so.
    view.status = Status::Waiting(vec![Waiting::Clock("push".into(), 1_000)]);
    assert_eq!(view.waiting_for(), ["the clock: `push` at 1970-01-01T00:00:01.000Z"]);
    for one in
        [Waiting::Agent("push".into()), Waiting::Human("push".into()), Waiting::Decision("push".into())]
    {
        view.status = Status::Waiting(vec![clock(), one]);
        assert_eq!((view.word(), &view.response()["status"]), ("waiting", &"paused".into()));
    }
    view.left = true;
    assert_eq!((view.word(), &view.response()["status"]), ("interrupted", &"paused".into()));
}
