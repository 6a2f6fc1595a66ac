//! The driver by hand: counts that stand for times, and what leaves when.

use crate::plans::{noop, noops};
use engine::backend::Start;
use engine::driver::{Driver, Letter, Parcel};
use engine::store::Store;
use engine::turn::{Home, replay};
use engine::view::contradiction;
use kernel::command::Caller;
use kernel::event::Report;
use kernel::plan::{Audience, Expr, Work};
use kernel::{Command, Data, Effect, Fields, Outcome, Plan, RunId, Status};
use std::path::Path;
use std::sync::Arc;

fn driver(dir: &Path) -> Driver {
    Driver::new(Store::open(dir).unwrap())
}

fn start(id: &str, plan: &Arc<Plan>) -> Letter {
    let start = Start {
        id: RunId::new(id),
        plan: Arc::clone(plan),
        inputs: Fields::new(),
        home: Home::default(),
        request_key: None,
        pinned: Vec::new(),
        is_brought: false,
    };
    Letter::Start { start: Box::new(start), reply: None }
}

/// The reports of an adapter that answers at once with what it was given.
fn answered(parcels: Vec<Parcel>, outputs: &Fields) -> Vec<Letter> {
    let report = |parcel| match parcel {
        Parcel::Effect { run, effect: Effect::Perform(perform), .. } => {
            let report = Report::Done { outputs: outputs.clone() };
            let command = Command::Report { effect: perform.id, report };
            Some(Letter::Command { run, command, contents: Vec::new(), reply: None })
        }
        _ => None,
    };
    parcels.into_iter().filter_map(report).collect()
}

/// Plays letters to their end, one commit a round; gives the number of rounds.
fn play(driver: &mut Driver, mut letters: Vec<Letter>, outputs: &Fields) -> u64 {
    let mut rounds = 0;
    while !letters.is_empty() {
        rounds += 1;
        letters.into_iter().for_each(|letter| driver.take(letter, rounds));
        letters = answered(driver.commit().unwrap(), outputs);
    }
    rounds
}

#[test]
fn a_step_costs_one_commit() {
    let dir = tempfile::tempdir().unwrap();
    let mut driver = driver(dir.path());
    let names: Vec<String> = (0..40).map(|number| format!("s{number}")).collect();
    let after: Vec<Vec<u32>> = (0..40u32).map(|number| number.checked_sub(1).into_iter().collect()).collect();
    let chain: Vec<(&str, &[u32])> =
        names.iter().zip(&after).map(|(name, after)| (&**name, &**after)).collect();
    let before = driver.store().counters();
    play(&mut driver, vec![start("r", &Arc::new(noops(&chain)))], &Fields::new());
    let after = driver.store().counters();
    assert_eq!(after.commits - before.commits, 41, "one for the start, one a step, none for the end");
    assert_eq!(after.appends - before.appends, 41);
    assert!(driver.run(&RunId::new("r")).unwrap().outcome().is_some());
}

#[test]
fn many_runs_share_one_commit() {
    let dir = tempfile::tempdir().unwrap();
    let mut driver = driver(dir.path());
    let plan = Arc::new(noops(&[("a", &[]), ("b", &[0])]));
    let before = driver.store().counters().commits;
    let starts = (0..64).map(|number| start(&format!("r{number}"), &plan)).collect();
    assert_eq!(play(&mut driver, starts, &Fields::new()), 3);
    assert_eq!(driver.store().counters().commits - before, 3);
}

#[test]
fn no_effect_leaves_before_its_commit() {
    let dir = tempfile::tempdir().unwrap();
    let mut driver = driver(dir.path());
    driver.take(start("r", &Arc::new(noops(&[("a", &[])]))), 1);
    assert!(driver.questions().is_empty());
    assert_eq!(driver.store().reader().run(&RunId::new("r")).unwrap(), None);
    let left = driver.commit().unwrap();
    assert!(left.iter().any(|parcel| matches!(parcel, Parcel::Effect { effect: Effect::Perform(_), .. })));
}

/// Large data is stored once, in the transaction of the event that names it, and read back for the one who needs it.
#[test]
fn large_data_goes_by_reference() {
    let dir = tempfile::tempdir().unwrap();
    let mut driver = driver(dir.path());
    let mut first = noop("first");
    first.keeps.insert("outputs.text".into());
    let template =
        kernel::language::Template::parse("<${blocks.first.outputs.text}>", kernel::language::Syntax::Dollar);
    let inputs = vec![("shown".to_owned(), Expr::Template(template.unwrap().0))];
    let second = kernel::plan::Step::new(
        "second",
        Work::Action { audience: Audience::Agent, inputs, gate: None, ends: None },
    );
    let plan = Arc::new(crate::plans::graph(vec![(first, vec![]), (second, vec![0])]));
    let text = "x".repeat(20_000);
    play(
        &mut driver,
        vec![start("r", &plan)],
        &Fields::from([("text".into(), Data::Inline(text.clone().into()))]),
    );
    let run = driver.run(&RunId::new("r")).unwrap();
    assert!(run.weight() < 3_000, "the run holds neither the large text nor what was made of it");
    let open = run.open();
    let Effect::Offer(action) = &open[0].effect else { panic!("an action is open") };
    let Data::Stored(shown) = &action.inputs["shown"] else { panic!("what was made is large") };
    let body = driver.store().reader().content(&shown.digest).unwrap().unwrap().body;
    assert_eq!(body, format!("<{text}>").into_bytes());
    let sound = driver.store().reader().verify(&RunId::new("r")).unwrap();
    assert_eq!(sound.contents, 2);
}

#[test]
fn a_run_comes_back_as_it_was() {
    let dir = tempfile::tempdir().unwrap();
    let mut driver = driver(dir.path());
    let plan = Arc::new(noops(&[("a", &[]), ("b", &[0]), ("c", &[1])]));
    driver.take(start("r", &plan), 1);
    let letters = answered(driver.commit().unwrap(), &Fields::new());
    letters.into_iter().for_each(|letter| driver.take(letter, 2));
    driver.commit().unwrap();
    let id = RunId::new("r");
    let live = serde_json::to_vec(&driver.run(&id).unwrap().snapshot()).unwrap();
    let reader = driver.store().reader();
    let again = replay(reader, &reader.load(&id).unwrap().unwrap(), |_| {}).unwrap();
    assert_eq!(live, serde_json::to_vec(&again.run.snapshot()).unwrap());
    assert_eq!(again.run.status(), Status::Running);
    assert!(!matches!(again.run.outcome(), Some(Outcome::Succeeded { .. })));
}

/// A reply that can be looked at.
fn heard()
-> (engine::turn::Reply, std::sync::mpsc::Receiver<Result<engine::backend::Accepted, engine::Error>>) {
    let (sender, receiver) = std::sync::mpsc::channel();
    (Box::new(move |answer| drop(sender.send(answer))), receiver)
}

#[test]
fn one_batch_starts_one_run_of_a_name_or_key() {
    let dir = tempfile::tempdir().unwrap();
    let mut driver = driver(dir.path());
    let plan = Arc::new(noops(&[("a", &[])]));
    let keyed = |id: &str| {
        let (reply, answer) = heard();
        let mut letter = start(id, &plan);
        if let Letter::Start { start, reply: to } = &mut letter {
            (start.request_key, *to) = (Some("key".into()), Some(reply));
        }
        (letter, answer)
    };
    let ((first, told_first), (second, told_second)) = (keyed("r1"), keyed("r2"));
    driver.take(first, 1);
    driver.take(second, 1);
    // Who chose the same name at the same moment means another run, and hears that this name is taken.
    let (namesake, told_namesake) = heard();
    let Letter::Start { start, .. } = start("r1", &plan) else { unreachable!() };
    driver.take(Letter::Start { start, reply: Some(namesake) }, 1);
    driver.commit().unwrap();
    let told = told_namesake.recv().unwrap();
    assert!(matches!(&told, Err(engine::Error::NameTaken(run)) if run.as_str() == "r1"), "{told:?}");
    assert_eq!(told_first.recv().unwrap().unwrap().run, RunId::new("r1"));
    assert_eq!(told_second.recv().unwrap().unwrap().run, RunId::new("r1"));
    assert_eq!(driver.store().reader().runs(&Default::default()).unwrap().len(), 1);
}

/// Looking at a stored run must not make its recovery a matter of course.
#[test]
fn a_run_that_was_looked_at_is_still_carried_on() {
    let dir = tempfile::tempdir().unwrap();
    let mut before = driver(dir.path());
    before.take(start("r", &Arc::new(noops(&[("a", &[])]))), 1);
    before.commit().unwrap();
    drop(before);

    let mut after = driver(dir.path());
    let run = RunId::new("r");
    let (sender, seen) = std::sync::mpsc::channel();
    let reply = Box::new(move |standing| drop(sender.send(standing)));
    after.take(Letter::Query { run: run.clone(), reply }, 2);
    assert_eq!(seen.recv().unwrap().unwrap().status, Status::Running);
    after.take(Letter::Recover { run: run.clone(), reply: None }, 3);
    after.commit().unwrap();
    assert!(matches!(after.run(&run).unwrap().status(), Status::Waiting(_)), "it asks what became of `a`");
}

/// What died with the server is told to whoever can take away what it left, also where the run does not go on.
#[test]
fn what_died_is_cleared_whatever_becomes_of_the_run() {
    let run = RunId::new("r");
    let recover = Letter::Recover { run: run.clone(), reply: None };
    let command = Command::Cancel { reason: String::new(), by: Caller::Server };
    let cancel = Letter::Command { run: run.clone(), command, contents: Vec::new(), reply: None };
    for letter in [recover, cancel] {
        let dir = tempfile::tempdir().unwrap();
        let mut before = driver(dir.path());
        before.take(start("r", &Arc::new(noops(&[("a", &[]), ("b", &[])]))), 1);
        before.commit().unwrap();
        drop(before);
        let mut after = driver(dir.path());
        after.take(letter, 2);
        let died = after.commit().unwrap().into_iter().filter_map(|parcel| match parcel {
            Parcel::Died { perform, .. } => Some(perform.id.to_string()),
            _ => None,
        });
        assert_eq!(died.collect::<Vec<_>>(), ["a#1", "b#1"]);
    }
}

/// What an ended run leaves in memory is nothing, and it can still be asked for.
#[test]
fn an_ended_run_is_forgotten_and_brought_back() {
    let dir = tempfile::tempdir().unwrap();
    let mut driver = driver(dir.path());
    play(&mut driver, vec![start("r", &Arc::new(noops(&[("a", &[])])))], &Fields::new());
    let run = RunId::new("r");
    driver.forget_ended(std::slice::from_ref(&run));
    assert!(driver.run(&run).is_none());
    let (sender, seen) = std::sync::mpsc::channel();
    let reply = Box::new(move |standing| drop(sender.send(standing)));
    driver.take(Letter::Query { run, reply }, 9);
    assert!(matches!(seen.recv().unwrap().unwrap().status, Status::Ended(Outcome::Succeeded { .. })));
}

/// No hash covers the row of a run and the times of its entries; the journal gives all of it again.
#[test]
fn what_the_store_says_beside_the_journal_is_compared_with_it() {
    let dir = tempfile::tempdir().unwrap();
    let mut driver = driver(dir.path());
    driver.snapshot_past(1);
    let plan = Arc::new(noops(&[("a", &[]), ("b", &[0]), ("c", &[1])]));
    play(&mut driver, vec![start("r", &plan)], &Fields::new());
    let found = || {
        let found = contradiction(driver.store().reader(), &RunId::new("r")).unwrap();
        found.map(|broken| broken.to_string())
    };
    assert_eq!(found(), None);
    let raw = rusqlite::Connection::open(dir.path().join("switchback.db")).unwrap();
    raw.pragma_update(None, "foreign_keys", false).unwrap();
    let columns = ["workflow", "dialect", "workspace", "parent", "status", "detail"];
    let times = ["created_at", "updated_at", "ended_at"];
    for column in columns.into_iter().chain(times) {
        let value = if times.contains(&column) { "9" } else { "'other'" };
        raw.execute_batch("CREATE TEMP TABLE kept AS SELECT * FROM main.run").unwrap();
        raw.execute(&format!("UPDATE main.run SET {column} = {value}"), ()).unwrap();
        assert_eq!(
            found().unwrap(),
            format!("broken at `{column}` of its row: its journal says something else")
        );
        let back = format!("UPDATE main.run SET {column} = (SELECT {column} FROM kept); DROP TABLE kept");
        raw.execute_batch(&back).unwrap();
    }
    assert_eq!(found(), None);
    raw.execute("UPDATE entry SET at = 9 WHERE seq = 2", ()).unwrap();
    assert_eq!(found().unwrap(), "broken at the time of entry 2: its journal says something else");
}

/// A replay that gives something else than was recorded stops that run, changes nothing, and harms no other.
#[test]
fn a_run_that_diverges_is_stopped_and_left_as_it_is() {
    use engine::store::Write;
    use engine::turn::{ENTRY_VERSION, EntryBody, LoadError};
    let dir = tempfile::tempdir().unwrap();
    let mut driver = driver(dir.path());
    let (run, plan) = (RunId::new("r"), Arc::new(noops(&[("a", &[])])));
    driver.take(start("r", &plan), 1);
    driver.take(start("other", &plan), 1);
    driver.commit().unwrap();
    let mut store = driver.into_store();
    let head = store.reader().run(&run).unwrap().unwrap().head;
    let fact = kernel::Fact::Interrupted { effect: kernel::EffectId::new("a#1") };
    let event = kernel::Event { at: 2, fact };
    let gave = kernel::Digest::of(b"what another kernel gave");
    let body = EntryBody { v: ENTRY_VERSION, event, answers: vec![], gave, origin: None }.encode();
    let append = Write::Append { run: run.clone(), head: head.next(&body), at: 2, body };
    store.commit(&[append]).unwrap();

    let mut driver = Driver::new(store);
    let (reply, answer) = heard();
    driver.take(Letter::Recover { run: run.clone(), reply: Some(reply) }, 3);
    driver.take(Letter::Recover { run: RunId::new("other"), reply: None }, 3);
    driver.commit().unwrap();
    let refused = answer.recv().unwrap().unwrap_err();
    assert!(matches!(&refused, engine::Error::Load(LoadError::Diverged(at)) if at.entry == 2), "{refused}");
    assert_eq!(
        driver.store().reader().run(&run).unwrap().unwrap().head,
        head.next(&driver.store().reader().entry(&run, 2).unwrap().unwrap().body)
    );
    assert!(matches!(driver.run(&RunId::new("other")).unwrap().status(), Status::Waiting(_)));
}

/// A plan whose one input is a number from 1 to 10.
fn ruled() -> Arc<Plan> {
    use kernel::plan::{Input, InputKind};
    let mut plan = noops(&[("a", &[])]);
    let (description, rules) = (String::new(), Some(serde_json::json!({"minimum": 1, "maximum": 10})));
    let kind = InputKind::Integer;
    plan.inputs = vec![Input { name: "n".into(), description, kind, required: true, default: None, rules }];
    Arc::new(plan)
}

/// Inputs are held against the rules of their plan: nothing is started that does not fit.
#[test]
fn inputs_are_held_against_their_rules() {
    let dir = tempfile::tempdir().unwrap();
    let mut driver = driver(dir.path());
    let plan = ruled();
    let with = |id: &str, n: i64| {
        let Letter::Start { mut start, .. } = start(id, &plan) else { unreachable!() };
        start.inputs = Fields::from([("n".to_owned(), Data::Inline(n.into()))]);
        start
    };
    for (id, n, fits) in [("low", 0, false), ("least", 1, true), ("most", 10, true), ("high", 11, false)] {
        driver.take(Letter::Start { start: with(id, n), reply: None }, 1);
        driver.commit().unwrap();
        assert_eq!(driver.store().reader().run(&RunId::new(id)).unwrap().is_some(), fits, "{n}");
    }
}

/// So are those of a child: where they do not fit there is none, and its step says why.
#[test]
fn inputs_of_a_child_are_held_against_their_rules() {
    use kernel::plan::{Step, Workflow};
    for (n, fits) in [(10, true), (11, false)] {
        let dir = tempfile::tempdir().unwrap();
        let mut driver = driver(dir.path());
        let below = ruled();
        let workflow = Workflow::Pinned { name: "below".into(), plan: below.digest() };
        let inputs = vec![("n".to_owned(), Expr::Const(n.into()))];
        let above = crate::plans::graph(vec![(Step::new("call", Work::Child { workflow, inputs }), vec![])]);
        driver.take(start("r", &Arc::new(above)), 1);
        for parcel in driver.commit().unwrap() {
            let Parcel::Effect { run, effect, .. } = parcel else { continue };
            let Effect::StartChild { id, child, inputs, depth, .. } = effect else { continue };
            let plan = Ok(Arc::clone(&below).into());
            driver.take(Letter::StartChild { child, parent: (run, id), plan, inputs, depth }, 2);
        }
        driver.commit().unwrap();
        let child = driver.store().reader().run(&RunId::new("r/call#1")).unwrap();
        assert_eq!(child.is_some(), fits, "{n}");
        let status = driver.store().reader().run(&RunId::new("r")).unwrap().unwrap();
        let detail = status.detail.unwrap_or_default();
        assert_eq!(detail.contains("input `n` must be at most 10, not 11"), !fits, "{detail}");
    }
}

#[test]
fn a_family_of_runs_has_a_bound() {
    let dir = tempfile::tempdir().unwrap();
    let mut driver = driver(dir.path());
    driver.call_at_most(3);
    let waits = |id: &str| {
        let mut plan = noops(&[(id, &[])]);
        plan.steps[0].work =
            Work::Action { audience: Audience::Agent, inputs: Vec::new(), gate: None, ends: None };
        Arc::new(plan)
    };
    let parent = RunId::new("root");
    driver.take(start("root", &waits("a")), 1);
    driver.take(start("other", &waits("a")), 1);
    for number in 0..3 {
        let effect = kernel::EffectId::new(format!("c[{number}]#1"));
        let child = parent.child(&effect);
        let (plan, inputs) = (Ok(waits("b").into()), Fields::new());
        driver
            .take(Letter::StartChild { child, parent: (parent.clone(), effect), plan, inputs, depth: 1 }, 2);
    }
    driver.commit().unwrap();
    let is_there =
        |number: u32| driver.run(&parent.child(&kernel::EffectId::new(format!("c[{number}]#1")))).is_some();
    assert_eq!([0, 1, 2].map(is_there), [true, true, false]);
}
