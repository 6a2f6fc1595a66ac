//! Expressions and what becomes of them, in one engine after the other.

mod compute;

use super::{Expression, Scope};
use kernel::plan::Origin;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

fn asked(source: &str, origin: Option<Origin>, entries: &[(&str, Value)]) -> Result<Value, String> {
    let mut scope = Scope::default();
    for (path, value) in entries {
        scope.set(path, value.to_string().into()).unwrap();
    }
    let until = Instant::now() + Duration::from_secs(5);
    let json = Expression { source, origin }.evaluate(&scope, until)?;
    Ok(serde_json::from_str(&json).unwrap())
}

fn value(source: &str, entries: &[(&str, Value)]) -> Value {
    asked(source, None, entries).unwrap_or_else(|words| panic!("{source}: {words}"))
}

fn words(source: &str, entries: &[(&str, Value)]) -> String {
    asked(source, None, entries).expect_err(source)
}

#[test]
fn an_expression_first_then_a_body() {
    assert_eq!(value("1 + 1", &[]), json!(2));
    assert_eq!(value("{ a: 1, b: [2] }", &[]), json!({"a": 1, "b": [2]}));
    assert_eq!(value("1 // one", &[]), json!(1));
    assert_eq!(value("[1, 2].length;", &[]), json!(2));
    assert_eq!(value("const a = 1;\nif (a) { return 'x' }\nreturn 'y'", &[]), json!("x"));
    assert_eq!(value("try { return JSON.parse('{') } catch (e) { return [] }", &[]), json!([]));
    assert_eq!(value("{ const a = 2; return a }", &[]), json!(2));
    assert_eq!(value("return", &[]), json!(null));
    assert_eq!(
        words("const a = 1; a", &[]),
        "the function returns nothing: write `return` before its value (line 1, column 1)"
    );
    assert_eq!(words(" ", &[]), "the expression is empty: write one (line 1, column 1)");
    assert!(words("1) + (2", &[]).starts_with("SyntaxError: "));
}

#[test]
fn names_come_by_path() {
    let entries = [
        ("inputs.branch", json!("dev")),
        ("raw.files", json!(["a", "b"])),
        ("files", json!([1])),
        ("item", json!({"batch": {"id": 7}})),
    ];
    assert_eq!(value("inputs.branch + raw.files.length + files[0]", &entries), json!("dev21"));
    assert_eq!(value("inputs.retries || 3", &entries), json!(3));
    assert_eq!(value("computed.x ?? state.y ?? included.z ?? 1", &[]), json!(1));
    assert_eq!(value("item.batch.id", &entries), json!(7));
    assert_eq!(value("raw", &[("raw", json!({"a": 1})), ("raw.a", json!(1))]), json!({"a": 1}));
    assert_eq!(
        value("Object.keys(odd)", &[("odd", json!({"__proto__": 1, "a": 2}))]),
        json!(["__proto__", "a"])
    );
}

#[test]
fn what_is_absent_is_undefined_and_what_is_unknown_is_a_mistake() {
    let entries = [("?", json!(["file_list", "inputs.x"])), ("files", json!([]))];
    assert_eq!(value("(file_list || []).length", &entries), json!(0));
    assert_eq!(value("inputs.x === undefined", &entries), json!(true));
    assert_eq!(
        words("fils.length", &entries),
        "ReferenceError: fils is not defined: did you mean `files`? (line 1, column 1)"
    );
}

#[test]
fn no_evaluation_sees_another() {
    let entries = [("list", json!([3, 1, 2]))];
    assert_eq!(value("(Array.prototype.x = 1, globalThis.y = 2, list.sort())", &entries), json!([1, 2, 3]));
    assert_eq!(
        value("[[].x === undefined, typeof y, list]", &entries),
        json!([true, "undefined", [3, 1, 2]])
    );
}

#[test]
fn values_are_json() {
    assert_eq!(value("undefined", &[]), json!(null));
    assert_eq!(
        value("({a: undefined, b: [undefined, , null]})", &[]),
        json!({"a": null, "b": [null, null, null]})
    );
    assert_eq!(
        value("[NaN, Infinity, -0, 0.5, 1e21, 2**53, 1e300]", &[]),
        json!([null, null, 0, 0.5, 1e21, 9007199254740992u64, 1e300])
    );
    assert_eq!(value("'a\\ud83d'", &[]), json!("a\u{FFFD}"));
    assert_eq!(value("'\\ud83d\\ude00\\0'", &[]), json!("😀\0"));
    assert_eq!(value("new Date(0)", &[]), json!("1970-01-01T00:00:00.000Z"));
    assert_eq!(value("[new String('a'), new Number(1), new Boolean(false)]", &[]), json!(["a", 1, false]));
    assert_eq!(value("({toJSON() { return {a: 1} }})", &[]), json!({"a": 1}));
    assert!(
        words("const o = () => ({toJSON: o}); return o()", &[])
            .contains(".toJSON of the result is a function")
    );
    assert_eq!(value("new (class P { constructor() { this.x = 1 } })()", &[]), json!({"x": 1}));
    assert_eq!(value("Object.create(null)", &[]), json!({}));
}

#[test]
fn what_has_no_json_form_is_said() {
    for (source, said) in [
        ("() => 1", "the result is a function, which has no JSON form: call it, or leave it out"),
        (
            "({a: [1, {'b c': Symbol()}]})",
            "the part .a[1][\"b c\"] of the result is a symbol, which has no JSON form: give a text",
        ),
        ("[1n]", "the part [0] of the result is a BigInt"),
        ("new Set([1])", "the result is a Set, which has no JSON form: make it a list: `[...set]`"),
        ("({m: new Map()})", "the part .m of the result is a Map"),
        ("(async () => 1)()", "the result is a Promise, which has no JSON form: nothing is waited for here"),
        ("/x/", "the result is a RegExp"),
        ("const a = {}; a.a = a; return a", "the value holds itself: give each part once"),
        (
            "let a = []; for (let i = 0; i < 100; i++) a = [a]; return a",
            "the value nests deeper than 64 levels",
        ),
        ("'x'.repeat(2e6)", "the value is larger than 1048576 bytes"),
    ] {
        let words = words(source, &[]);
        assert!(words.starts_with(said), "{source}: {words}");
    }
}

#[test]
fn time_and_chance_are_recorded() {
    let now = [("now", json!(1_755_613_805_123_i64)), ("seed", json!("r1"))];
    let text = "2025-08-19T14:30:05.123Z";
    assert_eq!(value("now()", &now), json!(text));
    assert_eq!(
        value("`${now()}` + text(now()) + now().getTime()", &now),
        json!(format!("{text}{text}1755613805123"))
    );
    assert_eq!(
        value("[new Date(), Date.now(), new Date(5).getTime(), new Date(0).constructor === Date]", &now),
        json!([text, 1_755_613_805_123_i64, 5, true])
    );
    assert_eq!(
        value("new Date(0) instanceof Date && typeof Date() === 'string' && Date.UTC(1970, 0) === 0", &now),
        json!(true)
    );
    for source in ["now()", "new Date()", "Date.now()", "Date()", "new (new Date(0).constructor)()"] {
        assert!(words(source, &[]).starts_with("TypeError: there is no time here"), "{source}");
    }
    assert!(words("Math.random()", &now).starts_with("TypeError: there is no `Math.random` here"));
    let ids = value("[uuid(), uuid()]", &now);
    assert!(ids[0] != ids[1] && ids == value("[uuid(), uuid()]", &now), "{ids}");
    assert!(words("uuid()", &[]).starts_with("TypeError: there is no `uuid()` here"));
}

#[test]
fn text_is_what_a_person_reads() {
    assert_eq!(
        value("text(undefined) + text(null) + text('a') + text(1.5) + text(true)", &[]),
        json!("a1.5true")
    );
    assert_eq!(value("text({a: [1], b: undefined})", &[]), json!("{\"a\":[1],\"b\":null}"));
    assert!(words("text(new Set())", &[]).starts_with("TypeError: a Set is no text"));
}

#[test]
fn code_is_not_made_from_text() {
    for source in [
        "eval('1')",
        "Function('return 1')()",
        "new Function('1')",
        "(() => 1).constructor('1')",
        "(function* () {}).constructor('1')",
        "(async () => 1).constructor('1')",
        "[].map.constructor('1')",
    ] {
        assert!(words(source, &[]).starts_with("TypeError: there is no `"), "{source}");
    }
    assert_eq!(value("(() => 1) instanceof Function", &[]), json!(true));
    for name in [
        "WeakRef",
        "FinalizationRegistry",
        "Proxy",
        "performance",
        "setTimeout",
        "require",
        "process",
        "console",
        "queueMicrotask",
        "Atomics",
        "SharedArrayBuffer",
        "Uint8Array",
        "std",
        "os",
        "print",
    ] {
        assert_eq!(value(&format!("typeof {name}"), &[]), json!("undefined"), "{name}");
    }
}

#[test]
fn mistakes_say_where() {
    assert_eq!(words("1 +\n  nothing.x", &[]), "ReferenceError: nothing is not defined (line 2, column 3)");
    assert_eq!(words("\"é€😀\" + zzz", &[]), "ReferenceError: zzz is not defined (line 1, column 9)");
    assert_eq!(
        words("[1].map(x =>\n  x.y.z)", &[]),
        "TypeError: cannot read property 'z' of undefined (line 2, column 3)"
    );
    assert!(words("1 +* 2", &[]).ends_with("(line 1, column 4)"));
    assert!(words("f(1", &[]).ends_with("(line 1, column 4)"));
    assert_eq!(words("throw 'x'", &[]), "it threw \"x\" (line 1, column 1)");
    assert_eq!(words("throw new RangeError('far')", &[]), "RangeError: far (line 1, column 11)");
    let origin = |line, column, indent| Some(Origin { line, column, indent });
    let at = |source, origin| asked(source, origin, &[]).unwrap_err();
    assert!(at("1 + a1", origin(12, 20, None)).ends_with("(line 12, column 24)"));
    assert!(at("1 +\n  a1", origin(12, 20, Some(9))).ends_with("(line 13, column 11)"));
    assert!(at("1 +\n  a1", origin(12, 20, None)).ends_with("(line 12, column 20)"));
    assert!(at("`x ${text(a1)}`", origin(12, 20, None)).ends_with("(line 12, column 20)"));
}

#[test]
fn nobody_stays_longer_than_allowed() {
    let begun = Instant::now();
    let until = begun + Duration::from_millis(100);
    for source in [
        "for (;;) {}",
        "for (;;) { try { for (;;) {} } catch (e) {} }",
        "/^(a+)+$/.test('a'.repeat(40) + 'b')",
    ] {
        let words = Expression { source, origin: None }.evaluate(&Scope::default(), until).unwrap_err();
        assert!(words.starts_with("it ran out of time"), "{words}");
    }
    assert!(begun.elapsed() < Duration::from_secs(2));
    for source in [
        "const a = []; for (;;) a.push('x'.repeat(1e6) + a.length)",
        "'\\ufdfa'.repeat(8e6).normalize('NFKC').length",
    ] {
        let words = words(source, &[]);
        assert!(words.starts_with("it used more memory than the 128 MiB"), "{words}");
    }
}
