//! What a workflow takes, in three forms: a table that people read, the JSON schema that programs read, and a whole call as
//! an example of it.

use engine::kernel::Plan;
use engine::kernel::plan::{Dialect, Input, InputKind};
use serde_json::{Map, Value, json};

/// How many inputs that need not be given an example shows where none must be.
const SHOWN_MAX: usize = 2;

/// Each input: its type, whether it must be given, and what it is for.
pub(super) fn table(plan: &Plan) -> Value {
    let about = |input: &Input| {
        json!({
            "type": input.kind.as_str(),
            "required": is_required(input),
            "default": input.default,
            "description": input.description,
        })
    };
    Value::Object(plan.inputs.iter().map(|input| (input.name.clone(), about(input))).collect())
}

/// Each input as the tools of `reactive` tell it, by the names of types in JSON schemas.
pub(super) fn inputs(plan: &Plan) -> Value {
    let about = |input: &Input| {
        let mut value =
            json!({ "type": json_type(input.kind).unwrap_or("any"), "required": is_required(input) });
        if let Some(default) = &input.default {
            value["default"] = default.clone();
        }
        if !input.description.is_empty() {
            value["description"] = json!(input.description);
        }
        value
    };
    Value::Object(plan.inputs.iter().map(|input| (input.name.clone(), about(input))).collect())
}

/// The inputs as one JSON schema.
pub(super) fn schema(plan: &Plan) -> Value {
    let properties: Map<String, Value> =
        plan.inputs.iter().map(|input| (input.name.clone(), property(input))).collect();
    let required: Vec<&str> =
        plan.inputs.iter().filter(|input| is_required(input)).map(|input| input.name.as_str()).collect();
    json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false })
}

fn property(input: &Input) -> Value {
    let mut value = Map::new();
    if let Some(kind) = json_type(input.kind) {
        value.insert("type".to_owned(), kind.into());
    }
    if !input.description.is_empty() {
        value.insert("description".to_owned(), input.description.clone().into());
    }
    if let Some(default) = &input.default {
        value.insert("default".to_owned(), default.clone());
    }
    value.into()
}

/// The name of a type in JSON schemas; anything has none.
fn json_type(kind: InputKind) -> Option<&'static str> {
    match kind {
        InputKind::List => Some("array"),
        InputKind::Any => None,
        other => Some(other.as_str()),
    }
}

/// A call that would be taken: a value for whatever must be given, or a few of those that may be.
pub(super) fn example(name: &str, plan: &Plan) -> Value {
    let given: Vec<&Input> = match plan.inputs.iter().any(is_required) {
        true => plan.inputs.iter().filter(|input| is_required(input)).collect(),
        false => plan.inputs.iter().filter(|input| input.default.is_some()).take(SHOWN_MAX).collect(),
    };
    let inputs: Map<String, Value> =
        given.into_iter().map(|input| (input.name.clone(), plausible(input))).collect();
    json!({ "tool": starts(plan), "arguments": { "workflow": name, "inputs": inputs } })
}

/// The tool that starts a workflow: of steps that the agent carries out it is another one.
pub(super) fn starts(plan: &Plan) -> &'static str {
    match plan.dialect {
        Dialect::Steps | Dialect::Reactive => "start_workflow",
        _ => "execute_workflow",
    }
}

fn is_required(input: &Input) -> bool {
    input.required && input.default.is_none()
}

/// A value that someone might give.
fn plausible(input: &Input) -> Value {
    if let Some(default) = input.default.as_ref().filter(|default| !default.is_null()) {
        return default.clone();
    }
    match input.kind {
        InputKind::String | InputKind::Any => text(&input.name).into(),
        InputKind::Integer => 1.into(),
        InputKind::Number => json!(1.5),
        InputKind::Boolean => true.into(),
        InputKind::List => json!(["one", "two"]),
        InputKind::Object => json!({ "key": "value" }),
    }
}

/// What a text of this name probably looks like.
fn text(name: &str) -> &'static str {
    const NAMED: [(&str, &str); 13] = [
        ("file", "README.md"),
        ("path", "."),
        ("dir", "."),
        ("folder", "."),
        ("branch", "main"),
        ("version", "1.0.0"),
        ("url", "https://example.com"),
        ("environment", "staging"),
        ("message", "Say what changed"),
        ("command", "make test"),
        ("project", "my-app"),
        ("who", "Ada"),
        ("name", "example"),
    ];
    let name = name.to_lowercase();
    NAMED.iter().find(|(part, _)| name.contains(part)).map_or("some text", |(_, text)| text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::kernel::plan::{Dialect, Flow, Graph};

    fn plan(inputs: Vec<Input>) -> Plan {
        Plan { inputs, ..Plan::new("p", Dialect::Blocks, Flow::Graph(Graph::new(vec![], 1))) }
    }

    fn input(name: &str, kind: InputKind, required: bool, default: Option<Value>) -> Input {
        Input { name: name.to_owned(), description: String::new(), kind, required, default, rules: None }
    }

    const KINDS: [InputKind; 7] = [
        InputKind::String,
        InputKind::Integer,
        InputKind::Number,
        InputKind::Boolean,
        InputKind::List,
        InputKind::Object,
        InputKind::Any,
    ];

    #[test]
    fn an_example_is_of_the_type_that_is_wanted() {
        for kind in KINDS {
            let made = plausible(&input("x", kind, true, None));
            assert!(kind.accepts(&made), "{kind:?} {made}");
        }
        assert_eq!(plausible(&input("base_branch", InputKind::String, true, None)), "main");
    }

    #[test]
    fn an_example_gives_what_must_be_given_and_nothing_else() {
        let one = plan(vec![
            input("who", InputKind::String, true, None),
            input("times", InputKind::Integer, false, Some(json!(3))),
        ]);
        assert_eq!(example("p", &one)["arguments"], json!({"workflow": "p", "inputs": {"who": "Ada"}}));
        let none = plan(vec![input("times", InputKind::Integer, true, Some(json!(3)))]);
        assert_eq!(example("p", &none)["arguments"]["inputs"], json!({"times": 3}));
        assert_eq!(example("p", &plan(vec![]))["arguments"]["inputs"], json!({}));
    }

    #[test]
    fn a_schema_says_what_the_table_says() {
        let plan = plan(vec![
            input("tags", InputKind::List, true, None),
            input("any", InputKind::Any, false, None),
            input("times", InputKind::Integer, true, Some(json!(3))),
        ]);
        let wanted = json!({
            "type": "object",
            "properties": {"tags": {"type": "array"}, "any": {}, "times": {"type": "integer", "default": 3}},
            "required": ["tags"],
            "additionalProperties": false,
        });
        assert_eq!(schema(&plan), wanted);
    }
}
