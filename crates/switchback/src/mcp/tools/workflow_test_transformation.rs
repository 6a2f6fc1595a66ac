//! `workflow_test_transformation`: tries a transformation without a run. Nothing is kept.

use super::begin::now;
use super::reactive::object;
use super::{Hints, Later, Tool, schema};
use crate::mcp::answer::{Answer, Answered};
use crate::mcp::call::Call;
use crate::mcp::problem::Problem;
use crate::settings::Toolset;
use engine::kernel::plan::Language;
use engine::kernel::question::{Compute, Otherwise};
use engine::kernel::{Answer as Told, Data, Question};
use engine::view::ms;
use serde_json::{Value, json};

/// Where the input stands for the transformation.
const INPUT: &str = "raw.input";

pub(super) const TOOL: Tool = Tool {
    name: "workflow_test_transformation",
    title: "Try a transformation",
    description: "Use this to try a `transform` of a computed field before it is written into a definition; no run is needed and nothing \
        is kept. Give `transform` (a JavaScript expression, or the body of a function), `input`, and in `context` other values by \
        name. Answers `success`, `output` or `error` with line and column, and `execution_time_ms`.",
    hints: Hints::LOOKS,
    toolset: Some(Toolset::Debug),
    aliases: &[],
    schema: || {
        schema::object(
            json!({
                "transform": { "type": "string", "description": "The expression, over `input`." },
                "input": { "description": "What `input` is; a list where `from` is a list." },
                "context": { "type": ["object", "null"], "description": "Other values of the state, by name." },
            }),
            &["transform"],
        )
    },
    call: |call| -> Later<'_> { Box::pin(test(call)) },
};

async fn test(call: &Call) -> Answered {
    let transform = call.arguments.text("transform")?.filter(|text| !text.trim().is_empty());
    let transform = transform.ok_or_else(|| {
        let error = "workflow_test_transformation needs the argument `transform`: a JavaScript expression over `input`";
        Problem::new("missing-argument", error).help("Call it again with one")
    })?;
    let input = call.arguments.value("input").cloned().unwrap_or_default();
    let context = object(call, "context")?;
    let told = call.visit.house()?.ask(question(transform, input, context)).await;
    let (made, said) = match told {
        Told::Computed(mut made) if made.len() == 1 => (made.pop(), None),
        Told::Unanswered(why) => (None, Some(why)),
        _ => (None, Some("the evaluator answered something else".to_owned())),
    };
    let took = made.as_ref().map_or(0, |made| made.took_us);
    let error = said.or_else(|| made.as_ref().and_then(|made| made.error.clone()));
    let mut value = json!({ "success": error.is_none(), "execution_time_ms": ms(took) });
    match error {
        Some(error) => value["error"] = error.into(),
        None => value["output"] = made.and_then(|made| made.value).map(value_of).unwrap_or_default(),
    }
    Ok(Answer::new(value))
}

fn question(transform: &str, input: Value, context: serde_json::Map<String, Value>) -> Question {
    let mut names: Vec<String> = context.keys().filter(|name| *name != "input").cloned().collect();
    // The time, and what `uuid()` is made of, as a run records them.
    let recorded = [("now", json!(now())), ("seed", json!(format!("test/{}", now())))];
    names.extend(recorded.iter().map(|(name, _)| (*name).to_owned()));
    let others = context.into_iter().filter(|(name, _)| name != "input");
    let others = others.map(|(name, value)| (name, Data::Inline(value)));
    let recorded = recorded.map(|(name, value)| (name.to_owned(), Data::Inline(value)));
    let scope =
        std::iter::once((INPUT.to_owned(), Data::Inline(input))).chain(recorded).chain(others).collect();
    let field = Compute {
        name: "computed.output".to_owned(),
        source: transform.to_owned(),
        inputs: vec![INPUT.to_owned()],
        single: true,
        reads: names,
        validate: None,
        otherwise: Otherwise::Null,
        origin: None,
        validate_origin: None,
        only_after: Vec::new(),
    };
    Question::Compute { language: Language::JavaScript, fields: vec![field], scope }
}

fn value_of(data: Data) -> Value {
    data.inline().cloned().unwrap_or_default()
}
