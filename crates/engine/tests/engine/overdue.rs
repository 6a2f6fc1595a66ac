//! What came due while nobody carried a run happens before anything else does: whoever comes with a word for it then finds
//! it as if it had been carried all the time.

use crate::plans::{graph, noop};
use engine::Error;
use engine::backend::{Accepted, Start};
use engine::driver::{Driver, Letter, Parcel};
use engine::store::Store;
use engine::turn::Home;
use kernel::command::Caller;
use kernel::plan::{Audience, Deadline, OnOverdue, Step, Work, Workflow};
use kernel::{Command, Data, Digest, Effect, EffectId, Fields, Outcome, Plan, Refusal, RunId, Status};
use std::path::Path;
use std::sync::Arc;

fn driver(dir: &Path) -> Driver {
    Driver::new(Store::open(dir).unwrap())
}

fn after(ms: u64) -> Deadline {
    Deadline::After(ms)
}

/// An action, and a step after it.
fn asks() -> Plan {
    let ask =
        Step::new("ask", Work::Action { audience: Audience::Agent, inputs: vec![], gate: None, ends: None });
    graph(vec![(ask, vec![]), (noop("after"), vec![0])])
}

fn starts(driver: &mut Driver, plan: Plan) {
    let (id, plan) = (RunId::new("r"), Arc::new(plan));
    let start = Start {
        id,
        plan,
        inputs: Fields::new(),
        home: Home::default(),
        request_key: None,
        pinned: vec![],
        is_brought: false,
    };
    driver.take(Letter::Start { start: Box::new(start), reply: None }, 1);
}

/// What a driver that has just opened the store says to a command, and which effects leave.
fn told(dir: &Path, run: &str, command: Command, now: u64) -> (Result<Accepted, Error>, Vec<Effect>) {
    let mut driver = driver(dir);
    let (sender, receiver) = std::sync::mpsc::channel();
    let reply: engine::turn::Reply = Box::new(move |answer| drop(sender.send(answer)));
    let letter = Letter::Command { run: RunId::new(run), command, contents: vec![], reply: Some(reply) };
    driver.take(letter, now);
    let left = driver.commit().unwrap().into_iter();
    let left = left.filter_map(|parcel| match parcel {
        Parcel::Effect { effect, .. } => Some(effect),
        _ => None,
    });
    let left = left.collect();
    driver.close().unwrap();
    (receiver.recv().unwrap(), left)
}

fn result(effect: &str) -> Command {
    let result = Fields::from([("response".to_owned(), Data::Inline("x".into()))]);
    let by = Caller::Agent("tester".into());
    Command::Submit { effect: EffectId::new(effect), result, by, claim: Default::default() }
}

fn cancel() -> Command {
    Command::Cancel { reason: "enough".to_owned(), by: Caller::Server }
}

fn begun(left: &[Effect]) -> bool {
    left.iter().any(|effect| matches!(effect, Effect::Perform(_)))
}

fn how(dir: &Path, run: &str) -> String {
    let store = Store::open(dir).unwrap();
    let row = store.reader().run(&RunId::new(run)).unwrap().unwrap();
    store.close().unwrap();
    format!("{}: {}", row.status, row.detail.unwrap_or_default())
}

#[test]
fn a_run_whose_time_was_up_takes_nothing_more() {
    for (now, command, in_time) in [
        (1_000, result("ask#1"), true),
        (1_001, result("ask#1"), false),
        (1_000, cancel(), true),
        (1_001, cancel(), false),
    ] {
        let dir = tempfile::tempdir().unwrap();
        let mut before = driver(dir.path());
        starts(&mut before, Plan { deadline: after(1_000), ..asks() });
        before.commit().unwrap();
        before.close().unwrap();

        let (answer, left) = told(dir.path(), "r", command.clone(), now);
        assert_eq!(answer.is_ok(), in_time, "{now} {command:?}");
        assert_eq!(begun(&left), in_time && command != cancel(), "{now} {command:?}");
        if !in_time {
            assert!(matches!(answer, Err(Error::Refused(Refusal::Over))), "{answer:?}");
            assert_eq!(how(dir.path(), "r"), "failed: the run took longer than 1 s");
        }
    }
}

#[test]
fn an_action_that_was_due_takes_no_result() {
    for (now, in_time) in [(1_000, true), (1_001, false)] {
        let dir = tempfile::tempdir().unwrap();
        let mut plan = asks();
        (plan.steps[0].timeout, plan.steps[0].on_overdue) = (after(1_000), OnOverdue::Fail);
        let mut before = driver(dir.path());
        starts(&mut before, plan);
        before.commit().unwrap();
        before.close().unwrap();

        let (answer, left) = told(dir.path(), "r", result("ask#1"), now);
        assert_eq!((answer.is_ok(), begun(&left)), (in_time, in_time), "{now}");
        assert_eq!(how(dir.path(), "r").starts_with("failed"), !in_time, "{now}");
    }
}

/// The deadline of the run comes before whatever else is due: a wait that is over would let a step begin.
#[test]
fn nothing_begins_once_the_time_is_up() {
    let dir = tempfile::tempdir().unwrap();
    let wait = Step::new("wait", Work::Wait { ms: kernel::plan::Expr::Const(10.into()) });
    let plan = graph(vec![(wait, vec![]), (noop("after"), vec![0])]);
    let mut before = driver(dir.path());
    starts(&mut before, Plan { deadline: after(1_000), ..plan });
    before.commit().unwrap();
    before.close().unwrap();

    let mut after = driver(dir.path());
    after.take(Letter::Recover { run: RunId::new("r"), reply: None }, 5_000);
    let left = after.commit().unwrap();
    let begins = |parcel: &Parcel| matches!(parcel, Parcel::Effect { effect: Effect::Perform(_), .. });
    assert!(!left.iter().any(begins));
    assert!(matches!(after.run(&RunId::new("r")).unwrap().outcome(), Some(Outcome::Failed { .. })));
}

/// What was at work when the server died is neither begun again nor waited for.
#[test]
fn an_interrupted_step_ends_with_the_time() {
    let dir = tempfile::tempdir().unwrap();
    let mut step = noop("a");
    step.on_interrupt = kernel::plan::OnInterrupt::Retry;
    let mut before = driver(dir.path());
    starts(&mut before, Plan { deadline: after(1_000), ..graph(vec![(step, vec![])]) });
    before.commit().unwrap();
    before.close().unwrap();

    let mut after = driver(dir.path());
    after.take(Letter::Recover { run: RunId::new("r"), reply: None }, 1_001);
    let left = after.commit().unwrap();
    let begins = |parcel: &Parcel| matches!(parcel, Parcel::Effect { effect: Effect::Perform(_), .. });
    assert!(!left.iter().any(begins));
    assert!(matches!(after.run(&RunId::new("r")).unwrap().outcome(), Some(Outcome::Failed { .. })));
}

/// A run that was called takes nothing more once the time of one above it was up.
#[test]
fn the_time_of_a_run_holds_for_those_it_calls() {
    let calls = |plan: &Plan| {
        let workflow = Workflow::Pinned { name: "below".into(), plan: plan.digest() };
        graph(vec![(Step::new("call", Work::Child { workflow, inputs: vec![] }), vec![])])
    };
    for (now, in_time) in [(1_000, true), (1_001, false)] {
        let dir = tempfile::tempdir().unwrap();
        let bottom = asks();
        let middle = calls(&bottom);
        let top = Plan { deadline: after(1_000), ..calls(&middle) };
        let plans: Vec<(Digest, Arc<Plan>)> =
            [middle, bottom].map(|plan| (plan.digest(), Arc::new(plan))).into();
        let mut before = driver(dir.path());
        starts(&mut before, top);
        for _ in 0..2 {
            for parcel in before.commit().unwrap() {
                let Parcel::Effect { run, effect, .. } = parcel else { continue };
                let Effect::StartChild { id, child, inputs, depth, plan, .. } = effect else { continue };
                let (_, plan) = plans.iter().find(|(digest, _)| Some(*digest) == plan).unwrap();
                let plan = Ok(Arc::clone(plan).into());
                before.take(Letter::StartChild { child, parent: (run, id), plan, inputs, depth }, 1);
            }
        }
        before.commit().unwrap();
        assert!(matches!(before.run(&RunId::new("r/call#1/call#1")).unwrap().status(), Status::Waiting(_)));
        before.close().unwrap();

        let (answer, left) = told(dir.path(), "r/call#1/call#1", result("ask#1"), now);
        assert_eq!((answer.is_ok(), begun(&left)), (in_time, in_time), "{now} {answer:?}");
        assert_eq!(how(dir.path(), "r/call#1/call#1").starts_with("cancelled"), !in_time, "{now}");
    }
}
