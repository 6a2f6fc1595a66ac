//! Comparisons: only what is of one kind has an order, wherever it is asked for.

use super::{evaluate, gives, says};
use crate::evaluator::jinja::order::calls;
use serde_json::json;

/// Code with what is added to it.
fn called(code: &str) -> String {
    let mut made = code.to_owned();
    for (place, letters) in calls(code).into_iter().rev() {
        made.insert_str(place, &letters);
    }
    made
}

#[test]
fn comparisons_become_calls() {
    assert_eq!(called(" a < b "), " _ordered(a ,'<', b) ");
    assert_eq!(called("a<b<=c"), "_ordered(a,'<',b,'<=',c)");
    assert_eq!(called("a == b and not -c >= d|f(1)"), "a == b and not _ordered(-c ,'>=', d|f(1))");
    assert_eq!(called("x if a > (b < c) else d"), "x if _ordered(a ,'>', (_ordered(b ,'<', c))) else d");
    assert_eq!(called("f(k=a<b, c)[1:x>y]"), "f(k=_ordered(a,'<',b), c)[1:_ordered(x,'>',y)]");
    assert_eq!(called("{'<': a < '>'}"), "{'<': _ordered(a ,'<', '>')}");
    assert_eq!(called("a < b == c"), "_ordered(a ,'<', b ,'==', c)");
    for code in ["a == b", "a not in b < c", "a in b", "'a < b'", "< b", "a <", "a < < b", "(", "a.b | c"] {
        assert_eq!(called(code), code);
    }
}

#[test]
fn what_is_of_one_kind_is_compared() {
    gives("{{ inputs.count >= 3 and 2.5 < 3 and true <= 1 }}", json!(true));
    gives("{{ 1 < 2 < 3 > 2 }}", json!(true));
    gives("{{ 'a' < 'b' and [1, 2] < [1, 3] and (1, 2) < (2,) }}", json!(true));
    gives("{% if state.score > 80 %}a{% elif state.score > 90 %}b{% endif %}", json!("a"));
    gives("{% for n in [1, 2, 3] if n > 1 %}{{ n }}{% endfor %}", json!("23"));
    gives("{% set x = inputs.count > 2 %}{{ x }}", json!("True"));
    gives("{{ [3, 1] | select('>', 2) | list + ([3, 1] | select('le', 2) | list) }}", json!([3, 1]));
    gives("{% set ordered = 1 %}{{ ordered < 2 }}", json!("True"));
    gives("{{ 'm < n' ~ (1 > 0) }}", json!("m < nTrue"));
    gives("{% raw %}{{ a < b }}{% endraw %} < {# 1 < 2 #}>", json!("{{ a < b }} < >"));
}

#[test]
fn what_is_not_is_told() {
    says(
        "{{ '12' >= 90 }}",
        "line 1, column 4: `>=` compares a string with a number: make both numbers with `| int`, or texts with `| \
         string`",
    );
    for source in [
        "none < 1",
        "{} > {}",
        "1 < [1]",
        "'1' | greaterthan(0)",
        "1 is lt 'a'",
        "[1] | select('>', 'a') | list",
    ] {
        assert!(evaluate(&format!("{{{{ {source} }}}}")).unwrap_err().contains(" compares a "), "{source}");
    }
    says(
        "{{ 5 > state.scroe }}",
        "line 1, column 8: `state.scroe` is undefined: did you mean `state.score`?",
    );
    says(
        "{{ 1 < 2 and\n 3 < nothing }}",
        "line 2, column 6: `nothing` is undefined: give it a value, or use `| default(..)`",
    );
    assert!(evaluate("{{ 1 < }}").unwrap_err().contains("syntax error"));
}

#[test]
fn what_is_looped_over_becomes_a_call() {
    use crate::evaluator::jinja::loops::around;
    let called = |code: &str| {
        let mut made = code.to_owned();
        around(code).into_iter().rev().for_each(|(place, letters)| made.insert_str(place, &letters));
        made
    };
    assert_eq!(called(" for x in name "), " for x in  _each((name)) ");
    assert_eq!(called("for a, b in c|f(x if y) if a"), "for a, b in  _each((c|f(x if y))) if a");
    assert_eq!(called("for x in(a)recursive"), "for x in _each(((a)))recursive");
    for code in ["for x in", "for x in if y", "for x in a, b", "for x in a)", "if x in y", "set for = a in b"]
    {
        assert_eq!(called(code), code);
    }
}

#[test]
fn a_loop_over_a_text_knows_its_end() {
    gives("{% for x in 'aßc' %}{{ x }}{{ ',' if not loop.last }}{% endfor %}", json!("a,ß,c"));
    gives(
        "{% for x in 'abc' %}{{ loop.length }}{{ loop.revindex }}{{ loop.revindex0 }}{% endfor %}",
        json!("332321310"),
    );
    gives("{% for x in 'a-b' if x != '-' %}{{ x }}{{ loop.length }}{% endfor %}", json!("a2b2"));
    gives("{% for x in('ab')if loop is undefined %}{{ loop.length }}{% endfor %}", json!("22"));
    gives("{% for x in '' %}{% else %}none{% endfor %}", json!("none"));
    gives("{% for x in 'ab' %}{{ loop.previtem | default('') }}{{ x }}{% endfor %}", json!("aab"));
    gives("{% for k, v in {'a': 1}.items() %}{{ k }}{{ v }}{{ loop.last }}{% endfor %}", json!("a1True"));
    gives(
        "{% set l = [[1, []], [2, [[3, []]]]] %}{% for n, more in l recursive %}{{ n }}{{ loop(more) }}{% endfor %}",
        json!("123"),
    );
    says("{% for x in 12 %}{% endfor %}", "line 1, column 13: number is not iterable");
    says(
        "{% for x in inputs.nothing %}{% endfor %}",
        "line 1, column 13: `inputs.nothing` is undefined: give it a value, or use `| default(..)`",
    );
}

#[test]
fn of_several_that_are_the_largest_the_first_is_taken() {
    gives(
        "{{ ([{'n': 'x', 'v': 2}, {'n': 'y', 'v': 1}, {'n': 'z', 'v': 2}] | max(attribute='v')).n }}",
        json!("x"),
    );
    gives("{{ (['b', 'A', 'B'] | max) ~ (['b', 'A', 'a'] | min) ~ ([1, 1.0] | max) }}", json!("bA1"));
}

#[test]
fn a_group_has_the_name_of_its_first() {
    let items = "[{'n': 'x', 'v': 2}, {'n': 'y', 'v': 1}, {'n': 'X', 'v': 3}]";
    let grouped = |filter: &str, printed: &str| {
        let each = "{{ g.grouper }}={{ g.list | map(attribute='v') | join('+') }} ";
        let source = format!("{{% for g in {items} | {filter} %}}{each}{{% endfor %}}");
        gives(&source, json!(printed));
    };
    grouped("groupby('n')", "x=2+3 y=1 ");
    grouped("groupby(attribute='n')", "x=2+3 y=1 ");
    grouped("groupby('n', case_sensitive=true)", "X=3 x=2 y=1 ");
    grouped("groupby('w', default='?')", "?=2+1+3 ");
    gives(
        &format!("{{% for n, all in {items} | groupby('n') %}}{{{{ n }}}}{{{{ all[0].v }}}}{{% endfor %}}"),
        json!("x2y1"),
    );
}
