//! Time-out, withdrawal and interruption: what was stopped has changed nothing.

use super::*;
use crate::adapters::file::{Ended, run};
use crate::adapters::process::Stops;
use kernel::event::Report;
use rustix::fs::{FlockOperation, flock};
use std::time::Duration;
use tokio::sync::watch;

/// Runs a merge while somebody else holds the folder.
fn held(
    timeout_ms: Option<u64>,
    raise: impl FnOnce(&watch::Sender<bool>, &watch::Sender<bool>),
) -> (World, Ended) {
    held_up("merge_state", json!({"path": "state.json", "updates": {"a": 1}}), timeout_ms, raise)
}

/// Does something while somebody else holds the folder.
fn held_up(
    operation: &str,
    inputs: Value,
    timeout_ms: Option<u64>,
    raise: impl FnOnce(&watch::Sender<bool>, &watch::Sender<bool>),
) -> (World, Ended) {
    let world = World::new();
    let folder = fs::File::open(&world.home.folder).unwrap();
    flock(&folder, FlockOperation::LockExclusive).unwrap();
    let (cancel, shutdown) = (watch::channel(false).0, watch::channel(false).0);
    let stops = Stops::new(cancel.subscribe(), shutdown.subscribe());
    let files = Arc::new(Files::new(world.dir.path().join("data"), Arc::new(Plain)));
    let perform = Perform { timeout_ms, ..perform(1, operation, inputs) };
    raise(&cancel, &shutdown);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let ended = runtime.block_on(run(files, RunId::new("r"), world.home.clone(), perform, stops));
    assert!(world.names(&world.home.folder).is_empty());
    drop(folder);
    (world, ended)
}

fn failure(ended: &Ended) -> &Failure {
    match ended {
        Ended::Reported(Report::Failed { failure, .. }, None) => failure,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_lock_that_is_not_given_is_waited_for_no_longer_than_allowed() {
    let (_world, ended) = held(Some(50), |_, _| ());
    let failure = failure(&ended);
    assert_eq!(failure.kind, FailureKind::TimedOut);
    assert_eq!(
        failure.message,
        "timed out after 0.05 s: its folder is locked by somebody else, and it waited for that (its `timeout` says how long it \
         may take)"
    );
}

#[test]
fn what_waited_too_long_makes_no_folder_once_it_might() {
    let inputs = json!({"path": "logs/deep/file", "content": "x"});
    let (world, ended) = held_up("create", inputs, Some(50), |_, _| ());
    assert!(failure(&ended).message.contains("locked by somebody else"), "{ended:?}");
    // Whoever holds the folder next comes after the one that waited.
    let folder = fs::File::open(&world.home.folder).unwrap();
    flock(&folder, FlockOperation::LockExclusive).unwrap();
    assert!(world.names(&world.home.folder).is_empty());
}

/// An evaluator that others use for a while, and that takes its time then.
struct Busy {
    others: Duration,
    own: Duration,
}

impl Answers for Busy {
    fn answer(&self, run: &RunId, questions: &[Question], patience: &Patience) -> Vec<Answer> {
        patience.wait(|| std::thread::sleep(self.others));
        std::thread::sleep(self.own);
        Plain.answer(run, questions, patience)
    }

    fn plan(&self, home: &Home, workflow: &str, plan: Option<Digest>) -> Result<Called, String> {
        Plain.plan(home, workflow, plan)
    }
}

#[test]
fn to_wait_for_an_evaluator_is_not_its_own_time() {
    let world = World::new();
    let render = |others: u64, own: u64| {
        let (others, own) = (Duration::from_millis(others), Duration::from_millis(own));
        let files = Files::new(world.dir.path().join("data"), Arc::new(Busy { others, own }));
        let perform = Perform { timeout_ms: Some(200), ..perform(1, "render", json!({"source": "x"})) };
        let (run_id, home) = (RunId::new("r"), world.home.clone());
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(run(Arc::new(files), run_id, home, perform, Stops::never()))
    };
    let ended = render(600, 0);
    assert!(matches!(ended, Ended::Reported(Report::Done { .. }, None)), "{ended:?}");
    let ended = render(100, 2_000);
    let failure = failure(&ended);
    assert_eq!(failure.kind, FailureKind::TimedOut);
    assert_eq!(failure.message, "timed out after 0.2 s (its `timeout` says how long it may take)");
}

#[test]
fn what_is_not_wanted_any_more_is_given_up() {
    let (_world, ended) = held(None, |cancel, _| assert!(!cancel.send_replace(true)));
    assert_eq!(failure(&ended).kind, FailureKind::Cancelled);
}

#[test]
fn what_is_interrupted_says_so() {
    let (_world, ended) = held(None, |_, shutdown| assert!(!shutdown.send_replace(true)));
    assert!(matches!(ended, Ended::Interrupted));
}

#[test]
fn nothing_is_written_behind_a_shut_gate() {
    let world = World::new();
    let (gate, run) = (Gate::default(), RunId::new("r"));
    assert!(gate.shut());
    for (operation, inputs) in [
        ("create", json!({"path": "a/b", "content": "x"})),
        ("merge_state", json!({"path": "s/s.json", "updates": {}})),
        ("render", json!({"source": "x", "target": "t"})),
    ] {
        let done = world.files.carry_out(&run, &world.home, &perform(1, operation, inputs), &gate);
        assert_eq!(done.unwrap_err().failure().kind, FailureKind::Cancelled);
    }
    assert!(world.names(&world.home.folder).is_empty());
}
