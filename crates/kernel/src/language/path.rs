//! Paths: `blocks.build.outputs.tags[0]`, and `inputs.sizes[${inputs.stage}]`, where a value says which part is meant.

use super::ParseError;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::borrow::Cow;
use std::fmt;

/// A path to a value: a root name and the segments below it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Path {
    /// The namespace or variable the path starts at.
    pub root: String,
    /// The steps below it.
    pub segments: Vec<Segment>,
}

/// One step of a path.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Segment {
    /// A field of an object.
    Key(String),
    /// An item of a list.
    Index(u64),
    /// The field or the item that the value at another path names.
    Value(Box<Path>),
}

/// How many paths may stand inside each other.
const NESTED_MAX: usize = 4;

impl Path {
    /// A path of a root and keys.
    pub fn of(root: &str, keys: &[&str]) -> Self {
        let segments = keys.iter().map(|key| Segment::Key((*key).to_owned())).collect();
        Path { root: root.to_owned(), segments }
    }

    /// The key at a position, if it is a key.
    pub fn key(&self, position: usize) -> Option<&str> {
        match self.segments.get(position)? {
            Segment::Key(key) => Some(key),
            Segment::Index(_) | Segment::Value(_) => None,
        }
    }

    /// The name at a position: of a key as it is, of an index as it is written.
    pub(crate) fn name(&self, position: usize) -> Option<Cow<'_, str>> {
        Some(match self.segments.get(position)? {
            Segment::Key(key) => Cow::Borrowed(key),
            Segment::Index(index) => Cow::Owned(index.to_string()),
            Segment::Value(_) => return None,
        })
    }

    /// Reads a path; `offset` is where `text` stands in the larger text.
    pub fn parse(text: &str, offset: usize) -> Result<Self, ParseError> {
        Path::parse_inside(text, offset, NESTED_MAX)
    }

    fn parse_inside(text: &str, offset: usize, levels: usize) -> Result<Self, ParseError> {
        let mut rest = text;
        let mut segments = Vec::new();
        let at = |rest: &str| offset + text.len() - rest.len();
        let root = take_name(&mut rest).ok_or_else(|| {
            ParseError::new("a reference starts with a name", offset..offset + text.len().max(1))
        })?;
        while !rest.is_empty() {
            let here = at(rest);
            if let Some(after) = rest.strip_prefix('.') {
                rest = after;
                if rest.starts_with("${") {
                    let (segment, after) = nested(rest, here + 1, levels)?;
                    segments.push(segment);
                    rest = after;
                    continue;
                }
                let name = take_name(&mut rest)
                    .ok_or_else(|| ParseError::new("a name must follow the dot", here..here + 1))?;
                segments.push(match name.parse::<u64>() {
                    Ok(index) if index.to_string() == name => Segment::Index(index),
                    _ => Segment::Key(name.to_owned()),
                });
            } else if let Some(after) = rest.strip_prefix('[') {
                let (segment, after) = bracket(after, here, levels)?;
                segments.push(segment);
                rest = after;
            } else {
                return Err(ParseError::new("only `.name` and `[0]` may follow", here..offset + text.len()));
            }
        }
        Ok(Path { root: root.to_owned(), segments })
    }
}

impl Path {
    /// The path with what the values of inner ones name in their places; nothing if there are none.
    pub(crate) fn settled<E: From<String>>(
        &self,
        mut read: impl FnMut(&Path) -> Result<Value, E>,
    ) -> Result<Option<Path>, E> {
        if !self.segments.iter().any(|segment| matches!(segment, Segment::Value(_))) {
            return Ok(None);
        }
        let mut settle = |segment: &Segment| {
            let Segment::Value(inner) = segment else { return Ok(segment.clone()) };
            match read(inner)? {
                Value::String(key) => Ok(Segment::Key(key)),
                Value::Number(number) if number.is_u64() => {
                    Ok(Segment::Index(number.as_u64().unwrap_or_default()))
                }
                other => {
                    let what = super::cut(&other);
                    Err(format!("`{inner}` is {what}, and `{self}` needs a name or a number there").into())
                }
            }
        };
        let segments = self.segments.iter().map(&mut settle).collect::<Result<_, E>>()?;
        Ok(Some(Path { root: self.root.clone(), segments }))
    }
}

/// Where the brace stands that closes a reference, after its opening; others may stand inside it.
pub fn closing(inside: &str) -> Option<usize> {
    let mut open = 0;
    for (at, letter) in inside.char_indices() {
        match letter {
            '{' if inside[..at].ends_with('$') => open += 1,
            '}' if open == 0 => return Some(at),
            '}' => open -= 1,
            _ => {}
        }
    }
    None
}

/// A reference inside a path, which begins here.
fn nested(text: &str, here: usize, levels: usize) -> Result<(Segment, &str), ParseError> {
    if levels == 0 {
        let message = format!("more than {NESTED_MAX} references stand inside each other");
        return Err(ParseError::new(message, here..here + 2));
    }
    let inside = &text[2..];
    let end = closing(inside).ok_or_else(|| ParseError::new("`}` is missing after `${`", here..here + 2))?;
    let written = &inside[..end];
    let start = here + 2 + written.len() - written.trim_start().len();
    let path = Path::parse_inside(written.trim(), start, levels - 1)?;
    Ok((Segment::Value(Box::new(path)), &inside[end + 1..]))
}

fn bracket(text: &str, here: usize, levels: usize) -> Result<(Segment, &str), ParseError> {
    if text.starts_with("${") {
        let (segment, after) = nested(text, here + 1, levels)?;
        let after =
            after.strip_prefix(']').ok_or_else(|| ParseError::new("`]` is missing", here..here + 1))?;
        return Ok((segment, after));
    }
    let end = text.find(']').ok_or_else(|| ParseError::new("`]` is missing", here..here + 1))?;
    let (inside, after) = (text[..end].trim(), &text[end + 1..]);
    let quoted = ['\'', '"'].iter().find_map(|quote| inside.strip_prefix(*quote)?.strip_suffix(*quote));
    let segment = match (quoted, inside.parse()) {
        (Some(key), _) => Segment::Key(key.to_owned()),
        (None, Ok(index)) => Segment::Index(index),
        _ => {
            return Err(ParseError::new(
                "a number or a quoted name belongs in brackets",
                here..here + end + 2,
            ));
        }
    };
    Ok((segment, after))
}

fn take_name<'t>(rest: &mut &'t str) -> Option<&'t str> {
    let end = rest
        .find(|letter: char| !(letter.is_alphanumeric() || letter == '_' || letter == '-'))
        .unwrap_or(rest.len());
    let (name, after) = rest.split_at(end);
    *rest = after;
    (!name.is_empty()).then_some(name)
}

/// Whether a key can stand behind a dot and is read as the same key again.
fn is_name(key: &str) -> bool {
    let mut rest = key;
    take_name(&mut rest) == Some(key) && key.parse::<u64>().map_or(true, |index| index.to_string() != key)
}

/// Follows segments into a value.
pub(crate) fn descend<'v>(value: &'v Value, segments: &[Segment]) -> Option<&'v Value> {
    segments.iter().try_fold(value, |value, segment| match segment {
        Segment::Key(key) => value.get(key),
        Segment::Index(index) => match value {
            Value::Object(map) => map.get(&index.to_string()),
            _ => value.get(usize::try_from(*index).ok()?),
        },
        Segment::Value(_) => unreachable!("BUG: a path is followed before it is settled"),
    })
}

impl fmt::Display for Path {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.root)?;
        self.segments.iter().try_for_each(|segment| match segment {
            Segment::Key(key) if is_name(key) => write!(out, ".{key}"),
            Segment::Key(key) if key.contains('\'') => write!(out, "[\"{key}\"]"),
            Segment::Key(key) => write!(out, "['{key}']"),
            Segment::Index(index) => write!(out, "[{index}]"),
            Segment::Value(path) => write!(out, "[${{{path}}}]"),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_read_and_print_alike() {
        for text in [
            "inputs",
            "blocks.build.outputs.tags[0].name",
            "a-b.c_d",
            "a['x y'].b",
            "a['7']",
            "a.007",
            "a[\"'\"]",
            "inputs.sizes[${inputs.stage}].x",
            "a[${b[${c[${d[${e}]}]}]}]",
        ] {
            assert_eq!(Path::parse(text, 0).unwrap().to_string(), text);
        }
        assert_eq!(Path::parse("a['x y']", 0).unwrap(), Path::of("a", &["x y"]));
        assert_eq!(Path::parse("a.0", 0).unwrap().segments, [Segment::Index(0)]);
        assert_eq!(Path::parse("a.${ b.c }.d", 0).unwrap().to_string(), "a[${b.c}].d");
    }

    #[test]
    fn values_name_parts() {
        let settled = |text: &str, value: Value| {
            let path = Path::parse(text, 0).unwrap();
            path.settled(|_| Ok::<_, String>(value.clone())).map(|path| path.map(|path| path.to_string()))
        };
        assert_eq!(settled("a.b", "x".into()), Ok(None));
        assert_eq!(settled("a[${b}].c", "x y".into()), Ok(Some("a['x y'].c".to_owned())));
        assert_eq!(settled("a.${b}", 2.into()), Ok(Some("a[2]".to_owned())));
        assert!(settled("a[${b}]", Value::Null).unwrap_err().contains("a name or a number"));
        let deep = format!("{}b{}", "a[${".repeat(NESTED_MAX + 1), "}]".repeat(NESTED_MAX + 1));
        assert!(Path::parse(&deep, 0).unwrap_err().message.contains("more than 4"));
    }

    #[test]
    fn errors_point_at_their_place() {
        for (text, at) in [
            ("", 5..6),
            ("a..b", 6..7),
            ("a[", 6..7),
            ("a[x]", 6..9),
            ("a b", 6..8),
            ("a[${b", 7..9),
            ("a.${b..c}", 10..11),
        ] {
            assert_eq!(Path::parse(text, 5).unwrap_err().at, at, "{text}");
        }
    }
}
