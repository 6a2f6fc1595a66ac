//! What is read of a text, against a table and against a template engine, and how long that takes.

use super::reads::{Fault, is_code, reads};
use minijinja::Environment;
use std::collections::BTreeSet;
use std::time::Duration;

/// What a text reads, as it would be written.
fn names(text: &str) -> Vec<String> {
    let found = reads(text);
    assert!(found.faults.is_empty(), "{text}: {:?}", found.faults);
    found
        .names
        .iter()
        .map(|read| read.field.iter().fold(read.root.clone(), |all, part| format!("{all}.{part}")))
        .collect()
}

/// Texts, and the names that they read and do not bind.
const TABLE: [(&str, &[&str]); 40] = [
    ("", &[]),
    ("no braces { } state.x", &[]),
    ("{{ state.x }}", &["state.x"]),
    ("{{state.x.y[0].z}}", &["state.x"]),
    ("{{ state['x'] }} {{ state[\"y z\"] }}", &["state.x", "state.y z"]),
    ("{{ state[name] }}", &["state", "name"]),
    ("{{ state[inputs.field] }}", &["state", "inputs.field"]),
    ("{{ state['a\\'b'] }}", &["state"]),
    ("{{ state.get('x') }} {{ state.get('y', 1) }}", &["state.x", "state.y"]),
    ("{{ state.get(x) }}", &["state", "x"]),
    ("{{ state.items() }} {{ state.items }}", &["state", "state.items"]),
    ("{{ state.run(1) }}", &["state.run"]),
    ("{{ state.0 }}", &["state.0"]),
    ("{{ state | attr('x') }}", &["state"]),
    ("{{ state.x | default(inputs.y) | upper }}", &["state.x", "inputs.y"]),
    ("{{ x is defined and y is not none }}", &["x", "y"]),
    ("{{ x is divisibleby state.n }}", &["x", "state.n"]),
    ("{{ x in state.list }} {{ x is in state.list }}", &["x", "state.list", "x", "state.list"]),
    ("{{ f(state=1, x=y) }}", &["f", "y"]),
    ("{{ 'state.x' ~ \"state.y\" ~ r'\\d\\'state.z' }}", &[]),
    ("{{ {'a': state.x, b: [c, (d,)]} }}", &["state.x", "b", "c", "d"]),
    ("{{ a if b else c }}", &["a", "b", "c"]),
    ("{{ not a and True or none }}", &["a"]),
    ("{{ 100 - (state.t / 60) | int }}", &["state.t"]),
    ("{{ now().isoformat() }}", &["now"]),
    ("{# {{ state.x }} #}", &[]),
    ("{% raw %}{{ state.x }}{% endraw %}{{ y }}", &["y"]),
    ("{%- raw -%}{% x %}{%+ endraw +%}{{ y }}", &["y"]),
    ("{% for a, b in state.x.items() if a %}{{ a }}{{ loop.index }}{% endfor %}", &["state.x"]),
    ("{% for a in b recursive %}{{ loop(a) }}{% endfor %}", &["b"]),
    ("{% set x = state.y %}{{ x }}", &["state.y"]),
    ("{% set a, b = c, d %}{% set ns.x = e %}", &["c", "d", "ns.x", "e"]),
    ("{% set x | upper %}{{ y }}{% endset %}", &["y"]),
    ("{% with a = b, c = f(d=e) %}{{ a }}{% endwith %}", &["b", "f", "e"]),
    ("{% macro m(a, b=state.x) %}{{ a }}{% endmacro %}{{ m(1) }}", &["state.x"]),
    ("{% call(a) m(b) %}{{ a }}{% endcall %}", &["m", "b"]),
    ("{% filter upper %}{{ a }}{% endfilter %}", &["a"]),
    ("{% if a == b %}{% elif c != d %}{% else %}{% endif %}", &["a", "b", "c", "d"]),
    ("{{ a }}}} {{ '}}' ~ b }}", &["a", "b"]),
    ("{{ été.x }} {{ _a1 }}", &["été.x", "_a1"]),
];

#[test]
fn a_table_of_texts_and_what_they_read() {
    for (text, expected) in TABLE {
        let found = reads(text);
        let bound = found.bound();
        let is_free = |name: &String| !bound.contains(name.split('.').next().unwrap());
        let free: Vec<String> = names(text).into_iter().filter(is_free).collect();
        assert_eq!(free, expected, "{text}");
    }
}

#[test]
fn what_statements_bind_is_known() {
    for (text, expected) in [
        ("{% for a, (b, c) in x %}{% endfor %}", ["a", "b", "c", "loop"].as_slice()),
        ("{% set state = 1 %}", &["state"]),
        ("{% set a %}x{% endset %}", &["a"]),
        ("{% set ns.a = 1 %}", &[]),
        ("{% with a = 1, b = f(c=2) %}{% endwith %}", &["a", "b"]),
        ("{% macro m(a, b=f(c, d=1)) %}{% endmacro %}", &["a", "b", "caller", "kwargs", "m", "varargs"]),
        ("{% call(a) m(b) %}{% endcall %}", &["a"]),
        ("{{ f(state=1) }}", &[]),
    ] {
        let found = reads(text);
        assert_eq!(found.bound().into_iter().collect::<Vec<_>>(), expected, "{text}");
    }
}

#[test]
fn a_whole_expression_is_told_apart_from_text() {
    for (text, inside) in [
        ("{{ a }}", Some(" a ")),
        ("{{- a -}}\n", Some(" a ")),
        ("{{ a }}\r\n", Some(" a ")),
        ("{{ '}}' }}", Some(" '}}' ")),
        (" {{ a }}", None),
        ("{{ a }} ", None),
        ("{{ a }}{{ b }}", None),
        ("{{ a }}\n\n", None),
        ("{% if a %}{% endif %}", None),
        ("text", None),
    ] {
        assert_eq!(reads(text).whole.map(|range| &text[range]), inside, "{text:?}");
    }
    assert!(is_code("a {# b") && is_code("{{") && !is_code("{ % }"));
}

#[test]
fn places_are_those_of_the_names() {
    let text = "x {{ é ~ state.user_request.input ~ state [ 'a' ] ~ state.get('b', 1) ~ state.get('c') ~ state[d] }}";
    let written: Vec<&str> = reads(text).names.iter().map(|read| &text[read.at.clone()]).collect();
    let expected =
        ["é", "state.user_request", "state [ 'a' ]", "state.get('b'", "state.get('c')", "state", "d"];
    assert_eq!(written, expected);
}

#[test]
fn a_name_may_be_there_or_not() {
    for (text, expected) in [
        ("{{ a is defined }}", true),
        ("{{ a.b.c is not defined }}", true),
        ("{{ a is undefined }}", true),
        ("{{ a | default(1) }}", true),
        ("{{ a.b | d(1) }}", true),
        ("{{ a is none }}", false),
        ("{{ a | length | default(1) }}", false),
        ("{{ a }}", false),
    ] {
        assert_eq!(reads(text).names[0].is_guarded, expected, "{text}");
    }
}

#[test]
fn what_is_open_is_told_where_it_begins() {
    for (text, at, message) in [
        ("a {{ b", 2, "`{{` is never closed"),
        ("a {% if b", 2, "`{%` is never closed"),
        ("{{ (a }}", 3, "`(` is never closed"),
        ("a {# b", 2, "this comment is never closed"),
        ("{{ 'a }}", 3, "this literal is never closed"),
        ("x{% raw %}{{", 1, "`raw` is never closed"),
        ("{% if a %}{% for b in c %}{% endfor %}", 0, "`if` is never ended"),
        ("{% endif %}", 0, "`endif` ends nothing"),
        ("{% iff a %}", 0, "no statement is called `iff`"),
        ("{% include 'a' %}", 0, "there is no `include` here"),
    ] {
        let found = reads(text).faults;
        let told: Vec<(usize, &str)> =
            found.iter().map(|fault| (fault.at.start, fault.message.as_str())).collect();
        assert_eq!(told, [(at, message)], "{text}");
    }
}

/// A small generator (splitmix64): the same seed gives the same texts for ever.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((mixed ^ (mixed >> 31)) % end as u64).unwrap()
    }

    fn of<'w>(&mut self, words: &[&'w str]) -> &'w str {
        words[self.below(words.len())]
    }

    /// An expression that is mostly good.
    fn expression(&mut self, depth: usize) -> String {
        let name = self.of(&["state", "inputs", "item", "a", "b_1", "x"]).to_owned();
        if depth == 0 {
            return name;
        }
        let (one, two) = (self.expression(depth - 1), self.expression(depth - 1));
        match self.below(16) {
            0 => format!("{one}.{}", self.of(&["x", "items", "state", "y"])),
            1 => format!("{one}['{}']", self.of(&["x", "a b", "state"])),
            2 => format!("{one}[{two}]"),
            3 => format!("({one} + {two})"),
            4 => format!("{one} | {}({two})", self.of(&["default", "join", "state"])),
            5 => format!("({one} if {two} else {name})"),
            6 => format!("{{'k': {one}, {two}: 1}}"),
            7 => format!("[{one}, {two}]"),
            8 => format!("{name}(state={one}, b={two})"),
            9 => format!("({one} is {} {two})", self.of(&["sameas", "not in", "in"])),
            10 => format!("({one} and not {two})"),
            11 => format!("{one}.get('k', {two})"),
            12 => format!("({one} ~ 'text {{{{ x }}}}' ~ {two})"),
            13 => format!("({one} is defined)"),
            14 => format!("{one}[1:{two}]"),
            _ => one,
        }
    }

    fn text(&mut self, depth: usize) -> String {
        let code = self.expression(2);
        if depth == 0 {
            return format!("{{{{ {code} }}}}");
        }
        let (one, two) = (self.text(depth - 1), self.text(depth - 1));
        match self.below(9) {
            0 => format!("{{% for v in {code} %}}{one}{{{{ v }}}}{{% endfor %}}{two}"),
            1 => format!("{{% for v, w in {code} if v %}}{one}{{% else %}}{two}{{% endfor %}}"),
            2 => format!("{{% if {code} %}}{one}{{% else %}}{two}{{% endif %}}"),
            3 => format!("{{% set v = {code} %}}{one}{{{{ v }}}}"),
            4 => format!("{{% set v %}}{one}{{% endset %}}{two}"),
            5 => format!("{{% with v = {code} %}}{one}{{% endwith %}}{two}"),
            6 => format!("{{% macro m(v, w={code}) %}}{one}{{% endmacro %}}{two}"),
            7 => format!("{{% filter upper %}}{one}{{% endfilter %}}{{# {two} #}}"),
            _ => format!("text {{ {one} {{% raw %}}{two}{{% endraw %}}"),
        }
    }
}

/// What the evaluator is held against, one expression a line.
fn oracle() -> impl Iterator<Item = String> {
    let files = [
        include_str!("../../../engine/tests/evaluator/oracle/source.txt"),
        include_str!("../../../engine/tests/evaluator/oracle/more.txt"),
    ];
    let lines = files.into_iter().flat_map(str::lines).filter(|line| !line.starts_with(['#', '@']));
    lines.map(|line| line.replace('⏎', "\n"))
}

/// What is told of words that do not fit, where, and what to do.
#[test]
fn what_does_not_fit_is_told_where_it_stands() {
    for (text, at, message, hint) in [
        ("{{ 1 + }}", "+", "a value is missing behind `+`", "write one, or take `+` away"),
        ("{{ x == }}", "==", "a value is missing behind `==`", "write one, or take `==` away"),
        ("{{ not }}", "not", "a value is missing behind `not`", "write one, or take `not` away"),
        ("{{ a | }}", "|", "the name of a filter is missing behind `|`", "name one, or take `|` away"),
        (
            "{{ a || b }}",
            "|",
            "the name of a filter is missing behind `|`",
            "for one or the other, write `or`",
        ),
        (
            "{{ a is not }}",
            "not",
            "the name of a test is missing behind `not`",
            "name one, or take `not` away",
        ),
        ("{{ a && b }}", "&", "`&` is no sign of an expression", "for both, write `and`"),
        ("{{ !a }}", "!", "`!` is no sign of an expression", "write `not`, or `!=` between two values"),
        ("{{ a ? b : c }}", "?", "`?` is no sign of an expression", "write `a if condition else b`"),
        ("{{ a = 1 }}", "=", "`=` gives no value here", "compare with `==`"),
        ("{{ a === 1 }}", "=", "a value is missing between `==` and `=`", "write one, or take `=` away"),
        ("{{ }}", "{{ }}", "nothing stands between the braces", "write an expression"),
        ("{{ a. }}", ".", "a name is missing behind `.`", "name a part, or take `.` away"),
        ("{{ a | first.b | d.c() }}", "first.b", "there is no filter `first.b`", "did you mean `first`?"),
        ("{{ (a | first)[] }}", "]", "a value is missing between `[` and `]`", "write one, or take `]` away"),
        (
            "{{ a | default(1).b }}",
            ".",
            "a filter or a test has no parts",
            "put it in brackets first: `(x | first).name`",
        ),
        ("{{ a) }}", ")", "`)` closes nothing", "take it away, or open it"),
        ("{{ {a} }}", "}", "`:` and a value are missing before `}`", "write `{'key': value}`"),
        (
            "{{ f(a=1, b) }}",
            "b",
            "an argument without a name stands behind one that has a name",
            "give it a name too, or put it first",
        ),
        ("{{ a else b }}", "else", "`else` belongs to no `if`", "write `a if b else c`"),
        ("{{ state.ok | lenght }}", "lenght", "there is no filter `lenght`", "did you mean `length`?"),
        (
            "{{ a is defned }}",
            "defned",
            "there is no test `defned`",
            "did you mean `defined` or `undefined`?",
        ),
        ("{{ a is not zebra }}", "zebra", "there is no test `zebra`", "take another, such as `defined`"),
        ("{% filter uper %}{% endfilter %}", "uper", "there is no filter `uper`", "did you mean `upper`?"),
        ("{% set x | uper %}{% endset %}", "uper", "there is no filter `uper`", "did you mean `upper`?"),
        ("{% if %}{% endif %}", "if", "`if` has no condition", "write a condition behind it"),
        ("{% if a %}{% else if b %}{% endif %}", "else", "`else` takes no condition", "write `elif`"),
        ("{% if a %}{% endif b %}", "b", "`endif` takes nothing, and `b` follows", "take it away"),
        ("{% for a %}{% endfor %}", "for", "`for` has no `in`", "write `for item in list`"),
        ("{% for a in %}{% endfor %}", "in", "`for` has no list behind `in`", "write `for item in list`"),
        ("{% for 1 in a %}{% endfor %}", "1", "`1` can be given no value", "write a name"),
        ("{% set = 1 %}", "set", "`set` has no name", "write `set name = value`"),
        ("{% set x = %}", "=", "a value is missing behind `=`", "write one, or take `=` away"),
        ("{% do a.b %}", "do", "`do` calls nothing", "write `do name(..)`"),
        ("{% macro m %}{% endmacro %}", "macro", "`macro` has no brackets", "write `macro name(a, b=1)`"),
    ] {
        let found = reads(text).faults;
        let first = found.first().unwrap_or_else(|| panic!("{text} is taken"));
        let told = (&text[first.at.clone()], first.message.as_str(), first.hint.as_str());
        assert_eq!(told, (at, message, hint), "{text}");
    }
    let between = "put an operator between them, such as `~` or `and`, or take one away";
    let found = reads("{{ state.a state.b }}").faults;
    assert_eq!(
        found,
        [Fault { at: 11..16, message: "`state` cannot follow `a`".into(), hint: between.into() }]
    );
    let many = format!("{{{{ a{} }}}}", " | zebra".repeat(30));
    assert_eq!(reads(&many).faults.len(), 20);
}

/// Whether a fault is one of a name: the engine of the tests has fewer of them, and looks for none before it comes to it.
fn is_unknown(fault: &Fault) -> bool {
    ["there is no filter", "there is no test"].iter().any(|words| fault.message.starts_with(words))
}

/// Words that make sense together now and then.
#[rustfmt::skip]
const SOUP: [&str; 62] = [
    "a", "b", "state", "1", "2.5", "'t'", "\"u\"", "(", ")", "[", "]", "{", "}", "(", ")", "[", "]", ",", ",", ":", "=", ".", ".", "|",
    "|", "+", "-", "*", "/", "%", "~", "==", "!=", "<", ">=", "//", "**", "and", "or", "not", "not", "in", "is", "is", "if",
    "if", "else", "else", "upper", "defined", "none", "true", "f(", "a.b", "x[", ", c=", "recursive", "1.", "1e5", "&", "loop", "'a': ",
];

/// What a template engine takes is taken; nearly all that it refuses is refused.
#[test]
fn what_does_not_fit_a_template_engine_refuses_too() {
    const FRAMES: [(&str, &str); 16] = [
        ("{{ ", " }}"),
        ("{{ ", " }}"),
        ("{{ f(", ") }}"),
        ("{{ [", "] }}"),
        ("{{ {", "} }}"),
        ("{{ a[", "] }}"),
        ("{% if ", " %}{% endif %}"),
        ("{% if a %}{% elif ", " %}{% endif %}"),
        ("{% for x in ", " %}{% endfor %}"),
        ("{% set x = ", " %}"),
        ("{% with x = ", " %}{% endwith %}"),
        ("{% filter ", " %}{% endfilter %}"),
        ("{% macro m(", ") %}{% endmacro %}"),
        ("{% for ", " %}{% endfor %}"),
        ("{% do ", " %}"),
        ("{% call ", ") %}{% endcall %}"),
    ];
    let environment = Environment::new();
    let (mut random, mut good, mut bad, mut missed) = (Random(7), 0, 0, Vec::new());
    for _ in 0..40_000 {
        let (before, after) = FRAMES[random.below(FRAMES.len())];
        let mut words = String::new();
        for _ in 0..random.below(8) {
            words.push_str(random.of(&SOUP));
            words.push_str(random.of(&[" ", " ", " ", ""]));
        }
        let text = format!("{before}{words}{after}");
        let fits = reads(&text).faults.iter().all(is_unknown);
        match environment.template_from_str(&text) {
            Ok(_) => {
                good += 1;
                assert!(fits, "{text}: {:?}", reads(&text).faults);
            }
            Err(error) => {
                bad += 1;
                missed.extend(fits.then(|| format!("{text}    {}", error.detail().unwrap_or_default())));
            }
        }
    }
    assert!(good > 1_500 && bad > 20_000, "{good} good, {bad} bad: the texts say little");
    assert!(missed.len() * 100 < bad, "{} of {bad} were missed: {:#?}", missed.len(), &missed[..40]);
}

/// No name that a template engine would look up is missed.
#[test]
fn every_name_of_a_template_engine_is_among_them() {
    let environment = Environment::new();
    let (mut random, mut good) = (Random(11), 0);
    let table = TABLE.iter().map(|(text, _)| text.replace("r'\\d\\'", "'"));
    for text in (0..4_000).map(|_| random.text(2)).chain(table).chain(oracle()) {
        let Ok(template) = environment.template_from_str(&text) else { continue };
        let found = reads(&text);
        assert!(found.faults.iter().all(is_unknown), "{text}: {:?}", found.faults);
        let roots: BTreeSet<&str> = found.names.iter().map(|read| read.root.as_str()).collect();
        for name in template.undeclared_variables(false) {
            assert!(roots.contains(name.as_str()), "`{name}` of {text}");
        }
        for name in template.undeclared_variables(true).into_iter().filter(|name| name.starts_with("state")) {
            let read = found.names.iter().any(|read| {
                // What an object can do is no field of it.
                let field = name.split('.').nth(1).filter(|field| *field != "get");
                read.root == "state"
                    && (read.field.is_none() || field.is_none() || field == read.field.as_deref())
            });
            assert!(read, "`{name}` of {text}");
        }
        good += 1;
    }
    assert!(good > 3_500, "only {good} were good: the texts say little");
}

/// How long something takes.
#[expect(clippy::disallowed_types, reason = "how long it takes is what is tested")]
fn took(work: impl FnOnce()) -> Duration {
    let begins = std::time::Instant::now();
    work();
    begins.elapsed()
}

#[test]
fn hostile_texts_take_time_in_proportion_to_their_length() {
    const MIB: usize = 1 << 20;
    let repeated = |word: &str| word.repeat(MIB / word.len());
    let texts = [
        repeated("{"),
        repeated("{{"),
        repeated("{%"),
        repeated("{#"),
        repeated("{{{%{#"),
        repeated("{{'"),
        repeated("{{ \\'"),
        repeated("{{ '\\'"),
        repeated("{% raw %}"),
        repeated("{% raw %}{% endraw"),
        repeated("{% if x %}"),
        repeated("{% zebra %}"),
        repeated("{{ a }}"),
        format!("{{{{ {} }}}}", repeated("(")),
        format!("{{{{ {}1 }}}}", repeated("not ")),
        format!("{{{{ a{} }}}}", ".b".repeat(10_000)),
        format!("{{{{ a{} }}}}", " | b".repeat(10_000)),
        format!("{{{{ a{} }}}}", " + state.b".repeat(10_000)),
        format!("{{{{ {}1{} }}}}", "[".repeat(100_000), "]".repeat(100_000)),
        format!("{{% set {} = 1 %}}", "a, ".repeat(100_000)),
        format!("{{{{ {} }}}}", "é".repeat(MIB / 2)),
    ];
    for text in texts {
        let time = took(|| assert!(reads(&text).faults.len() <= 20));
        assert!(time < Duration::from_secs(5), "{time:?} {}", &text[..40]);
    }
}

#[test]
fn every_text_ends() {
    for text in [
        "{",
        "{{",
        "{%",
        "{#",
        "{{'",
        "{{\"\\",
        "{% raw",
        "{% raw %}{% endraw",
        "{{r'",
        "{%}",
        "{{}}",
        "{%%}",
        "{%-",
        "{{-",
        "{% set",
        "{% set %}",
        "{% for %}",
        "{% for in %}",
        "{% for a in %}",
        "{% macro %}",
        "{% call( %}",
        "{% call() %}",
        "{% with %}",
        "{{ a. }}",
        "{{ a[ }}",
        "{{ a['x' }}",
        "{{ a.get( }}",
        "{{ a.get('x' }}",
        "{{ . }}",
        "{{ = }}",
        "{{ is }}",
        "{% filter %}",
        "{{ r }}",
        "{{ 1. }}",
    ] {
        reads(text);
    }
}
