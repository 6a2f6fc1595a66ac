//! What the loader reads, and what it says when it cannot.

use super::*;
use crate::diagnostic::Diagnostics;
use serde_json::{Value, json};

fn value(text: &str) -> Value {
    load(&Source::new("a.yaml", text)).unwrap_or_else(|found| panic!("{text}: {found:?}")).to_value()
}

fn codes(text: &str) -> Vec<&'static str> {
    let found = load(&Source::new("a.yaml", text)).expect_err("it must not load");
    found.iter().map(|diagnostic| diagnostic.code).collect()
}

fn rendered(text: &str) -> String {
    let source = Source::new("a.yaml", text);
    let found = load(&source).expect_err("it must not load");
    Diagnostics::from(found).render(&[source], Default::default())
}

#[test]
fn yaml_becomes_values() {
    let yaml = "a: 1\nb: [true, ~, 'x', \"y\\n\"]\nc:\n  - d: 1.5\n    e:\n  - |\n    two\n    lines\non: yes\n017: 017\n";
    let expected = json!({
        "a": 1, "b": [true, null, "x", "y\n"], "c": [{"d": 1.5, "e": null}, "two\nlines\n"], "on": "yes", "017": "017"
    });
    assert_eq!(value(yaml), expected);
    assert_eq!(value("--- a\n..."), json!("a"));
    assert_eq!(value("'5': \"5\"\n6: 0x10"), json!({"5": "5", "6": 16}));
}

#[test]
fn json_with_tabs_and_escapes_is_read() {
    let text = "\t{\n\t\"a\":\n\t\t1,\t\"b\\/\":[1,\t-2.5e3],\"c\":\"\\ud83d\\ude00\\t\\\\\"\r\n,\"d\"\n:{},\"e\":\"<<\",\"<<\":[]}\n";
    let expected = json!({"a": 1, "b/": [1, -2500.0], "c": "😀\t\\", "d": {}, "e": "<<", "<<": []});
    assert_eq!(value(text), expected);
    assert_eq!(serde_json::from_str::<Value>(text).unwrap(), expected);
}

#[test]
fn byte_order_mark_and_carriage_returns_do_not_shift_places() {
    let source =
        Source::new("a.yaml", "\u{feff}é: 1\r\nlist:\r\n  - 漢x # c\r\n\r\nlast: |\r\n  one\r\n\r\n");
    let root = load(&source).unwrap();
    let at = |node: &Node| source.slice(node.span).to_owned();
    assert_eq!(at(&root.get("list").unwrap().items()[0]), "漢x");
    assert_eq!(at(root.get("last").unwrap()), "one");
    assert_eq!(root.get("last").unwrap().as_text(), Some("one\n"));
    assert_eq!(at(root.get("list").unwrap()), "- 漢x");
    assert_eq!(at(root.entry("é").unwrap().0), "é");
}

#[test]
fn spans_cover_what_is_written() {
    let source =
        Source::new("a.yaml", "a: {b: [1, 2], c: }\nd: \"q\"\ne:\n  f: g\n  h: *x0\n".replace("*x0", "'i'"));
    let root = load(&source).unwrap();
    assert_eq!(source.slice(root.get("a").unwrap().span), "{b: [1, 2], c: }");
    assert_eq!(source.slice(root.get("d").unwrap().span), "\"q\"");
    assert_eq!(source.slice(root.get("e").unwrap().span), "f: g\n  h: 'i'");
    assert_eq!(source.slice(root.span), source.text.trim_end());
}

#[test]
fn an_alias_repeats_its_anchor_and_knows_both_places() {
    let source = Source::new("a.yaml", "a: &x {k: [1]}\nb: *x\nc: &y text\n*y : 2\n");
    let root = load(&source).unwrap();
    let b = root.get("b").unwrap();
    assert_eq!(b.to_value(), json!({"k": [1]}));
    assert_eq!((source.slice(b.span), source.slice(b.place())), ("{k: [1]}", "*x"));
    assert_eq!(root.get("text").and_then(Node::as_u64), Some(2));
}

#[test]
fn tags_of_the_core_schema_fit_or_are_refused() {
    assert_eq!(
        value("[!!str 1, !!int '2', !!float 3, !!bool true, !!null ~, ! 4]"),
        json!(["1", 2, 3, true, null, "4"])
    );
    assert_eq!(value("!!map {a: !!seq [1]}"), json!({"a": [1]}));
    assert_eq!(codes("[!!int x, !foo y, !!binary z, !foo [1], !!set {a: 1}]"), ["unknown-tag"; 5]);
}

#[test]
fn repeated_keys_are_kept_and_reported_on_demand() {
    let source = Source::new(
        "a.yaml",
        "steps:\n  - type: prompt\n    type: confirm\n    id: a\n    id: b\n    id: c\n",
    );
    let root = load(&source).unwrap();
    let step = &root.get("steps").unwrap().items()[0];
    assert_eq!(
        step.all("type").filter_map(|(_, value)| value.as_text()).collect::<Vec<_>>(),
        ["prompt", "confirm"]
    );
    assert_eq!(step.get("type").and_then(Node::as_text), Some("prompt"));
    assert_eq!(duplicate_keys(&source, &root, &|_, _| false).len(), 3);
    let found = duplicate_keys(&source, &root, &|_, key| key == "type");
    assert_eq!(found.iter().map(|one| one.code).collect::<Vec<_>>(), ["duplicate-key"; 2]);
    insta::assert_snapshot!(Diagnostics::from(found).render(&[source], Default::default()));
}

#[test]
fn a_repeated_key_under_an_alias_is_one_mistake() {
    let source = Source::new("a.yaml", "a: &x {k: 1, k: 2}\nb: *x\n");
    let root = load(&source).unwrap();
    assert_eq!(duplicate_keys(&source, &root, &|_, _| false).len(), 1);
}

#[test]
fn accessors_read_by_type() {
    let root =
        load(&Source::new("a.yaml", "t: x\nn: 5\nq: '5'\nb: true\nz:\nl: [1]\nf: 1.5\nm: {}\n")).unwrap();
    let get = |key: &str| root.get(key).unwrap();
    assert_eq!(
        (get("n").as_text(), get("n").as_string(), get("q").as_string()),
        (Some("5"), None, Some("5"))
    );
    assert_eq!((get("n").as_u64(), get("q").as_u64(), get("f").as_f64()), (Some(5), None, Some(1.5)));
    assert_eq!((get("b").as_bool(), get("z").is_null(), get("t").is_null()), (Some(true), true, false));
    assert_eq!((get("l").items().len(), get("t").items().len(), root.get("none")), (1, 0, None));
    let names: Vec<_> = root.entries().map(|(_, _, value)| value.kind_name()).collect();
    let expected =
        ["text", "a number", "text", "true or false", "nothing", "a list", "a number", "a mapping"];
    assert_eq!(names, expected);
}

#[test]
fn what_cannot_be_read_has_a_code() {
    let cases = [
        ("", "empty"),
        ("# only a comment\n", "empty"),
        ("a: 1\n---\nb: 2\n", "many-documents"),
        ("a: &x [1, *x]", "endless-alias"),
        ("a: *none", "unknown-anchor"),
        ("<<: {a: 1}", "merge-key"),
        ("[1]: 2", "key-not-text"),
        ("if: {{ x }}", "unquoted-expression"),
        ("if: {{ x[0] }}", "unquoted-expression"),
        ("- {{ x }} and more", "unquoted-expression"),
        ("if: {{ \"a\" + b }}", "unquoted-expression"),
        ("if: {% if a %}", "unquoted-expression"),
        ("a: 'x\nb: 1\n", "bad-yaml"),
        ("a: b: c", "bad-yaml"),
        ("a:\n\tb: 1\n", "bad-yaml"),
        ("a: [x, y\nb: 1\n", "bad-yaml"),
        ("a: @x", "bad-yaml"),
        ("a: \"\\q\"", "bad-yaml"),
        ("{\"a\": \"\\ud800\"}", "bad-yaml"),
    ];
    for (text, code) in cases {
        assert_eq!(codes(text), [code], "{text}");
    }
}

#[test]
fn mistakes_read_well() {
    let texts = [
        "steps:\n  - if: {{ state.x > 3 }}  # why\n  - if: {{ state.y }}\n",
        "steps:\n  - if: {{ names[\"x\"] }}\n",
        "a: b: c\n",
        "a:\n\tb: 1\n",
        "a: 'x\n",
        "a: [x, y\nb: 1\n",
        "a: @x\n",
        "a: \"x\u{7}\"\n",
        "a: 'x\u{9b}'\n",
        "a: |\n  x\u{1b}[2J\n",
        "a: x\u{ffff}\n",
        "key\nb: 1\n",
        "a: *none\n",
        "a: 1\n---\nb: 2\n",
        "",
    ];
    let all: Vec<String> = texts.into_iter().map(rendered).collect();
    insta::assert_snapshot!(all.join("\n\n----\n\n"));
}

#[test]
fn what_is_said_of_a_control_character_can_be_followed() {
    assert_eq!(value("\"\\x07\\x9b\\uffff\""), json!("\u{7}\u{9b}\u{ffff}"));
}
