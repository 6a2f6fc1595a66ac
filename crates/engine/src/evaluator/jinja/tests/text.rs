//! Jinja's filters for text, with its own results.

use super::{evaluate, gives, says};
use crate::evaluator::jinja::{Jinja, Scope};
use crate::evaluator::limits::OUTPUT_BYTES_MAX;
use serde_json::json;

#[test]
fn text_in_the_middle() {
    gives("<{{ 'ab' | center(5) }}>", json!("<  ab >"));
    gives("<{{ 'abc' | center(6) }}>", json!("< abc  >"));
    gives("<{{ 'abc' | center(width=2) }}>", json!("<abc>"));
    gives("{{ 'x' | center | length }}", json!(80));
    let edge = OUTPUT_BYTES_MAX;
    gives(&format!("{{{{ 'x' | center({edge}) | length }}}}"), json!(edge));
    assert!(
        evaluate(&format!("{{{{ 'x' | center({}) }}}}", edge + 1))
            .unwrap_err()
            .contains("make the width smaller")
    );
}

#[test]
fn truncated_text() {
    gives("{{ 'foo bar baz qux' | truncate(9) }}", json!("foo..."));
    gives("{{ 'foo bar baz qux' | truncate(9, true) }}", json!("foo ba..."));
    gives("{{ 'foo bar baz qux' | truncate(11) }}", json!("foo bar baz qux"));
    gives("{{ 'foo bar baz qux' | truncate(11, false, '...', 0) }}", json!("foo bar..."));
    gives("{{ 'foo bar baz qux' | truncate(11, leeway=0, end='~') }}", json!("foo bar~"));
    gives("{{ 'foo bar baz qux' | truncate(length=9) }}", json!("foo..."));
    says(
        "{{ 'x' | truncate(9, length=9) }}",
        "line 1, column 10: too many arguments: `length` is given twice",
    );
    says("{{ 'x' | truncate(2) }}", "line 1, column 10: expected length >= 3, got 2");
    says("{{ 'x' | truncate(9, true, '', 0, 1) }}", "line 1, column 10: too many arguments");
}

#[test]
fn counted_and_wrapped_words() {
    gives("{{ 'It is: a_b, 3-4!' | wordcount }}", json!(5));
    gives("{{ ' - ' | wordcount }}", json!(0));
    gives("{{ 'the quick brown fox' | wordwrap(10) }}", json!("the quick\nbrown fox"));
    gives("{{ 'a  b' | wordwrap(2) }}", json!("a\nb"));
    gives("{{ 'one\n\n  two three' | wordwrap(7) }}", json!("one\n\n  two\nthree"));
    gives("{{ 'abcdefgh ij' | wordwrap(3) }}", json!("abc\ndef\ngh\nij"));
    gives("{{ 'x abcdefgh' | wordwrap(4) }}", json!("x ab\ncdef\ngh"));
    gives("{{ 'x abcdefgh' | wordwrap(4, false) }}", json!("x\nabcdefgh"));
    gives("{{ 'well-known words' | wordwrap(6) }}", json!("well-\nknown\nwords"));
    gives("{{ 'well-known words' | wordwrap(10, break_on_hyphens=false) }}", json!("well-known\nwords"));
    gives("{{ 'yes--no, x-y-axis' | wordwrap(5) }}", json!("yes--\nno,\nx-y-\naxis"));
    gives("{{ 'ab cdef' | wordwrap(3) }}", json!("ab \ncde\nf"));
    gives("{{ 'a b' | wordwrap(1, true, '|') }}", json!("a|b"));
    gives("{{ ' ' | wordwrap }}", json!(""));
    says("{{ 'a' | wordwrap(0) }}", "line 1, column 10: `wordwrap` needs a width of at least 1");
    let mut scope = Scope::default();
    scope.set("long", minijinja::Value::from("x\n".repeat(OUTPUT_BYTES_MAX / 2)));
    let mut jinja = Jinja::default();
    assert!(jinja.evaluate("{{ long | wordwrap | length }}", &scope).is_ok());
    assert!(
        jinja
            .evaluate("{{ long | wordwrap(9, true, '//') }}", &scope)
            .unwrap_err()
            .contains("wrap a shorter text")
    );
}

#[test]
fn parts_of_addresses() {
    gives("{{ 'a b/ü?&+~' | urlencode }}", json!("a%20b/%C3%BC%3F%26%2B~"));
    gives("{{ 3 | urlencode }}", json!("3"));
    gives("{{ {'a b': 'c/d', 'e': 1} | urlencode }}", json!("a+b=c%2Fd&e=1"));
    gives("{{ [['a', 1], ['b', 'x+y']] | urlencode }}", json!("a=1&b=x%2By"));
    says("{{ ['ab'] | urlencode }}", "line 1, column 13: `urlencode` takes a list of pairs");
}

#[test]
fn a_cycler_takes_its_values_one_by_one() {
    gives("{% set c = cycler('a', 'b') %}{{ c.next() }}{{ c.next() }}{{ c.next() }}", json!("aba"));
}
