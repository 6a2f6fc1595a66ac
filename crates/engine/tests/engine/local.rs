//! The local backend.

use crate::plans::{graph, noops, shell};
use engine::adapters::process::Notes;
use engine::answers::Nobody;
use engine::backend::{Accepted, Backend, Error, Progress, Start};
use engine::local::Local;
use engine::store::Store;
use engine::turn::Home;
use kernel::command::Caller;
use kernel::event::Resolution;
use kernel::plan::{Adapter, Expr, Flow, Step, Work};
use kernel::{Command, EffectId, Fields, Outcome, Plan, RunId, Status};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc::UnboundedReceiver;

fn open(dir: &Path) -> Local {
    let store = Store::open(&dir.join("data")).unwrap();
    let notes = Notes::open(&dir.join("data")).unwrap();
    Local::open(store, notes, Arc::new(Nobody), tokio::runtime::Handle::current())
}

fn start(dir: &Path, id: &str, plan: Plan) -> Start {
    let home = Home::new(dir.to_owned(), std::env::vars());
    Start {
        id: RunId::new(id),
        plan: Arc::new(plan),
        inputs: Fields::new(),
        home,
        request_key: None,
        pinned: Vec::new(),
        is_brought: false,
    }
}

async fn end(progress: &mut UnboundedReceiver<Progress>) -> Outcome {
    loop {
        if let Status::Ended(outcome) = progress.recv().await.unwrap().status {
            return outcome;
        }
    }
}

async fn until_waiting(progress: &mut UnboundedReceiver<Progress>) {
    while !matches!(progress.recv().await.unwrap().status, Status::Waiting(_)) {}
}

#[tokio::test(flavor = "multi_thread")]
async fn a_graph_runs_to_its_end() {
    let dir = tempfile::tempdir().unwrap();
    let local = open(dir.path());
    let id = RunId::new("calm-heron-07");
    let mut progress = local.subscribe(&id).await.unwrap();
    let plan = graph(vec![
        (shell("a", "echo one > out"), vec![]),
        (shell("b", "cat out; echo two >> out"), vec![0]),
    ]);
    local.start(start(dir.path(), "calm-heron-07", plan)).await.unwrap();
    assert!(matches!(end(&mut progress).await, Outcome::Succeeded { .. }));
    assert_eq!(std::fs::read_to_string(dir.path().join("out")).unwrap(), "one\ntwo\n");
    local.close().await;
    let store = Store::open(&dir.path().join("data")).unwrap();
    store.reader().verify(&id).unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_chain_makes_one_entry_a_step_and_one_for_the_start() {
    let dir = tempfile::tempdir().unwrap();
    let local = open(dir.path());
    let id = RunId::new("r");
    let mut progress = local.subscribe(&id).await.unwrap();
    let plan = noops(&[("a", &[]), ("b", &[0]), ("c", &[1]), ("d", &[2])]);
    local.start(start(dir.path(), "r", plan)).await.unwrap();
    end(&mut progress).await;
    let seq = local.query(&id).await.unwrap().seq;
    assert_eq!(seq, 5, "one entry for the start and one a step");
    local.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_shutdown_interrupts_is_asked_about_and_done_again() {
    let dir = tempfile::tempdir().unwrap();
    let id = RunId::new("r");
    let local = open(dir.path());
    let plan = graph(vec![(shell("slow", "echo $$ >> pids; test -e go || sleep 600"), vec![])]);
    let accepted: Accepted = local.start(start(dir.path(), "r", plan)).await.unwrap();
    assert_eq!(accepted.status, Status::Running);
    local.close().await;

    std::fs::write(dir.path().join("go"), "").unwrap();
    let local = open(dir.path());
    let accepted = local.recover(&id).await.unwrap();
    assert!(matches!(accepted.status, Status::Waiting(_)), "{accepted:?}");
    let mut progress = local.subscribe(&id).await.unwrap();
    let by = Caller::Human { door: "test".into(), proven: false };
    let retry = Command::Resolve { effect: EffectId::new("slow#1"), resolution: Resolution::Retry, by };
    local.submit(&id, retry.clone()).await.unwrap();
    assert!(matches!(end(&mut progress).await, Outcome::Succeeded { .. }));
    assert!(matches!(local.submit(&id, retry).await, Err(Error::Refused(_))));
    local.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn cancel_ends_the_process_and_the_run() {
    let dir = tempfile::tempdir().unwrap();
    let id = RunId::new("r");
    let local = open(dir.path());
    let mut progress = local.subscribe(&id).await.unwrap();
    local.start(start(dir.path(), "r", graph(vec![(shell("slow", "sleep 600"), vec![])]))).await.unwrap();
    local.cancel(&id, "enough", Caller::Server).await.unwrap();
    assert_eq!(end(&mut progress).await, Outcome::Cancelled { reason: "enough".into() });
    local.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_key_names_one_run() {
    let dir = tempfile::tempdir().unwrap();
    let local = open(dir.path());
    let keyed = |id: &str, plan| Start { request_key: Some("k".into()), ..start(dir.path(), id, plan) };
    let first = local.start(keyed("r1", noops(&[("a", &[])]))).await.unwrap();
    let again = local.start(keyed("r2", noops(&[("a", &[])]))).await.unwrap();
    assert_eq!((first.run.as_str(), again.run.as_str()), ("r1", "r1"));
    let mut renamed = noops(&[("a", &[])]);
    renamed.name = "another".into();
    let other = local.start(keyed("r3", renamed)).await;
    assert!(matches!(other, Err(Error::KeyUsed(_))));
    let unknown = local.query(&RunId::new("r3")).await;
    assert!(matches!(unknown, Err(Error::NoRun(_))));
    local.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_waiting_run_is_named_by_what_it_waits_for() {
    let dir = tempfile::tempdir().unwrap();
    let id = RunId::new("r");
    let local = open(dir.path());
    let mut progress = local.subscribe(&id).await.unwrap();
    let mut step = shell("flaky", "exit 1");
    step.retry = kernel::plan::Retry {
        attempts_max: 2,
        delay_ms: 600_000,
        growth_percent: 100,
        delay_ms_max: 600_000,
    };
    local.start(start(dir.path(), "r", graph(vec![(step, vec![])]))).await.unwrap();
    until_waiting(&mut progress).await;
    let Status::Waiting(waiting) = local.query(&id).await.unwrap().status else { panic!("it waits") };
    assert!(waiting[0].to_string().starts_with("the clock: `flaky` at 2"), "{}", waiting[0]);
    local.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_backend_that_has_stopped_says_why() {
    let dir = tempfile::tempdir().unwrap();
    let local = open(dir.path());
    let id = RunId::new("r");
    let mut progress = local.subscribe(&id).await.unwrap();
    let plan = graph(vec![(shell("a", "until test -e go; do sleep 0.02; done"), vec![])]);
    local.start(start(dir.path(), "r", plan)).await.unwrap();
    let raw = rusqlite::Connection::open(dir.path().join("data/switchback.db")).unwrap();
    raw.execute("UPDATE owner SET epoch = epoch + 1", ()).unwrap();
    std::fs::write(dir.path().join("go"), "").unwrap();
    while progress.recv().await.is_some() {}
    let said = "the engine has stopped: the store was taken over by another process (epoch 2, ours was 1)";
    assert_eq!(local.stopped().to_string(), said);
    assert_eq!(local.query(&id).await.unwrap_err().to_string(), said);
    local.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_is_set_aside_stays_so_until_someone_goes_on_with_it() {
    let dir = tempfile::tempdir().unwrap();
    let id = RunId::new("r");
    let mark = dir.path().join("mark");
    let command = format!("echo x >> {}; test -e {}/go || sleep 600", mark.display(), dir.path().display());
    let mut step = shell("slow", &command);
    step.on_interrupt = kernel::plan::OnInterrupt::Retry;
    let plan = graph(vec![(step, vec![])]);
    let local = open(dir.path());
    let mut effects = local.effects();
    local.start(start(dir.path(), "r", plan)).await.unwrap();
    // It is there before anything is in it.
    while std::fs::read_to_string(&mark).unwrap_or_default() != "x\n" {
        tokio::task::yield_now().await;
    }
    local.park(&id).await.unwrap();
    assert_eq!(*effects.borrow_and_update(), 0);
    assert_eq!(std::fs::read_to_string(&mark).unwrap(), "x\n");
    local.close().await;

    let local = open(dir.path());
    let reader = engine::store::Reader::open(&dir.path().join("data")).unwrap();
    assert!(reader.run(&id).unwrap().unwrap().parked_at.is_some());
    // What it asked for again when it was set aside was never begun, and so not interrupted either.
    assert_eq!(local.query(&id).await.unwrap().seq, 2);
    std::fs::write(dir.path().join("go"), "").unwrap();
    let mut progress = local.subscribe(&id).await.unwrap();
    local.recover(&id).await.unwrap();
    assert!(matches!(end(&mut progress).await, Outcome::Succeeded { .. }));
    assert!(reader.run(&id).unwrap().unwrap().parked_at.is_none());
    assert_eq!(std::fs::read_to_string(&mark).unwrap(), "x\nx\n");
    assert_eq!(local.query(&id).await.unwrap().seq, 3);
    local.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_is_asked_about_what_did_not_begin_because_its_run_was_set_aside() {
    let dir = tempfile::tempdir().unwrap();
    let id = RunId::new("r");
    let local = open(dir.path());
    // The first one has failed by that, and the second is due while the run is being set aside.
    let mut first = shell("a", "echo x > mark; sleep 600");
    first.on_interrupt = kernel::plan::OnInterrupt::Fail;
    let plan = graph(vec![(first, vec![]), (shell("b", "echo x >> second"), vec![0])]);
    let Flow::Graph(mut shape) = plan.flow.clone() else { unreachable!() };
    shape.blocks[1].condition = Some(kernel::plan::Expr::Const(true.into()));
    let plan = Plan { flow: Flow::Graph(shape), ..plan };
    local.start(start(dir.path(), "r", plan)).await.unwrap();
    while !dir.path().join("mark").exists() {
        tokio::task::yield_now().await;
    }
    local.park(&id).await.unwrap();
    assert!(!dir.path().join("second").exists());
    let mut progress = local.subscribe(&id).await.unwrap();
    local.recover(&id).await.unwrap();
    let ended = tokio::time::timeout(Duration::from_secs(10), end(&mut progress)).await;
    assert!(ended.is_ok(), "it waits for a word on what never began");
    assert_eq!(std::fs::read_to_string(dir.path().join("second")).unwrap(), "x\n");
    local.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_is_set_aside_just_as_it_makes_a_file_knows_that_file_afterwards() {
    let dir = tempfile::tempdir().unwrap();
    let local = open(dir.path());
    let reader = engine::store::Reader::open(&dir.path().join("data")).unwrap();
    for number in 0..150_u32 {
        let name = format!("r{number}");
        let id = RunId::new(&name);
        let inputs =
            [("operation", "create".into()), ("path", name.as_str().into()), ("content", "x".into())];
        let inputs = inputs.into_iter().chain([("overwrite", false.into())]);
        let inputs = inputs.map(|(name, value)| (name.to_owned(), Expr::Const(value))).collect();
        let work = Work::Server { adapter: Adapter::File, inputs, secrets: Default::default() };
        let mut step = Step::new("make", work);
        step.on_interrupt = kernel::plan::OnInterrupt::Retry;
        local.start(start(dir.path(), &name, graph(vec![(step, vec![])]))).await.unwrap();
        // Sometimes before, sometimes while, sometimes after it gets its name.
        tokio::time::sleep(Duration::from_micros(u64::from(number) * 60)).await;
        local.park(&id).await.unwrap();
        // It stays aside, or was done by its first attempt.
        let seq = local.query(&id).await.unwrap().seq;
        let row = reader.run(&id).unwrap().unwrap();
        assert!(row.parked_at.is_some() || (row.ended_at.is_some() && seq == 2), "{name}: {row:?}");
        let mut progress = local.subscribe(&id).await.unwrap();
        let status = local.recover(&id).await.unwrap().status;
        let outcome = if let Status::Ended(outcome) = status { outcome } else { end(&mut progress).await };
        assert!(matches!(outcome, Outcome::Succeeded { .. }), "{name}: {outcome:?}");
    }
    local.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_subscribes_and_then_looks_misses_no_end() {
    let dir = tempfile::tempdir().unwrap();
    let local = open(dir.path());
    let reader = engine::store::Reader::open(&dir.path().join("data")).unwrap();
    for number in 0..100 {
        let name = format!("r{number}");
        let id = RunId::new(&name);
        local.start(start(dir.path(), &name, noops(&[("a", &[])]))).await.unwrap();
        let mut progress = local.subscribe(&id).await.unwrap();
        if reader.run(&id).unwrap().unwrap().ended_at.is_none() {
            let told = tokio::time::timeout(Duration::from_secs(10), end(&mut progress)).await;
            assert!(told.is_ok(), "{name} ended, and nobody was told");
        }
    }
    local.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_held_to_the_end_is_begun_by_the_next_owner_and_nobody_is_asked() {
    let dir = tempfile::tempdir().unwrap();
    let id = RunId::new("r");
    let mark = dir.path().join("mark");
    let local = open(dir.path());
    assert_eq!(local.hold().await, 0);
    let plan = graph(vec![(shell("only", &format!("echo x >> {}", mark.display())), vec![])]);
    local.start(start(dir.path(), "r", plan)).await.unwrap();
    local.close().await;
    assert!(!mark.exists());

    let local = open(dir.path());
    let mut progress = local.subscribe(&id).await.unwrap();
    local.recover(&id).await.unwrap();
    assert!(matches!(end(&mut progress).await, Outcome::Succeeded { .. }));
    local.close().await;
    assert_eq!(std::fs::read_to_string(&mark).unwrap(), "x\n");
    let reader = engine::store::Reader::open(&dir.path().join("data")).unwrap();
    assert_eq!(reader.unbegun().unwrap(), []);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_held_is_begun_on_release_or_withdrawn_without_having_begun() {
    let dir = tempfile::tempdir().unwrap();
    let local = open(dir.path());
    local.hold().await;
    let mark = dir.path().join("mark");
    let plan = || graph(vec![(shell("only", &format!("echo x >> {}", mark.display())), vec![])]);
    let (kept, dropped) = (RunId::new("kept"), RunId::new("dropped"));
    let mut first = local.subscribe(&kept).await.unwrap();
    let mut second = local.subscribe(&dropped).await.unwrap();
    local.start(start(dir.path(), "kept", plan())).await.unwrap();
    local.start(start(dir.path(), "dropped", plan())).await.unwrap();
    local.cancel(&dropped, "enough", Caller::Server).await.unwrap();
    assert_eq!(end(&mut second).await, Outcome::Cancelled { reason: "enough".into() });
    local.release();
    assert!(matches!(end(&mut first).await, Outcome::Succeeded { .. }));
    assert_eq!(std::fs::read_to_string(&mark).unwrap(), "x\n");
    local.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_store_that_is_taken_away_stops_the_work_before_anything_is_begun() {
    let dir = tempfile::tempdir().unwrap();
    let local = open(dir.path());
    let id = RunId::new("a");
    let mut progress = local.subscribe(&id).await.unwrap();
    local.start(start(dir.path(), "a", graph(vec![(shell("a", "true"), vec![])]))).await.unwrap();
    end(&mut progress).await;
    std::fs::remove_dir_all(dir.path().join("data")).unwrap();
    let plan = graph(vec![(shell("b", "touch begun"), vec![])]);
    let error = local.start(start(dir.path(), "b", plan)).await.unwrap_err();
    assert!(matches!(error, Error::Lost(_)), "{error}");
    assert!(matches!(local.query(&id).await.unwrap_err(), Error::Lost(_)));
    local.close().await;
    assert!(!dir.path().join("begun").exists());
    assert!(!dir.path().join("data").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_only_looks_may_find_that_the_store_is_gone() {
    let dir = tempfile::tempdir().unwrap();
    let local = open(dir.path());
    let id = RunId::new("a");
    let mut progress = local.subscribe(&id).await.unwrap();
    let plan = graph(vec![(shell("a", "touch begun; exec sleep 60"), vec![])]);
    local.start(start(dir.path(), "a", plan)).await.unwrap();
    while !dir.path().join("begun").exists() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    local.stands().unwrap();
    std::fs::remove_file(dir.path().join("data/switchback.db")).unwrap();
    local.stands().unwrap_err();
    while progress.recv().await.is_some() {}
    assert!(matches!(local.stopped(), Error::Lost(_)));
    let effects = local.effects();
    local.close().await;
    assert_eq!(*effects.borrow(), 0, "what was under way was ended");
}
