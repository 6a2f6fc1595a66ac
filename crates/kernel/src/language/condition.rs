//! Conditions: boolean expressions over typed operands. Nothing is substituted into text, so no value can
//! change what a condition means. Evaluation is total: it gives a value or says why not.

use super::Path;
use serde::{Deserialize, Serialize};
use serde_json::{Number, Value};
use std::cmp::Ordering;

/// A parsed condition.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Condition {
    /// A constant.
    Literal(Value),
    /// A list of operands.
    List(Vec<Condition>),
    /// A referenced value.
    Reference(Path),
    /// The opposite.
    Not(Box<Condition>),
    /// All must hold; later ones are not looked at after the first that does not.
    All(Vec<Condition>),
    /// One must hold.
    Any(Vec<Condition>),
    /// Two operands compared.
    Compare(Compare, Box<Condition>, Box<Condition>),
}

/// How two operands are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Compare {
    /// Same type and value.
    Equal,
    /// Not equal.
    Differs,
    /// Less.
    Below,
    /// Less or equal.
    AtMost,
    /// Greater.
    Above,
    /// Greater or equal.
    AtLeast,
    /// Item of a list, part of a text, key of an object.
    In,
    /// Not in.
    NotIn,
}

impl Condition {
    /// The paths in it, in order.
    pub fn paths(&self) -> Vec<&Path> {
        let mut found = Vec::new();
        self.collect(&mut found);
        found
    }

    fn collect<'c>(&'c self, found: &mut Vec<&'c Path>) {
        match self {
            Condition::Literal(_) => {}
            Condition::Reference(path) => found.push(path),
            Condition::Not(inner) => inner.collect(found),
            Condition::List(items) | Condition::All(items) | Condition::Any(items) => {
                items.iter().for_each(|item| item.collect(found));
            }
            Condition::Compare(_, left, right) => {
                left.collect(found);
                right.collect(found);
            }
        }
    }

    /// Evaluates it; `read` gives the value of a path.
    pub(crate) fn evaluate<E: From<String>>(
        &self,
        read: &mut impl FnMut(&Path) -> Result<Value, E>,
    ) -> Result<Value, E> {
        Ok(match self {
            Condition::Literal(value) => value.clone(),
            Condition::Reference(path) => read(path)?,
            Condition::List(items) => {
                Value::Array(items.iter().map(|item| item.evaluate(read)).collect::<Result<_, E>>()?)
            }
            Condition::Not(inner) => Value::Bool(!holds(&inner.evaluate(read)?)?),
            Condition::All(items) => Value::Bool(first(items, false, read)?),
            Condition::Any(items) => Value::Bool(first(items, true, read)?),
            Condition::Compare(how, left, right) => {
                Value::Bool(compare(*how, &left.evaluate(read)?, &right.evaluate(read)?)?)
            }
        })
    }
}

/// Whether a value counts as true: booleans do as they say, nothing is false, all else is an error.
pub(crate) fn holds(value: &Value) -> Result<bool, String> {
    match value {
        Value::Bool(truth) => Ok(*truth),
        Value::Null => Ok(false),
        other => Err(format!("a condition needs true or false, and {} is {}", cut(other), kind(other))),
    }
}

/// Whether one operand decides with `decisive`; otherwise the opposite.
fn first<E: From<String>>(
    items: &[Condition],
    decisive: bool,
    read: &mut impl FnMut(&Path) -> Result<Value, E>,
) -> Result<bool, E> {
    for item in items {
        if holds(&item.evaluate(read)?)? == decisive {
            return Ok(decisive);
        }
    }
    Ok(!decisive)
}

pub(super) fn compare(how: Compare, left: &Value, right: &Value) -> Result<bool, String> {
    Ok(match how {
        Compare::Equal => same(left, right),
        Compare::Differs => !same(left, right),
        Compare::In => contains(right, left)?,
        Compare::NotIn => !contains(right, left)?,
        Compare::Below => order(left, right)?.is_lt(),
        Compare::AtMost => order(left, right)?.is_le(),
        Compare::Above => order(left, right)?.is_gt(),
        Compare::AtLeast => order(left, right)?.is_ge(),
    })
}

fn same(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Number(_), Value::Number(_)) => order(left, right).is_ok_and(Ordering::is_eq),
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| same(a, b)))
        }
        _ => left == right,
    }
}

fn order(left: &Value, right: &Value) -> Result<Ordering, String> {
    match (left, right) {
        (Value::Number(a), Value::Number(b)) => match (a.as_i128(), b.as_i128()) {
            (Some(a), Some(b)) => Ok(a.cmp(&b)),
            (Some(a), None) => Ok(beside(a, b)),
            (None, Some(b)) => Ok(beside(b, a).reverse()),
            // JSON has no number that is none, so two of them always have an order.
            (None, None) => Ok(a.as_f64().partial_cmp(&b.as_f64()).unwrap_or(Ordering::Equal)),
        },
        (Value::String(a), Value::String(b)) => Ok(a.cmp(b)),
        _ => {
            Err(format!("{} ({}) and {} ({}) have no order", cut(left), kind(left), cut(right), kind(right)))
        }
    }
}

/// How a whole number of 64 bits stands to another number: exactly, also where a decimal cannot hold the whole one.
fn beside(whole: i128, other: &Number) -> Ordering {
    /// No whole number of 64 bits is so large.
    const BEYOND: f64 = 36_893_488_147_419_103_232.0;
    let other = other.as_f64().unwrap_or_default();
    if other.abs() >= BEYOND {
        return if other > 0.0 { Ordering::Less } else { Ordering::Greater };
    }
    let below = other.floor();
    whole.cmp(&(below as i128)).then(if other > below { Ordering::Less } else { Ordering::Equal })
}

fn contains(whole: &Value, part: &Value) -> Result<bool, String> {
    match (whole, part) {
        (Value::Array(items), _) => Ok(items.iter().any(|item| same(item, part))),
        (Value::String(text), Value::String(part)) => Ok(text.contains(part.as_str())),
        (Value::Object(map), Value::String(key)) => Ok(map.contains_key(key)),
        _ => Err(format!("nothing can be `in` {} ({})", cut(whole), kind(whole))),
    }
}

/// The kind of a value, for people.
pub(crate) fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "nothing",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

/// The beginning of a value, for people.
pub(crate) fn cut(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(40) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::super::parse_condition;
    use super::*;
    use serde_json::json;

    fn evaluate(text: &str) -> Result<Value, String> {
        let world = json!({"n": 3, "s": "main", "t": true, "list": ["a", "b"], "none": null});
        let mut read = |path: &Path| {
            super::super::path::descend(&world[&path.root], &path.segments)
                .cloned()
                .ok_or_else(|| format!("no {path}"))
        };
        parse_condition(text).map_err(|error| error.message)?.evaluate(&mut read)
    }

    #[test]
    fn operators_do_what_they_say() {
        for (text, expected) in [
            ("${n} == 3", true),
            ("${n} == 3.0", true),
            ("[3, [0.0]] == [${n}, [-0.0]]", true),
            ("${n} == '3'", false),
            ("${n} != 4 and ${n} < 4 and ${n} >= 3", true),
            ("${s} in ['main', \"dev\"]", true),
            ("'a' in ${list}", true),
            ("'c' not in ${list}", true),
            ("'ai' in ${s}", true),
            ("not ${t} or ${n} > 2", true),
            ("not (${t} and ${n} == 3)", false),
            ("${none} == null", true),
            ("not ${none}", true),
            ("9223372036854775807 < 9223372036854775808", true),
            ("9007199254740993 == 9007199254740992", false),
            ("True and not False", true),
            ("${t}", true),
        ] {
            assert_eq!(evaluate(text), Ok(json!(expected)), "{text}");
        }
    }

    #[test]
    fn types_that_do_not_fit_are_errors() {
        assert_eq!(evaluate("${s} < 3").unwrap_err(), "\"main\" (text) and 3 (a number) have no order");
        assert_eq!(
            evaluate("${s} and true").unwrap_err(),
            "a condition needs true or false, and \"main\" is text"
        );
        assert_eq!(evaluate("1 in 2").unwrap_err(), "nothing can be `in` 2 (a number)");
    }

    #[test]
    fn what_is_decided_is_not_looked_at() {
        assert_eq!(evaluate("${n} == 4 and ${missing}"), Ok(json!(false)));
        assert_eq!(evaluate("${n} == 3 or ${missing}"), Ok(json!(true)));
    }

    #[test]
    fn whole_numbers_and_decimals_are_compared_exactly() {
        for (whole, decimal, how) in [
            (json!(9007199254740993_i64), json!(9007199254740992.0), Ordering::Greater),
            (json!(9007199254740992_i64), json!(9007199254740992.0), Ordering::Equal),
            (json!(-9007199254740993_i64), json!(-9007199254740992.0), Ordering::Less),
            (json!(u64::MAX), json!(18446744073709551616.0), Ordering::Less),
            (json!(i64::MIN), json!(-9223372036854775808.0), Ordering::Equal),
            (json!(u64::MAX), json!(1e300), Ordering::Less),
            (json!(i64::MIN), json!(-1e300), Ordering::Greater),
            (json!(1), json!(1.5), Ordering::Less),
            (json!(-1), json!(-1.5), Ordering::Greater),
            (json!(0), json!(-0.0), Ordering::Equal),
            (json!(5), json!(5.0), Ordering::Equal),
        ] {
            assert_eq!(order(&whole, &decimal), Ok(how), "{whole} {decimal}");
            assert_eq!(order(&decimal, &whole), Ok(how.reverse()), "{decimal} {whole}");
        }
    }
}
