//! Our Jinja: natives, undefined names, filters, places of mistakes, limits.

mod dates;
mod declared;
mod order;
mod python;
mod text;
mod undefined;

use super::environment::base;
use super::format::PERCENT;
use super::{Jinja, Scope};
use crate::evaluator::limits::{COMPILED_BYTES_MAX, COMPILED_MAX, OUTPUT_BYTES_MAX, SOURCE_BYTES_MAX};
use dialects::jinja::{FILTERS, TESTS, faults};
use minijinja::value::Serde;
use serde_json::{Value, json};

fn scope() -> Scope {
    let mut scope = Scope::default();
    for (path, value) in [
        ("inputs.name", json!("Ada")),
        ("inputs.count", json!(3)),
        ("inputs.user", json!({"first": "Ada", "age": 36, "tags": ["x", "y"]})),
        ("state.files", json!(["a.py", "b.py"])),
        ("state.score", json!(87.5)),
        ("state.ok", json!(true)),
        ("state.deep.er", json!(1)),
        ("state.list[3]", json!("third")),
        ("state.rows", json!([{"n": 1, "ok": true}, {"n": 2, "ok": false}])),
        ("state.json", json!("{\"b\": [1, 2], \"a\": null}")),
        ("item", json!("it's")),
    ] {
        scope.set(path, minijinja::Value::from(Serde(value)));
    }
    scope
}

fn evaluate(source: &str) -> Result<Value, String> {
    Jinja::default().evaluate(source, &scope())
}

#[track_caller]
fn gives(source: &str, value: Value) {
    assert_eq!(evaluate(source), Ok(value), "{source}");
}

#[track_caller]
fn says(source: &str, words: &str) {
    assert_eq!(evaluate(source), Err(words.to_owned()), "{source}");
}

// covers: A-104, A-105
#[test]
fn a_whole_expression_keeps_its_type() {
    gives("{{ inputs.count }}", json!(3));
    gives("{{ inputs.count + 1 }}", json!(4));
    gives("{{ state.files }}", json!(["a.py", "b.py"]));
    gives("{{ state.ok }}", json!(true));
    gives("{{ state.score }}", json!(87.5));
    gives("{{ 10 / 4 }}", json!(2.5));
    gives("{{ none }}", json!(null));
    gives("{{ inputs.user }}", json!({"first": "Ada", "age": 36, "tags": ["x", "y"]}));
    gives("{{ {'a': {'b': 1}} }}", json!({"a": {"b": 1}}));
    gives("{{ inputs.user.tags | map('upper') }}", json!(["X", "Y"]));
    gives("{{ range(3) }}", json!([0, 1, 2]));
    gives("{{ '}}' }}", json!("}}"));
    gives("{{- inputs.count -}}", json!(3));
    gives("{{ inputs.count }}\n", json!(3));
    gives("{{ 18446744073709551615 }}", json!(u64::MAX));
}

// covers: A-102
#[test]
fn anything_around_it_makes_text() {
    gives("", json!(""));
    gives("plain", json!("plain"));
    gives(" {{ inputs.count }}", json!(" 3"));
    gives("{{ inputs.count }}{{ inputs.count }}", json!("33"));
    gives("{{ inputs.count }}{# nothing #}", json!("3"));
    gives("{% if state.ok %}yes{% else %}no{% endif %}", json!("yes"));
    gives(
        "{% for f in state.files %}{{ f }}{% if not loop.last %}, {% endif %}{% endfor %}",
        json!("a.py, b.py"),
    );
    gives("{% raw %}{{ x }}{% endraw %}", json!("{{ x }}"));
    gives("{% raw %}r'\\d'{% endraw %} r'\\d'", json!("r'\\d' r'\\d'"));
    gives("a < b & {{ item }}", json!("a < b & it's"));
}

#[test]
fn a_value_is_never_code() {
    let mut scope = Scope::default();
    scope.set("inputs.text", minijinja::Value::from("{{ 1 + 1 }}"));
    assert_eq!(Jinja::default().evaluate("{{ inputs.text }}", &scope), Ok(json!("{{ 1 + 1 }}")));
    assert_eq!(Jinja::default().evaluate("<{{ inputs.text }}>", &scope), Ok(json!("<{{ 1 + 1 }}>")));
}

// covers: A-92
#[test]
fn paths_become_objects() {
    gives("{{ state.deep.er }}", json!(1));
    gives("{{ state.list[3] }}", json!("third"));
    gives("{{ inputs | items | map('first') | list }}", json!(["count", "name", "user"]));
    let mut scope = Scope::default();
    scope.set("state", minijinja::Value::from(Serde(json!({"a": {"b": 1}}))));
    scope.set("state.a", minijinja::Value::from(2));
    assert_eq!(Jinja::default().evaluate("{{ state.a.b }}", &scope), Ok(json!(1)));
}

#[test]
fn undefined_names_are_mistakes_with_a_place_and_near_names() {
    says("{{ inputs.nmae }}", "line 1, column 4: `inputs.nmae` is undefined: did you mean `inputs.name`?");
    says("x\n  {{ input.name }}", "line 2, column 6: `input` is undefined: did you mean `inputs`?");
    says("{{ sate.ok }}", "line 1, column 4: `sate` is undefined: did you mean `state`?");
    says(
        "is {{ nothing_like_it }}",
        "line 1, column 7: `nothing_like_it` is undefined: give it a value, or use `| default(..)`",
    );
    says("{{ inputs.count + stat }}", "line 1, column 19: `stat` is undefined: did you mean `state`?");
    says(
        "{% for f in state.flies %}{% endfor %}",
        "line 1, column 13: `state.flies` is undefined: did you mean `state.files`?",
    );
    says(
        "{{ inputs.user.frist.x }}",
        "line 1, column 15: `inputs.user.frist` is undefined: did you mean `inputs.user.first`?",
    );
    says("{{ [missing] }}", "a part of the value is undefined: give it a value, or use `default`");
}

#[test]
fn what_may_be_undefined_may() {
    gives("{{ state.missing | default('d') }}", json!("d"));
    gives("{{ missing is defined }}", json!(false));
    gives("{% if missing %}a{% else %}b{% endif %}", json!("b"));
    gives("{{ state.missing | length | default(0) }}", json!(0));
    gives("{{ state.missing | count }}", json!(0));
    let empty = Jinja::default().evaluate("{{ inputs.x | default(1) }}", &Scope::default());
    assert_eq!(empty, Ok(json!(1)));
    // A namespace that nobody sent is not empty where it is read as a whole.
    for source in ["{{ inputs }}", "{% for x in state %}{% endfor %}", "{{ inputs }} {{ inputs.x }}"] {
        let words = Jinja::default().evaluate(source, &Scope::default()).unwrap_err();
        assert!(words.contains("is undefined"), "{words}");
    }
}

// covers: A-95, A-96, A-97, A-98, A-99
#[test]
fn filters_of_the_sources() {
    gives("{{ state.json | parse_json }}", json!({"b": [1, 2], "a": null}));
    gives("{{ (state.json | parse_json).b | length }}", json!(2));
    gives("{{ state.files | parse_json }}", json!(["a.py", "b.py"]));
    gives("{{ state.files | tojson }}", json!("[\"a.py\", \"b.py\"]"));
    gives("{{ {'a': 1} | tojson(indent=2) }}", json!("{\n  \"a\": 1\n}"));
    gives("{{ 'abc' | hash }}", json!("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"));
    gives("{{ '  x ' | strip }}", json!("x"));
    gives("{{ 'a,b' | split(',') }}", json!(["a", "b"]));
    gives("{{ item | quote }}", json!(r"'it'\''s'"));
    gives("{{ '$(rm -rf /)' | quote }}", json!("'$(rm -rf /)'"));
    gives("{{ '' | quote }}", json!("''"));
    gives("{{ 3 | greaterthan(2) }}", json!(true));
    gives("{{ 3 | lessthan(2) }}", json!(false));
    gives("{{ 3 | equalto(3) }}", json!(true));
    gives("{{ state.rows | selectattr('n', 'greaterthan', 1) | list | length }}", json!(1));
    gives("{{ state.rows | selectattr('ok') | map(attribute='n') | list }}", json!([1]));
    gives("{{ 100 - (90 / 60) | int }}", json!(99));
    gives("{{ 2.345 | round(2) }}", json!(2.35));
    gives("{{ '1' | bool }}", json!(true));
}

// covers: A-101, A-103
#[test]
fn python_methods() {
    gives(r"{{ ' a\nb '.strip().split('\n') }}", json!(["a", "b"]));
    gives("{{ inputs.user.get('age') }}", json!(36));
    gives("{{ 'a-b'.replace('-', '+').upper() }}", json!("A+B"));
    gives("{{ 'x' if state.ok else 'y' }}", json!("x"));
    gives("{{ True and not False and None is none }}", json!(true));
}

// covers: A-94
#[test]
fn regular_expressions() {
    gives(r"{{ 'score: 87' | regex_search('score: (\d+)') | first | int }}", json!(87));
    gives(r"{{ 'score: 87' | regex_search(r'score: \d+') }}", json!(["score: 87"]));
    gives("{{ 'none' | regex_search('x') }}", json!([]));
    gives(r"{{ 'a1b22' | regex_findall(r'\d+') }}", json!(["1", "22"]));
    gives(r"{{ 'a1b22' | regex_findall('[ab](\d+)') }}", json!(["1", "22"]));
    gives(r"{{ 'a1' | regex_findall('([ab])(\d+)') }}", json!([["a", "1"]]));
    gives(r"{{ 'a1b2' | regex_replace(r'([ab])(\d)', r'\2\1$') }}", json!("1a$2b$"));
    gives(r"{{ regex_replace('x', 'y', 'xx') }}", json!("yy"));
    gives(r"{{ regex_search('(?P<d>\d)', 'a1') }}", json!(["1"]));
    gives(r"{{ 'a1' | regex_replace('(?P<d>\d)', '<\g<d>>') }}", json!("a<1>"));
    says(
        "{{ 'a' | regex_search('(') }}",
        "line 1, column 10: `(` is no regular expression: error: unclosed group",
    );
}

#[test]
fn raw_literals() {
    gives(r"{{ r'\n' }}", json!("\\n"));
    gives(r#"{{ r"a\"b" }}"#, json!("a\\\"b"));
    gives(r"{{ r'\\' ~ r'' }}", json!("\\\\"));
    gives("{{ [r'a', 'r', \"r'x'\"] }}", json!(["a", "r", "r'x'"]));
    says(
        r"{{ r'\d\d\d' ~ nothing }}",
        "line 1, column 16: `nothing` is undefined: give it a value, or use `| default(..)`",
    );
    says(
        "{{ r'\\d\\d' ~\n nothing.x }}",
        "line 2, column 2: `nothing` is undefined: give it a value, or use `| default(..)`",
    );
}

#[test]
fn what_is_not_there_says_so() {
    says("{{ 'a' | lenght }}", "line 1, column 10: there is no filter `lenght`, did you mean `length`?");
    says("{{ 1 is nubmer }}", "line 1, column 9: there is no test `nubmer`, did you mean `number`?");
    says("{{ rnage(3) }}", "line 1, column 4: there is no function `rnage`, did you mean `range`?");
    says("{{ ['a'] | map('nosuch') | list }}", "line 1, column 12: there is no filter `nosuch`");
    says(
        "{{ ['a'] | map(\"uper\") | list }}",
        "line 1, column 12: there is no filter `uper`, did you mean `upper`?",
    );
    says(
        "{{ [1] | select('nubmer') | list }}",
        "line 1, column 10: there is no test `nubmer`, did you mean `number`?",
    );
    says(
        "{{ state.rows | rejectattr('n', 'odd_') | list }}",
        "line 1, column 17: there is no test `odd_`, did you mean `odd`?",
    );
    says(
        "{{ ['a'] | map(inputs.name) | list }}",
        "line 1, column 12: there is no filter of the name that is asked for",
    );
    says(
        "{{ now().isoformat() }}",
        "line 1, column 4: there is no `now` here, because this expression was sent no moment: pass the time in as an \
         input",
    );
    let random = evaluate("{{ [1, 2] | random }}").unwrap_err();
    assert!(
        random.contains("there is no `random` here, because an expression gives the same value"),
        "{random}"
    );
    for source in
        ["{% include 'x' %}", "{%- import 'x' as y %}", "{%from 'x' import y%}", "a{% extends 'x' %}"]
    {
        let words = evaluate(source).unwrap_err();
        assert!(words.ends_with("because an expression reads no other text"), "{words}");
    }
    says("{{ 1 + }}", "line 1, column 6: syntax error: unexpected end of input, expected expression");
}

#[test]
fn every_name_that_is_offered_is_there() {
    for name in FILTERS {
        gives(&format!("{{{{ '{name}' is filter }}}}"), json!(true));
    }
    for name in TESTS {
        gives(&format!("{{{{ '{name}' is test }}}}"), json!(true));
    }
}

/// The engine tells its own lists only where it shows itself.
#[test]
fn every_name_that_is_there_is_offered() {
    let shown = format!("{:?}", base());
    let listed = |what: &str| {
        let list =
            shown.split_once(&format!(" {what}: [")).and_then(|(_, rest)| rest.split_once(']')).unwrap().0;
        let names = list.split(", ").map(|name| name.trim_matches('"').to_owned());
        let is_written = |name: &String| name.chars().all(|letter| letter.is_alphanumeric() || letter == '_');
        names.filter(|name| is_written(name) && name != PERCENT).collect::<Vec<_>>()
    };
    let sorted = |names: &[&str]| {
        let mut names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        names.sort();
        names
    };
    assert_eq!(listed("filters"), sorted(&FILTERS));
    assert_eq!(listed("tests"), sorted(&TESTS));
}

/// A file is refused when it is read for nothing but what would fail here.
#[test]
fn what_is_refused_when_it_is_read_is_refused_here() {
    for source in [
        "{{ 1 + }}",
        "{{ state.ok | }}",
        "{{ state.ok == }}",
        "{{ a b }}",
        "{{ }}",
        "{{ }} text",
        "{{ state.ok | lenght }}",
        "{{ state.ok is defned }}",
        "{{ (1 }}",
        "{{ [1, 2 }}",
        "{{ 1) }}",
        "{{ {1} }}",
        "{{ inputs.name[] }}",
        "{{ inputs.name = 1 }}",
        "{{ 1 && 2 }}",
        "{{ inputs.name | first.x }}",
        "{{ (inputs.name | default(1)).x | d(a=1, 2) }}",
        "{% if %}{% endif %}",
        "{% if 1 %}{% else if 2 %}{% endif %}",
        "{% for x %}{% endfor %}",
        "{% for x in %}{% endfor %}",
        "{% set x = %}",
        "{{ +1 }}",
        "{{ 1 if else 2 }}",
        "{{ x is defined if y else z }}",
    ] {
        assert_ne!(faults(source), Vec::<String>::new(), "{source}");
        assert!(evaluate(source).is_err(), "{source}");
    }
}

/// The same for texts that nobody would write; the same each time.
#[test]
fn whatever_has_a_value_passes_when_it_is_read() {
    #[rustfmt::skip]
    const WORDS: [&str; 48] = [
        "1", "2", "inputs", "inputs.name", "'t'", "r'\\d'", "'%s'", "'%s' % inputs", "(", ")", "(", ")", "[", "]", "{", "}", ",", ":", "=", ".",
        "| upper", "| default(1)", "| list", "+", "-", "/", "% 2", "~", "==", "<", ">", ">=", "//", "and", "or", "not", "in", "not in",
        "is defined", "is", "if", "else", "1 if", "range(", "1.", "1e3", "a=", "x",
    ];
    let (mut seed, mut good) = (5_u64, 0);
    let mut below = |end: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(seed >> 33).unwrap() % end
    };
    let (mut jinja, scope) = (Jinja::default(), scope());
    for _ in 0..40_000 {
        let mut source = "{{ ".to_owned();
        for _ in 0..=below(6) {
            source.push_str(WORDS[below(WORDS.len())]);
            source.push(' ');
        }
        source.push_str(" }}");
        if jinja.evaluate(&source, &scope).is_ok() {
            good += 1;
            assert_eq!(faults(&source), Vec::<String>::new(), "{source}");
        }
    }
    assert!(good > 1_000, "only {good} had a value: they say little");
}

/// Mistakes that the engine does not see, or sees only where it comes to them.
#[test]
fn what_has_a_value_by_accident_is_refused_when_it_is_read() {
    for (source, value) in [
        ("{{ 1 < *[2] }}", json!(true)),
        ("{{ 1 or '%s' % }}", json!(1)),
        ("{{ 'a' & b }}", json!("a")),
        ("{{ 1 or 2 | nosuch }}", json!(1)),
    ] {
        gives(source, value);
        assert_eq!(faults(source).len(), 1, "{source}");
    }
}

#[test]
fn a_function_has_no_text() {
    says(
        "a {{ cycler }}",
        "line 1, column 6: `cycler` is a function, which has no text: call it, `cycler(..)`",
    );
    says("a {{ range }}", "line 1, column 6: `range` is a function, which has no text: call it, `range(..)`");
    gives("{{ 'a' ~ range }}", json!("a<function range>"));
    gives("{{ range | string }}", json!("<function range>"));
    gives("{{ range is callable }}", json!(true));
    gives("{% set c = cycler(1, 2) %}{{ c.next() }}{{ c.next() }}{{ c.next() }}", json!("121"));
    gives("{% set n = namespace(a=1) %}{% set n.a = 2 %}{{ n.a }}", json!("2"));
    for source in [
        "<{{ cycler(1, 2) }}>",
        "<{{ [cycler, joiner()] }}>",
        "{{ [cycler(1)] | tojson }}",
        "{{ cycler | tojson }}",
    ] {
        let told = format!("{:?}", evaluate(source));
        assert!(!told.contains("::") && !told.contains("closure"), "{source}: {told}");
    }
}

#[test]
fn what_cannot_be_kept_is_refused() {
    assert!(evaluate("{{ 2 ** 100 }}").unwrap_err().contains("too large"));
    assert!(evaluate("{{ 1e308 * 10 }}").unwrap_err().contains("no number to keep"));
    assert!(evaluate("{{ range }}").unwrap_err().contains("no value that can be kept"));
}

#[test]
fn a_source_has_an_edge() {
    let source = |bytes: usize| format!("{{{{ '{}' }}}}", "x".repeat(bytes - 8));
    assert_eq!(source(SOURCE_BYTES_MAX).len(), SOURCE_BYTES_MAX);
    assert!(evaluate(&source(SOURCE_BYTES_MAX)).is_ok());
    assert!(
        evaluate(&source(SOURCE_BYTES_MAX + 1)).unwrap_err().contains("16385 bytes, and 16384 are the most")
    );
}

#[test]
fn steps_have_an_edge() {
    let rounds = |count: u32| {
        evaluate(&format!("{{% for i in range({count}) %}}{{% set x = i + i + i + i %}}{{% endfor %}}"))
    };
    assert_eq!(rounds(50_000), Ok(json!("")));
    let words = rounds(99_999).unwrap_err();
    assert!(words.contains("more than 1000000 steps: loop over less"), "{words}");
}

#[test]
fn an_output_has_an_edge() {
    let mut scope = Scope::default();
    scope.set("half", minijinja::Value::from("x".repeat(OUTPUT_BYTES_MAX / 2)));
    let mut jinja = Jinja::default();
    assert!(jinja.evaluate("{{ half }}{{ half }}", &scope).is_ok());
    assert!(
        jinja.evaluate("{{ half }}{{ half }}y", &scope).unwrap_err().contains("grows longer than 1048576")
    );
    assert!(jinja.evaluate("{{ half ~ half }}", &scope).unwrap_err().contains("larger than 1048576"));
    assert!(jinja.evaluate("{{ (half ~ half)[32:] }}", &scope).is_ok());
    let nested = |depth: usize| format!("{{{{ {}{} }}}}", "[".repeat(depth), "]".repeat(depth));
    assert!(jinja.evaluate(&nested(64), &scope).is_ok());
    assert!(jinja.evaluate(&nested(65), &scope).unwrap_err().contains("nests deeper than 64"));
}

#[test]
fn compiled_code_is_kept_up_to_a_limit() {
    let mut jinja = Jinja::default();
    for number in 0..COMPILED_MAX + 10 {
        assert_eq!(jinja.evaluate(&format!("{{{{ {number} }}}}"), &scope()), Ok(json!(number)));
        assert_eq!(jinja.evaluate("{{ 1 }}{{ 2 }}", &scope()), Ok(json!("12")));
    }
    assert_eq!(jinja.compiled.count().0, COMPILED_MAX);
    for number in 0..COMPILED_BYTES_MAX / SOURCE_BYTES_MAX + 10 {
        let source = format!("{number:>width$}", width = SOURCE_BYTES_MAX);
        assert_eq!(jinja.evaluate(&source, &scope()), Ok(json!(source)));
    }
    assert!(jinja.compiled.count().1 <= COMPILED_BYTES_MAX);
    assert!(jinja.evaluate("{{ 1 }}{{ 2 }}", &scope()).is_ok());
}

#[test]
fn nothing_is_left_for_the_next() {
    let mut jinja = Jinja::default();
    let scope = scope();
    assert_eq!(
        jinja.evaluate("{% set inputs = 1 %}{% set x = 2 %}{{ inputs }}{{ x }}", &scope),
        Ok(json!("12"))
    );
    assert_eq!(jinja.evaluate("{{ x is defined }}", &scope), Ok(json!(false)));
    assert_eq!(jinja.evaluate("{{ inputs.count }}", &scope), Ok(json!(3)));
}
