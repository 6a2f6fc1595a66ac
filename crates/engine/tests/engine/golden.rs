//! Journals that were written once and must replay for ever: no evaluator, no store, the same digests at every entry.
//!
//! `SWITCHBACK_GOLDEN=1 cargo test -p engine --test engine golden` writes those that are not there yet. One that is there
//! is never written again: a change that breaks it needs a new behaviour number, not a new file.

use crate::{golden_steps, plans};
use engine::backend::Start;
use engine::driver::{Driver, Letter, Parcel};
use engine::journal::verify_file;
use engine::store::Store;
use engine::turn::{Home, decode};
use kernel::command::Caller;
use kernel::event::{Claim, Report};
use kernel::{Answer, Command, Data, Effect, Failure, FailureKind, Fields, Outcome, Plan, Run, RunId};
use std::path::{Path, PathBuf};
use std::sync::Arc;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden")
}

/// The plans whose journals are kept, each with its number of entries.
fn kept() -> Vec<(&'static str, Plan)> {
    vec![
        ("graph", plans::golden_graph()),
        ("sequence", plans::golden_sequence()),
        ("machine", plans::golden_machine()),
        ("steps", golden_steps::steps()),
        ("steps-spread", golden_steps::spread()),
        ("steps-ends", golden_steps::ends()),
    ]
}

/// Plays a run by a fixed rule: what is called `bad` fails, all else is done; questions get `true`; agents say `yes`;
/// humans approve; timers fire at their time; children succeed. What is called `wait` is left to its time, `give-up` is given
/// up, and `slow` takes an hour.
fn play(dir: &Path, name: &str, plan: Plan) -> Vec<u8> {
    let mut driver = Driver::new(Store::open(dir).unwrap());
    let id = RunId::new(format!("golden-{name}"));
    let home = Home { folder: "/w".into(), ..Home::default() };
    let start = Start {
        id: id.clone(),
        plan: Arc::new(plan),
        inputs: Fields::new(),
        home,
        request_key: None,
        pinned: Vec::new(),
        is_brought: false,
    };
    let mut letters = vec![Letter::Start { start: Box::new(start), reply: None }];
    let mut now = 1_800_000_000_000;
    while !letters.is_empty() {
        letters.into_iter().for_each(|letter| driver.take(letter, now));
        letters = driver.questions().into_iter().filter_map(|parcel| respond(parcel, &mut now)).collect();
        letters.extend(driver.commit().unwrap().into_iter().filter_map(|parcel| respond(parcel, &mut now)));
        now += 10;
    }
    assert!(driver.run(&id).unwrap().outcome().is_some(), "{name} ended");
    let mut file = Vec::new();
    driver.store().reader().export(&id, &mut file).unwrap();
    file
}

fn respond(parcel: Parcel, now: &mut u64) -> Option<Letter> {
    let (run, effect) = match parcel {
        Parcel::Ask { run, questions, .. } => {
            let answers =
                questions.iter().map(|_| Answer::Evaluated(vec![Ok(Data::Inline(true.into()))])).collect();
            return Some(Letter::Answers { run, answers, contents: Vec::new() });
        }
        Parcel::Progress(_) | Parcel::Died { .. } => return None,
        Parcel::Effect { run, effect, .. } => (run, effect),
    };
    let outputs = Fields::from([("said".to_owned(), Data::Inline("done".into()))]);
    let human = Caller::Human { door: "test".into(), proven: true };
    let command = match effect {
        Effect::Perform(perform) if perform.step == "bad" => {
            let failure = Failure::new(FailureKind::Operation, "exited with 1");
            Command::Report { effect: perform.id, report: Report::Failed { failure, outputs } }
        }
        Effect::Perform(perform) => Command::Report { effect: perform.id, report: Report::Done { outputs } },
        Effect::Offer(action) if action.gate.is_some() => Command::Answer {
            effect: action.id,
            approved: true,
            result: Fields::new(),
            shown: action.shown,
            by: human,
        },
        Effect::Offer(action) if action.step == "wait" => return None,
        Effect::Offer(action) => Command::Submit {
            effect: action.id,
            result: outputs,
            by: Caller::Agent("test".into()),
            claim: Claim {
                took_ms: (action.step == "slow").then_some(3_600_000),
                error: (action.step == "give-up").then(|| "it cannot be done".to_owned()),
                written: false,
            },
        },
        Effect::StartChild { id, child, .. } => {
            let outputs = Fields::from([("result".to_owned(), Data::Inline(child.as_str().into()))]);
            Command::EndChild { effect: id, child, outcome: Outcome::Succeeded { outputs } }
        }
        Effect::StartTimer { id, due } if id.as_str().contains('#') => {
            *now = (*now).max(due);
            Command::Fire { timer: id }
        }
        _ => return None,
    };
    Some(Letter::Command { run, command, contents: Vec::new(), reply: None })
}

/// Replays a file with nothing but the kernel.
fn replays(file: &[u8]) -> usize {
    let verified = verify_file(file).unwrap();
    let text = std::str::from_utf8(file).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let plan = lines[1].strip_prefix("{\"plan\":").unwrap().strip_suffix('}').unwrap();
    let plan: Arc<Plan> = Arc::new(serde_json::from_str(plan).unwrap());
    let mut run: Option<Run> = None;
    let entries = &lines[2..lines.len() - 1];
    for (number, line) in entries.iter().enumerate() {
        let body = line.split_once("\"body\":").unwrap().1.strip_suffix('}').unwrap();
        let body = decode(body.as_bytes()).unwrap();
        let run = run.get_or_insert_with(|| {
            let origin = body.origin.clone().unwrap();
            Run::new(Arc::clone(&plan), verified.run.clone(), origin.parent, origin.depth)
        });
        let mut asked = Vec::new();
        let mut turn = run.apply(body.event.clone());
        for answers in &body.answers {
            asked.append(&mut turn.questions);
            turn = run.answer(answers.clone());
        }
        assert_eq!(turn.digest(&asked), body.gave, "entry {} gives what it gave", number + 1);
    }
    assert!(run.unwrap().outcome().is_some());
    entries.len()
}

#[test]
fn recorded_journals_replay() {
    for (name, plan) in kept() {
        let path = folder().join(format!("behaviour-{}-{name}.journal", kernel::BEHAVIOUR));
        if !path.exists() && std::env::var_os("SWITCHBACK_GOLDEN").is_some() {
            let dir = tempfile::tempdir().unwrap();
            std::fs::write(&path, play(dir.path(), name, plan)).unwrap();
        }
        assert!(path.exists(), "{} is kept", path.display());
    }
    for entry in std::fs::read_dir(folder()).unwrap() {
        assert!(replays(&std::fs::read(entry.unwrap().path()).unwrap()) > 4);
    }
}

/// A rule that changed without anyone noticing would show here first.
#[test]
fn a_journal_written_today_is_the_one_that_was_kept() {
    for (name, plan) in kept() {
        let dir = tempfile::tempdir().unwrap();
        let path = folder().join(format!("behaviour-{}-{name}.journal", kernel::BEHAVIOUR));
        let (today, kept) = (play(dir.path(), name, plan), std::fs::read(&path).unwrap());
        assert_eq!(String::from_utf8(today).unwrap(), String::from_utf8(kept).unwrap(), "{name}");
    }
}
