//! Holds an answer against what was expected and says where they differ. Pure.

use regex::Regex;
use serde_json::Value;

use crate::pattern::{Matcher, Pattern};

/// One place where the answer is not what was expected.
#[derive(Debug, PartialEq)]
pub(crate) struct Mismatch {
    pub(crate) at: String,
    pub(crate) expected: String,
    pub(crate) got: String,
}

/// Returns every difference. `got` is absent when the key or file does not exist.
pub(crate) fn differences(at: &str, pattern: &Pattern, got: Option<&Value>) -> Vec<Mismatch> {
    match (pattern, got) {
        (Pattern::All(matchers), _) => {
            matchers.iter().flat_map(|matcher| matcher_differences(at, matcher, got)).collect()
        }
        (_, None) => {
            vec![Mismatch { at: at.to_owned(), expected: describe(pattern), got: "nothing".to_owned() }]
        }
        (Pattern::Scalar(expected), Some(got)) => equal(at, expected, got),
        (Pattern::List(expected), Some(Value::Array(got))) => list(at, expected, got),
        (Pattern::Map(expected), Some(Value::Object(got))) => expected
            .iter()
            .flat_map(|(key, pattern)| differences(&format!("{at}/{key}"), pattern, got.get(key)))
            .collect(),
        (_, Some(got)) => vec![mismatch(at, describe(pattern), got)],
    }
}

fn matches(pattern: &Pattern, got: &Value) -> bool {
    differences("", pattern, Some(got)).is_empty()
}

fn matcher_differences(at: &str, matcher: &Matcher, got: Option<&Value>) -> Vec<Mismatch> {
    let Some(got) = got else {
        let absence_is_fine = matches!(matcher, Matcher::Absent);
        let expected = describe_matcher(matcher);
        let missing = Mismatch { at: at.to_owned(), expected, got: "nothing".to_owned() };
        return if absence_is_fine { Vec::new() } else { vec![missing] };
    };
    let holds = match matcher {
        Matcher::Equals(expected) => return equal(at, expected, got),
        Matcher::Subset(pattern @ Pattern::List(items)) => {
            return if in_order(items, got) {
                Vec::new()
            } else {
                vec![mismatch(at, describe(pattern), got)]
            };
        }
        Matcher::Subset(pattern) => return differences(at, pattern, Some(got)),
        Matcher::Contains(patterns) => {
            let missing = patterns.iter().filter(|pattern| !contains(pattern, got));
            return missing
                .map(|pattern| mismatch(at, format!("contains {}", describe(pattern)), got))
                .collect();
        }
        Matcher::Without(patterns) => {
            let found = patterns.iter().filter(|pattern| contains(pattern, got));
            return found
                .map(|pattern| mismatch(at, format!("does not contain {}", describe(pattern)), got))
                .collect();
        }
        Matcher::Regex(regexes) => {
            let failing = regexes.iter().filter(|regex| !regex_finds(regex, got));
            return failing.map(|regex| mismatch(at, describe_regex(regex), got)).collect();
        }
        Matcher::Absent => false,
        Matcher::Range(low, high) => in_range(*low, *high, got),
        Matcher::AnyOrder(patterns) => in_any_order(patterns, got),
    };
    if holds { Vec::new() } else { vec![mismatch(at, describe_matcher(matcher), got)] }
}

fn equal(at: &str, expected: &Value, got: &Value) -> Vec<Mismatch> {
    match (expected, got) {
        _ if expected == got => Vec::new(),
        // Two texts are shown as they are, so that they can be compared line by line.
        (Value::String(expected), Value::String(text)) if expected.contains('\n') || text.contains('\n') => {
            vec![Mismatch { at: at.to_owned(), expected: expected.clone(), got: text.clone() }]
        }
        _ => vec![mismatch(at, show(expected), got)],
    }
}

fn list(at: &str, expected: &[Pattern], got: &[Value]) -> Vec<Mismatch> {
    if expected.len() != got.len() {
        let got = Value::from(got.to_vec());
        return vec![mismatch(at, format!("{} elements", expected.len()), &got)];
    }
    let pairs = expected.iter().zip(got).enumerate();
    pairs
        .flat_map(|(index, (pattern, got))| differences(&format!("{at}/{index}"), pattern, Some(got)))
        .collect()
}

fn contains(pattern: &Pattern, got: &Value) -> bool {
    match (pattern, got) {
        (Pattern::Scalar(Value::String(part)), Value::String(text)) => text.contains(part),
        (pattern, Value::Array(items)) => items.iter().any(|item| matches(pattern, item)),
        _ => false,
    }
}

fn regex_finds(regex: &str, got: &Value) -> bool {
    let text = got.as_str().unwrap_or_default();
    Regex::new(regex).is_ok_and(|regex| got.is_string() && regex.is_match(text))
}

fn in_range(low: Option<f64>, high: Option<f64>, got: &Value) -> bool {
    got.as_f64()
        .is_some_and(|number| low.is_none_or(|low| low <= number) && high.is_none_or(|high| number <= high))
}

/// Holds if the elements are found one after the other, perhaps with others between.
fn in_order(expected: &[Pattern], got: &Value) -> bool {
    let mut rest = got.as_array().into_iter().flatten();
    got.is_array() && expected.iter().all(|pattern| rest.any(|item| matches(pattern, item)))
}

/// Holds if every pattern can be given an element of its own and none is left over.
fn in_any_order(patterns: &[Pattern], got: &Value) -> bool {
    let Value::Array(items) = got else { return false };
    let mut pairing = Pairing { patterns, items, owner: vec![None; items.len()] };
    let mut place = |index| pairing.place(index, &mut vec![false; items.len()]);
    patterns.len() == items.len() && (0..patterns.len()).all(&mut place)
}

/// Which element has been given to which pattern so far.
struct Pairing<'a> {
    patterns: &'a [Pattern],
    items: &'a [Value],
    owner: Vec<Option<usize>>,
}

impl Pairing<'_> {
    /// Finds an element for one pattern, moving those placed before it where that helps.
    fn place(&mut self, pattern: usize, tried: &mut [bool]) -> bool {
        for (index, item) in self.items.iter().enumerate() {
            if tried[index] || !matches(&self.patterns[pattern], item) {
                continue;
            }
            tried[index] = true;
            if self.owner[index].is_none_or(|other| self.place(other, tried)) {
                self.owner[index] = Some(pattern);
                return true;
            }
        }
        false
    }
}

fn mismatch(at: &str, expected: String, got: &Value) -> Mismatch {
    Mismatch { at: at.to_owned(), expected, got: show(got) }
}

fn show(value: &Value) -> String {
    value.to_string()
}

fn describe(pattern: &Pattern) -> String {
    match pattern {
        Pattern::Scalar(value) => show(value),
        Pattern::List(items) => format!("[{}]", join(items.iter().map(describe))),
        Pattern::Map(pairs) => {
            format!(
                "{{{}}}",
                join(pairs.iter().map(|(key, pattern)| format!("{key}: {}", describe(pattern))))
            )
        }
        Pattern::All(matchers) => matchers.iter().map(describe_matcher).collect::<Vec<_>>().join(" and "),
    }
}

fn describe_matcher(matcher: &Matcher) -> String {
    let all = |patterns: &[Pattern]| join(patterns.iter().map(describe));
    match matcher {
        Matcher::Equals(value) => show(value),
        Matcher::Contains(patterns) => format!("contains {}", all(patterns)),
        Matcher::Regex(regexes) => join(regexes.iter().map(|regex| describe_regex(regex))),
        Matcher::Subset(pattern) => describe(pattern),
        Matcher::Absent => "nothing".to_owned(),
        Matcher::Without(patterns) => format!("does not contain {}", all(patterns)),
        Matcher::Range(low, high) => {
            let end = |limit: &Option<f64>| limit.map_or("any".to_owned(), |limit| limit.to_string());
            format!("a number from {} to {}", end(low), end(high))
        }
        Matcher::AnyOrder(patterns) => format!("in any order [{}]", all(patterns)),
    }
}

fn describe_regex(regex: &str) -> String {
    format!("matches /{}/", regex.replace('\n', "\\n"))
}

fn join(parts: impl Iterator<Item = String>) -> String {
    parts.collect::<Vec<_>>().join(", ")
}
