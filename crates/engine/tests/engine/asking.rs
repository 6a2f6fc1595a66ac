//! Questions of runs, from a definition to the answer: asked, made to fit, taken once, and still there after a restart.

use engine::adapters::process::Notes;
use engine::answers::{Answers, Called, Patience};
use engine::asking::{self, Asked, AskedKind};
use engine::backend::{Backend, Error, Progress, Start};
use engine::local::Local;
use engine::store::{Reader, Store};
use engine::turn::Home;
use engine::view::{History, KEPT_MAX, State, View};
use kernel::command::Caller;
use kernel::{Answer, Command, Digest, Fields, Outcome, Plan, Question, Refusal, RunId, Status};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use tempfile::TempDir;
use tokio::sync::mpsc::UnboundedReceiver;

/// A library of a few workflows.
struct Few(BTreeMap<&'static str, &'static str>);

impl Answers for Few {
    fn answer(&self, _run: &RunId, questions: &[Question], _patience: &Patience) -> Vec<Answer> {
        questions.iter().map(|_| Answer::Unanswered("nobody is there".to_owned())).collect()
    }

    fn plan(&self, _home: &Home, workflow: &str, _plan: Option<Digest>) -> Result<Called, String> {
        let text = self.0.get(workflow).ok_or_else(|| format!("there is no `{workflow}`"))?;
        Ok(Arc::new(read(text)).into())
    }
}

fn read(text: &str) -> Plan {
    let source = dialects::text::Source::new("test.yaml", text);
    let found = dialects::read(&source);
    found.unwrap_or_else(|found| panic!("{}", found.render(&[source], Default::default()))).plan
}

fn open(dir: &Path, others: &[(&'static str, &'static str)]) -> Local {
    let store = Store::open(&dir.join("data")).unwrap();
    let notes = Notes::open(&dir.join("data")).unwrap();
    let library = Few(others.iter().copied().collect());
    Local::open(store, notes, Arc::new(library), tokio::runtime::Handle::current())
}

/// A run under way, and what happens to it.
struct World {
    dir: TempDir,
    local: Local,
    run: RunId,
    progress: UnboundedReceiver<Progress>,
    others: Vec<(&'static str, &'static str)>,
}

impl World {
    async fn start(text: &str, others: &[(&'static str, &'static str)]) -> World {
        let dir = tempfile::tempdir().unwrap();
        let (local, run) = (open(dir.path(), others), RunId::new("calm-heron-07"));
        let progress = local.subscribe(&run).await.unwrap();
        let home = Home::new(dir.path().to_owned(), std::env::vars());
        let (plan, inputs) = (Arc::new(read(text)), Fields::new());
        let start = Start {
            id: run.clone(),
            plan,
            inputs,
            home,
            request_key: None,
            pinned: Vec::new(),
            is_brought: false,
        };
        local.start(start).await.unwrap();
        World { dir, local, run, progress, others: others.to_vec() }
    }

    /// The same data directory with another process over it.
    async fn again(self) -> World {
        let World { dir, local, run, others, .. } = self;
        local.close().await;
        drop(local);
        let local = open(dir.path(), &others);
        let progress = local.subscribe(&run).await.unwrap();
        local.recover(&run).await.unwrap();
        World { dir, local, run, progress, others }
    }

    fn reader(&self) -> Reader {
        Reader::open(&self.dir.path().join("data")).unwrap()
    }

    /// What is asked, once something is.
    async fn asked(&mut self) -> Vec<Asked> {
        loop {
            let asked = asking::asked(&self.reader(), &self.run).unwrap();
            if !asked.is_empty() {
                return asked;
            }
            self.progress.recv().await.unwrap();
        }
    }

    async fn say(&self, asked: &Asked, said: Value, by: Caller) -> Result<(), Refusal> {
        let fields = asking::fit(asked, said).unwrap();
        match self.local.submit(&asked.run, asking::answer(asked, fields, by)).await {
            Ok(_) => Ok(()),
            Err(Error::Refused(refusal)) => Err(refusal),
            Err(error) => panic!("{error}"),
        }
    }

    async fn outcome(&mut self) -> Value {
        loop {
            match self.progress.recv().await.unwrap() {
                Progress { run, status: Status::Ended(outcome), .. } if run == self.run => {
                    return match outcome {
                        Outcome::Succeeded { outputs } => outputs
                            .into_iter()
                            .map(|(name, data)| (name, data.inline().unwrap().clone()))
                            .collect(),
                        Outcome::Failed { failure } => json!(failure.message),
                        Outcome::Cancelled { reason } => json!(reason),
                    };
                }
                _ => {}
            }
        }
    }

    /// What happened, from the first entry on.
    fn history(&self) -> History {
        History::of_field(&self.reader(), &self.run, None, KEPT_MAX).unwrap().unwrap()
    }

    fn view(&self) -> View {
        View::load(&self.reader(), &self.run).unwrap().unwrap()
    }
}

fn agent() -> Caller {
    Caller::Agent("test".to_owned())
}

fn human() -> Caller {
    Caller::Human { door: "test".to_owned(), proven: false }
}

const STAGE: &str = "\
name: deploy
inputs: {stages: {type: list, default: [staging, production]}}
blocks:
  - {id: stage, type: Prompt, inputs: {prompt: Which stage?, choices: [staging, production], default: staging}}
  - {id: say, type: Shell, depends_on: [stage], inputs: {command: \"printf %s ${blocks.stage.response}\"}}
outputs: {said: \"${blocks.say.stdout}\"}
";

#[tokio::test(flavor = "multi_thread")]
async fn a_run_pauses_and_goes_on() {
    let mut world = World::start(STAGE, &[]).await;
    let asked = world.asked().await;
    let [stage] = asked.as_slice() else { panic!("{asked:?}") };
    assert_eq!((stage.question_id.as_str(), stage.step()), ("stage#1", "stage".to_owned()));
    assert_eq!((stage.kind, stage.prompt.as_str()), (AskedKind::Choice, "Which stage?"));
    assert_eq!(
        (&stage.choices, &stage.default),
        (&vec![json!("staging"), json!("production")], &Some(json!("staging")))
    );
    assert!(stage.since > 0 && !stage.overdue && stage.attempt == 1);

    let mut view = world.view();
    assert!(view.ask_now(&world.reader()).unwrap());
    assert_eq!(view.waiting_for(), ["your answer: \"Which stage?\""]);
    let response = view.response();
    assert_eq!(response["status"], "paused");
    assert_eq!(response["blocks"]["stage"]["metadata"]["status"], "paused");
    assert_eq!(response["blocks"]["say"]["metadata"]["status"], "pending");

    world.say(stage, json!("2"), agent()).await.unwrap();
    assert!(!view.ask_now(&world.reader()).unwrap(), "more has come to the run than this view knows");
    assert_eq!(
        view.waiting_for(),
        ["your answer: \"Which stage?\""],
        "status and questions are of one moment"
    );
    assert_eq!(world.outcome().await, json!({"said": "production"}));
    let found = asking::find(&world.reader(), &world.run, "stage#1").unwrap().unwrap();
    assert_eq!((&found.prompt, found.digest), (&stage.prompt, stage.digest));
    assert_eq!(asking::asked(&world.reader(), &world.run).unwrap(), []);
    for nothing in ["stage#2", "stage", "", "/", &"a/".repeat(asking::QUESTION_ID_BYTES_MAX)] {
        assert_eq!(asking::find(&world.reader(), &world.run, nothing).unwrap(), None);
    }
    world.local.close().await;
}

/// A chain of so many questions.
fn chain(count: usize) -> String {
    let after = |number: usize| if number == 0 { String::new() } else { format!("ask{}", number - 1) };
    let block = |number| {
        format!(
            "  - {{id: ask{number}, type: Prompt, depends_on: [{}], inputs: {{prompt: More?}}}}\n",
            after(number)
        )
    };
    format!("name: long\nblocks:\n{}", (0..count).map(block).collect::<String>())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_long_journal_is_folded_on_as_it_is_folded_whole() {
    // Two runs of one name: what is kept of the one must not be told of the other.
    for said in ["yes ", "no "].map(|said| said.repeat(300)) {
        let mut world = World::start(&chain(40), &[]).await;
        for number in 0..40 {
            let asked = world.asked().await.remove(0);
            assert_eq!(asked.step(), format!("ask{number}"));
            world.say(&asked, json!(said), agent()).await.unwrap();
            let reader = world.reader();
            // The run may go on between two looks, so both are at what it was now.
            let view = world.view();
            let whole = View::load_until(&reader, &world.run, view.seq()).unwrap().unwrap();
            assert_eq!(format!("{:?}", view.lines()), format!("{:?}", whole.lines()));
            let (told, all) = (History::load(&reader, &world.run), world.history());
            assert_eq!(format!("{:?}", told.unwrap().unwrap().ends), format!("{:?}", all.ends));
        }
        assert!(world.outcome().await.is_object());
        assert!(world.view().seq() >= 40);
        world.local.close().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_second_answer_is_refused_and_the_same_one_recognised() {
    let mut world = World::start(STAGE, &[]).await;
    let stage = world.asked().await.remove(0);
    world.say(&stage, json!("staging"), agent()).await.unwrap();
    let again = world.say(&stage, json!("staging"), agent()).await.unwrap_err();
    assert!(asking::is_taken(&again), "{again}");
    let other = world.say(&stage, json!("production"), agent()).await.unwrap_err();
    assert!(matches!(other, Refusal::AlreadyAnswered { .. }), "{other}");
    world.outcome().await;
    let late = world.say(&stage, json!("production"), agent()).await.unwrap_err();
    assert!(matches!(late, Refusal::AlreadyAnswered { .. }), "{late}");
    world.local.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn choices_that_are_none_fail_their_block() {
    let text = STAGE.replace("choices: [staging, production]", "choices: \"${inputs.stages}\"");
    let text = text.replace("default: [staging, production]", "default: []");
    let mut world = World::start(&text, &[]).await;
    let why = world.outcome().await;
    assert!(why.as_str().unwrap().contains("`inputs.stages` is an empty list"), "{why}");
    world.local.close().await;
}

const GATE: &str = "\
name: gate
blocks:
  - {id: approve, type: Prompt, gate: ask, inputs: {prompt: Deploy?, details: {sha: abc}}}
  - id: no
    type: Shell
    depends_on: [approve]
    condition: ${blocks.approve.outcome} == 'failure'
    inputs: {command: printf no}
outputs: {no: \"${blocks.no.stdout}\", approved: \"${blocks.approve.succeeded}\"}
";

#[tokio::test(flavor = "multi_thread")]
async fn a_gate_is_answered_by_a_human_who_saw_what_is_asked() {
    for (said, expected) in
        [(true, json!({"no": null, "approved": true})), (false, json!({"no": "no", "approved": false}))]
    {
        let mut world = World::start(GATE, &[]).await;
        let gate = world.asked().await.remove(0);
        assert_eq!((gate.kind, gate.is_gate()), (AskedKind::Confirm, true));
        assert_eq!(gate.shown["details"], json!({"sha": "abc"}));
        let by_agent = world.say(&gate, json!(true), agent()).await.unwrap_err();
        assert!(matches!(by_agent, Refusal::HumansOnly { .. }), "{by_agent}");
        let other = Asked { digest: Digest::of(b"something else"), ..gate.clone() };
        let unseen = world.say(&other, json!(true), human()).await.unwrap_err();
        assert!(matches!(unseen, Refusal::ShownChanged { .. }), "{unseen}");
        world.say(&gate, json!(said), human()).await.unwrap();
        assert_eq!(world.outcome().await, expected);
        world.local.close().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn silence_at_a_gate_is_a_no() {
    let text = GATE.replace("gate: ask,", "gate: ask, timeout: 50ms,");
    let mut world = World::start(&text, &[]).await;
    assert_eq!(world.outcome().await, json!({"no": "no", "approved": false}));
    world.local.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn why_a_question_was_closed_is_known_afterwards() {
    let why = |world: &World, asked: &Asked| asking::why_closed(&world.reader(), asked).unwrap();
    let mut world = World::start(&GATE.replace("gate: ask,", "gate: ask, timeout: 2s,"), &[]).await;
    let asked = world.asked().await.remove(0);
    world.outcome().await;
    assert_eq!(why(&world, &asked), "nobody answered in time");
    world.local.close().await;

    let others = [("middle", MIDDLE), ("inner", INNER)];
    let mut world = World::start(OUTER, &others).await;
    let asked = world.asked().await.remove(0);
    world.say(&asked, json!("well"), agent()).await.unwrap();
    world.outcome().await;
    assert_eq!(why(&world, &asked), "the question was answered elsewhere");
    world.local.close().await;

    let mut world = World::start(OUTER, &others).await;
    let asked = world.asked().await.remove(0);
    let run = world.run.clone();
    world.local.submit(&run, Command::Cancel { reason: "enough".to_owned(), by: human() }).await.unwrap();
    // At once, whether the called run has heard of it or not, and at the end.
    assert_eq!(why(&world, &asked), "the run was cancelled");
    world.outcome().await;
    assert_eq!(why(&world, &asked), "the run was cancelled");
    world.local.close().await;

    let text = "name: a\ntimeout: 2s\nblocks: [{id: ask, type: Prompt, inputs: {prompt: Well?}}]";
    let mut world = World::start(text, &[]).await;
    let asked = world.asked().await.remove(0);
    world.outcome().await;
    assert_eq!(why(&world, &asked), "the run has ended");
    world.local.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_overdue_question_stays_open_unless_it_is_to_fail() {
    let text = "name: a\nblocks: [{id: ask, type: Prompt, timeout: 50ms, inputs: {prompt: Well?}}]";
    let mut world = World::start(text, &[]).await;
    while !world.asked().await[0].overdue {
        world.progress.recv().await.unwrap();
    }
    assert_eq!(world.view().waiting_for(), ["your answer: \"Well?\", overdue"]);
    let asked = world.asked().await.remove(0);
    world.say(&asked, json!("well"), agent()).await.unwrap();
    assert_eq!(world.outcome().await, json!({}));
    world.local.close().await;

    let text = text.replace("timeout: 50ms", "timeout: 50ms, on_overdue: fail");
    let mut world = World::start(&text, &[]).await;
    let why = world.outcome().await;
    assert!(why.as_str().unwrap().contains("no answer came within 50 ms"), "{why}");
    world.local.close().await;
}

const REVIEW: &str = "\
name: review
inputs: {who: {type: string, default: Ada}}
blocks:
  - id: review
    type: Agent
    inputs:
      instructions: Review it for ${inputs.who}
      context: {diff: [1, 2], who: \"${inputs.who}\"}
      output_schema:
        type: object
        required: [verdict]
        properties: {verdict: {enum: [good, bad]}, notes: {type: array}}
    verify: {command: \"test -e ${result.verdict} || { echo no ${result.verdict} yet >&2; exit 3; }\", attempts: 3}
outputs: {verdict: \"${blocks.review.verdict}\", all: \"${blocks.review.outputs.response}\"}
";

#[tokio::test(flavor = "multi_thread")]
async fn a_claim_is_believed_once_it_holds() {
    let mut world = World::start(REVIEW, &[]).await;
    let first = world.asked().await.remove(0);
    assert_eq!((first.kind, first.prompt.as_str()), (AskedKind::Agent, "Review it for Ada"));
    assert_eq!(first.shown["context"], json!({"diff": [1, 2], "who": "Ada"}));
    let misfit = asking::fit(&first, json!({"verdict": "ugly"})).unwrap_err();
    assert_eq!(misfit.problems[0].at, "/verdict");
    for attempt in 1..=2 {
        let asked = world.asked().await.remove(0);
        assert_eq!(
            (asked.attempt, asked.question_id.as_str()),
            (attempt, format!("review#{attempt}").as_str())
        );
        world.say(&asked, json!({"verdict": "good"}), agent()).await.unwrap();
        let note = loop {
            let asked = world.asked().await.remove(0);
            if asked.attempt > attempt {
                break asked.note.unwrap();
            }
            world.progress.recv().await.unwrap();
        };
        assert!(note.contains("the result does not hold") && note.contains("no good yet"), "{note}");
    }
    std::fs::write(world.dir.path().join("good"), "").unwrap();
    let stale = world.say(&first, json!({"verdict": "bad"}), agent()).await.unwrap_err();
    assert!(matches!(stale, Refusal::AlreadyAnswered { .. } | Refusal::Stale { .. }), "{stale}");
    let last = world.asked().await.remove(0);
    world.say(&last, json!("{\"verdict\": \"good\", \"notes\": [\"a\"]}"), agent()).await.unwrap();
    let expected = json!({"verdict": "good", "all": {"verdict": "good", "notes": ["a"]}});
    assert_eq!(world.outcome().await, expected);
    world.local.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_claim_that_never_holds_is_a_failed_operation() {
    let text = REVIEW.replace("attempts: 3", "attempts: 1");
    let mut world = World::start(&text, &[]).await;
    let asked = world.asked().await.remove(0);
    world.say(&asked, json!({"verdict": "bad"}), agent()).await.unwrap();
    let outcome = world.outcome().await;
    assert_eq!(world.view().line("review").unwrap().state, State::Failed, "{outcome}");
    world.local.close().await;
}

const OUTER: &str = "\
name: outer
blocks: [{id: one, type: ExecuteWorkflow, inputs: {workflow: middle}}]
outputs: {said: \"${blocks.one.outputs.said}\"}
";
const MIDDLE: &str = "\
name: middle
blocks: [{id: two, type: ExecuteWorkflow, inputs: {workflow: inner}}]
outputs: {said: \"${blocks.two.outputs.said}\"}
";
const INNER: &str = "\
name: inner
blocks: [{id: ask, type: Prompt, inputs: {prompt: Well?}}]
outputs: {said: \"${blocks.ask.response}\"}
";

#[tokio::test(flavor = "multi_thread")]
async fn what_comes_to_a_run_that_has_ended_changes_nothing_of_it() {
    let mut world = World::start(MIDDLE, &[("inner", INNER)]).await;
    let asked = world.asked().await.remove(0);
    world.say(&asked, json!("yes"), agent()).await.unwrap();
    assert_eq!(world.outcome().await, json!({"said": "yes"}));
    // Its parent has heard of its end, which is an entry of its own.
    let (child, reader) = (asked.run, world.reader());
    let last = reader.run(&child).unwrap().unwrap().head.seq;
    let mut view = View::load_until(&reader, &child, last - 1).unwrap().unwrap();
    assert!(view.outcome().is_some() && view.seq() == last - 1);
    assert!(view.ask_now(&reader).unwrap(), "whoever follows it waits for nothing more");
    world.local.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_three_deep_is_asked_of_the_root_and_survives() {
    let mut world = World::start(OUTER, &[("middle", MIDDLE), ("inner", INNER)]).await;
    let before = world.asked().await.remove(0);
    assert_eq!(
        (before.step(), before.question_id.as_str()),
        ("one / two / ask".to_owned(), "one#1/two#1/ask#1")
    );
    assert_eq!((&before.root, before.run.as_str()), (&world.run, "calm-heron-07/one#1/two#1"));
    let view = world.view();
    assert_eq!(view.waiting_for(), ["your answer: \"Well?\" (one / two / ask)"]);
    assert!(!view.needs_carrier(), "nothing happens until someone answers");
    assert_eq!(view.response()["status"], "paused");
    assert_eq!(view.response()["blocks"]["one"]["metadata"]["status"], "paused");

    let mut world = world.again().await;
    let after = world.asked().await.remove(0);
    assert_eq!(after, before);
    let found = asking::find(&world.reader(), &world.run, &after.question_id).unwrap().unwrap();
    assert_eq!((found.run, found.path), (after.run.clone(), after.path.clone()));
    world.say(&after, json!("well"), agent()).await.unwrap();
    assert_eq!(world.outcome().await, json!({"said": "well"}));
    world.local.close().await;
}
