//! The filters and tests that the evaluator has, to tell those that it has not. The evaluator is held to these lists.

use crate::near::near;

/// All filters.
#[rustfmt::skip]
pub const FILTERS: [&str; 70] = [
    "abs", "attr", "batch", "bool", "capitalize", "center", "chain", "choices", "count", "d", "default",
    "dictsort", "e", "equalto", "escape", "filesizeformat", "first", "float", "forceescape", "format",
    "greaterthan", "groupby", "hash", "indent", "int", "items", "join", "last", "length", "lessthan",
    "lines", "list", "lower", "map", "max", "milliseconds", "min", "parse_json", "pluralize", "pprint",
    "quote", "regex_findall", "regex_replace", "regex_search", "reject", "rejectattr", "replace",
    "reverse", "round", "safe", "select", "selectattr", "slice", "sort", "split", "string", "strip",
    "striptags", "sum", "title", "tojson", "trim", "truncate", "unique", "upper", "urlencode",
    "wordcount", "wordwrap", "xmlattr", "zip",
];

/// All tests that can be written behind `is`.
#[rustfmt::skip]
pub const TESTS: [&str; 37] = [
    "boolean", "callable", "defined", "divisibleby", "endingwith", "eq", "equalto", "escaped", "even", "false", "filter", "float",
    "ge", "gt", "greaterthan", "in", "int", "integer", "iterable", "le", "lessthan", "lower", "lt", "mapping",
    "ne", "none", "number", "odd", "safe", "sameas", "sequence", "startingwith", "string", "test", "true",
    "undefined", "upper",
];

/// Why something that Jinja has is not here.
pub fn left_out(name: &str) -> Option<&'static str> {
    Some(match name {
        "random" | "shuffle" => {
            "an expression gives the same value whenever it is asked: take `first`, or pass a number in"
        }
        "now" => "this expression was sent no moment: pass the time in as an input",
        "lipsum" => "it would make up text",
        "urlize" => "nothing here shows HTML",
        _ => return None,
    })
}

/// What to do about a filter or test that does not exist.
pub(super) fn meant(what: &str, name: &str, names: &[&str]) -> String {
    let found = near(name, names.iter().copied());
    match (left_out(name), found.is_empty()) {
        (Some(why), _) => why.to_owned(),
        (None, false) => {
            let listed: Vec<String> = found.iter().map(|name| format!("`{name}`")).collect();
            format!("did you mean {}?", listed.join(" or "))
        }
        (None, true) => {
            format!("take another, such as `{}`", if what == "filter" { "length" } else { "defined" })
        }
    }
}
