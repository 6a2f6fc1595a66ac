//! Inputs held against the rules of their plan, before a run or a child is started. A run never sees a value that does not
//! fit; a refusal names the rule.

use dialects::schema::{Problem, Schema};
use kernel::data::{TOO_DEEP, weight};
use kernel::plan::Input;
use kernel::{Data, Digest, Fields, Plan, Refusal};
use serde_json::{Map, Value};

/// How much of a value or a list of values is repeated.
const REPEATED_CHARS_MAX: usize = 60;

/// Whether inputs fit the rules of a plan; `load` gives what is stored. What is not given has its default, which fits, or
/// is nothing, of which no rule says anything.
pub fn fits(
    plan: &Plan,
    inputs: &Fields,
    load: impl Fn(&Digest) -> Result<Value, String>,
) -> Result<(), Refusal> {
    // It would be stored like what is large, and nobody would look into it.
    if let Some((name, _)) = inputs.iter().find(|(_, data)| data.inline().map(weight) == Some(TOO_DEEP)) {
        let max = plan.limits.inline_bytes_max;
        return Err(Refusal::TooLarge { name: name.clone(), size: TOO_DEEP, max });
    }
    for input in &plan.inputs {
        let (Some(rules), Some(data)) = (&input.rules, inputs.get(&input.name)) else { continue };
        let value = match data {
            Data::Inline(value) => value.clone(),
            Data::Stored(reference) => load(&reference.digest)
                .map_err(|reason| wrong(input, "there".to_owned(), format!("lost: {reason}")))?,
        };
        if !value.is_null() {
            fit(input, rules, &value)?;
        }
    }
    Ok(())
}

fn fit(input: &Input, rules: &Value, value: &Value) -> Result<(), Refusal> {
    let broken = |reason: String| wrong(input, "one of which the rules can be read".to_owned(), reason);
    let schema = Schema::new(rules).map_err(|mistake| broken(mistake.message))?;
    let Some(problem) = schema.problems(value).into_iter().next() else { return Ok(()) };
    let expected = expected(rules, value).unwrap_or_else(|| told(&problem));
    Err(wrong(input, expected, shown(value)))
}

fn wrong(input: &Input, expected: String, got: String) -> Refusal {
    Refusal::WrongInput { name: input.name.clone(), expected: expected.into(), got }
}

/// The first rule that a value does not fit, in words.
fn expected(rules: &Value, value: &Value) -> Option<String> {
    let fits = |name: &str, rule: &Value| {
        let alone = Value::Object(Map::from_iter([(name.to_owned(), rule.clone())]));
        Schema::new(&alone).map_or(true, |schema| schema.problems(value).is_empty())
    };
    let broken = rules.as_object()?.iter().filter(|(name, rule)| !fits(name, rule));
    broken.filter_map(|(name, rule)| words(name, rule)).next()
}

fn words(name: &str, rule: &Value) -> Option<String> {
    let bound = |what: &str| Some(format!("{what} {rule}"));
    match name {
        "minimum" => bound("at least"),
        "maximum" => bound("at most"),
        "minLength" => Some(format!("text of at least {rule} characters")),
        "maxLength" => Some(format!("text of at most {rule} characters")),
        "minItems" => Some(format!("a list of at least {rule} items")),
        "maxItems" => Some(format!("a list of at most {rule} items")),
        "pattern" => Some(format!("text that matches `{}`", rule.as_str()?)),
        "enum" => Some(format!("one of {}", listed(rule)?)),
        "required" => Some(format!("an object with {}", listed(rule)?)),
        "items" => Some(format!("a list in which every item is of type {}", rule.get("type")?.as_str()?)),
        _ => None,
    }
}

fn listed(rule: &Value) -> Option<String> {
    let names = rule.as_array()?.iter().map(|name| match name {
        Value::String(name) => format!("`{name}`"),
        other => format!("`{other}`"),
    });
    Some(cut(names.collect::<Vec<_>>().join(", ")))
}

fn told(problem: &Problem) -> String {
    match problem.at.as_str() {
        "" => format!("one that fits its rules ({})", problem.message),
        at => format!("one that fits its rules (at `{at}`: {})", problem.message),
    }
}

fn shown(value: &Value) -> String {
    cut(value.to_string())
}

fn cut(text: String) -> String {
    match text.char_indices().nth(REPEATED_CHARS_MAX) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kernel::data::{Kind, Reference};
    use kernel::plan::{Dialect, Flow, InputKind, Sequence};
    use serde_json::json;

    fn plan(rules: Value) -> Plan {
        let (name, description, kind) = ("n".to_owned(), String::new(), InputKind::Any);
        let input = Input { name, description, kind, required: false, default: None, rules: Some(rules) };
        let flow = Flow::Sequence(Sequence { bodies: vec![Vec::new()] });
        Plan { inputs: vec![input], ..Plan::new("p", Dialect::Steps, flow) }
    }

    fn refused(rules: Value, value: Value) -> Option<String> {
        let inputs = Fields::from([("n".to_owned(), Data::Inline(value))]);
        let held = fits(&plan(rules), &inputs, |_| Err("nothing is stored".to_owned()));
        held.err().map(|refusal| refusal.to_string())
    }

    #[test]
    fn a_refusal_names_the_rule() {
        for (rules, good, bad, told) in [
            (json!({"minimum": 1, "maximum": 10}), json!(10), json!(11), "at most 10, not 11"),
            (json!({"minimum": 1, "maximum": 10}), json!(1), json!(0), "at least 1, not 0"),
            (json!({"minLength": 2}), json!("ab"), json!("a"), "text of at least 2 characters, not \"a\""),
            (json!({"maxLength": 2}), json!("ab"), json!("abc"), "text of at most 2 characters, not \"abc\""),
            (
                json!({"pattern": "^v[0-9]"}),
                json!("v1"),
                json!("1"),
                "text that matches `^v[0-9]`, not \"1\"",
            ),
            (json!({"enum": ["a", 2]}), json!(2), json!("b"), "one of `a`, `2`, not \"b\""),
            (json!({"minItems": 1}), json!([1]), json!([]), "a list of at least 1 items, not []"),
            (json!({"maxItems": 1}), json!([1]), json!([1, 2]), "a list of at most 1 items, not [1,2]"),
            (
                json!({"items": {"type": "string"}}),
                json!(["a"]),
                json!(["a", 1]),
                "a list in which every item is of type string, not [\"a\",1]",
            ),
            (json!({"required": ["k"]}), json!({"k": 1}), json!({}), "an object with `k`, not {}"),
        ] {
            assert_eq!(refused(rules.clone(), good), None, "{rules}");
            assert_eq!(refused(rules, bad), Some(format!("input `n` must be {told}")));
        }
    }

    #[test]
    fn what_lies_deeper_is_told_with_its_place() {
        let rules = json!({"properties": {"port": {"type": "integer"}}});
        let told = refused(rules, json!({"port": "x"})).expect("a refusal");
        assert!(told.starts_with("input `n` must be one that fits its rules (at `/port`: "), "{told}");
    }

    #[test]
    fn what_nests_too_deep_is_refused() {
        let nested = |levels: usize| (1..levels).fold(json!([]), |inside, _| json!([inside]));
        assert_eq!(refused(json!({}), nested(64)), None);
        assert_eq!(refused(json!({}), nested(65)), Some("`n` nests deeper than 64 levels".to_owned()));
    }

    #[test]
    fn what_is_not_given_fits() {
        let rules = json!({"minimum": 1});
        assert_eq!(refused(rules.clone(), json!(null)), None);
        assert_eq!(fits(&plan(rules), &Fields::new(), |_| Err(String::new())), Ok(()));
    }

    #[test]
    fn what_is_stored_is_read() {
        let digest = Digest::of(b"x");
        let stored = Reference { digest, size: 9, kind: Kind::Json, head: String::new() };
        let inputs = Fields::from([("n".to_owned(), Data::Stored(stored))]);
        let plan = plan(json!({"maxItems": 1}));
        assert_eq!(fits(&plan, &inputs, |_| Ok(json!([1]))), Ok(()));
        let told = fits(&plan, &inputs, |_| Ok(json!([1, 2]))).unwrap_err();
        assert_eq!(told.to_string(), "input `n` must be a list of at most 1 items, not [1,2]");
        let told = fits(&plan, &inputs, |_| Err("no such content".to_owned())).unwrap_err();
        assert_eq!(told.to_string(), "input `n` must be there, not lost: no such content");
    }
}
