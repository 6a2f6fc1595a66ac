//! The kernel inside one generic Temporal workflow, against a real server: one run each of graph, sequence with
//! two lanes, machine, a child, a timer, an agent action and a gate; the worker and the server are killed in
//! between; runs continue as new with things open; every recorded history replays without a server.
//!
//! `scripts/fetch-temporal` gets the server. Without it the tests say so and pass, unless
//! `SWITCHBACK_REQUIRE_TEMPORAL` is set, as it is where the proof is wanted.

#![expect(clippy::unwrap_used, reason = "helpers of tests stand outside of them")]

#[path = "temporal/hands.rs"]
mod hands;
#[path = "temporal/plans.rs"]
mod plans;
#[path = "temporal/world.rs"]
mod world;

use engine::temporal::{Backend, Error, Seed, replay};
use kernel::command::Caller;
use kernel::effect::Action;
use kernel::{Command, Data, Effect, Fields, Outcome, Plan, Run, RunId};
use serde_json::json;
use std::sync::Arc;
use std::time::{Duration, Instant};
use world::World;

const PATIENCE: Duration = Duration::from_secs(60);
const WAIT: Duration = Duration::from_secs(2);

#[tokio::test(flavor = "multi_thread")]
async fn a_graph_outlives_its_worker_and_its_server() {
    let Some(mut world) = World::start().await else { return };
    let backend = world.backend().await;
    let run = start(&backend, "graph", plans::graph(), 10_000).await;

    // Work, wait, action and child are open. The worker dies in the middle of the work.
    await_run(&backend, &run, "four things open", |run| actions(run).len() == 1).await;
    world.await_note("begin graph fetch#1").await;
    world.kill_worker();
    world.start_worker();

    // The server dies while they are open; nobody restarts the worker.
    let child = RunId::new("graph/sub#1");
    await_run(&backend, &child, "the child's action", |run| actions(run).len() == 1).await;
    drop(backend);
    world.kill_and_restart_server().await;
    let backend = world.backend().await;

    let ask = action(&backend, &run, "ask").await;
    submit(&backend, &run, &ask, "a line").await.unwrap();
    finish_machine(&backend, &child).await;

    let approve = action(&backend, &run, "approve").await;
    let refused = submit(&backend, &run, &approve, "me, a human").await.unwrap_err();
    assert_eq!(refused.to_string(), "only a human may answer `approve#1`");
    answer(&backend, &run, &approve, true).await.unwrap();

    assert_eq!(outputs(&backend, &run).await, json!({ "text": "fetched and a line" }));
    assert_eq!(backend.status(&run).await.unwrap(), "Completed");
    let begun = world.notes("begin graph ");
    assert_eq!(begun, ["begin graph fetch#1", "begin graph fetch#2", "begin graph publish#1"]);
    replay_all(&backend, &[&run, &child]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn two_lanes_continue_as_new_after_every_turn() {
    let Some(world) = World::start().await else { return };
    let backend = world.backend().await;
    let run = start(&backend, "lanes", plans::lanes(), 1).await;

    // From here on each turn is a Temporal run of its own, while the work of both lanes goes on.
    for line in ["first", "second"] {
        let say = action(&backend, &run, "say").await;
        submit(&backend, &run, &say, line).await.unwrap();
        let refused = submit(&backend, &run, &say, line).await.unwrap_err();
        assert_eq!(refused.to_string(), format!("this result of `{}` was taken already", say.id));
    }

    let outputs = outputs(&backend, &run).await;
    let mut state = outputs["result"].clone();
    state["words"].as_array_mut().unwrap().sort_by_key(|word| word.to_string());
    let expected = json!({
        "words": ["north", "south"],
        "lines": ["first", "second"],
        "given": ["north", "south"],
        "sum": "words | join",
    });
    assert_eq!(state, expected);
    let begun = world.notes("begin lanes ");
    assert_eq!(begun, ["begin lanes 1/work@1#1", "begin lanes 2/work@1#1", "begin lanes sum#1"]);
    assert_eq!(world.notes("answer words | join").len(), 1, "an answer is given once and recorded");
    assert!(backend.histories(&run).await.unwrap().len() > 5, "it continued as new");
    replay_all(&backend, &[&run]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_machine_goes_round_until_a_human_says_yes() {
    let Some(mut world) = World::start().await else { return };
    let backend = world.backend().await;
    let run = start(&backend, "machine", plans::machine(), 10_000).await;

    let draft = action(&backend, &run, "draft").await;
    submit(&backend, &run, &draft, "rough").await.unwrap();
    let review = action(&backend, &run, "review").await;

    // An answer that is given while no worker is there waits for one.
    world.kill_worker();
    let (said, ()) = tokio::join!(answer(&backend, &run, &review, false), async {
        tokio::time::sleep(Duration::from_millis(500)).await;
        world.start_worker();
    });
    assert_eq!(said.unwrap().actions[0].id.as_str(), "draft@3#1");

    let draft = action(&backend, &run, "draft").await;
    submit(&backend, &run, &draft, "fine").await.unwrap();
    let review = action(&backend, &run, "review").await;
    answer(&backend, &run, &review, true).await.unwrap();
    assert_eq!(outputs(&backend, &run).await, json!({ "text": "fine" }));
    replay_all(&backend, &[&run]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refusal_leaves_no_trace() {
    let Some(world) = World::start().await else { return };
    let backend = world.backend().await;
    let run = start(&backend, "refusal", plans::slow_child(), 10_000).await;
    let ask = action(&backend, &run, "ask").await;

    let other = Action { id: kernel::EffectId::new("nothing#1"), ..ask.clone() };
    let refused = submit(&backend, &run, &other, "x").await.unwrap_err();
    assert_eq!(refused.to_string(), "`nothing#1` is not due; due: `ask#1`, `work#1`");
    // The server may keep an empty workflow task if something else happens just then; of the update it keeps nothing.
    assert_eq!(updates(&backend, &run).await, 0);

    // Two results at once: both may pass the validator of one workflow task, one turn takes one of them.
    let (one, two) = tokio::join!(submit(&backend, &run, &ask, "one"), submit(&backend, &run, &ask, "two"));
    assert!(one.is_ok() != two.is_ok(), "one of two results is taken: {one:?}, {two:?}");
    assert_ne!(updates(&backend, &run).await, 0);
    backend.cancel(&run, "enough").await.unwrap();
    backend.outcome(&run).await.unwrap();
    replay_all(&backend, &[&run]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn cancel_goes_down_and_everything_closes() {
    let Some(mut world) = World::start().await else { return };
    let backend = world.backend().await;
    let run = start(&backend, "slow", plans::slow(), 1).await;
    let child = RunId::new("slow/sub#1");
    await_run(&backend, &child, "the child's action", |run| actions(run).len() == 1).await;
    world.await_note("begin slow work#1").await;
    world.await_note("begin slow/sub#1 work#1").await;

    backend.cancel(&run, "enough").await.unwrap();
    let outcome = backend.outcome(&run).await.unwrap();
    assert_eq!(outcome, Outcome::Cancelled { reason: "enough".into() });
    let outcome = backend.outcome(&child).await.unwrap();
    assert_eq!(outcome, Outcome::Cancelled { reason: "the parent closes".into() });
    for run in [&run, &child] {
        assert_eq!(backend.status(run).await.unwrap(), "Canceled");
    }
    assert_eq!(world.notes("begin ").len(), 2);
    assert_eq!(world.notes("stopped ").len(), 2);
    world.kill_worker();
    replay_all(&backend, &[&run, &child]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_history_that_was_changed_does_not_replay() {
    let Some(world) = World::start().await else { return };
    let backend = world.backend().await;
    let run = start(&backend, "changed", plans::machine(), 10_000).await;
    let draft = action(&backend, &run, "draft").await;
    submit(&backend, &run, &draft, "x").await.unwrap();
    finish_review(&backend, &run).await;
    backend.outcome(&run).await.unwrap();

    let history = backend.histories(&run).await.unwrap().remove(0);
    replay(&history).await.unwrap();
    let changed = String::from_utf8(history).unwrap().replace("\"perform\"", "\"perfect\"");
    let error = replay(changed.as_bytes()).await.unwrap_err();
    assert!(error.to_string().contains("Nondeterminism"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_of_another_behaviour_is_left_alone() {
    let Some(world) = World::start().await else { return };
    let backend = world.backend().await;
    let run = RunId::new("other");
    let seed = Seed::new(run.clone(), Arc::new(plans::machine()), Fields::new(), world::HOME);
    backend.start(Seed { behaviour: 0, ..seed }).await.unwrap();

    let begun = Instant::now();
    let wanted = format!("this worker has behaviour {}, and the run wants 0", kernel::BEHAVIOUR);
    while !String::from_utf8_lossy(&backend.histories(&run).await.unwrap()[0]).contains(&wanted) {
        assert!(begun.elapsed() < PATIENCE, "no worker said that it does not fit");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert_eq!(backend.status(&run).await.unwrap(), "Running");
}

/// Not a test: the worker, as a process that can be killed.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "the worker process of the other tests"]
async fn worker_process() {
    world::be_worker().await;
}

async fn start(backend: &Backend, name: &str, plan: Plan, turns_max: u64) -> RunId {
    let run = RunId::new(name);
    let seed = Seed::new(run.clone(), Arc::new(plan), Fields::new(), world::HOME);
    backend.start(Seed { turns_max, ..seed }).await.unwrap();
    run
}

/// Waits until a run is as wanted. Polls: no clock of ours is in what is proven.
async fn await_run(backend: &Backend, run: &RunId, what: &str, wanted: impl Fn(&Run) -> bool) -> Run {
    let begun = Instant::now();
    let mut seen = String::new();
    while begun.elapsed() < PATIENCE {
        match backend.load(run).await {
            Ok(run) if wanted(&run) => return run,
            Ok(run) => seen = format!("{:?}", run.status()),
            Err(error) => seen = error.to_string(),
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("{run}: {what} did not come; it is {seen}");
}

fn actions(run: &Run) -> Vec<Action> {
    let open = run.open().into_iter();
    open.filter_map(|open| if let Effect::Offer(action) = open.effect { Some(action) } else { None })
        .collect()
}

/// Waits until an action of a step is due.
async fn action(backend: &Backend, run: &RunId, step: &str) -> Action {
    let due = |run: &Run| actions(run).into_iter().find(|action| action.step == step);
    let run = await_run(backend, run, &format!("action `{step}`"), |run| due(run).is_some()).await;
    due(&run).unwrap()
}

type Submitted = Result<engine::temporal::Next, Error>;

async fn submit(backend: &Backend, run: &RunId, action: &Action, line: &str) -> Submitted {
    let result = Fields::from([("line".to_owned(), Data::Inline(json!(line)))]);
    let by = Caller::Agent("tester".into());
    backend
        .submit(
            run,
            Command::Submit { effect: action.id.clone(), result, by, claim: kernel::event::Claim::default() },
            WAIT,
        )
        .await
}

async fn answer(backend: &Backend, run: &RunId, action: &Action, approved: bool) -> Submitted {
    let by = Caller::Human { door: "console".into(), proven: false };
    let (effect, shown, result) = (action.id.clone(), action.shown, Fields::new());
    backend.submit(run, Command::Answer { effect, approved, result, shown, by }, WAIT).await
}

async fn finish_machine(backend: &Backend, run: &RunId) {
    let draft = action(backend, run, "draft").await;
    submit(backend, run, &draft, "fine").await.unwrap();
    finish_review(backend, run).await;
}

async fn finish_review(backend: &Backend, run: &RunId) {
    let review = action(backend, run, "review").await;
    answer(backend, run, &review, true).await.unwrap();
}

async fn outputs(backend: &Backend, run: &RunId) -> serde_json::Value {
    match backend.outcome(run).await.unwrap() {
        Outcome::Succeeded { outputs } => {
            outputs.into_iter().map(|(name, data)| (name, data.inline().unwrap().clone())).collect()
        }
        other => panic!("{run} ended as {other:?}"),
    }
}

/// Replays every Temporal run of these runs, with no server, desk or home.
async fn replay_all(backend: &Backend, runs: &[&RunId]) {
    for run in runs {
        for (number, history) in backend.histories(run).await.unwrap().iter().enumerate() {
            replay(history).await.unwrap_or_else(|error| panic!("{run}, Temporal run {number}: {error}"));
        }
    }
}

/// How many updates the history of a run has taken in.
async fn updates(backend: &Backend, run: &RunId) -> usize {
    let histories = backend.histories(run).await.unwrap();
    let text = |history: &Vec<u8>| String::from_utf8_lossy(history).into_owned();
    histories.iter().map(|history| text(history).matches("UpdateAcceptedEventAttributes").count()).sum()
}
