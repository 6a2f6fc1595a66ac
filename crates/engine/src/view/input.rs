//! What a field was computed from. The journal keeps the digest of an input alone; what it names is found again in the state
//! of that moment, and nothing else is ever told in its place.

use kernel::language::{Path, Segment};
use kernel::plan::Transform;
use kernel::{Data, Digest};
use serde_json::Value;

/// The largest input that is told itself, and not by its digest alone.
const BYTES_MAX: usize = 2_000;

/// The input of a transform, if it is small and what the digest names; `find` gives fields of the state.
pub(super) fn recalled<'d>(
    transform: &Transform,
    digest: &Digest,
    find: impl Fn(&str) -> Option<&'d Data>,
) -> Option<Value> {
    let values: Vec<&Value> = transform.inputs.iter().map(|path| at(path, &find)).collect::<Option<_>>()?;
    let text = match (transform.single, values.as_slice()) {
        (true, [one]) => one.to_string(),
        _ => serde_json::to_string(&values).ok()?,
    };
    if text.len() > BYTES_MAX || Digest::of(text.as_bytes()) != *digest {
        return None;
    }
    serde_json::from_str(&text).ok()
}

/// The value at a path that begins with a layer.
fn at<'d>(path: &Path, find: &impl Fn(&str) -> Option<&'d Data>) -> Option<&'d Value> {
    let field = find(&format!("{}.{}", path.root, path.key(0)?))?;
    path.segments.iter().skip(1).try_fold(field.inline()?, |value, segment| match segment {
        Segment::Key(key) => value.get(key),
        Segment::Index(index) => value.get(usize::try_from(*index).ok()?),
        Segment::Value(_) => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn transform(inputs: &[&[&str]], single: bool) -> Transform {
        let inputs = inputs.iter().map(|keys| Path::of("raw", keys)).collect();
        Transform {
            source: String::new(),
            inputs,
            single,
            reads: Vec::new(),
            validate: None,
            origin: None,
            file: None,
            validate_origin: None,
        }
    }

    #[test]
    fn only_what_the_digest_names_is_told() {
        let (a, b) = (Data::Inline(json!({ "x": [1, "two"] })), Data::Inline(json!("y".repeat(BYTES_MAX))));
        let find = |name: &str| match name {
            "raw.a" => Some(&a),
            "raw.b" => Some(&b),
            _ => None,
        };
        let told = |inputs: &[&[&str]], single, json: &str| {
            recalled(&transform(inputs, single), &Digest::of(json.as_bytes()), find)
        };
        assert_eq!(told(&[&["a", "x"]], true, r#"[1,"two"]"#), Some(json!([1, "two"])));
        assert_eq!(
            told(&[&["a"], &["a", "x"]], false, r#"[{"x":[1,"two"]},[1,"two"]]"#).unwrap()[1][1],
            "two"
        );
        assert_eq!(told(&[&["a", "x"]], true, "[1]"), None, "the state has changed since");
        assert_eq!(told(&[&["b"]], true, &b.inline().unwrap().to_string()), None, "it is large");
        assert_eq!(told(&[&["c"]], true, "null"), None, "it is gone");
    }
}
