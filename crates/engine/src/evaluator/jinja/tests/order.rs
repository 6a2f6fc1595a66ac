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
