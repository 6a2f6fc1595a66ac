//! What goes wrong around a question: processes that die, hang or talk nonsense. A question is tried once more,
//! alone and in a fresh process; the others of its batch and of other runs are answered.

use crate::world::{
    ask, bad, children, hasty, program, question, real, run, signal, stop, unanswered, until,
};
use crate::{Test, faces};
use engine::answers::Patience;
use engine::evaluator::{Evaluator, Program, Rules};
use kernel::{Answer, Data, RunId};
use rustix::process::Signal;
use serde_json::json;
use std::num::NonZero;
use std::time::{Duration, Instant};

pub(crate) const ALL: &[Test] = &[
    ("a_process_that_hangs_is_ended", hangs),
    ("a_process_that_reads_nothing_is_ended", deaf),
    ("a_process_that_talks_nonsense_is_ended", nonsense),
    ("a_process_that_dies_is_told_with_its_last_words", dies),
    ("what_cannot_be_started_is_told", not_started),
    ("a_process_killed_while_idle_is_replaced", killed_idle),
    ("a_process_killed_in_the_middle_is_replaced", killed_in_the_middle),
    ("one_bad_question_of_a_batch_costs_the_others_nothing", batch),
    ("a_quick_question_is_answered_while_another_hangs", meanwhile),
    ("who_asks_first_is_answered_first", fair),
    ("runs_take_turns", turns),
    ("what_is_late_does_not_hold_up_others", late),
    ("the_questions_of_a_turn_have_a_time_together", turn),
    ("what_the_rounds_of_a_turn_took_counts_together", rounds),
    ("a_turn_that_shall_be_over_asks_nothing_more", over),
];

/// Doubles a text until the memory is over: no fuel bounds that.
const KILLS_ITSELF: &str = "{% set n = namespace(s='x') %}{% for i in range(40) %}{% set n.s = n.s ~ n.s %}{% endfor %}{{ n.s | length }}";

fn hangs() {
    let evaluator = bad(faces::HANGS);
    let start = Instant::now();
    let reason = unanswered(&evaluator);
    assert!(reason.contains("ran longer than 0.5 s"), "{reason}");
    assert!(reason.contains("loop over less"), "{reason}");
    // Twice half a second, and no third time.
    assert!((1.0..4.0).contains(&start.elapsed().as_secs_f64()), "{:?}", start.elapsed());
    assert!(children().is_empty());
}

fn deaf() {
    let evaluator = bad(faces::DEAF);
    // More than a pipe takes, so that the request cannot even be sent.
    let reason = ask(&evaluator, "{{ 1 }}", &[("v", json!("x".repeat(1_000_000)))]).unwrap_err();
    assert!(reason.contains("ran longer than 0.5 s"), "{reason}");
    assert!(children().is_empty());
}

fn nonsense() {
    for (face, words) in [
        (faces::GARBAGE, "more than 16 MiB"),
        (faces::ENDLESS, "more than 16 MiB"),
        (faces::MISFIT, "does not fit the questions"),
        (faces::TWICE, "more than one answer"),
    ] {
        let evaluator = bad(face);
        let reason = unanswered(&evaluator);
        assert!(reason.contains(words), "{face}: {reason}");
        assert!(children().is_empty(), "{face}");
    }
}

fn dies() {
    let reason = unanswered(&bad(faces::DIES));
    assert!(reason.contains("exit status: 3") && reason.contains("these are last words"), "{reason}");
}

fn not_started() {
    let program = Program { path: "/nowhere/at/all".into(), args: Vec::new() };
    let reason = unanswered(&Evaluator::new(program));
    assert!(reason.contains("cannot be started: /nowhere/at/all: No such file"), "{reason}");
}

fn killed_idle() {
    let evaluator = real();
    assert_eq!(ask(&evaluator, "{{ 1 }}", &[]), Ok(json!(1)));
    let before = evaluator.idle();
    signal(before[0], Signal::KILL);
    assert_eq!(ask(&evaluator, "{{ 2 }}", &[]), Ok(json!(2)));
    assert_ne!(evaluator.idle(), before);
    assert_eq!(children(), evaluator.idle());
}

fn killed_in_the_middle() {
    let evaluator = real();
    assert_eq!(ask(&evaluator, "{{ 1 }}", &[]), Ok(json!(1)));
    let pid = stop(&evaluator);
    std::thread::scope(|threads| {
        let asking = threads.spawn(|| ask(&evaluator, "{{ 6 * 7 }}", &[]));
        until("the request", || evaluator.idle().is_empty());
        signal(pid, Signal::KILL);
        assert_eq!(asking.join().unwrap(), Ok(json!(42)));
    });
    assert_eq!(evaluator.idle().len(), 1);
}

fn batch() {
    let evaluator = real();
    let questions =
        [question(&["{{ 1 }}"], &[]), question(&[KILLS_ITSELF], &[]), question(&["{{ 3 }}", "{{ x }}"], &[])];
    let answers = evaluator.answer(&run(), &questions, &Patience::default());
    assert_eq!(answers[0], Answer::Evaluated(vec![Ok(Data::Inline(json!(1)))]));
    let Answer::Unanswered(reason) = &answers[1] else { panic!("{answers:?}") };
    assert!(reason.contains("more memory than the 512 MiB"), "{reason}");
    let Answer::Evaluated(third) = &answers[2] else { panic!("{answers:?}") };
    assert_eq!(third[0], Ok(Data::Inline(json!(3))));
    assert!(third[1].is_err());
    assert_eq!(children(), evaluator.idle());
}

fn meanwhile() {
    let evaluator = Evaluator::with(program(faces::REAL), hasty(3_000));
    assert_eq!(ask(&evaluator, "{{ 1 }}", &[]), Ok(json!(1)));
    stop(&evaluator);
    std::thread::scope(|threads| {
        let hanging = threads.spawn(|| {
            let start = Instant::now();
            (ask(&evaluator, "{{ 'late' }}", &[]), start.elapsed())
        });
        until("the hanging question", || evaluator.idle().is_empty());
        let start = Instant::now();
        for number in 0..50 {
            assert_eq!(ask(&evaluator, "{{ n }}", &[("n", json!(number))]), Ok(json!(number)));
        }
        assert!(start.elapsed() < Duration::from_secs(2), "{:?}", start.elapsed());
        let (told, took) = hanging.join().unwrap();
        assert_eq!(told, Ok(json!("late")));
        assert!(took >= Duration::from_secs(3), "{took:?}");
    });
}

fn fair() {
    let rules = Rules { processes_max: NonZero::<usize>::MIN, ..hasty(5_000) };
    let evaluator = &Evaluator::with(program(faces::COUNTS), rules);
    assert_eq!(ask(evaluator, "{{ 1 }}", &[]), Ok(json!(1)));
    let pid = stop(evaluator);
    std::thread::scope(|threads| {
        let mut line = Vec::new();
        for waiting in 0..8 {
            line.push(threads.spawn(|| ask(evaluator, "{{ 1 }}", &[])));
            until("the next in line", || evaluator.waiting() == waiting && evaluator.idle().is_empty());
        }
        signal(pid, Signal::CONT);
        for (asked, place) in line.into_iter().zip(2..) {
            assert_eq!(asked.join().unwrap(), Ok(json!(place)));
        }
    });
}

/// What a run gets that asks for its number among all that were asked.
fn number(evaluator: &Evaluator, run: &str) -> Answer {
    let patience = Patience::default();
    evaluator.answer(&RunId::new(run), &[question(&["{{ 1 }}"], &[])], &patience).remove(0)
}

fn turns() {
    let rules = Rules { processes_max: NonZero::<usize>::MIN, ..hasty(5_000) };
    let evaluator = &Evaluator::with(program(faces::COUNTS), rules);
    assert_eq!(ask(evaluator, "{{ 1 }}", &[]), Ok(json!(1)));
    let pid = stop(evaluator);
    let order = ["many", "many/a#1", "many/a#2", "many", "one", "other"];
    std::thread::scope(|threads| {
        let mut line = Vec::new();
        for (waiting, run) in order.iter().enumerate() {
            line.push(threads.spawn(move || number(evaluator, run)));
            until("the next in line", || evaluator.waiting() == waiting && evaluator.idle().is_empty());
        }
        signal(pid, Signal::CONT);
        for (asked, place) in line.into_iter().zip([2, 5, 6, 7, 3, 4]) {
            assert_eq!(asked.join().unwrap(), Answer::Evaluated(vec![Ok(Data::Inline(json!(place)))]));
        }
    });
}

/// Each is tried twice: one that comes later and hangs too has its answer while most of them still wait.
fn late() {
    let evaluator = &Evaluator::with(program(faces::HANGS), hasty(300));
    std::thread::scope(|threads| {
        for _ in 0..10 {
            threads.spawn(|| number(evaluator, "many"));
        }
        until("the line", || evaluator.waiting() == 8);
        number(evaluator, "other");
        assert!(evaluator.waiting() >= 6, "{}", evaluator.waiting());
    });
}

/// Rules for a turn of a second, half of which one question takes.
fn short() -> Rules {
    Rules { turn: Duration::from_secs(1), ..hasty(500) }
}

fn reasons(answers: &[Answer]) -> Vec<&str> {
    let reason = |answer: &'_ Answer| match answer {
        Answer::Unanswered(_) => true,
        other => panic!("{other:?}"),
    };
    assert!(answers.iter().all(reason));
    answers
        .iter()
        .filter_map(|answer| if let Answer::Unanswered(words) = answer { Some(words.as_str()) } else { None })
        .collect()
}

fn turn() {
    let evaluator = Evaluator::with(program(faces::HANGS), short());
    let questions: Vec<_> = (0..1_000).map(|_| question(&["{{ 1 }}"], &[])).collect();
    let (start, patience) = (Instant::now(), Patience::default());
    let answers = evaluator.answer(&run(), &questions, &patience);
    // All together, each alone while there is time, and the last one to its end.
    assert!((1.0..5.0).contains(&start.elapsed().as_secs_f64()), "{:?}", start.elapsed());
    let reasons = reasons(&answers);
    assert!(reasons[0].contains("ran longer than 0.5 s"), "{}", reasons[0]);
    let left = reasons.iter().skip_while(|reason| reason.contains("ran longer"));
    let left: Vec<&&str> = left.collect();
    assert!(left.len() >= 997, "{}", left.len());
    for words in ["took the 1 s", "not begun", "make templates cheaper", "ExecuteWorkflow"] {
        assert!(left.iter().all(|reason| reason.contains(words)), "{}", left[0]);
    }
    assert!(children().is_empty());
}

fn rounds() {
    let evaluator = Evaluator::with(program(faces::REAL), short());
    let ask =
        |patience: &Patience| evaluator.answer(&run(), &[question(&["{{ 1 }}"], &[])], patience).remove(0);
    let told = Answer::Evaluated(vec![Ok(Data::Inline(json!(1)))]);
    // The edge: what is begun before the time is up has its own time.
    let patience = Patience::default();
    patience.spend(Duration::from_millis(900));
    assert_eq!(ask(&patience), told);
    assert!(patience.spent() > Duration::from_millis(900));
    let used_up = Patience::default();
    used_up.spend(Duration::from_secs(1));
    assert!(reasons(&[ask(&used_up)])[0].contains("took the 1 s"));
    // Each turn has its own.
    assert_eq!(ask(&Patience::default()), told);
    // One that is late is not tried again when the time is up, and its own reason is told.
    let hangs = bad(faces::HANGS);
    let patience = Patience::default();
    patience.spend(Duration::from_millis(19_900));
    let start = Instant::now();
    let reason = hangs.answer(&run(), &[question(&["{{ 1 }}"], &[])], &patience);
    assert!(reasons(&reason)[0].contains("ran longer than 0.5 s"));
    assert!(start.elapsed() < Duration::from_millis(950), "{:?}", start.elapsed());
}

fn over() {
    let evaluator = Evaluator::with(program(faces::REAL), hasty(5_000));
    let questions = [question(&["{{ 1 }}"], &[]), question(&["{{ 2 }}"], &[])];
    let cancelled = Patience::default();
    cancelled.cancel();
    let answers = evaluator.answer(&run(), &questions, &cancelled);
    assert_eq!(reasons(&answers), ["the run was cancelled before this was evaluated"; 2]);
    let stopped = Patience::default();
    stopped.stop_at(Instant::now());
    let answers = evaluator.answer(&run(), &questions, &stopped);
    assert_eq!(reasons(&answers), ["the server was stopped before this was evaluated: run it again"; 2]);
    assert!(children().is_empty(), "no process is started for nothing");
    let soon = Patience::default();
    soon.stop_at(Instant::now() + Duration::from_secs(600));
    assert!(matches!(evaluator.answer(&run(), &questions, &soon)[1], Answer::Evaluated(_)));
    // In the middle of it: what is under way comes to its end, and no other is begun.
    let (hangs, patience) = (bad(faces::HANGS), Patience::default());
    patience.stop_at(Instant::now() + Duration::from_millis(100));
    let start = Instant::now();
    let many: Vec<_> = (0..100).map(|_| question(&["{{ 1 }}"], &[])).collect();
    let answers = hangs.answer(&run(), &many, &patience);
    assert!(reasons(&answers).iter().all(|reason| reason.contains("the server was stopped")));
    assert!(start.elapsed() < Duration::from_secs(3), "{:?}", start.elapsed());
}
