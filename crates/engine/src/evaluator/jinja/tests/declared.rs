//! A step reads what it declared, by whatever name its expressions make up.

use crate::evaluator::jinja::{Jinja, Scope};
use minijinja::value::Serde;
use serde_json::{Value, json};

/// A step that declared `open` and `later`, of a state that has a secret and that `later` is not in yet.
fn evaluate(source: &str) -> Result<Value, String> {
    let mut scope = Scope::default();
    let state = json!({"open": {"a": [1, 2]}, "secret": "s3cret"});
    for (path, value) in [
        ("inputs.open", json!("open")),
        ("inputs.secret", json!("secret")),
        ("state?", json!(["later", "open"])),
        ("state", state),
    ] {
        scope.set(path, minijinja::Value::from(Serde(value)));
    }
    Jinja::default().evaluate(source, &scope)
}

const VIOLATION: &str = "State access violation: `state.secret` is not in needs_state";

#[test]
fn what_is_declared_is_read_as_ever() {
    let gives = |source: &str, value: Value| assert_eq!(evaluate(source), Ok(value), "{source}");
    gives("{{ state[inputs.open].a[1] }}", json!(2));
    gives("{{ state.get('open') }}", json!({"a": [1, 2]}));
    gives("{{ state.get('later', 5) }}", json!(5));
    gives("{{ state | attr('open') | length }}", json!(1));
    gives("{{ state['lat' ~ 'er'] is defined }}", json!(false));
    gives("{{ 'open' in state and 'later' not in state }}", json!(true));
    gives("{{ state | length ~ state }}", json!("1{'open': {'a': [1, 2]}}"));
    gives("{{ state | items | map('first') | list }}", json!(["open"]));
    gives("{{ state.items() | list ~ state.keys() | list }}", json!("[('open', {'a': [1, 2]})]['open']"));
    gives("{{ state }}", json!({"open": {"a": [1, 2]}}));
    gives("{{ state | tojson }}", json!("{\"open\": {\"a\": [1, 2]}}"));
    gives("{% for name in state %}{{ name }}{% endfor %}", json!("open"));
    gives("{{ dict(state, x=1) }}", json!({"open": {"a": [1, 2]}, "x": 1}));
}

#[test]
fn what_is_not_declared_ends_the_expression() {
    for source in [
        "{{ state[inputs.secret] }}",
        "{{ state['sec' ~ 'ret'] | default('d') }}",
        "{{ state['secret'] is defined }}",
        "{{ state.secret }}",
        "{{ state.get('secret') }}",
        "{{ state.get(inputs.secret, 'd') }}",
        "{{ state | attr('secret') }}",
        "{{ [state] | map(attribute='secret') | list }}",
        "{{ [state] | map('attr', 'secret') | list }}",
        "{{ [state] | selectattr('secret') | list | length }}",
        "{{ 'secret' in state }}",
        "{{ 'a' if false and state.x else 'b' if state[inputs.secret] else 'c' }}",
        "{% set s = state %}{{ s.secret }}",
        "{% for s in [state] %}{% if s['secret'] %}{% endif %}{% endfor %}",
        "{% macro m(s) %}{{ s.secret }}{% endmacro %}{{ m(state) }}",
    ] {
        assert_eq!(evaluate(source), Err(VIOLATION.to_owned()), "{source}");
    }
    // A text that is filled finds nothing to fill it with.
    for source in ["'{0[secret]}'.format(state)", "'{s.secret}'.format(s=state)", "'%(secret)s' % state"] {
        let words = evaluate(&format!("{{{{ {source} }}}}")).unwrap_err();
        assert!(!words.contains("s3cret"), "{words}");
    }
}

#[test]
fn one_violation_is_told_of_one_expression_only() {
    let mut scope = Scope::default();
    scope.set("state?", minijinja::Value::from(Serde(json!([]))));
    let mut jinja = Jinja::default();
    for _ in 0..2 {
        assert_eq!(jinja.evaluate("{{ state[1] is defined }}", &scope), Ok(json!(false)));
        assert!(jinja.evaluate("{{ state['a'] }}", &scope).is_err());
        assert_eq!(jinja.evaluate("{{ state }}", &scope), Ok(json!({})));
    }
}
