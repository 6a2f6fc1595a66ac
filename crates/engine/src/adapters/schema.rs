//! Holds a value against a JSON schema: evidence for which nothing but the value itself is looked at.
//!
//! Inputs it reads: `schema`, and `value`.

use dialects::schema::Schema;
use kernel::effect::Perform;
use kernel::event::Report;
use kernel::{Data, Failure, FailureKind, Fields};
use serde_json::Value;

/// How much of what does not fit is told.
const TOLD_BYTES_MAX: usize = 1_000;

/// What comes of it.
pub(crate) fn report(perform: &Perform) -> Report {
    let value = |name: &str| perform.inputs.get(name).and_then(Data::inline).unwrap_or(&Value::Null);
    let failed = |kind, message: String| Report::Failed {
        failure: Failure::new(kind, message),
        outputs: Fields::new(),
    };
    let schema = match Schema::new(value("schema")) {
        Ok(schema) => schema,
        Err(mistake) => {
            let message = format!("the schema cannot be used: {}", mistake.message);
            return failed(FailureKind::Crashed, message);
        }
    };
    let problems = schema.problems(value("value"));
    if problems.is_empty() {
        return Report::Done { outputs: Fields::new() };
    }
    let told = problems.iter().map(|problem| match problem.at.as_str() {
        "" => problem.message.clone(),
        at => format!("{at}: {}", problem.message),
    });
    let mut told = told.collect::<Vec<String>>().join("; ");
    if told.len() > TOLD_BYTES_MAX {
        told.truncate(told.floor_char_boundary(TOLD_BYTES_MAX));
        told.push_str("...");
    }
    failed(FailureKind::Operation, format!("it does not fit the schema: {told}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use kernel::EffectId;
    use kernel::plan::Adapter;
    use serde_json::json;

    fn told(schema: Value, value: Value) -> Option<Failure> {
        let inputs = [("schema", schema), ("value", value)];
        let perform = Perform {
            id: EffectId::new("a#1"),
            step: "a".to_owned(),
            adapter: Adapter::Schema,
            inputs: inputs.map(|(name, value)| (name.to_owned(), Data::Inline(value))).into(),
            secrets: Default::default(),
            timeout_ms: None,
        };
        match report(&perform) {
            Report::Failed { failure, .. } => Some(failure),
            _ => None,
        }
    }

    #[test]
    fn what_fits_holds_and_all_that_does_not_is_told_with_its_place() {
        let schema =
            json!({"required": ["a"], "properties": {"a": {"type": "integer"}, "b": {"maxLength": 1}}});
        assert_eq!(told(schema.clone(), json!({"a": 1})), None);
        let failure = told(schema, json!({"a": "x", "b": "yy"})).unwrap();
        assert_eq!(failure.kind, FailureKind::Operation);
        assert!(failure.message.starts_with("it does not fit the schema: "), "{}", failure.message);
        assert!(
            failure.message.contains("/a: ") && failure.message.contains("; /b: "),
            "{}",
            failure.message
        );
    }

    #[test]
    fn what_is_told_has_an_edge() {
        let words = "\"\" is a required property".len();
        for (bytes, is_cut) in [(TOLD_BYTES_MAX, false), (TOLD_BYTES_MAX + 1, true)] {
            let name = "n".repeat(bytes - words);
            let failure = told(json!({"required": [name]}), json!({})).unwrap();
            let told = failure.message.strip_prefix("it does not fit the schema: ").unwrap();
            let shown = TOLD_BYTES_MAX + if is_cut { "...".len() } else { 0 };
            assert_eq!((told.len(), told.ends_with("...")), (shown, is_cut), "{told}");
        }
    }

    #[test]
    fn a_schema_that_is_none_is_no_evidence() {
        let failure = told(json!({"type": "nothing"}), json!(1)).unwrap();
        assert_eq!(failure.kind, FailureKind::Crashed);
    }
}
