//! What goes well: answers in order, values by digest, processes only when needed and gone afterwards.

use crate::world::{ask, children, hasty, program, question, real, run, signal, status, until};
use crate::{Test, faces};
use engine::answers::Patience;
use engine::evaluator::limits::{FILES_MAX, MEMORY_BYTES_MAX};
use engine::evaluator::{Evaluator, Program, Rules};
use kernel::{Answer, Data, Digest, Question};
use rustix::process::Signal;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

pub(crate) const ALL: &[Test] = &[
    ("answers_stand_in_the_order_of_their_questions", answers_in_order),
    ("nothing_is_started_before_it_is_needed_and_nothing_is_left", life),
    ("idle_processes_are_ended", idle),
    ("a_process_ends_when_stdin_closes", stdin_closes),
    ("a_process_outlives_the_thread_that_asked_first", outlives_the_thread),
    ("a_process_does_not_outlive_its_parent", dies_with_its_parent),
    ("a_process_is_confined", confined),
    ("a_process_that_was_given_less_takes_less", given_less),
    ("nothing_of_our_environment_is_passed", environment),
    ("a_large_value_is_sent_once", by_digest),
    ("values_that_are_held_are_the_right_ones", held_values),
    ("a_deep_value_arrives", deep_value),
    ("values_come_back_as_they_went", there_and_back),
    ("many_at_once_are_all_answered", many),
    ("cold_and_warm_are_told", cold_and_warm),
];

fn answers_in_order() {
    let evaluator = real();
    let questions = [
        question(&["{{ a + 1 }}", "{{ b }}", "a is {{ a }}"], &[("a", json!(1))]),
        Question::Load { digest: Digest::of(b"x") },
        question(&["{{ inputs.x.y }}"], &[("inputs.x", json!({"y": [1, null, "z"]}))]),
        question(&[], &[]),
    ];
    let answers = evaluator.answer(&run(), &questions, &Patience::default());
    let [
        Answer::Evaluated(first),
        Answer::Unanswered(load),
        Answer::Evaluated(third),
        Answer::Evaluated(none),
    ] = answers.as_slice()
    else {
        panic!("{answers:?}")
    };
    assert_eq!(first[0], Ok(Data::Inline(json!(2))));
    assert!(first[1].as_ref().unwrap_err().contains("`b` is undefined"));
    assert_eq!(first[2], Ok(Data::Inline(json!("a is 1"))));
    assert!(load.contains("only the store knows"));
    assert_eq!(third[..], [Ok(Data::Inline(json!([1, null, "z"])))]);
    assert_eq!(none[..], []);
    assert_eq!(evaluator.answer(&run(), &[], &Patience::default()), []);
}

fn life() {
    assert!(children().is_empty(), "{:?}", children());
    let evaluator = real();
    assert_eq!(
        evaluator.answer(&run(), &[Question::Load { digest: Digest::of(b"x") }], &Patience::default()).len(),
        1
    );
    assert!(children().is_empty(), "{:?}", children());
    assert_eq!(ask(&evaluator, "{{ 1 }}", &[]), Ok(json!(1)));
    assert_eq!(children(), evaluator.idle());
    assert_eq!(children().len(), 1);
    assert_eq!(ask(&evaluator, "{{ 2 }}", &[]), Ok(json!(2)));
    assert_eq!(children(), evaluator.idle());
    drop(evaluator);
    assert!(children().is_empty(), "{:?}", children());
}

fn idle() {
    let rules = Rules { idle: Duration::from_millis(80), ..hasty(5_000) };
    let evaluator = Evaluator::with(program(faces::REAL), rules);
    assert_eq!(ask(&evaluator, "{{ 1 }}", &[]), Ok(json!(1)));
    assert_eq!(children().len(), 1);
    until("the end of an idle process", || children().is_empty());
    assert!(evaluator.idle().is_empty());
    assert_eq!(ask(&evaluator, "{{ 1 }}", &[]), Ok(json!(1)));
    assert_eq!(Rules::default().idle, Duration::from_secs(60));
    assert_eq!(Rules::default().deadline, Duration::from_secs(5));
    assert!(Rules::default().processes_max.get() >= 2);
}

fn stdin_closes() {
    let program = program(faces::REAL);
    let mut child = Command::new(program.path).args(program.args).stdin(Stdio::piped()).spawn().unwrap();
    drop(child.stdin.take());
    assert!(child.wait().unwrap().success());
}

fn outlives_the_thread() {
    let evaluator = real();
    let first = std::thread::scope(|threads| {
        let asking = threads.spawn(|| ask(&evaluator, "{{ 1 }}", &[]));
        asking.join().unwrap().unwrap();
        evaluator.idle()
    });
    for _ in 0..20 {
        assert_eq!(ask(&evaluator, "{{ 1 }}", &[]), Ok(json!(1)));
        assert_eq!(evaluator.idle(), first);
    }
}

fn dies_with_its_parent() {
    let program = program(faces::PARENT);
    let mut parent = Command::new(program.path)
        .args(program.args)
        .stdout(Stdio::piped())
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(parent.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
    let pid: u32 = line.trim().parse().unwrap();
    // It is stopped, so that only the system can end it: it will not see that its stdin is closed.
    signal(pid, Signal::STOP);
    parent.kill().unwrap();
    parent.wait().unwrap();
    until("the end of the process", || status(pid, "State").is_none_or(|state| state.starts_with('Z')));
}

fn given_less() {
    let real = program(faces::REAL);
    let script = format!("ulimit -n 12; ulimit -t 3; exec {} {}", real.path.display(), faces::REAL);
    let shell = Program { path: "/bin/sh".into(), args: vec!["-c".into(), script.into()] };
    let evaluator = Evaluator::with(shell, hasty(5_000));
    assert_eq!(ask(&evaluator, "{{ 1 }}", &[]), Ok(json!(1)));
    let limits = std::fs::read_to_string(format!("/proc/{}/limits", evaluator.idle()[0])).unwrap();
    let line = |name: &str| limits.lines().find(|line| line.starts_with(name)).unwrap().to_owned();
    assert!(line("Max open files").contains(" 12 "), "{limits}");
    assert!(line("Max cpu time").contains(" 3 "), "{limits}");
}

fn confined() {
    // A descriptor that is inherited on purpose is closed by the process itself.
    let leaked = std::fs::File::open("/dev/null").unwrap();
    rustix::io::fcntl_setfd(&leaked, rustix::io::FdFlags::empty()).unwrap();
    let evaluator = real();
    assert_eq!(ask(&evaluator, "{{ 1 }}", &[]), Ok(json!(1)));
    let pid = evaluator.idle()[0];
    let limits = std::fs::read_to_string(format!("/proc/{pid}/limits")).unwrap();
    let limit = |name: &str| {
        let line = limits.lines().find(|line| line.starts_with(name)).unwrap();
        line[name.len()..].split_whitespace().next().unwrap().to_owned()
    };
    assert_eq!(limit("Max address space"), MEMORY_BYTES_MAX.to_string());
    assert_eq!(limit("Max core file size"), "0");
    assert_eq!(limit("Max open files"), FILES_MAX.to_string());
    assert_eq!(limit("Max cpu time"), "7");
    let open = std::fs::read_dir(format!("/proc/{pid}/fd")).unwrap();
    let open: Vec<String> = open
        .map(|entry| std::fs::read_link(entry.unwrap().path()).unwrap().to_string_lossy().into_owned())
        .collect();
    assert_eq!(open.len(), 4, "{open:?}");
    assert!(open.iter().all(|target| target.starts_with("pipe:")), "{open:?}");
    assert_eq!(std::fs::read_link(format!("/proc/{pid}/cwd")).unwrap().to_str(), Some("/"));
    assert_eq!(std::fs::read(format!("/proc/{pid}/environ")).unwrap(), b"");
    assert!(status(pid, "VmRSS").is_some());
}

fn environment() {
    let evaluator = Evaluator::with(program(faces::TELLS), hasty(5_000));
    let told = ask(&evaluator, "{{ 1 }}", &[]).unwrap();
    assert_eq!(told["env"], json!([]));
}

/// Bytes of a request, as the process saw it.
fn bytes(evaluator: &Evaluator, scope: &[(&str, Value)]) -> u64 {
    ask(evaluator, "{{ 1 }}", scope).unwrap()["bytes"].as_u64().unwrap()
}

fn by_digest() {
    let evaluator = Evaluator::with(program(faces::TELLS), hasty(5_000));
    let (large, other, small) =
        (json!("x".repeat(100_000)), json!(["y".repeat(50_000)]), json!("z".repeat(4_000)));
    let first = bytes(&evaluator, &[("a", large.clone())]);
    assert!((100_002..100_600).contains(&first), "{first}");
    let second = bytes(&evaluator, &[("a", large.clone())]);
    assert!(second < 400, "{second}");
    let both = bytes(&evaluator, &[("a", large.clone()), ("b", other.clone()), ("c", other)]);
    assert!((50_004..50_800).contains(&both), "{both}");
    // What is small goes along every time.
    assert_eq!(bytes(&evaluator, &[("c", small.clone())]), bytes(&evaluator, &[("c", small)]));
    // A fresh process holds nothing.
    let fresh = Evaluator::with(program(faces::TELLS), hasty(5_000));
    assert!(bytes(&fresh, &[("a", large)]) > 100_000);
}

fn held_values() {
    let evaluator = real();
    let value = |letter: &str| json!({"text": letter.repeat(1_500_000), "letter": letter});
    // Ten values of 1.5 MB are more than a process may hold: the first are forgotten and sent again.
    for round in 0..2 {
        for letter in ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"] {
            let told = ask(&evaluator, "{{ v.letter ~ v.text | length }}", &[("v", value(letter))]);
            assert_eq!(told, Ok(json!(format!("{letter}1500000"))), "round {round}");
        }
    }
    assert_eq!(evaluator.idle().len(), 1);
}

fn deep_value() {
    let deep = (0..120).fold(json!(7), |inner, _| json!([inner]));
    let evaluator = real();
    assert_eq!(ask(&evaluator, "{{ v[0][0][0] | length }}", &[("v", deep)]), Ok(json!(1)));
}

fn there_and_back() {
    let evaluator = real();
    for value in [
        json!(null),
        json!([true, false, 0, -1, i64::MIN, i64::MAX, u64::MAX]),
        json!([0.1, -0.0, 1e300, 5e-324, 1.0, 123_456_789.123_456_78]),
        json!(["", "{{ 1 }}", "a\u{0}b\n\u{1f600}", "r'x'", "\u{feff}"]),
        json!({"z": 1, "a": {"y": [], "b": {}}, "": "empty", "0": "zero", "a.b": "dotted", "ä": "letter"}),
    ] {
        for large in [false, true] {
            let value = if large { json!([value, "x".repeat(5_000)]) } else { value.clone() };
            let told = ask(&evaluator, "{{ inputs.v }}", &[("inputs.v", value.clone())]).unwrap();
            // As text, because the order of keys and the kind of numbers count too.
            assert_eq!(told.to_string(), value.to_string());
        }
    }
}

fn many() {
    let evaluator = real();
    std::thread::scope(|threads| {
        for number in 0..16 {
            let evaluator = &evaluator;
            threads.spawn(move || {
                for round in 0..25 {
                    let told = ask(evaluator, "{{ n * 2 }}", &[("n", json!(number * 100 + round))]);
                    assert_eq!(told, Ok(json!((number * 100 + round) * 2)));
                }
            });
        }
    });
    assert!(evaluator.idle().len() <= Rules::default().processes_max.get());
}

fn cold_and_warm() {
    let mut cold: Vec<Duration> = (0..20)
        .map(|_| {
            let evaluator = real();
            let start = Instant::now();
            assert_eq!(ask(&evaluator, "{{ 1 }}", &[]), Ok(json!(1)));
            start.elapsed()
        })
        .collect();
    let evaluator = real();
    let mut warm: Vec<Duration> = (0..200)
        .map(|_| {
            let start = Instant::now();
            assert_eq!(ask(&evaluator, "{{ inputs.n + 1 }}", &[("inputs.n", json!(1))]), Ok(json!(2)));
            start.elapsed()
        })
        .collect();
    cold.sort();
    warm.sort();
    println!("  cold start to answer {:?}, warm {:?} (medians)", cold[10], warm[100]);
}
