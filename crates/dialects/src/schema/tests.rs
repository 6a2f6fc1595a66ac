//! What is a schema here, what fits it, and how long that takes at most.

use super::*;
use serde_json::{Map, json};

fn refused(schema: &Value) -> String {
    let Mistake { at, message, hint } = Schema::new(schema).unwrap_err();
    format!("{at}: {message} ({hint})")
}

#[test]
fn what_does_not_fit_is_told_with_its_place() {
    let schema = json!({
        "type": "object",
        "required": ["severity"],
        "properties": {"severity": {"enum": ["low", "high"]}, "lines": {"items": {"type": "integer"}}},
        "additionalProperties": false,
    });
    let schema = Schema::new(&schema).unwrap();
    assert_eq!(schema.problems(&json!({"severity": "low", "lines": [1]})), []);
    let told: Vec<String> = schema
        .problems(&json!({"severity": "mid", "lines": [1, "x".repeat(200)], "more": 1}))
        .iter()
        .map(|problem| format!("{} {}", problem.at, problem.message))
        .collect();
    let expected = [
        " Additional properties are not allowed ('more' was unexpected)",
        "/lines/1 this is not of type \"integer\"",
        "/severity \"mid\" is not one of \"low\" or \"high\"",
    ];
    assert_eq!(told.len(), expected.len());
    expected.iter().for_each(|one| assert!(told.iter().any(|told| told == one), "{told:?}"));
    assert_eq!(schema.problems(&json!([]))[0].message, "[] is not of type \"object\"");
}

#[test]
fn only_so_much_is_told() {
    let schema = Schema::new(&json!({"items": {"type": "integer"}})).unwrap();
    assert_eq!(schema.problems(&json!(vec!["x"; 500])).len(), PROBLEMS_MAX);
}

#[test]
fn what_is_no_schema_is_told_with_its_place() {
    for (schema, told) in [
        (
            json!({"properties": {"a": {"type": "sting"}}}),
            "/properties/a/type: no type of a JSON schema is called `sting` (did you mean `string`?)",
        ),
        (
            json!({"pattern": "(?=a)"}),
            "/pattern: `(?=a)` cannot be used as a pattern (patterns have no look-around and no back-references, and are \
             not large)",
        ),
        (json!({"required": "a"}), "/required: this is no JSON schema: value is not of type \"array\" ()"),
        (json!({"$ref": "#/$defs/a"}), "/$ref: nothing stands at `#/$defs/a` (write `#/$defs/name`)"),
        (
            json!({"$ref": "file:///etc/passwd"}),
            "/$ref: `file:///etc/passwd` does not point into this schema (write `#/$defs/name`, and the part under `$defs`)",
        ),
        (
            json!({"$id": "http://example.com", "type": "object"}),
            "/$id: `$id` cannot be used in a schema here (put shared parts under `$defs` and point at them by `$ref`)",
        ),
    ] {
        assert_eq!(refused(&schema), told);
    }
    assert!(refused(&json!({"pattern": "(a{1000}){1000}"})).starts_with("/pattern: "));
    assert!(refused(&json!({"$schema": "http://example.com/mine"})).contains("this is no JSON schema"));
}

#[test]
fn a_schema_does_not_contain_itself() {
    for schema in [
        json!({"$ref": "#"}),
        json!({"properties": {"next": {"$ref": "#"}}}),
        json!({"$defs": {"a": {"$ref": "#/$defs/a"}}}),
        json!({"$defs": {"a": {"allOf": [{"$ref": "#/$defs/b"}]}, "b": {"items": {"$ref": "#/$defs/a"}}}}),
        json!({"properties": {"a": {"items": {"$ref": "#/properties"}}}}),
    ] {
        assert!(refused(&schema).contains("leads back to itself"), "{schema}");
    }
    let shared = json!({"$defs": {"x": {"type": "string"}}, "items": {"$ref": "#/$defs/x"}, "not": {"$ref": "#/$defs/x"}});
    assert!(Schema::new(&shared).is_ok());
    // Data is no schema.
    assert!(Schema::new(&json!({"enum": [{"$ref": "#"}]})).is_ok());
}

/// `length` definitions, each of which points at the next one `times` times.
fn chain(length: usize, times: usize) -> Value {
    let mut defs = Map::new();
    for index in 0..length {
        let next = json!({"$ref": format!("#/$defs/{}", index + 1)});
        defs.insert(index.to_string(), json!({"anyOf": vec![next; times]}));
    }
    defs.insert(length.to_string(), json!({"type": "integer"}));
    json!({"$defs": defs, "$ref": "#/$defs/0"})
}

#[test]
fn what_grows_when_it_is_followed_is_refused() {
    assert!(refused(&chain(40, 2)).contains("are allowed"));
    let long = Schema::new(&chain(60, 1)).unwrap();
    assert!(long.problems(&json!(1)).is_empty());
    assert!(!long.problems(&json!("x")).is_empty());
}

#[test]
fn size_and_depth_have_an_edge() {
    let of = |bytes: usize| json!({"title": "x".repeat(bytes - r#"{"title":""}"#.len())});
    assert!(Schema::new(&of(SCHEMA_BYTES_MAX)).is_ok());
    assert!(refused(&of(SCHEMA_BYTES_MAX + 1)).contains("bytes"));
    let nested = |depth: usize| (1..depth).fold(json!({}), |inner, _| json!({ "items": inner }));
    assert!(Schema::new(&nested(SCHEMA_DEPTH_MAX)).is_ok());
    assert!(refused(&nested(SCHEMA_DEPTH_MAX + 1)).contains("levels"));
}

#[test]
fn what_a_value_is_held_against_has_a_bound() {
    let kinds: Vec<Value> =
        (0..300).map(|kind| json!({"type": "object", "required": [format!("k{kind}")]})).collect();
    let schema = Schema::new(&json!({"items": {"anyOf": kinds}})).unwrap();
    let list = |count: usize| Value::Array(vec![json!({}); count]);
    // A few are told together, and of many the first.
    assert_eq!(schema.problems(&list(20)).len(), PROBLEMS_MAX);
    let told = schema.problems(&list(5_000));
    assert_eq!((told.len(), told[0].at.as_str()), (1, "/0"));
    assert!(schema.problems(&Value::Array(vec![json!({"k299": 1}); 3_000])).is_empty());
    let edge = usize::try_from(WORK_MAX / schema.parts).unwrap();
    assert_eq!(schema.problems(&list(edge - 1))[0].at, "/0");
    let told = schema.problems(&list(edge));
    assert!(
        told[0].at.is_empty() && told[0].message.contains("too many to be held against a schema of"),
        "{told:?}"
    );
}
