//! Fields of a state, computed over a real process: one request for all of them.

use crate::Test;
use crate::faces;
use crate::world::{hasty, program, real, run};
use engine::answers::Patience;
use engine::evaluator::Evaluator;
use kernel::plan::Language;
use kernel::question::{Compute, Made, Otherwise};
use kernel::{Answer, Data, Digest, Question};
use serde_json::{Value, json};

pub(crate) const ALL: &[Test] = &[
    ("what_follows_from_a_change_is_computed_at_once", at_once),
    ("many_fields_are_computed_by_one_process", many),
    ("what_hangs_fails_alone", hangs),
];

fn field(name: &str, input: &str, source: &str) -> Compute {
    Compute {
        name: format!("computed.{name}"),
        source: source.to_owned(),
        inputs: vec![input.to_owned()],
        single: true,
        reads: Vec::new(),
        validate: None,
        otherwise: Otherwise::Null,
        origin: None,
        validate_origin: None,
        only_after: Vec::new(),
    }
}

fn question(fields: Vec<Compute>, scope: &[(&str, Value)]) -> Question {
    let scope = scope.iter().map(|(path, value)| ((*path).to_owned(), Data::Inline(value.clone()))).collect();
    Question::Compute { language: Language::JavaScript, fields, scope }
}

fn answer(evaluator: &Evaluator, question: Question) -> Answer {
    evaluator.answer(&run(), &[question], &Patience::default()).remove(0)
}

fn made(evaluator: &Evaluator, question: Question) -> Vec<Made> {
    match answer(evaluator, question) {
        Answer::Computed(made) => made,
        other => panic!("{other:?}"),
    }
}

fn at_once() {
    let evaluator = real();
    let large: Value = (0..5_000).map(|number| json!(number)).collect();
    for _ in 0..2 {
        let fields = vec![
            field("even", "raw.list", "input.filter(n => n % 2 === 0)"),
            field("count", "computed.even", "input.length"),
            field("none", "raw.nothing", "input.length"),
            field("bad", "computed.count", "input.x.y"),
            field("null", "computed.bad", "input"),
        ];
        let made = made(&evaluator, question(fields, &[("raw.list", large.clone())]));
        let inline = |made: &Made| made.value.as_ref().map(|data| data.inline().unwrap().clone());
        assert_eq!(inline(&made[0]).unwrap().as_array().unwrap().len(), 2_500);
        assert_eq!(made[0].input, Digest::of(large.to_string().as_bytes()));
        assert_eq!(inline(&made[1]), Some(json!(2_500)));
        assert_eq!((inline(&made[2]), made[2].error.as_deref()), (None, None));
        assert_eq!(inline(&made[3]), Some(json!(null)));
        let words = "TypeError: cannot read property 'y' of undefined (line 1, column 1)";
        assert_eq!(made[3].error.as_deref(), Some(words));
        assert_eq!((inline(&made[4]), made[4].error.as_deref()), (Some(json!(null)), None));
        assert!(made[0].took_us > 0);
    }
}

/// Many fields go in one frame: how long each took is told, and one process was enough.
fn many() {
    let evaluator = real();
    let fields = (0..200).map(|number| field(&format!("f{number}"), "raw.a", "input + 1")).collect();
    let made = made(&evaluator, question(fields, &[("raw.a", json!(1))]));
    assert!(made.len() == 200 && made.iter().all(|made| made.error.is_none()), "{made:?}");
    assert_eq!(evaluator.idle().len(), 1);
}

fn hangs() {
    let evaluator = Evaluator::with(program(faces::REAL), hasty(3_000));
    let trap = "new Array(2 ** 32 - 2).join('')";
    let rule = |name: &str, source: &str, otherwise: Otherwise| Compute {
        otherwise,
        ..field(name, "raw.a", source)
    };
    let fields = vec![
        field("a", "raw.a", "input + 1"),
        rule("bad", trap, Otherwise::Value(json!(-1))),
        field("on_bad", "computed.bad", "input + 100"),
        rule("kept", trap, Otherwise::Old),
        Compute { reads: vec!["computed.a".into()], ..field("b", "raw.a", "a * 10") },
    ];
    let scope = [("raw.a", json!(1)), ("computed.kept", json!("old"))];
    let made = made(&evaluator, question(fields, &scope));
    let values: Vec<Value> =
        made.iter().map(|made| made.value.as_ref().unwrap().inline().unwrap().clone()).collect();
    assert_eq!(values, [json!(2), json!(-1), json!(99), json!("old"), json!(20)]);
    let failed: Vec<bool> = made.iter().map(|made| made.error.is_some()).collect();
    assert_eq!(failed, [false, true, false, true, false]);
    assert!(made[1].error.as_ref().unwrap().contains("ran longer than"), "{made:?}");
}
