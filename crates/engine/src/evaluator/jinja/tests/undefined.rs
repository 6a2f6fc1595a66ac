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
fn what_an_item_does_not_have_is_no_nothing() {
    let list = "[{'v': 2, 'in': {'n': 1}}, {'v': 1, 'in': {'n': 2}}]";
    for filter in [
        "sum(attribute='price')",
        "sum('price')",
        "sort(attribute='price')",
        "sort(attribute='v,price')",
        "max(attribute='price')",
        "min(attribute='in.price')",
        "groupby('price')",
        "groupby(attribute='price')",
        "unique(attribute='price')",
        "join(',', 'price')",
        "join(',', attribute='price')",
        "map(attribute='price') | join(',')",
    ] {
        let told = evaluate(&format!("{{{{ {list} | {filter} | list }}}}"));
        assert!(told.as_ref().is_err_and(|words| words.contains("undefined")), "{filter}: {told:?}");
    }
    let takes = |filter: &str, value: Value| gives(&format!("{{{{ {list} | {filter} }}}}"), value);
    takes("sum(attribute='v')", json!(3));
    takes("sum('v', 10)", json!(13));
    takes("sort(attribute='in.n', reverse=true) | map(attribute='v') | list", json!([1, 2]));
    takes("max(attribute='v') | items | length", json!(2));
    takes("join(',', 'v')", json!("2,1"));
    takes("map(attribute='price', default=0) | sum", json!(0));
    takes("map(attribute='price') | select('defined') | list", json!([]));
    takes("groupby('price', default='x') | length", json!(1));
    takes("rejectattr('price') | list | length", json!(2));
    gives("{{ ['b', 'a'] | sort | join(',') }}", json!("a,b"));
    gives("{{ {'b': 1, 'a': 2} | reverse | join(',') }}", json!("a,b"));
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
