//! What fits which question, and what is told of the rest.

use super::*;
use dialects::view::asked::Origin;
use kernel::effect::Action;
use kernel::plan::{Audience, Gate, GateLevel};
use kernel::{Digest, EffectId, RunId};
use serde_json::json;

fn asked(audience: Audience, inputs: Value) -> Asked {
    at(audience, None, inputs)
}

fn at(audience: Audience, gate: Option<Gate>, inputs: Value) -> Asked {
    let inputs: Fields = match inputs {
        Value::Object(map) => map.into_iter().map(|(name, value)| (name, Data::Inline(value))).collect(),
        _ => Fields::new(),
    };
    let action = Action {
        id: EffectId::new("ask#1"),
        step: "ask".to_owned(),
        attempt: 1,
        audience,
        gate,
        shown: Digest::of_json(&inputs),
        inputs,
        timeout_ms: None,
        note: None,
        overdue: false,
    };
    let run = RunId::new("r");
    let origin = Origin {
        root: run.clone(),
        run,
        above: Vec::new(),
        since: 0,
        dialect: kernel::plan::Dialect::Blocks,
        word: String::new(),
        ends: false,
        attempts_left: None,
        check: None,
    };
    let load = |data: &Data| data.inline().cloned().ok_or(());
    Asked::of(origin, &action, load).unwrap()
}

fn human(inputs: Value) -> Asked {
    asked(Audience::Human, inputs)
}

/// What becomes of what was said: the response, or what is told.
fn said(asked: &Asked, said: Value) -> Result<Value, String> {
    match fit(asked, said) {
        Ok(fields) => Ok(fields["response"].inline().unwrap().clone()),
        Err(misfit) => Err(misfit.to_string()),
    }
}

#[test]
fn texts_are_texts() {
    let plain = human(json!({"kind": "text"}));
    assert_eq!(said(&plain, json!("  as it is ")), Ok(json!("  as it is ")));
    assert_eq!(said(&plain, json!("")), Ok(json!("")));
    assert_eq!(said(&plain, json!(5)), Ok(json!("5")));
    assert_eq!(
        said(&plain, json!(null)),
        Err("a text is asked for, and this is nothing. What fits: a text".into())
    );
    assert!(said(&plain, json!(["a"])).unwrap_err().starts_with("a text is asked for, and this is a list"));
    let with = human(json!({"kind": "text", "default": "usual"}));
    for silence in [json!(null), json!(""), json!("  ")] {
        assert_eq!(said(&with, silence), Ok(json!("usual")));
    }
    assert_eq!(said(&with, json!("other")), Ok(json!("other")));
}

#[test]
fn yes_and_no_have_a_few_words() {
    let confirm = human(json!({"kind": "confirm"}));
    for yes in [json!(true), json!("yes"), json!(" Y "), json!("TRUE")] {
        assert_eq!(said(&confirm, yes), Ok(json!(true)));
    }
    for no in [json!(false), json!("No"), json!("n"), json!("false")] {
        assert_eq!(said(&confirm, no), Ok(json!(false)));
    }
    for neither in [json!("sure"), json!(1), json!(null), json!("")] {
        assert!(said(&confirm, neither).unwrap_err().ends_with("What fits: true or false, yes or no"));
    }
    assert_eq!(said(&human(json!({"kind": "confirm", "default": false})), json!("")), Ok(json!(false)));
}

#[test]
fn a_choice_is_named_or_counted() {
    let stages = human(json!({"kind": "choice", "choices": ["staging", "production", 3, {"a": 1}]}));
    for (answer, chosen) in [
        (json!("staging"), json!("staging")),
        (json!(" production "), json!("production")),
        (json!("2"), json!("production")),
        (json!(2), json!("production")),
        (json!(3), json!(3)),
        (json!("3"), json!(3)),
        (json!({"a": 1}), json!({"a": 1})),
        (json!("{\"a\":1}"), json!({"a": 1})),
        (json!("4"), json!({"a": 1})),
    ] {
        assert_eq!(said(&stages, answer.clone()), Ok(chosen), "{answer}");
    }
    // One that has a blank at its end is called so too, and is no number.
    let blank = human(json!({"kind": "choice", "choices": ["5 ", "1 ", "2 "]}));
    assert_eq!(said(&blank, json!("1")), Ok(json!("1 ")));
    // A choice that is a number hides the count.
    let counts = human(json!({"kind": "choice", "choices": ["2", "1"]}));
    assert_eq!(said(&counts, json!("1")), Ok(json!("1")));
    for none in [json!("Staging"), json!("0"), json!("5"), json!(-1), json!(null)] {
        let told = said(&stages, none).unwrap_err();
        assert!(told.ends_with("What fits: 1 staging, 2 production, 3 3, 4 {\"a\":1}"), "{told}");
    }
}

#[test]
fn nothing_said_passes_no_gate() {
    let gate = |inputs: Value| at(Audience::Human, Some(Gate { level: GateLevel::Ask }), inputs);
    let confirm = gate(json!({"kind": "confirm", "default": true}));
    let choice = gate(json!({"kind": "choice", "choices": ["a", ""], "default": "a"}));
    let text = gate(json!({"kind": "text", "default": "go"}));
    for asked in [&confirm, &text, &gate(json!({"kind": "choice", "choices": ["a"], "default": "a"}))] {
        for silence in [json!(null), json!(""), json!(" \n")] {
            let told = said(asked, silence.clone());
            assert!(told.is_err(), "{:?} {silence}: {told:?}", asked.kind);
        }
    }
    assert!(said(&choice, json!(null)).is_err());
    // A no is a no, whatever is asked for.
    assert_eq!(said(&text, json!(false)), Ok(json!(false)));
    assert_eq!(said(&text, json!("go")), Ok(json!("go")));
    assert_eq!(said(&confirm, json!("yes")), Ok(json!(true)));
}

#[test]
fn of_many_choices_only_some_are_named() {
    let many = |count: usize| {
        human(json!({"kind": "choice", "choices": (0..count).map(|n| format!("c{n}")).collect::<Vec<_>>()}))
    };
    assert!(said(&many(20), json!("x")).unwrap_err().ends_with(", 20 c19"));
    assert!(said(&many(21), json!("x")).unwrap_err().ends_with(", 20 c19, and 1 more"));
    assert_eq!(said(&many(500), json!("c499")), Ok(json!("c499")));
}

#[test]
fn results_fit_their_schema() {
    let schema = json!({
        "type": "object",
        "required": ["verdict"],
        "properties": {"verdict": {"enum": ["good", "bad"]}},
    });
    let review = asked(Audience::Agent, json!({"instructions": "x", "output_schema": schema}));
    let fields = fit(&review, json!({"verdict": "good", "more": [1]})).unwrap();
    assert_eq!(fields.keys().collect::<Vec<_>>(), ["more", "response", "verdict"]);
    assert_eq!(fields["response"], json!({"verdict": "good", "more": [1]}).into());
    assert_eq!(said(&review, json!("{\"verdict\": \"bad\"}")), Ok(json!({"verdict": "bad"})));
    for (wrong, at) in [
        (json!({"verdict": "ugly"}), "/verdict"),
        (json!("{\"verdict\": \"ugly\"}"), "/verdict"),
        (json!({}), ""),
        (json!("good"), ""),
        (json!([]), ""),
    ] {
        let misfit = fit(&review, wrong.clone()).unwrap_err();
        assert_eq!(misfit.problems[0].at, at, "{wrong}");
        assert!(misfit.fits.starts_with("a value of the schema {"), "{}", misfit.fits);
    }
}

#[test]
fn results_without_a_schema_are_anything_but_nothing() {
    let open = asked(Audience::Agent, json!({"instructions": "x"}));
    for answer in [json!("done"), json!({"a": 1}), json!([1]), json!(5), json!(false)] {
        assert_eq!(said(&open, answer.clone()), Ok(answer));
    }
    for nothing in [json!(null), json!(""), json!(" \n")] {
        assert!(said(&open, nothing).unwrap_err().starts_with("nothing was said"));
    }
    // The whole answer goes before a member of that name.
    let fields = fit(&open, json!({"response": 1})).unwrap();
    assert_eq!(fields["response"], json!({"response": 1}).into());
}

#[test]
fn an_answer_has_its_largest_size() {
    let plain = human(json!({"kind": "text"}));
    let room = RESPONSE_BYTES_MAX as usize - 2;
    assert!(fit(&plain, json!("x".repeat(room))).is_ok());
    let told = said(&plain, json!("x".repeat(room + 1))).unwrap_err();
    assert!(told.starts_with("the answer is too large"), "{told}");
    // What numbers take where they are held is no matter of whoever says them.
    let numbers = |count: usize| json!({ "v": vec![0; count] });
    let agent = asked(Audience::Agent, json!({}));
    assert!(fit(&agent, numbers(131_068)).is_ok());
    assert_eq!(numbers(131_068).to_string().len(), RESPONSE_BYTES_MAX as usize - 1);
    let told = said(&agent, numbers(131_069)).unwrap_err();
    assert!(told.starts_with("the answer is too large"), "{told}");
    let deep = |levels: usize| (0..levels).fold(json!(1), |inner, _| json!([inner]));
    assert!(fit(&agent, deep(64)).is_ok());
    let told = said(&agent, deep(65)).unwrap_err();
    assert!(told.starts_with("the answer nests deeper than 64 levels"), "{told}");
}

#[test]
fn what_is_shown_is_whole_however_long_it_is() {
    let long = "é".repeat(20_000);
    let asked =
        human(json!({"kind": "text", "prompt": "x", "details": long, "context.a": 1, "context.b": [2]}));
    assert_eq!(asked.shown["details"].as_str().map(str::len), Some(40_000));
    assert_eq!(asked.shown["context"], json!({"a": 1, "b": [2]}));
}
