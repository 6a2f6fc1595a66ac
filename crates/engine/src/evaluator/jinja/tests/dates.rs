//! `now()` and what it gives. The oracle holds every form against Python; here stand the edges.

use crate::evaluator::jinja::{Jinja, Scope};
use crate::evaluator::limits::OUTPUT_BYTES_MAX;
use serde_json::{Value, json};

fn at(seconds: i64, source: &str) -> Result<Value, String> {
    let mut scope = Scope::default();
    scope.set("now", minijinja::Value::from(seconds));
    Jinja::default().evaluate(source, &scope)
}

//
#[test]
fn the_table_of_the_source() {
    let at = |source: &str| at(1_755_613_800, source).unwrap();
    assert_eq!(at("{{ now() }}"), json!("2025-08-19 14:30:00"));
    assert_eq!(at("{{ now().isoformat() }}"), json!("2025-08-19T14:30:00"));
    assert_eq!(at("{{ now().strftime('%Y%m%d-%H%M%S') }}"), json!("20250819-143000"));
    assert_eq!(at("{{ now().timestamp() }}"), json!(1_755_613_800.0));
    assert_eq!(at("{{ now().date() }}"), json!("2025-08-19"));
    assert_eq!(at("at {{ now() }}"), json!("at 2025-08-19 14:30:00"));
    assert_eq!(at("{{ {'at': now()} }}"), json!({"at": "2025-08-19 14:30:00"}));
}

#[test]
fn it_is_the_same_however_often_it_is_asked() {
    assert_eq!(at(5, "{{ now() == now() and now() <= now() }}"), Ok(json!(true)));
    assert_eq!(at(5, "{{ now() < now().replace(second=6) }}"), Ok(json!(true)));
    assert_eq!(at(5, "{{ now() == now().date() }}"), Ok(json!(false)));
}

#[test]
fn the_first_and_the_last_moment() {
    assert_eq!(at(i64::MAX, "{{ now().date() }}"), Ok(json!("9999-12-31")));
    assert_eq!(at(i64::MIN, "{{ now().date() }}"), Ok(json!("0001-01-01")));
    assert_eq!(at(-1, "{{ now() }}"), Ok(json!("1969-12-31 23:59:59")));
}

#[test]
fn what_there_is_not_is_told() {
    let says = |source: &str| at(0, source).unwrap_err();
    assert_eq!(says("{{ now().strftime('%Q') }}"), "line 1, column 9: `strftime` knows no `%Q`");
    assert!(says("{{ now().strftime('50%') }}").contains("ends with a `%`: write `%%`"));
    assert!(says("{{ now().replace(month=13) }}").contains("there is no day 1970-13-01"));
    assert!(says("{{ now().replace(hour=24) }}").contains("there is no time 24:00:00"));
    assert!(says("{{ now().replace(weeks=1) }}").contains("weeks"));
    assert!(says("{{ now().isoformat(timespec='days') }}").contains("no timespec `days`"));
    assert!(says("{{ now() - now() }}").contains("unsupported types"));
    assert!(says("{{ now }}").contains("no value that can be kept"));
    assert!(says("{{ now().date().hour }}").contains("is undefined"));
    assert!(says("{{ now(1) }}").contains("too many arguments"));
}

#[test]
fn a_form_has_an_edge() {
    let form = |letters: usize| format!("{{{{ now().strftime('%Y' * {}) | length }}}}", letters / 4);
    assert_eq!(at(0, &form(OUTPUT_BYTES_MAX)), Ok(json!(OUTPUT_BYTES_MAX)));
    assert!(at(0, &form(OUTPUT_BYTES_MAX + 4)).unwrap_err().contains("would make more than 1048576 bytes"));
}

#[test]
fn a_name_of_ones_own_may_be_now() {
    let mut scope = Scope::default();
    scope.set("now", minijinja::Value::from("text"));
    assert_eq!(Jinja::default().evaluate("{{ now }}", &scope), Ok(json!("text")));
}
