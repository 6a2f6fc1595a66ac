//! Computes fields of a state, each after those it reads, all in one go. A field that fails is what its rule says; one whose
//! input is not there is not computed.

use super::Expression;
use super::mistake::Mistake;
use super::scope::{Scope, names};
use crate::evaluator::limits::{OUTPUT_BYTES_MAX, OUTPUTS_BYTES_MAX};
use kernel::Digest;
use kernel::question::{Before, Compute, Otherwise};
use serde_json::Value;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

/// What a field reads its input from.
const INPUT: &str = "input";

/// What is validated.
const OUTPUT: &str = "output";

/// What became of a field, its value in the form of JSON.
#[derive(Debug)]
pub(crate) struct Computed {
    pub(crate) value: Option<String>,
    pub(crate) error: Option<String>,
    pub(crate) input: Digest,
    pub(crate) took_us: u64,
    /// Whether it stays as it is.
    pub(crate) kept: bool,
}

/// Fields that are computed one after the other.
pub(crate) struct Computing<'c> {
    /// What was sent, by the names of its path.
    sent: BTreeMap<Vec<String>, &'c str>,
    /// What has been computed, by its name; none where it has no value.
    made: BTreeMap<String, Option<String>>,
    /// Fields that stay as they are.
    kept: BTreeSet<String>,
    scope: Scope<'c>,
    left: usize,
    until: Instant,
}

impl<'c> Computing<'c> {
    pub(crate) fn new(entries: Vec<(&str, &'c str)>, until: Instant) -> Result<Self, String> {
        let mut scope = Scope::default();
        for (path, json) in &entries {
            scope.set(path, Cow::Borrowed(*json))?;
        }
        let sent = entries.into_iter().map(|(path, json)| (names(path), json)).collect();
        let (made, kept) = (BTreeMap::new(), BTreeSet::new());
        Ok(Computing { sent, made, kept, scope, left: OUTPUTS_BYTES_MAX, until })
    }

    /// Computes a field. Those after it read what became of it.
    pub(crate) fn compute(&mut self, field: &Compute) -> Computed {
        if self.stays(field) {
            return self.keep(field);
        }
        let begun = Instant::now();
        let inputs: Vec<Option<String>> =
            field.inputs.iter().map(|path| self.find(path).map(Cow::into_owned)).collect();
        let is_there = inputs.iter().all(Option::is_some);
        let inputs: Vec<&str> = inputs.iter().map(|input| input.as_deref().unwrap_or("null")).collect();
        let input = match field.single {
            true => inputs.concat(),
            false => format!("[{}]", inputs.join(",")),
        };
        let digest = Digest::of(input.as_bytes());
        let told = if is_there { self.value(field, input).map(Some) } else { Ok(self.kept(field)) };
        let (value, error) = match told {
            Ok(value) => (value, None),
            Err(words) => (self.otherwise(field), Some(words)),
        };
        self.make(&field.name, value.clone());
        let took_us = u64::try_from(begun.elapsed().as_micros()).unwrap_or(u64::MAX);
        Computed { value, error, input: digest, took_us, kept: false }
    }

    /// Whether nothing that a field follows from is another one than it was.
    fn stays(&self, field: &Compute) -> bool {
        let is_as_it_was = |before: &Before| {
            let made = self.made.get(&before.name);
            self.kept.contains(&before.name) || made.is_some_and(|made| before.is(made.as_deref()))
        };
        !field.only_after.is_empty() && field.only_after.iter().all(is_as_it_was)
    }

    /// A field stays as it is. Where something reads it, its value was sent along.
    fn keep(&mut self, field: &Compute) -> Computed {
        let old = self.sent.get(&names(&field.name)).map(|json| (*json).to_owned());
        if old.is_some() {
            self.make(&field.name, old);
        }
        self.kept.insert(field.name.clone());
        Computed { value: None, error: None, input: Digest::of(b""), took_us: 0, kept: true }
    }

    /// The value of a field, if it can be computed and is what it should be.
    fn value(&mut self, field: &Compute, input: String) -> Result<String, String> {
        for path in &field.reads {
            if self.find(path).is_none() {
                self.scope.lacks(path);
            }
        }
        self.scope.replace(INPUT, input.into());
        let expression = Expression { source: &field.source, origin: field.origin };
        let json = expression.answer(&self.scope, self.until)?;
        if json.len() > OUTPUT_BYTES_MAX {
            let words = format!("the value is larger than {OUTPUT_BYTES_MAX} bytes: make a smaller one");
            return Err(self.mistake(expression).at_start(&words));
        }
        let Some(left) = self.left.checked_sub(json.len()) else {
            let words = format!(
                "the values computed at once are larger than {OUTPUTS_BYTES_MAX} bytes: make smaller ones"
            );
            return Err(self.mistake(expression).at_start(&words));
        };
        if let Some(source) = &field.validate {
            self.validate(Expression { source, origin: field.validate_origin }, &json)?;
        }
        self.left = left;
        Ok(json)
    }

    fn validate(&mut self, rule: Expression<'_>, output: &str) -> Result<(), String> {
        self.scope.replace(OUTPUT, Cow::Owned(output.to_owned()));
        let told = rule.answer(&self.scope, self.until);
        self.scope.remove(OUTPUT);
        let json = told.map_err(|words| format!("validate: {words}"))?;
        if matches!(json.as_str(), "null" | "false" | "0" | "\"\"") {
            let words =
                format!("validate: the output is not valid, because `{}` is {json}", rule.source.trim());
            return Err(self.mistake(rule).at_start(&words));
        }
        Ok(())
    }

    fn mistake<'m>(&'m self, Expression { source, origin }: Expression<'m>) -> Mistake<'m> {
        Mistake { source, origin, scope: &self.scope }
    }

    /// What a field is that cannot be computed.
    fn otherwise(&self, field: &Compute) -> Option<String> {
        match &field.otherwise {
            Otherwise::Value(value) => Some(value.to_string()),
            Otherwise::Null => Some("null".to_owned()),
            Otherwise::Old => self.kept(field),
        }
    }

    /// What a field keeps, if it keeps something.
    fn kept(&self, field: &Compute) -> Option<String> {
        let keeps = matches!(field.otherwise, Otherwise::Old);
        self.sent.get(&names(&field.name)).filter(|_| keeps).map(|json| (*json).to_owned())
    }

    /// Notes what a field is now: under its own name, and by its bare one.
    fn make(&mut self, name: &str, value: Option<String>) {
        let bare = name.split_once('.').map_or(name, |(_, bare)| bare);
        match &value {
            Some(json) => {
                self.scope.replace(name, Cow::Owned(json.clone()));
                self.scope.replace(bare, Cow::Owned(json.clone()));
            }
            None => self.scope.remove(name),
        }
        self.made.insert(name.to_owned(), value);
    }

    /// The value at a path, in the form of JSON.
    fn find(&self, path: &str) -> Option<Cow<'_, str>> {
        let names = names(path);
        let made = (1..=names.len().min(2)).find_map(|count| {
            let made = self.made.get(&names[..count].join("."))?;
            Some((made.as_deref(), count))
        });
        let (json, rest) = match made {
            Some((json, count)) => (json?, &names[count..]),
            None => (1..=names.len()).rev().find_map(|count| {
                let json = self.sent.get(&names[..count])?;
                Some((*json, &names[count..]))
            })?,
        };
        if rest.is_empty() {
            return Some(Cow::Borrowed(json));
        }
        let value: Value = serde_json::from_str(json).ok()?;
        let part = rest.iter().try_fold(&value, |value, name| match value {
            Value::Array(items) => items.get(name.parse::<usize>().ok()?),
            value => value.get(name),
        })?;
        Some(Cow::Owned(part.to_string()))
    }
}
