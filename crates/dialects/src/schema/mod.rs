//! JSON schemas that are written in definitions, and what fits them.
//!
//! A schema stands on its own: it points at nothing outside itself, does not contain itself, and is small. So whatever it is
//! held against, the time that takes is bounded; patterns are matched in linear time.

mod bounds;
mod mistake;

pub use bounds::{EXPANDED_MAX, SCHEMA_BYTES_MAX, SCHEMA_DEPTH_MAX};
pub use mistake::Mistake;

use jsonschema::{PatternOptions, ValidationError, Validator};
use kernel::data::weight;
use serde_json::Value;

/// How much memory one pattern may take.
const PATTERN_BYTES_MAX: usize = 1 << 20;

/// How many things that do not fit are told.
const PROBLEMS_MAX: usize = 10;

/// How often a part of a value may be held against a part of a schema: about a second.
const WORK_MAX: u64 = 20_000_000;

/// Up to here all that does not fit is found, which takes memory; beyond, the first thing.
const ALL_WORK_MAX: u64 = 100_000;

/// A value that weighs more is not repeated to whoever gave it.
const REPEATED_BYTES_MAX: u64 = 80;

/// A schema that values can be held against.
#[derive(Debug)]
pub struct Schema {
    validator: Validator,
    parts: u64,
}

/// Something about a value that does not fit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Where, as a JSON pointer; empty for all of it.
    pub at: String,
    /// What.
    pub message: String,
}

impl Schema {
    /// Reads a schema, or says what is wrong with it.
    pub fn new(schema: &Value) -> Result<Schema, Mistake> {
        let parts = bounds::check(schema)?;
        let patterns =
            PatternOptions::regex().size_limit(PATTERN_BYTES_MAX).dfa_size_limit(PATTERN_BYTES_MAX);
        let built = jsonschema::options().offline().with_pattern_options(patterns).build(schema);
        built.map(|validator| Schema { validator, parts }).map_err(|error| Mistake::of(schema, &error))
    }

    /// What about a value does not fit; nothing if it fits.
    pub fn problems(&self, value: &Value) -> Vec<Problem> {
        let count = parts(value);
        let work = count.saturating_mul(self.parts);
        if work > WORK_MAX {
            let message =
                format!("it has {count} parts, too many to be held against a schema of {}", self.parts);
            return vec![Problem { at: String::new(), message }];
        }
        if work > ALL_WORK_MAX {
            return self.validator.validate(value).err().iter().map(told).collect();
        }
        self.validator.iter_errors(value).take(PROBLEMS_MAX).map(|error| told(&error)).collect()
    }
}

/// How many values a value has in it, itself included.
fn parts(value: &Value) -> u64 {
    1 + match value {
        Value::Array(items) => items.iter().map(parts).sum(),
        Value::Object(map) => map.values().map(parts).sum(),
        _ => 0,
    }
}

fn told(error: &ValidationError<'_>) -> Problem {
    Problem {
        at: error.instance_path().to_string(),
        message: match weight(error.instance()) > REPEATED_BYTES_MAX {
            true => error.masked_with("this").to_string(),
            false => error.to_string(),
        },
    }
}

/// The names of what an object that fits may have, as far as the schema says so at its top.
pub fn properties(schema: &Value) -> impl Iterator<Item = &str> {
    schema.get("properties").and_then(Value::as_object).into_iter().flatten().map(|(name, _)| name.as_str())
}

#[cfg(test)]
mod tests;
