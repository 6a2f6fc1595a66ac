//! How large a schema is, also when every reference in it is followed. A schema that points outside itself, or at what it is
//! part of, is refused.

use super::Mistake;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// The bytes a schema may have, as JSON.
pub const SCHEMA_BYTES_MAX: usize = 16 * 1024;

/// The lists and mappings of a schema that may stand inside each other.
pub const SCHEMA_DEPTH_MAX: usize = 24;

/// The parts a schema may have once every reference is replaced by what it points at.
pub const EXPANDED_MAX: u64 = 10_000;

/// Keywords that give a part another name, or point at it by one.
const ELSEWHERE: [&str; 6] = ["$id", "id", "$anchor", "$dynamicAnchor", "$dynamicRef", "$recursiveRef"];

/// Keywords whose values are data.
const DATA: [&str; 4] = ["enum", "const", "default", "examples"];

/// Checks a schema, and gives how many parts a value is held against at most: those of the schema with every reference
/// followed, and what it lists.
pub(super) fn check(schema: &Value) -> Result<u64, Mistake> {
    let bytes = schema.to_string().len();
    if bytes > SCHEMA_BYTES_MAX {
        let message = format!("the schema has {bytes} bytes, and {SCHEMA_BYTES_MAX} are allowed");
        return Err(Mistake::new("", message, "name what matters and leave the rest open"));
    }
    if depth(schema) > SCHEMA_DEPTH_MAX {
        let message = format!("more than {SCHEMA_DEPTH_MAX} levels of the schema stand inside each other");
        return Err(Mistake::new("", message, "put parts of it under `$defs`"));
    }
    let mut walk = Walk { whole: schema, sizes: BTreeMap::new() };
    let size = walk.size("", schema)?;
    if size > EXPANDED_MAX {
        let message =
            format!("with every `$ref` followed the schema has {size} parts, and {EXPANDED_MAX} are allowed");
        return Err(Mistake::new("", message, "name what matters and leave the rest open"));
    }
    Ok(size.saturating_add(listed(schema)))
}

/// How many values stand in lists of a schema.
fn listed(value: &Value) -> u64 {
    match value {
        Value::Array(items) => items.len() as u64 + items.iter().map(listed).sum::<u64>(),
        Value::Object(map) => map.values().map(listed).sum(),
        _ => 0,
    }
}

fn depth(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(depth).max().unwrap_or(0),
        Value::Object(map) => 1 + map.values().map(depth).max().unwrap_or(0),
        _ => 0,
    }
}

struct Walk<'s> {
    whole: &'s Value,
    /// How large what a reference points at is; none while that is being found out.
    sizes: BTreeMap<&'s str, Option<u64>>,
}

impl<'s> Walk<'s> {
    fn size(&mut self, at: &str, schema: &'s Value) -> Result<u64, Mistake> {
        match schema {
            Value::Array(items) => {
                let mut sum = 1;
                for (item, index) in items.iter().zip(0..) {
                    sum = self.size(&format!("{at}/{index}"), item)?.saturating_add(sum);
                }
                Ok(sum)
            }
            Value::Object(map) => self.size_of_map(at, map),
            _ => Ok(1),
        }
    }

    fn size_of_map(&mut self, at: &str, map: &'s Map<String, Value>) -> Result<u64, Mistake> {
        let mut sum = 1;
        for (key, value) in map {
            let here = format!("{at}/{}", key.replace('~', "~0").replace('/', "~1"));
            let is_text = value.is_string();
            if is_text && ELSEWHERE.contains(&key.as_str()) {
                let message = format!("`{key}` cannot be used in a schema here");
                return Err(Mistake::new(
                    &here,
                    message,
                    "put shared parts under `$defs` and point at them by `$ref`",
                ));
            }
            let size = match value {
                Value::String(target) if key == "$ref" => self.followed(&here, target)?,
                _ if DATA.contains(&key.as_str()) => 1,
                value => self.size(&here, value)?,
            };
            sum = size.saturating_add(sum);
        }
        Ok(sum)
    }

    fn followed(&mut self, at: &str, target: &'s str) -> Result<u64, Mistake> {
        match self.sizes.get(target) {
            Some(Some(size)) => return Ok(*size),
            Some(None) => return Err(circle(at, target)),
            None => {}
        }
        let pointer = target.strip_prefix('#').filter(|pointer| !pointer.contains('%'));
        let Some(pointer) = pointer else {
            let message = format!("`{target}` does not point into this schema");
            return Err(Mistake::new(at, message, "write `#/$defs/name`, and the part under `$defs`"));
        };
        let Some(part) = self.whole.pointer(pointer) else {
            return Err(Mistake::new(at, format!("nothing stands at `{target}`"), "write `#/$defs/name`"));
        };
        if at.starts_with(&format!("{pointer}/")) || pointer.is_empty() {
            return Err(circle(at, target));
        }
        self.sizes.insert(target, None);
        let size = self.size(pointer, part)?;
        self.sizes.insert(target, Some(size));
        Ok(size)
    }
}

fn circle(at: &str, target: &str) -> Mistake {
    let message = format!("`{target}` leads back to itself");
    Mistake::new(at, message, "write out as many levels as are needed")
}
