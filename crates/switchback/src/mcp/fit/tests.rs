//! What fits, what is cut, and what no document can do.

use super::*;

fn block(status: &str, outcome: &str, bytes: usize) -> Value {
    json!({"inputs": {"command": "x"}, "outputs": {"stdout": "\n".repeat(bytes)},
           "metadata": {"status": status, "outcome": outcome}})
}

fn response(blocks: impl Iterator<Item = (String, Value)>) -> Value {
    json!({"status": "success", "workflow_id": "a", "outputs": {"x": "y".repeat(9_000)},
           "blocks": blocks.collect::<Map<_, _>>()})
}

#[test]
fn what_fits_is_not_touched() {
    let text = |count: usize| json!({ "outputs": "x".repeat(count) });
    let exact = ANSWER_BYTES_MAX - size(&text(0));
    assert_eq!(fit(text(exact), ANSWER_BYTES_MAX, None), (text(exact), false));
    let (cut, was_cut) = fit(text(exact + 1), ANSWER_BYTES_MAX, Some("there"));
    assert!(was_cut && size(&cut) <= ANSWER_BYTES_MAX);
    let kept = cut["outputs"].as_str().unwrap();
    assert!(kept.contains(&format!("[... {} bytes left out ...]", exact + 1 - 4_000 + 1)), "{kept}");
    assert_eq!(cut["left_out"]["all_of_it"], "there");
}

#[test]
fn many_blocks_fit_and_the_failed_ones_are_there() {
    let blocks = (0..500).map(|number| match number {
        490..495 => (format!("block_{number}"), block("completed", "failure", 16_384)),
        _ => (format!("block_{number}"), block("completed", "success", 16_384)),
    });
    let (cut, _) = fit(response(blocks), ANSWER_BYTES_MAX, Some("switchback://run/a"));
    assert!(size(&cut) <= ANSWER_BYTES_MAX, "{}", size(&cut));
    let blocks = cut["blocks"].as_object().unwrap();
    assert!((490..495).all(|number| blocks.contains_key(&format!("block_{number}"))));
    let left = cut["left_out"]["blocks"]["completed"].as_u64().unwrap();
    assert_eq!(left + blocks.len() as u64, 500);
    assert!(cut["outputs"]["x"].as_str().unwrap().len() > 100);
}

#[test]
fn hostile_documents_fit_too() {
    let keys: Map<String, Value> = (0..50).map(|n| (format!("{n}{}", "k".repeat(5_000)), json!(n))).collect();
    let deep = (0..100).fold(json!("x".repeat(50_000)), |inner, _| json!({ "k": [inner] }));
    for outputs in [
        json!(keys),
        json!((0..100_000).collect::<Vec<_>>()),
        json!({"one": {"list": (0..100_000).collect::<Vec<_>>()}}),
        json!("\u{1}".repeat(100_000)),
        json!(vec!["\u{1}".repeat(90); 9_000]),
        json!({ "deep": deep }),
        json!(vec![json!({"status": "completed", "text": "x"}); 5_000]),
    ] {
        let document =
            json!({"status": "success", "next": "n", "outputs": outputs, "error": "e".repeat(9_000)});
        let (cut, was_cut) = fit(document, ANSWER_BYTES_MAX, Some("switchback://run/a"));
        assert!(was_cut && size(&cut) <= ANSWER_BYTES_MAX, "{}", size(&cut));
        assert_eq!((cut["status"].as_str(), cut["next"].as_str()), (Some("success"), Some("n")));
    }
}

#[test]
fn a_text_is_cut_between_letters() {
    let cut = shortened(&"ä".repeat(100), 31);
    assert!(cut.starts_with("ää") && cut.ends_with("ää") && cut.contains("bytes left out"));
}

#[test]
fn no_text_is_cut_for_a_few_bytes() {
    let document = |bytes: usize| json!({"a": "x".repeat(bytes), "b": "y".repeat(ANSWER_BYTES_MAX)});
    let (cut, _) = fit(document(4_099), ANSWER_BYTES_MAX, None);
    assert_eq!(
        (cut["a"].as_str().map(str::len), &cut["left_out"]["texts"]),
        (Some(4_099), &json!("1 lost their middle"))
    );
    let (cut, _) = fit(document(4_100), ANSWER_BYTES_MAX, None);
    let kept = cut["a"].as_str().unwrap();
    assert!(kept.contains("[... 101 bytes left out ...]") && kept.len() < 4_100 - 60, "{}", kept.len());
}

#[test]
fn what_is_filled_loses_no_more_than_it_must() {
    const MAX: usize = 1 << 20;
    let step = |text: String| json!({"status": "succeeded", "inputs": {"command": "x"}, "outputs": {"stdout": text}});
    let exact = MAX - size(&step(String::new()));
    assert_eq!(fill(&step("x".repeat(exact)), MAX, 4_000), None);
    let lines = |bytes: usize| "line\n".repeat(bytes / 5);
    for text in ["x".repeat(exact + 1), "x".repeat(2 * MAX), lines(MAX), "\u{1}".repeat(MAX / 4)] {
        let filled = fill(&step(text), MAX, 4_000).unwrap();
        let bytes = size(&filled);
        assert!(bytes <= MAX - 4_000 && bytes > MAX - 4_000 - 8 * SLACK_BYTES, "{bytes}");
        assert!(filled["outputs"]["stdout"].as_str().unwrap().contains("bytes left out"));
    }
    let many: Vec<Value> = (0..12_000).map(|number| json!(format!("{number:0>95}"))).collect();
    let filled = fill(&json!({ "outputs": many }), MAX, 0).unwrap();
    assert!(size(&filled) <= MAX && filled["left_out"]["outputs"].is_u64(), "{}", filled["left_out"]);
}

#[test]
fn a_question_keeps_its_words_and_loses_choices() {
    for (count, bytes) in [(1_000, 12), (20_000, 12), (30, 5_000)] {
        let choices: Vec<String> = (0..count).map(|number| format!("{number:x>bytes$}")).collect();
        let question = json!({"question_id": "ask#1", "kind": "choice", "prompt": "Which?", "choices": choices,
                              "attempt": 1, "since": "now"});
        let document = json!({"status": "paused", "workflow_id": "a", "next": "n", "questions": [question],
                              "blocks": {"ask": {"inputs": {"choices": choices}}}});
        let (cut, was_cut) = fit(document, ANSWER_BYTES_MAX, Some("switchback://run/a"));
        assert!(was_cut && size(&cut) <= ANSWER_BYTES_MAX, "{}", size(&cut));
        let kept = &cut["questions"][0];
        assert_eq!((&kept["prompt"], &kept["since"]), (&json!("Which?"), &json!("now")), "{count}");
        let seen = kept["choices"].as_array().map_or(0, Vec::len);
        assert!(seen >= 30, "{seen}");
        let left = cut["left_out"].get("questions.choices").and_then(Value::as_u64).unwrap_or(0);
        assert_eq!(seen as u64 + left, count);
    }
}

#[test]
fn what_is_said_whole_has_a_bound() {
    let document =
        |bytes: usize| json!({"status": "failure", "next": "n".repeat(bytes), "outputs": "x".repeat(30_000)});
    let (cut, _) = fit(document(WHOLE_BYTES_MAX), ANSWER_BYTES_MAX, None);
    assert_eq!(cut["next"].as_str().map(str::len), Some(WHOLE_BYTES_MAX));
    let (cut, _) = fit(document(500_000), ANSWER_BYTES_MAX, None);
    assert!(cut["next"].as_str().unwrap().contains("bytes left out") && size(&cut) <= ANSWER_BYTES_MAX);
}
