//! Limits, each at its edge, through a real process.

use crate::world::{ask, children, hasty, program, question, real, run};
use crate::{Test, faces};
use engine::answers::Patience;
use engine::evaluator::Evaluator;
use engine::evaluator::limits::{
    ANSWER_BYTES_MAX, CPU_SECONDS_MAX, EXPRESSIONS_MAX, INLINE_BYTES_MAX, OUTPUT_BYTES_MAX,
    OUTPUTS_BYTES_MAX, REQUEST_BYTES_MAX, SOURCE_BYTES_MAX, WORDS_BYTES_MAX,
};
use kernel::Answer;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

pub(crate) const ALL: &[Test] = &[
    ("the_longest_source", source),
    ("the_largest_request", request),
    ("the_largest_answer", answer),
    ("the_largest_value_that_goes_along_every_time", inline),
    ("the_largest_output", output),
    ("the_largest_outputs_together", outputs),
    ("the_most_expressions", expressions),
    ("the_most_memory", memory),
    ("the_most_processor_time", processor_time),
    ("the_longest_time", time),
    ("the_longest_words", words),
];

fn source() {
    let evaluator = real();
    let source = |bytes: usize| format!("{{{{ '{}' | length }}}}", "x".repeat(bytes - 17));
    assert_eq!(source(SOURCE_BYTES_MAX).len(), SOURCE_BYTES_MAX);
    assert_eq!(ask(&evaluator, &source(SOURCE_BYTES_MAX), &[]), Ok(json!(SOURCE_BYTES_MAX - 17)));
    let longer = ask(&evaluator, &source(SOURCE_BYTES_MAX + 1), &[]).unwrap_err();
    assert_eq!(longer, "the expression has 16385 bytes, and 16384 are the most: split it");
}

fn text(bytes: usize) -> [(&'static str, Value); 1] {
    [("v", Value::String("x".repeat(bytes)))]
}

fn request() {
    // Each goes to a fresh process: one that holds something is told to forget it, and that takes bytes too. A build for
    // tests reads so much in seconds; the time is not what is tested.
    let told = |face: &str, bytes: usize| {
        ask(&Evaluator::with(program(face), hasty(60_000)), "{{ v | length }}", &text(bytes))
    };
    let sent = |bytes: usize| told(faces::TELLS, bytes).unwrap()["bytes"].as_u64().unwrap();
    // As many digits as at the edge, so that as many bytes stand around it.
    let shorter = 10_000_000;
    let around = usize::try_from(sent(shorter)).unwrap() - shorter;
    let edge = REQUEST_BYTES_MAX - around;
    assert_eq!(sent(edge), REQUEST_BYTES_MAX as u64);
    assert_eq!(told(faces::REAL, edge), Ok(json!(edge)));
    let evaluator = real();
    let more = ask(&evaluator, "{{ v | length }}", &text(edge + 1)).unwrap_err();
    assert_eq!(more, "unanswered: the values read here are larger than 32 MiB together: read less of them");
    // Nothing is confused afterwards.
    assert_eq!(ask(&evaluator, "{{ v | length }}", &text(5_000)), Ok(json!(5_000)));
}

fn answer() {
    let told = |bytes: usize| {
        let mut long = program(faces::LONG);
        long.args.push(bytes.to_string().into());
        ask(&Evaluator::with(long, hasty(60_000)), "{{ 1 }}", &[]).map(|value| value.as_str().unwrap().len())
    };
    assert_eq!(told(ANSWER_BYTES_MAX), Ok(ANSWER_BYTES_MAX - faces::LONG_AROUND));
    let more = told(ANSWER_BYTES_MAX + 1).unwrap_err();
    assert_eq!(more, "unanswered: the evaluator answered more than 16 MiB: make smaller values");
}

fn inline() {
    let evaluator = Evaluator::with(program(faces::TELLS), hasty(5_000));
    let sent = |bytes: usize| ask(&evaluator, "{{ v }}", &text(bytes)).unwrap()["bytes"].as_u64().unwrap();
    // Two quotes belong to it.
    let edge = usize::try_from(INLINE_BYTES_MAX).unwrap() - 2;
    assert_eq!(sent(edge), sent(edge));
    let (first, again) = (sent(edge + 1), sent(edge + 1));
    assert!(first > 4_000 && again < 400, "{first} and {again}");
}

fn output() {
    let evaluator = real();
    // Two quotes belong to the JSON form, and every part counts 32.
    assert!(ask(&evaluator, "{{ v }}", &text(OUTPUT_BYTES_MAX - 32)).is_ok());
    let larger = ask(&evaluator, "{{ v }}", &text(OUTPUT_BYTES_MAX - 31)).unwrap_err();
    assert_eq!(larger, "the value is larger than 1048576 bytes: make a smaller one");
    assert!(ask(&evaluator, "{{ v }}{{ '' }}", &text(OUTPUT_BYTES_MAX - 2)).is_ok());
    assert!(ask(&evaluator, "{{ v }}{{ '' }}", &text(OUTPUT_BYTES_MAX - 1)).is_err());
    // Six bytes for each control character.
    let bells = |count: usize| [("v", Value::String("\u{7}".repeat(count)))];
    assert!(ask(&evaluator, "{{ v }}", &bells(OUTPUT_BYTES_MAX / 6)).is_ok());
    assert!(ask(&evaluator, "{{ v }}", &bells(OUTPUT_BYTES_MAX / 6 + 1)).is_err());
}

fn outputs() {
    let evaluator = real();
    let scope = [("v", Value::String("x".repeat(OUTPUT_BYTES_MAX / 2 - 2)))];
    let count = OUTPUTS_BYTES_MAX / (OUTPUT_BYTES_MAX / 2);
    let Answer::Evaluated(values) = evaluator
        .answer(&run(), &[question(&vec!["{{ v }}"; count + 1], &scope)], &Patience::default())
        .remove(0)
    else {
        panic!()
    };
    assert!(values[..count].iter().all(Result::is_ok));
    assert!(values[count].as_ref().unwrap_err().contains("larger than 4194304 bytes together"));
}

fn expressions() {
    let evaluator = real();
    let ask = |count: usize| {
        evaluator.answer(&run(), &[question(&vec!["{{ 1 }}"; count], &[])], &Patience::default()).remove(0)
    };
    assert!(matches!(ask(EXPRESSIONS_MAX), Answer::Evaluated(values) if values.len() == EXPRESSIONS_MAX));
    let Answer::Unanswered(reason) = ask(EXPRESSIONS_MAX + 1) else { panic!() };
    assert!(reason.contains("4097 expressions at once are more than 4096"), "{reason}");
}

/// A text of 2 to the power of `doublings` bytes.
fn doubled(doublings: u32) -> String {
    format!(
        "{{% set n = namespace(s='x') %}}{{% for i in range({doublings}) %}}{{% set n.s = n.s ~ n.s %}}\
         {{% endfor %}}{{{{ n.s | length }}}}"
    )
}

fn memory() {
    let evaluator = real();
    assert_eq!(ask(&evaluator, &doubled(26), &[]), Ok(json!((1_u64 << 26).to_string())));
    let more = ask(&evaluator, &doubled(29), &[]).unwrap_err();
    let words =
        "unanswered: the evaluator used more memory than the 512 MiB it is allowed: make smaller values";
    assert_eq!(more, words);
    assert!(children().is_empty());
}

/// Much work in few steps: every round copies a longer list.
const BUSY: &str =
    "{% set n = namespace(l=[]) %}{% for i in range(99999) %}{% set n.l = n.l + [i] %}{% endfor %}";

fn processor_time() {
    let evaluator = Evaluator::with(program(faces::REAL), hasty(120_000));
    let start = Instant::now();
    let words = ask(&evaluator, BUSY, &[]).unwrap_err();
    assert_eq!(
        words,
        "unanswered: the evaluator used more processor time than it is allowed: loop over less"
    );
    assert!(start.elapsed() >= 2 * Duration::from_secs(CPU_SECONDS_MAX - 1), "{:?}", start.elapsed());
    // The time counts for each request anew, not for the life of a process.
    assert_eq!(ask(&evaluator, "{{ 1 }}", &[]), Ok(json!(1)));
}

fn time() {
    let evaluator = real();
    let start = Instant::now();
    let words = ask(&evaluator, BUSY, &[]).unwrap_err();
    assert!(words.contains("ran longer than 5 s"), "{words}");
    assert!((10.0..13.0).contains(&start.elapsed().as_secs_f64()), "{:?}", start.elapsed());
}

fn words() {
    let evaluator = real();
    let name = "n".repeat(5_000);
    let words = ask(&evaluator, &format!("{{{{ {name} }}}}"), &[]).unwrap_err();
    assert_eq!(words.len(), WORDS_BYTES_MAX);
    assert!(words.ends_with('…'));
}
