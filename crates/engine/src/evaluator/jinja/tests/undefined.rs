//! A key that is not there: what every filter makes of it.

use super::{evaluate, gives};
use dialects::jinja::FILTERS;
use serde_json::{Value, json};

/// What a filter gives for an undefined value; those that are not here are mistakes.
fn taken() -> Vec<(&'static str, Value)> {
    let text =
        ["capitalize", "center(0)", "e", "escape", "forceescape", "lower", "replace('a', 'b')", "string"];
    let more = ["title", "trim", "truncate", "upper", "urlencode", "default", "d", "join(',')"];
    let list =
        ["batch(2)", "list", "map('upper')", "reject", "rejectattr('x')", "reverse", "select", "items"];
    let lists = ["selectattr('x')", "sort", "unique", "groupby('x')", "chain", "zip"];
    let texts = text.into_iter().chain(more).map(|filter| (filter, json!("")));
    let lists = list.into_iter().chain(lists).map(|filter| (filter, json!([])));
    let numbers = [("length", 0), ("count", 0), ("sum", 0), ("wordcount", 0)];
    let others = [("slice(2)", json!([[], []])), ("bool", json!(false))];
    let numbers = numbers.into_iter().map(|(filter, number)| (filter, json!(number)));
    texts.chain(lists).chain(numbers).chain(others).collect()
}

/// Those that give an undefined value again, which may have a default.
const PASSED_ON: [&str; 6] = ["first", "last", "min", "max", "attr('x')", "safe"];

#[test]
fn every_filter_takes_it_or_says_that_it_is_undefined() {
    for (filter, value) in taken() {
        gives(&format!("{{{{ inputs.user.missing | {filter} }}}}"), value);
    }
    let named = |filter: &str| filter.split('(').next().unwrap_or_default().to_owned();
    let known: Vec<String> =
        taken().iter().map(|(filter, _)| named(filter)).chain(PASSED_ON.map(named)).collect();
    for filter in FILTERS.into_iter().filter(|filter| !known.iter().any(|known| known == filter)) {
        let told = evaluate(&format!("{{{{ inputs.user.missing | {filter} }}}}"));
        assert!(told.is_err(), "{filter}: {told:?}");
    }
}

#[test]
fn what_is_passed_on_may_have_a_default() {
    for filter in ["first", "last", "min", "max"] {
        gives(&format!("{{{{ inputs.user.missing | {filter} | default('d') }}}}"), json!("d"));
        assert!(evaluate(&format!("{{{{ inputs.user.missing | {filter} }}}}")).is_err());
    }
}

#[test]
fn nothing_and_its_parts() {
    gives("{{ (none).urls | length }}", json!(0));
    gives("{{ inputs.user.missing | default([]) | length }}", json!(0));
    assert!(evaluate("{{ inputs.user.missing.more | default(1) }}").unwrap_err().contains("is undefined"));
}
