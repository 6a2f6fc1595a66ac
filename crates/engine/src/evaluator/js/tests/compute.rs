//! Fields that follow from each other.

use super::super::{Computed, Computing};
use kernel::Digest;
use kernel::plan::Origin;
use kernel::question::{Compute, Otherwise};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

fn field(name: &str, inputs: &[&str], source: &str) -> Compute {
    Compute {
        name: format!("computed.{name}"),
        source: source.to_owned(),
        inputs: inputs.iter().map(|path| (*path).to_owned()).collect(),
        single: inputs.len() == 1,
        reads: Vec::new(),
        validate: None,
        otherwise: Otherwise::Null,
        origin: None,
        validate_origin: None,
        only_after: Vec::new(),
    }
}

fn computed(fields: &[Compute], entries: &[(&str, Value)]) -> Vec<Computed> {
    let texts: Vec<String> = entries.iter().map(|(_, value)| value.to_string()).collect();
    let entries = entries.iter().zip(&texts).map(|((path, _), text)| (*path, text.as_str())).collect();
    let mut computing = Computing::new(entries, Instant::now() + Duration::from_secs(5)).unwrap();
    fields.iter().map(|field| computing.compute(field)).collect()
}

fn values(computed: &[Computed]) -> Vec<Option<Value>> {
    computed.iter().map(|made| made.value.as_ref().map(|json| serde_json::from_str(json).unwrap())).collect()
}

#[test]
fn each_sees_those_before_it() {
    let mut total =
        field("total", &["computed.sizes", "raw.more"], "input[0].length + input[1] + bonus + sizes[0]");
    total.reads = vec!["bonus".to_owned(), "sizes".to_owned()];
    let deep = field("deep", &["computed.all.list[1]"], "input * 2");
    let fields = [
        field("sizes", &["raw.files"], "input.map(f => f.length)"),
        total,
        field("all", &["computed.total"], "{ list: [1, input] }"),
        deep,
        field("whole", &["computed.deep"], "computed.deep + computed.kept"),
    ];
    let entries = [
        ("bonus", json!(100)),
        ("computed", json!({"kept": 1, "deep": 0})),
        ("raw.files", json!(["a", "bb"])),
        ("raw.more", json!(10)),
        ("sizes", json!("old")),
    ];
    let made = computed(&fields, &entries);
    assert!(made.iter().all(|made| made.error.is_none()), "{made:?}");
    let wanted = [json!([1, 2]), json!(113), json!({"list": [1, 113]}), json!(226), json!(227)];
    assert_eq!(values(&made), wanted.map(Some));
    assert_eq!(made[0].input, Digest::of(br#"["a","bb"]"#));
    assert_eq!(made[1].input, Digest::of(b"[[1,2],10]"));
}

#[test]
fn what_lacks_an_input_is_not_computed() {
    let mut keeps = field("kept", &["raw.none"], "1");
    keeps.otherwise = Otherwise::Old;
    let mut never = keeps.clone();
    never.name = "computed.never".to_owned();
    let fields = [
        field("a", &["raw.none"], "input.length"),
        field("b", &["computed.a"], "1"),
        field("c", &["raw.null"], "input === null"),
        keeps,
        never,
        field("d", &["raw.null", "raw.none"], "1"),
    ];
    let made = computed(&fields, &[("raw.null", json!(null)), ("computed.kept", json!("old"))]);
    assert!(made.iter().all(|made| made.error.is_none()), "{made:?}");
    assert_eq!(values(&made), [None, None, Some(json!(true)), Some(json!("old")), None, None]);
    assert_eq!(made[5].input, Digest::of(b"[null,null]"));
}

#[test]
fn what_fails_is_what_its_rule_says() {
    let failing = |name: &str, otherwise| Compute { otherwise, ..field(name, &["raw.a"], "input.b.c") };
    let fields = [
        failing("fallback", Otherwise::Value(json!([]))),
        failing("null", Otherwise::Null),
        failing("old", Otherwise::Old),
        failing("never", Otherwise::Old),
        field("after", &["computed.fallback", "computed.null", "computed.old"], "input"),
    ];
    let made = computed(&fields, &[("raw.a", json!({})), ("computed.old", json!(7))]);
    let null = || Some(json!(null));
    assert_eq!(values(&made), [Some(json!([])), null(), Some(json!(7)), None, Some(json!([[], null, 7]))]);
    for made in &made[..4] {
        let words = made.error.as_deref().unwrap();
        assert_eq!(words, "TypeError: cannot read property 'c' of undefined (line 1, column 1)");
    }
    assert_eq!(made[4].error, None);
}

#[test]
fn what_is_not_valid_fails() {
    let rule = |validate: &str| Compute {
        validate: Some(validate.to_owned()),
        otherwise: Otherwise::Value(json!("fallback")),
        validate_origin: Some(Origin { line: 7, column: 5, indent: None }),
        ..field("a", &["raw.a"], "(input.push(1), input)")
    };
    let fields = [
        rule("output.length === input.length + 1"),
        rule("output.length > 5"),
        rule("nothing"),
        rule("if (output.length) return true; return false"),
    ];
    let made = computed(&fields, &[("raw.a", json!([0]))]);
    let (valid, other) = (Some(json!([0, 1])), Some(json!("fallback")));
    assert_eq!(values(&made), [valid.clone(), other.clone(), other, valid]);
    let words: Vec<Option<&str>> = made.iter().map(|made| made.error.as_deref()).collect();
    let said = "validate: the output is not valid, because `output.length > 5` is false (line 7, column 5)";
    let unknown = "validate: ReferenceError: nothing is not defined (line 7, column 5)";
    assert_eq!(words, [None, Some(said), Some(unknown), None]);
}

#[test]
fn what_is_read_and_absent_is_undefined() {
    let mut reads = field("a", &["raw.a"], "typeof limit + typeof raw.limit");
    reads.reads = vec!["limit".to_owned(), "raw.limit".to_owned()];
    let unknown = field("b", &["raw.a"], "limits.x");
    let made = computed(&[reads, unknown], &[("raw.a", json!(1)), ("limit2", json!(1))]);
    assert_eq!(values(&made)[0], Some(json!("undefinedundefined")));
    let words = made[1].error.as_deref().unwrap();
    assert_eq!(words, "ReferenceError: limits is not defined: did you mean `limit2`? (line 1, column 1)");
}

#[test]
fn no_field_changes_what_another_reads() {
    let fields = [
        field("a", &["raw.list"], "Object.prototype.x = 1; input.length = 0; return raw.list.pop()"),
        field("b", &["raw.list"], "[input, ({}).x === undefined, raw.list]"),
    ];
    let made = computed(&fields, &[("raw.list", json!([1, 2]))]);
    assert_eq!(values(&made), [Some(json!(2)), Some(json!([[1, 2], true, [1, 2]]))]);
}

#[test]
fn all_values_together_are_bounded() {
    let large = |name: &str| field(name, &["raw.a"], "'x'.repeat(1000000)");
    let fields: Vec<Compute> = ["a", "b", "c", "d", "e"].map(large).into();
    let made = computed(&fields, &[("raw.a", json!(1))]);
    assert!(made[..4].iter().all(|made| made.error.is_none()));
    assert!(made[4].error.as_deref().unwrap().contains("larger than 4194304 bytes"), "{:?}", made[4].error);
}
