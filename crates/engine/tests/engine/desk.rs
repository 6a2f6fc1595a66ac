//! Who drives, as callers see it.

use crate::plans::{graph, noop, noops, shell};
use engine::adapters::process::Notes;
use engine::answers::{Answers, Called, Nobody, Patience};
use engine::backend::{Backend, Error, Start};
use engine::local::Local;
use engine::store::Store;
use engine::terminals::{Keeper as Terminals, Policy};
use engine::turn::Home;
use kernel::plan::{Adapter, Expr, Foreign, Language, Step, Work, Workflow};
use kernel::{Answer, Digest, Fields, News, Outcome, Plan, Question, RunId, Status};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// Far more than anything here takes.
const LONG: Duration = Duration::from_secs(60);

fn open(dir: &Path, answers: impl Answers) -> Local {
    let store = Store::open(&dir.join("data")).unwrap();
    let notes = Notes::open(&dir.join("data")).unwrap();
    Local::open(store, notes, Arc::new(answers), tokio::runtime::Handle::current())
}

fn start(dir: &Path, id: &str, plan: Plan) -> Start {
    let home = Home::new(dir.to_owned(), std::env::vars());
    let (id, plan) = (RunId::new(id), Arc::new(plan));
    Start { id, plan, inputs: Fields::new(), home, request_key: None, pinned: Vec::new(), is_brought: false }
}

async fn outcome(local: &Local, id: &str) -> Outcome {
    let id = RunId::new(id);
    let mut progress = local.subscribe(&id).await.unwrap();
    loop {
        if let Status::Ended(outcome) = local.query(&id).await.unwrap().status {
            return outcome;
        }
        // What has ended meanwhile is found by the next look.
        let _ = tokio::time::timeout(LONG, progress.recv()).await.expect("a word");
    }
}

/// Whoever looks for the plan of a child makes a mistake of its own.
struct Mistaken;

impl Answers for Mistaken {
    fn answer(&self, run: &RunId, questions: &[Question], patience: &Patience) -> Vec<Answer> {
        Nobody.answer(run, questions, patience)
    }

    fn plan(&self, _home: &Home, _workflow: &str, _plan: Option<Digest>) -> Result<Called, String> {
        panic!("a mistake on purpose")
    }

    fn terminals(&self, _home: &Home) -> Option<(Terminals, Policy)> {
        panic!("a mistake on purpose")
    }
}

/// Whoever evaluates does.
struct Careless;

impl Answers for Careless {
    fn answer(&self, _run: &RunId, _questions: &[Question], _patience: &Patience) -> Vec<Answer> {
        panic!("a mistake on purpose")
    }

    fn plan(&self, home: &Home, workflow: &str, plan: Option<Digest>) -> Result<Called, String> {
        Nobody.plan(home, workflow, plan)
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_mistake_at_the_wheel_stops_the_work_and_everyone_is_told() {
    let dir = tempfile::tempdir().unwrap();
    let local = open(dir.path(), Mistaken);
    let plan = || {
        let workflow = Workflow::Named(Expr::Const("other".into()));
        graph(vec![(Step::new("call", Work::Child { workflow, inputs: Vec::new() }), vec![])])
    };
    // The call itself may have been answered before: what follows is not.
    let _ = tokio::time::timeout(LONG, local.start(start(dir.path(), "first", plan()))).await.unwrap();
    let second = tokio::time::timeout(LONG, local.start(start(dir.path(), "second", plan()))).await.unwrap();
    assert!(matches!(second, Err(Error::Stopped(_))), "{second:?}");
    tokio::time::timeout(LONG, local.close()).await.expect("the thread has ended");
    // The store was let go, and what was recorded is there.
    let store = Store::open(&dir.path().join("data")).unwrap();
    assert!(store.reader().run(&RunId::new("first")).unwrap().is_some());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_mistake_beside_the_wheel_fails_its_step_and_nothing_else() {
    let dir = tempfile::tempdir().unwrap();
    let local = open(dir.path(), Mistaken);
    let work = Work::Server { adapter: Adapter::Terminal, inputs: Vec::new(), secrets: Default::default() };
    let plan = graph(vec![(Step::new("type", work), vec![]), (shell("other", "true"), vec![])]);
    local.start(start(dir.path(), "run", plan)).await.unwrap();
    let Outcome::Failed { failure, .. } = outcome(&local, "run").await else { panic!("a failed run") };
    assert!(failure.message.contains("Switchback made a mistake here"), "{failure:?}");
    local.start(start(dir.path(), "next", graph(vec![(shell("a", "true"), vec![])]))).await.unwrap();
    assert!(matches!(outcome(&local, "next").await, Outcome::Succeeded { .. }));
    tokio::time::timeout(LONG, local.close()).await.expect("nothing is in hand");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_mistake_of_whoever_evaluates_fails_what_asked() {
    let dir = tempfile::tempdir().unwrap();
    let local = open(dir.path(), Careless);
    let foreign = Foreign {
        language: Language::Jinja,
        source: "1".to_owned(),
        reads: Vec::new(),
        given: Vec::new(),
        origin: None,
    };
    let mut step = noop("ask");
    step.work = Work::Server {
        adapter: Adapter::Noop,
        inputs: vec![("n".to_owned(), Expr::Foreign(foreign))],
        secrets: Default::default(),
    };
    local.start(start(dir.path(), "run", graph(vec![(step, vec![])]))).await.unwrap();
    let Outcome::Failed { failure, .. } = outcome(&local, "run").await else { panic!("a failed run") };
    assert!(failure.message.contains("Switchback made a mistake here"), "{failure:?}");
    tokio::time::timeout(LONG, local.close()).await.expect("nothing is in hand");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_timer_fires_though_only_callers_drove_before() {
    let dir = tempfile::tempdir().unwrap();
    let local = open(dir.path(), Nobody);
    let wait = |ms: u64| graph(vec![(Step::new("rest", Work::Wait { ms: Expr::Const(ms.into()) }), vec![])]);
    // The second is due before the first; between them the thread is woken by nobody else.
    local.start(start(dir.path(), "long", wait(120))).await.unwrap();
    local.start(start(dir.path(), "short", wait(30))).await.unwrap();
    assert!(matches!(outcome(&local, "short").await, Outcome::Succeeded { .. }));
    assert!(matches!(outcome(&local, "long").await, Outcome::Succeeded { .. }));
    local.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn many_callers_at_once_all_get_what_they_asked_for() {
    const CALLERS: usize = 64;
    let dir = tempfile::tempdir().unwrap();
    let local = Arc::new(open(dir.path(), Nobody));
    let callers = (0..CALLERS).map(|caller| {
        let (local, dir) = (Arc::clone(&local), dir.path().to_owned());
        tokio::spawn(async move {
            let id = format!("run-{caller}");
            let plan = match caller % 4 {
                0 => graph(vec![(shell("a", "true"), vec![]), (shell("b", "true"), vec![0])]),
                _ => noops(&[("a", &[]), ("b", &[0]), ("c", &[0]), ("d", &[1, 2])]),
            };
            local.start(start(&dir, &id, plan)).await.unwrap();
            outcome(&local, &id).await
        })
    });
    for caller in callers.collect::<Vec<_>>() {
        assert!(matches!(caller.await.unwrap(), Outcome::Succeeded { .. }));
    }
    local.close().await;
}

/// On a runtime of one thread whoever posts holds up everything else for a round, and no longer.
#[tokio::test]
async fn one_thread_is_enough() {
    let dir = tempfile::tempdir().unwrap();
    let local = open(dir.path(), Nobody);
    let chain: Vec<(Step, Vec<u32>)> = (0..9)
        .map(|at: u32| (shell(&format!("s{at}"), "true"), at.checked_sub(1).into_iter().collect()))
        .collect();
    local.start(start(dir.path(), "chain", graph(chain))).await.unwrap();
    assert!(matches!(outcome(&local, "chain").await, Outcome::Succeeded { .. }));
    local.close().await;
}

/// A report waits for others only for a moment, however long those go on.
#[tokio::test(flavor = "multi_thread")]
async fn one_that_ends_among_many_is_heard_while_they_go_on() {
    let dir = tempfile::tempdir().unwrap();
    let local = open(dir.path(), Nobody);
    let many = 2 * std::thread::available_parallelism().map_or(1, usize::from) + 3;
    let mut steps: Vec<(Step, Vec<u32>)> =
        (0..many).map(|at| (shell(&format!("long{at}"), "sleep 600"), vec![])).collect();
    steps.push((shell("short", "true"), vec![]));
    let id = RunId::new("crowd");
    let mut progress = local.subscribe(&id).await.unwrap();
    local.start(start(dir.path(), "crowd", graph(steps))).await.unwrap();
    let ended = |news: &News| matches!(news, News::Ended { key, .. } if key.starts_with("short"));
    let heard = async { while !progress.recv().await.unwrap().news.iter().any(ended) {} };
    tokio::time::timeout(LONG, heard).await.expect("it is heard of");
    assert!(!matches!(local.query(&id).await.unwrap().status, Status::Ended(_)));
    local.close().await;
}
