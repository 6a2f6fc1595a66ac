//! The value of an expression as JSON, bounded while it is made: an answer never takes more memory than it may.

use super::time;
use crate::evaluator::limits::OUTPUT_BYTES_MAX;
use kernel::data::DEPTH_MAX;
use minijinja::Value;
use minijinja::value::ValueKind;
use serde_json::{Map, Number, Value as Json};

/// What each part of a value counts at least: as much as it takes in memory when it is read.
const PART_BYTES: usize = 32;

/// The value, if it is one that can be kept.
pub(super) fn native(value: &Value) -> Result<Json, String> {
    Making { left: OUTPUT_BYTES_MAX }.make(value, DEPTH_MAX)
}

struct Making {
    left: usize,
}

impl Making {
    fn make(&mut self, value: &Value, levels: usize) -> Result<Json, String> {
        self.count(PART_BYTES)?;
        Ok(match value.kind() {
            ValueKind::None => Json::Null,
            ValueKind::Bool => Json::Bool(value.is_true()),
            ValueKind::Number => Json::Number(number(value)?),
            ValueKind::String => Json::String(self.text(value.as_str().unwrap_or_default())?),
            ValueKind::Seq | ValueKind::Iterable => {
                let levels = below(levels)?;
                let items = value.try_iter().map_err(|error| error.to_string())?;
                Json::Array(items.map(|item| self.make(&item, levels)).collect::<Result<_, _>>()?)
            }
            ValueKind::Map => Json::Object(self.map(value, below(levels)?)?),
            ValueKind::Undefined => {
                return Err("a part of the value is undefined: give it a value, or use `default`".to_owned());
            }
            ValueKind::Invalid => return Err(value.to_string()),
            _ if let Some(text) = time::text(value) => Json::String(text),
            _ => return Err(format!("the result is {}, which is no value that can be kept", value.kind())),
        })
    }

    fn map(&mut self, value: &Value, levels: usize) -> Result<Map<String, Json>, String> {
        let mut map = Map::new();
        for key in value.try_iter().map_err(|error| error.to_string())? {
            let item = value.get_item(&key).map_err(|error| error.to_string())?;
            let name = match key.as_str() {
                Some(name) => self.text(name)?,
                None => self.text(&key.to_string())?,
            };
            map.insert(name, self.make(&item, levels)?);
        }
        Ok(map)
    }

    fn text(&mut self, text: &str) -> Result<String, String> {
        self.count(text.len())?;
        Ok(text.to_owned())
    }

    fn count(&mut self, bytes: usize) -> Result<(), String> {
        let left = self.left.checked_sub(bytes);
        self.left = left.ok_or_else(|| {
            format!("the value is larger than {OUTPUT_BYTES_MAX} bytes: make a smaller one")
        })?;
        Ok(())
    }
}

fn below(levels: usize) -> Result<usize, String> {
    levels.checked_sub(1).ok_or_else(|| format!("the value nests deeper than {DEPTH_MAX} levels: nest less"))
}

fn number(value: &Value) -> Result<Number, String> {
    if !value.is_integer() {
        let number = f64::try_from(value.clone()).map_err(|error| error.to_string())?;
        return Number::from_f64(number)
            .ok_or_else(|| format!("the result is {number}, which is no number to keep"));
    }
    if let Ok(number) = i64::try_from(value.clone()) {
        return Ok(number.into());
    }
    u64::try_from(value.clone())
        .map(Number::from)
        .map_err(|_| format!("the number {value} is too large to be kept"))
}
