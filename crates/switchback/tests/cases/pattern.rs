//! What a value is expected to be: plain data, or one of the seven matchers. cases/README.md lists them.

use serde_json::Value;

use crate::names::Names;

const WORDS: [&str; 7] = ["equals", "contains", "regex", "subset", "absent", "range", "any_order"];
const NEVER_FAILS: &str = "an empty expectation can never fail";

/// An expectation with all names filled in.
#[derive(Debug)]
pub(crate) enum Pattern {
    /// The same scalar.
    Scalar(Value),
    /// As many elements, each as expected, in this order.
    List(Vec<Pattern>),
    /// Each of these keys, as expected; others may be there.
    Map(Vec<(String, Pattern)>),
    /// A map of matcher words: all must hold.
    All(Vec<Matcher>),
}

#[derive(Debug)]
pub(crate) enum Matcher {
    Equals(Value),
    Contains(Vec<Pattern>),
    Regex(Vec<String>),
    /// Plain map, or the elements of a list in this order with others between.
    Subset(Pattern),
    /// Neither the key nor the file exists.
    Absent,
    /// The opposite of `Contains`, for each.
    Without(Vec<Pattern>),
    Range(Option<f64>, Option<f64>),
    AnyOrder(Vec<Pattern>),
}

impl Pattern {
    /// Reads an expectation. The error says what is wrong with it.
    pub(crate) fn read(value: &Value, names: &Names) -> Result<Self, String> {
        match value {
            Value::String(text) => Ok(Self::Scalar(names.fill_whole(text)?)),
            Value::Array(items) => Ok(Self::List(read_all(items, names)?)),
            Value::Object(map) if !map.is_empty() && map.keys().all(|key| WORDS.contains(&key.as_str())) => {
                let matchers = map.iter().map(|(word, value)| Matcher::read(word, value, names));
                Ok(Self::All(matchers.collect::<Result<_, _>>()?))
            }
            Value::Object(map) => {
                let pairs = map.iter().map(|(key, value)| Ok((key.clone(), Self::read(value, names)?)));
                Ok(Self::Map(pairs.collect::<Result<_, String>>()?))
            }
            scalar => Ok(Self::Scalar(scalar.clone())),
        }
    }
}

impl Matcher {
    fn read(word: &str, value: &Value, names: &Names) -> Result<Self, String> {
        match word {
            "equals" => Ok(Self::Equals(names.fill_value(value)?)),
            "contains" => Ok(Self::Contains(one_or_many(value, names)?)),
            "regex" => regexes(value, names).map(Self::Regex),
            "subset" if value.is_array() || value.is_object() => {
                Ok(Self::Subset(Pattern::read(value, names)?))
            }
            "subset" => Err("`subset` takes a map or a list".to_owned()),
            "absent" if *value == Value::Bool(true) => Ok(Self::Absent),
            "absent" if value.is_boolean() || value.is_null() => {
                Err("`absent` takes true, or what must not be there".to_owned())
            }
            "absent" => Ok(Self::Without(one_or_many(value, names)?)),
            "range" => range(value),
            _ => match value {
                Value::Array(items) => Ok(Self::AnyOrder(read_all(items, names)?)),
                _ => Err("`any_order` takes a list".to_owned()),
            },
        }
    }
}

fn read_all(items: &[Value], names: &Names) -> Result<Vec<Pattern>, String> {
    items.iter().map(|item| Pattern::read(item, names)).collect()
}

fn one_or_many(value: &Value, names: &Names) -> Result<Vec<Pattern>, String> {
    match value {
        Value::Array(items) if items.is_empty() => Err(NEVER_FAILS.to_owned()),
        Value::String(text) if text.is_empty() => Err(NEVER_FAILS.to_owned()),
        Value::Array(items) => read_all(items, names),
        one => Ok(vec![Pattern::read(one, names)?]),
    }
}

fn regexes(value: &Value, names: &Names) -> Result<Vec<String>, String> {
    let items = match value {
        Value::Array(items) if items.is_empty() => return Err(NEVER_FAILS.to_owned()),
        Value::Array(items) => items.as_slice(),
        one => std::slice::from_ref(one),
    };
    let read = |item: &Value| {
        let text = item.as_str().ok_or("`regex` takes text or a list of texts")?;
        let filled = names.fill_regex(text)?;
        match regex::Regex::new(&filled) {
            Ok(_) => Ok(filled),
            Err(error) => Err(not_a_regex(&filled, &error)),
        }
    };
    items.iter().map(read).collect()
}

/// Returns the one line that matters of an error that draws a picture.
pub(crate) fn not_a_regex(text: &str, error: &regex::Error) -> String {
    let error = error.to_string();
    let reason = error.lines().last().unwrap_or_default().trim_start_matches("error: ");
    format!("/{text}/ is not a regular expression: {reason}")
}

fn range(value: &Value) -> Result<Matcher, String> {
    let end = |value: &Value| match value {
        Value::Null => Some(None),
        number => number.as_f64().map(Some),
    };
    let ends = value.as_array().map(Vec::as_slice);
    match ends {
        Some([low, high]) => end(low).zip(end(high)).map(|(low, high)| Matcher::Range(low, high)),
        _ => None,
    }
    .ok_or_else(|| "`range` takes [low, high], with null for no limit".to_owned())
}
