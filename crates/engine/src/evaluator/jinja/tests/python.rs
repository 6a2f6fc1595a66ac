//! Methods and forms of Python. The oracle holds their results against Python; here stand edges and sentences.

use super::{evaluate, gives, says};
use crate::evaluator::jinja::json::JSON_BYTES_MAX;
use crate::evaluator::jinja::{Jinja, Scope};
use crate::evaluator::limits::OUTPUT_BYTES_MAX;
use serde_json::json;

#[test]
fn widths_have_an_edge() {
    let edge = OUTPUT_BYTES_MAX;
    for method in ["'x'.ljust(N)", "'x'.rjust(N)", "'x'.center(N)", "'x'.zfill(N)"] {
        let source = |width: usize| format!("{{{{ {} | length }}}}", method.replace('N', &width.to_string()));
        gives(&source(edge), json!(edge));
        let words = evaluate(&source(edge + 1)).unwrap_err();
        assert!(words.contains("would make more than 1048576 bytes: make the width smaller"), "{words}");
    }
    let tabs = |width: usize| format!("{{{{ '\\t'.expandtabs({width}) | length }}}}");
    gives(&tabs(edge), json!(edge));
    assert!(evaluate(&tabs(edge + 1)).unwrap_err().contains("`expandtabs` would make"));
    let wide = |width: usize| format!("{{{{ ('%{width}d' % 1) | length }}}}");
    gives(&wide(edge), json!(edge));
    assert!(evaluate(&wide(edge + 1)).unwrap_err().contains("`format` would make"));
    gives("{{ 'x'.ljust(-5) ~ 'y'.zfill(-1) }}", json!("xy"));
}

#[test]
fn no_value_is_dropped_that_was_to_fill_a_place() {
    for (shape, most) in [("done", 0), ("%d %%", 1), ("%s-%5.2f", 2), ("100%% of %s", 1)] {
        let fill = |count: usize| format!("{{{{ '{shape}' | format({}) }}}}", vec!["1"; count].join(", "));
        assert!(evaluate(&fill(most)).is_ok(), "{shape}: {:?}", evaluate(&fill(most)));
        let words = evaluate(&fill(most + 1)).unwrap_err();
        assert!(words.contains(&format!("places for {most} values, and {} are given", most + 1)), "{words}");
    }
    assert!(evaluate("{{ 'done' % 5 }}").unwrap_err().contains("places for 0 values"));
    assert!(evaluate("{{ '%s' % (1, 2) }}").unwrap_err().contains("places for 1 values"));
    gives("{{ '%(a)s' % {'a': 1, 'b': 2} }}", json!("1"));
    assert!(evaluate("{{ 'abc'.split('') }}").unwrap_err().contains("`split` needs a separator"));
}

#[test]
fn json_has_an_edge() {
    let mut scope = Scope::default();
    scope.set("v", minijinja::Value::from("x".repeat(JSON_BYTES_MAX - 2)));
    let told = Jinja::default().evaluate("{{ v | tojson | length }}", &scope);
    assert_eq!(told, Ok(json!(JSON_BYTES_MAX)));
    let words = Jinja::default().evaluate("{{ (v ~ 'y') | tojson | length }}", &scope).unwrap_err();
    assert!(words.contains("`tojson` would make more than 8388608 bytes"), "{words}");
    assert!(evaluate("{{ [1] | tojson(indent=1000000000) }}").unwrap_err().contains("would make more"));
    let nested = |depth: usize| format!("{{{{ {}{} | tojson }}}}", "[".repeat(depth), "]".repeat(depth));
    assert!(evaluate(&nested(65)).is_ok());
    assert!(evaluate(&nested(66)).unwrap_err().contains("nests no deeper than 64"));
}

#[test]
fn whole_numbers_have_an_edge() {
    gives("{{ '18446744073709551615' | int }}", json!(u64::MAX));
    let digits = |count: usize| format!("{{{{ ('9' * {count}) | int | string | length }}}}");
    gives(&digits(38), json!(38));
    assert!(evaluate(&digits(39)).unwrap_err().contains("the number is too large for a whole one"));
    assert!(evaluate("{{ 1e38 | int }}").unwrap_err().contains("too large"));
    gives("{{ ['', '-', '+-1', '1__0', '_1', '0x', 'é1'] | map('int') | unique | list }}", json!([0]));
    gives("{{ [1, 'a', none, true, 'A', 1.0, false, 0] | unique | list }}", json!([1, "a", null, false]));
    gives("{{ ['a', 'A', 'a'] | unique(true) | list }}", json!(["a", "A"]));
    gives("{{ [{'n': 1}, {'n': true}] | unique(attribute='n') | list }}", json!([{"n": 1}]));
    gives("{{ ['-0x1f' | int(base=16), '0b11' | int(base=0), '1_0' | float] }}", json!([-31, 3, 10.0]));
    assert!(evaluate("{{ '1' | int(base=37) }}").unwrap_err().contains("a base of 0, or of 2 up to 36"));
}

#[test]
fn what_would_change_a_value_is_refused() {
    let words = "line 1, column 15: `append()` would change a list, and an expression changes nothing: `list + \
                 [item]` and filters make a new one";
    says("{{ state.files.append('c') }}", words);
    assert!(
        evaluate("{{ inputs.user.update({}) }}")
            .unwrap_err()
            .contains("`dict(map, key=value)` makes a new one")
    );
    assert!(evaluate("{{ 'a'.encode() }}").unwrap_err().contains("never bytes or a table"));
    assert!(evaluate("{{ state.files.index('c') }}").unwrap_err().contains("does not find"));
}

#[test]
fn percent_is_taken_where_a_text_stands_before_it() {
    gives("{{ '%s/%s' % (inputs.count, 'x') }}", json!("3/x"));
    gives("{{ '%s' % inputs.user.tags | join('+') | upper }}", json!("X+Y"));
    gives("{{ '%s%%' % inputs.count ~ '!' }}", json!("3%!"));
    gives("{{ '%s' % '%s' % 1 }}", json!("1"));
    gives("{{ '%d' % -3 }}", json!("-3"));
    gives("{{ '%.1f' % 2.25 ** 2 }}", json!("5.1"));
    gives("{{ ['%s' % 1, 7 % 4, '%'] }}", json!(["1", 3, "%"]));
    gives("{% if '%s' % 1 == '1' %}a{% endif %}{% set x = 'b' %}{{ x }}", json!("ab"));
    gives("{%- set x = '5' -%}{{ x }} %", json!("5 %"));
    says(
        "{{ '%s' % nothing }}",
        "line 1, column 11: `nothing` is undefined: give it a value, or use `| default(..)`",
    );
    assert!(evaluate("{{ '%s' % }}").unwrap_err().starts_with("line 1, column"));
}

#[test]
fn numbers_are_rounded_and_shown_as_in_python() {
    for (source, printed) in [
        ("3 | round(1, 'floor')", "3.0"),
        ("1250 | round(-2, 'ceil')", "1300.0"),
        ("1250 | round(-2)", "1200"),
        ("3 | round(1)", "3"),
        ("2.5 | round", "2.0"),
        ("true | round", "1"),
        ("2.5 | filesizeformat", "2 Bytes"),
        ("1 | filesizeformat", "1 Byte"),
        ("999 | filesizeformat", "999 Bytes"),
        ("1000 | filesizeformat", "1.0 kB"),
        ("1023 | filesizeformat(true)", "1023 Bytes"),
        ("1048576 | filesizeformat(binary=true)", "1.0 MiB"),
        ("'13000' | filesizeformat", "13.0 kB"),
        ("(10 ** 27) | filesizeformat", "1000.0 YB"),
        ("'%.3s|%s' % (3.14159, true)", "3.1|True"),
        ("'%.3s' % true", "Tru"),
        ("'%5.1s|' | format(none)", "    N|"),
        ("'%.2f' % 3", "3.00"),
        ("none is iterable", "False"),
        ("'' is iterable and [] is iterable and {} is iterable and 1 is not iterable", "True"),
        ("{'a': '<'} | xmlattr | e", " a=&#34;&amp;lt;&#34;"),
        ("'inf' | int(7)", "7"),
    ] {
        gives(&format!("x{{{{ {source} }}}}"), json!(format!("x{printed}")));
    }
    assert!(evaluate("{{ 'inf' | float | int }}").is_err());
}
