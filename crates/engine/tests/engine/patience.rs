//! How long a turn may wait for its answers: all rounds of it together, and no longer than someone wants.

use crate::plans::{graph, shell};
use engine::adapters::process::Notes;
use engine::answers::{Answers, Called, Patience};
use engine::backend::{Backend, Start};
use engine::local::Local;
use engine::store::{Reader, Store};
use engine::turn::Home;
use kernel::command::Caller;
use kernel::plan::{Expr, Foreign, Language, Step, Work};
use kernel::{Answer, Command, Data, Digest, Fields, Question, RunId};
use std::path::Path;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Far more than anything here takes.
const LONG: Duration = Duration::from_secs(30);

/// A step that is made within a turn, by an evaluator, which is asked for each name.
fn made(name: &str) -> Step {
    let foreign = Foreign {
        language: Language::Jinja,
        source: name.to_owned(),
        reads: Vec::new(),
        given: Vec::new(),
        origin: None,
    };
    let outputs = vec![("rendered".to_owned(), Expr::Foreign(foreign))];
    Step::new(name, Work::Make { inputs: Vec::new(), outputs })
}

/// Two steps, one after the other, in one turn.
fn two() -> Vec<(Step, Vec<u32>)> {
    vec![(made("a"), vec![]), (made("b"), vec![0])]
}

fn open(dir: &Path, answers: impl Answers) -> Arc<Local> {
    let store = Store::open(&dir.join("data")).unwrap();
    let notes = Notes::open(&dir.join("data")).unwrap();
    Arc::new(Local::open(store, notes, Arc::new(answers), tokio::runtime::Handle::current()))
}

/// Starts a run. Nobody is told of it before its first turn is recorded.
fn start(
    local: &Arc<Local>,
    dir: &Path,
    steps: Vec<(Step, Vec<u32>)>,
) -> (RunId, tokio::task::JoinHandle<()>) {
    let (id, plan) = (RunId::new("calm-heron-07"), Arc::new(graph(steps)));
    let home = Home::new(dir.to_owned(), std::env::vars());
    let start = Start {
        id: id.clone(),
        plan,
        inputs: Fields::new(),
        home,
        request_key: None,
        pinned: Vec::new(),
        is_brought: false,
    };
    let local = Arc::clone(local);
    (id, tokio::spawn(async move { drop(local.start(start).await.unwrap()) }))
}

fn told(dir: &Path, run: &RunId) -> String {
    let row = Reader::open(&dir.join("data")).unwrap().run(run).unwrap().unwrap();
    format!("{}: {}", row.status, row.detail.unwrap_or_default())
}

/// Never has an answer, but says why once it is not wanted any more.
struct Endless(Mutex<Sender<()>>);

impl Answers for Endless {
    fn answer(&self, _run: &RunId, questions: &[Question], patience: &Patience) -> Vec<Answer> {
        self.0.lock().unwrap().send(()).unwrap();
        let until = Instant::now() + LONG;
        let over = loop {
            match patience.over(Instant::now()) {
                Some(over) => break over,
                None => assert!(Instant::now() < until, "nobody wants it to be over"),
            }
            std::thread::sleep(Duration::from_millis(5));
        };
        questions.iter().map(|_| Answer::Unanswered(over.words())).collect()
    }

    fn plan(&self, _home: &Home, _workflow: &str, _plan: Option<Digest>) -> Result<Called, String> {
        unreachable!("nothing is called")
    }
}

fn endless() -> (Endless, Receiver<()>) {
    let (sender, asked) = channel();
    (Endless(Mutex::new(sender)), asked)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_is_cancelled_while_its_turn_waits() {
    let dir = tempfile::tempdir().unwrap();
    let (answers, asked) = endless();
    let local = open(dir.path(), answers);
    let (run, started) = start(&local, dir.path(), two());
    tokio::task::spawn_blocking(move || asked.recv_timeout(LONG).unwrap()).await.unwrap();
    let by = Caller::Human { door: "test".into(), proven: false };
    // What came before it ends the run first: then there is nothing left to cancel.
    let cancel = Command::Cancel { reason: "enough".to_owned(), by };
    let _ = tokio::time::timeout(LONG, local.submit(&run, cancel)).await.expect("an answer");
    tokio::time::timeout(LONG, started).await.expect("it is recorded").unwrap();
    assert!(told(dir.path(), &run).contains("the run was cancelled before this was evaluated"));
    local.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_server_ends_though_a_turn_waits() {
    let dir = tempfile::tempdir().unwrap();
    let (answers, asked) = endless();
    let local = open(dir.path(), answers);
    let (run, started) = start(&local, dir.path(), two());
    tokio::task::spawn_blocking(move || asked.recv_timeout(LONG).unwrap()).await.unwrap();
    tokio::time::timeout(LONG, local.close()).await.expect("the thread has ended");
    tokio::time::timeout(LONG, started).await.expect("it is recorded").unwrap();
    assert!(told(dir.path(), &run).starts_with("failed: "), "{}", told(dir.path(), &run));
    assert!(told(dir.path(), &run).contains("the server was stopped before this was evaluated"));
}

/// Answers everything, says each time what the turn has spent before, and spends a second.
struct Spending(Mutex<Sender<Duration>>);

impl Answers for Spending {
    fn answer(&self, _run: &RunId, questions: &[Question], patience: &Patience) -> Vec<Answer> {
        self.0.lock().unwrap().send(patience.spent()).unwrap();
        patience.spend(Duration::from_secs(1));
        questions.iter().map(|_| Answer::Evaluated(vec![Ok(Data::Inline("x".into()))])).collect()
    }

    fn plan(&self, _home: &Home, _workflow: &str, _plan: Option<Digest>) -> Result<Called, String> {
        unreachable!("nothing is called")
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn all_rounds_of_a_turn_count_and_those_of_another_do_not() {
    let dir = tempfile::tempdir().unwrap();
    let (sender, spent) = channel();
    let local = open(dir.path(), Spending(Mutex::new(sender)));
    let mut steps = two();
    steps.extend([(shell("c", "true"), vec![1]), (made("d"), vec![2])]);
    let (_, started) = start(&local, dir.path(), steps);
    tokio::time::timeout(LONG, started).await.expect("it is recorded").unwrap();
    let next = || spent.recv_timeout(LONG).unwrap().as_secs();
    assert_eq!([next(), next(), next()], [0, 1, 0]);
    local.close().await;
}
