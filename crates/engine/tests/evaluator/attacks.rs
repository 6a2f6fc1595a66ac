//! Attacks: what people and models may write, on purpose or not. Whatever it is, it gives a value or a sentence; this
//! process does not grow, and a question of another run is answered meanwhile.

use crate::world::{ask, ask_for, ask_in, children, hasty, program, real, resident};
use crate::{Test, faces, js_attacks, python_attacks};
use engine::evaluator::Evaluator;
use kernel::RunId;
use kernel::plan::Language;
use serde_json::json;
use std::time::{Duration, Instant};

pub(crate) const ALL: &[Test] = &[
    ("attacks", attacks),
    ("attacks_on_what_python_has", on_python),
    ("attacks_in_javascript", in_javascript),
];

/// This process may grow by so much while it asks: its own answers, and what the allocator keeps of them.
const GROWTH_KIB_MAX: u64 = 24 * 1024;

/// How an attack ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// With a value.
    Value,
    /// With a sentence about the expression: the process lives.
    Sentence,
    /// Without an answer: the process was ended.
    Unanswered,
    /// With a sentence, or without an answer where the machine is too slow for one: never with a value.
    Refused,
    /// With any of these, depending on the machine.
    Any,
}
use End::{Any, Refused, Sentence, Unanswered, Value};

pub(crate) fn chain(link: &str, bytes: usize) -> String {
    link.repeat(bytes / link.len())
}

pub(crate) fn expression(inside: &str) -> String {
    format!("{{{{ {inside} }}}}")
}

/// An attack: its name, its text, and how it must end.
pub(crate) type Attack = (&'static str, String, End);

fn list() -> Vec<Attack> {
    let sum = |links: usize| expression(&format!("1{}", "+1".repeat(links)));
    let namespace = |body: &str| format!("{{% set n = namespace(s='x', l=[], m={{}}) %}}{body}");
    let looped =
        |count: u32, body: &str| namespace(&format!("{{% for i in range({count}) %}}{body}{{% endfor %}}"));
    let elifs = |count: usize| format!("{{% if 0 %}}{}{{% endif %}}", "{%elif 0%}".repeat(count));
    let nested =
        |open: &str, close: &str, count: usize| format!("{}{}", open.repeat(count), close.repeat(count));
    vec![
        // Those of the notes.
        ("memory doubling", looped(40, "{% set n.s = n.s ~ n.s %}") + "{{ n.s | length }}", Unanswered),
        ("sum of 8,000 links", sum(8_000), Value),
        ("sum of 10,000 links", sum(10_000), Sentence),
        ("sum of 20,000 links", sum(20_000), Sentence),
        ("16 KiB of `not`", expression(&format!("{}1", chain("not ", 16_000))), Any),
        ("16 KiB of minus", expression(&format!("{}1", chain("-", 16_000))), Any),
        ("16 KiB of filters", expression(&format!("1{}", chain("|abs", 16_000))), Any),
        ("16 KiB of attributes", expression(&format!("n{}", chain(".a", 16_000))), Any),
        ("16 KiB of indexes", expression(&format!("n{}", chain("[0]", 16_000))), Any),
        ("16 KiB of `and`", expression(&format!("1{}", chain(" and 1", 16_000))), Any),
        ("16 KiB of ternaries", expression(&format!("1{}", chain(" if 1 else 1", 16_000))), Any),
        ("16 KiB of powers", expression(&format!("1{}", chain("**1", 16_000))), Any),
        ("1,300 elifs", elifs(1_300), Any),
        ("8,000 elifs", elifs(8_000), Sentence),
        (
            "nested loops",
            nested("{% for i in range(99999) %}", "", 8) + "x" + &"{% endfor %}".repeat(8),
            Sentence,
        ),
        ("range of a thousand million", expression("range(1000000000)"), Sentence),
        ("a text a thousand million long", expression("'x' * 1000000000"), Sentence),
        ("a list a thousand million long", expression("[1] * 1000000000"), Sentence),
        ("a large power", expression("2 ** 100000"), Sentence),
        ("a macro that calls itself", "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}".into(), Sentence),
        ("10,000 parentheses", expression(&nested("(", ")", 8_000)), Sentence),
        ("nested lists", expression(&nested("[", "]", 8_000)), Sentence),
        ("nested ifs", nested("{%if 1%}", "{%endif%}", 900), Any),
        ("huge output", "{% for i in range(99999) %}0123456789abcdef{% endfor %}".into(), Sentence),
        // And ours.
        (
            "a list that holds itself deeper and deeper",
            looped(99_999, "{% set n.l = [n.l] %}") + "{{ n.l }}",
            Any,
        ),
        (
            "an object deeper and deeper",
            looped(50_000, "{% set n.m = {'a': n.m} %}") + "{{ n.m | tojson }}",
            Any,
        ),
        ("deep lists that are compared", looped(50_000, "{% set n.l = [n.l] %}") + "{{ n.l == n.l }}", Any),
        ("deep lists that are only dropped", looped(99_999, "{% set n.l = [n.l] %}"), Any),
        ("deep lists as a hash", looped(50_000, "{% set n.l = [n.l] %}") + "{{ n.l | hash }}", Any),
        ("list doubling", looped(40, "{% set n.l = n.l + n.l + [1] %}") + "{{ n.l | length }}", Any),
        (
            "two macros that call each other",
            "{% macro a() %}{{ b() }}{% endmacro %}{% macro b() %}{{ a() }}{% endmacro %}{{ a() }}".into(),
            Any,
        ),
        (
            "a macro that doubles",
            "{% macro m(n) %}{% if n %}{{ m(n-1) }}{{ m(n-1) }}{% endif %}{% endmacro %}{{ m(60) }}".into(),
            Sentence,
        ),
        ("a recursive loop", "{% for i in [1] recursive %}{{ loop([1]) }}{% endfor %}".into(), Sentence),
        (
            "a pattern that backtracks elsewhere",
            expression("('a' * 30000) | regex_search('^(a+)+$') | length"),
            Value,
        ),
        (
            "a pattern that explodes",
            expression("'a' | regex_search('(((a{100}){100}){100}){100}')"),
            Sentence,
        ),
        (
            "a pattern that nests",
            expression(&format!("'a' | regex_search('{}')", nested("(", ")", 7_000))),
            Sentence,
        ),
        (
            "a replacement that multiplies",
            looped(30, "{% set n.s = n.s | regex_replace('x', 'xxxx') %}") + "{{ n.s | length }}",
            Unanswered,
        ),
        (
            "replace that multiplies",
            looped(30, "{% set n.s = n.s | replace('x', 'xxxx') %}") + "{{ n.s | length }}",
            Unanswered,
        ),
        (
            "join that multiplies",
            looped(30, "{% set n.s = [n.s, n.s, n.s, n.s] | join(n.s[:9]) %}") + "{{ n.s | length }}",
            Unanswered,
        ),
        ("indent that grows", expression("('\\n' * 99999) | indent(99999) | length"), Any),
        ("a wide format", expression("'%999999999d' | format(1)"), Any),
        ("a precise format", expression("'%.999999999f' | format(1)"), Any),
        ("a wide table", expression("range(99999) | batch(1) | list | length"), Value),
        ("a filled batch", expression("[1] | batch(999999999, 0) | list | length"), Any),
        ("a thin slice", expression("[1] | slice(999999999) | list | length"), Any),
        ("tojson with a wide indent", expression("{'a': [1]} | tojson(indent=999999999) | length"), Any),
        ("JSON nested deep", expression(&format!("'{}' | parse_json", nested("[", "]", 8_000))), Sentence),
        ("a large sum of lists", looped(99_999, "{% set n.l = n.l + [i] %}") + "{{ n.l | sum }}", Any),
        ("sorting many", expression("range(99999) | sort(reverse=true) | list | length"), Value),
        ("unique of many", expression("range(99999) | unique | list | length"), Any),
        (
            "groupby of many",
            looped(20_000, "{% set n.l = n.l + [{'k': i}] %}") + "{{ n.l | groupby('k') | length }}",
            Any,
        ),
        ("a map of maps", expression("range(99999) | map('string') | map('upper') | join | length"), Value),
        ("include of itself", "{% include 'text' %}".into(), Sentence),
        ("include by a computed name", "{% include ['te' ~ 'xt'] %}".into(), Sentence),
        ("a hidden include", "{%\n\tinclude 'text' %}".into(), Sentence),
        ("extends itself", "{% extends 'text' %}".into(), Sentence),
        ("import of itself", "{% import 'text' as t %}{{ t }}".into(), Sentence),
        ("a block that calls itself", "{% block a %}{{ self.a() }}{% endblock %}".into(), Any),
        ("Python's way out", expression("''.__class__.__mro__[1].__subclasses__()"), Sentence),
        ("Python's other way out", expression("cycler.__init__.__globals__.os.popen('id').read()"), Sentence),
        ("the debugger", expression("debug()"), Sentence),
        ("a method on nothing", expression("nothing.x.y.z()"), Sentence),
        ("a name of 16 KiB", expression(&"n".repeat(16_000)), Sentence),
        ("16 KiB of open braces", "{".repeat(16_384), Any),
        ("16 KiB of open tags", "{% if 1 %}".repeat(1_638), Sentence),
        ("an open comment", "{#".repeat(8_000), Sentence),
        ("an open literal", "{{ '".repeat(4_000), Sentence),
        ("an open raw literal", "{{ r'\\".to_owned(), Sentence),
        ("control characters", expression("'\u{0}\u{1}\u{7f}\u{feff}\u{202e}'"), Value),
        ("a filter that formats its own name", expression("'x' | attr('__class__')"), Any),
        ("an endless line of text", "{{ 'x' }}".repeat(1_820), Value),
        ("a key that is a list", expression("{[1]: 2}"), Any),
        ("a number without end", expression(&"9".repeat(16_000)), Sentence),
        ("division by nothing", expression("1 // 0"), Any),
        (
            "a macro with many arguments",
            format!(
                "{{% macro m({}) %}}{{% endmacro %}}{{{{ m() }}}}",
                (0..2_000).map(|n| format!("a{n}")).collect::<Vec<_>>().join(",")
            ),
            Any,
        ),
    ]
}

fn attacks() {
    withstands(Language::Jinja, list());
}

fn on_python() {
    withstands(Language::Jinja, python_attacks::list());
}

fn in_javascript() {
    withstands(Language::JavaScript, js_attacks::list());
}

fn withstands(language: Language, attacks: Vec<Attack>) {
    // What hangs is not waited for as long as it may; what must end by itself gets all the time there is.
    let (hasty, patient) = (Evaluator::with(program(faces::REAL), hasty(2_000)), real());
    for evaluator in [&hasty, &patient] {
        assert_eq!(ask(evaluator, "{{ 1 }}", &[]), Ok(json!(1)));
    }
    let before = resident();
    let only = std::env::var("ATTACK").ok();
    for (name, text, end) in attacks {
        if only.as_ref().is_some_and(|only| !name.contains(only.as_str())) {
            continue;
        }
        let start = Instant::now();
        let evaluator = if matches!(end, Value | Sentence) { &patient } else { &hasty };
        let told = while_others_are_answered(language, evaluator, &text);
        let shown = format!("{told:?}");
        println!("  {:>9.1?}  {name}: {}", start.elapsed(), &shown[..shown.floor_char_boundary(100)]);
        let ended = match &told {
            Ok(_) => Value,
            Err(words) if words.starts_with("unanswered: ") => Unanswered,
            Err(_) => Sentence,
        };
        let fits = end == Any || end == ended || (end == Refused && ended != Value);
        assert!(fits, "{name}: {told:?}");
        assert!(!shown.contains("BUG") && !shown.contains("panicked"), "{name}: {told:?}");
        assert!(start.elapsed() < Duration::from_secs(12), "{name}: {:?}", start.elapsed());
        let growth = resident().saturating_sub(before);
        assert!(growth < GROWTH_KIB_MAX, "{name}: this process grew by {growth} KiB");
    }
    println!("  this process grew by {} KiB", resident().saturating_sub(before));
    drop((hasty, patient));
    assert!(children().is_empty());
}

/// Attacks, and asks for another run at the same time, again and again.
fn while_others_are_answered(
    language: Language,
    evaluator: &Evaluator,
    text: &str,
) -> Result<serde_json::Value, String> {
    let scope = [("now", json!(0)), ("state?", json!([]))];
    let other = RunId::new("still-lake-2");
    std::thread::scope(|threads| {
        let attack = threads.spawn(|| ask_in(language, evaluator, text, &scope));
        let mut asked = 0;
        while asked == 0 || !attack.is_finished() {
            let start = Instant::now();
            let scope = [("inputs.n", json!(asked))];
            let told = ask_for(&other, Language::Jinja, evaluator, "{{ inputs.n + 1 }}", &scope);
            assert_eq!(told, Ok(json!(asked + 1)));
            assert!(start.elapsed() < Duration::from_secs(3), "another run waited {:?}", start.elapsed());
            asked += 1;
        }
        attack.join().unwrap()
    })
}
