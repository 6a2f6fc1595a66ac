//! `workflow_explain_plan`: the steps of a workflow for some inputs, in words. Nothing is carried out and nothing is kept.

use super::begin;
use super::{Hints, Later, Tool, schema};
use crate::house::House;
use crate::mcp::answer::{Answer, Answered};
use crate::mcp::call::Call;
use crate::mcp::problem::Problem;
use crate::mcp::workflows;
use crate::settings::Toolset;
use engine::dialects::reactive::view::explain::{Explained, duration, steps, tools};
use engine::dialects::reactive::view::flat;
use engine::kernel::plan::{Expr, Foreign};
use engine::kernel::{Answer as Told, Command, Data, Event, Fields, Plan, Question, Run, RunId};
use engine::library::Order;
use engine::turn::gathered;
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// How often a run that is only thought of may ask something.
const ROUNDS_MAX: usize = 100;

pub(super) const TOOL: Tool = Tool {
    name: "workflow_explain_plan",
    title: "Explain what a workflow would do",
    description: "Use this to see what a workflow would do before workflow_start does it: nothing is run and nothing is kept. Answers \
        `steps` (for each its id, type, the conditions under which it is taken, what it reads, and how many sub-agents it needs where \
        that can be told), `estimated_duration` and `required_tools`.",
    hints: Hints::LOOKS,
    toolset: Some(Toolset::Debug),
    aliases: &[],
    schema: || {
        schema::object(json!({ "workflow": schema::workflow(), "inputs": schema::inputs() }), &["workflow"])
    },
    call: |call| -> Later<'_> { Box::pin(explain(call)) },
};

async fn explain(call: &Call) -> Answered {
    let (name, given) = (call.arguments.workflow()?, call.arguments.inputs()?);
    let found = call.visit.look(move |visit, _| -> Result<_, Problem> {
        let library = visit.library_of(Order::Reactive)?;
        let definition = workflows::find_in(&library, Order::Reactive, &name)?;
        let plan = Arc::clone(workflows::plan(definition)?);
        let inputs = begin::fields(&plan, given);
        let run = Run::new(Arc::clone(&plan), RunId::new("explained"), None, 0);
        let started = run.admit(Command::Start { inputs }, begin::now());
        Ok((started.map_err(|refusal| begin::wrong_inputs(&plan, &refusal))?, run, plan))
    });
    let (event, run, plan) = found.await??;
    let house = call.visit.house()?;
    let scope = thought(&house, event, run, &plan).await;
    let all = steps(&plan);
    let mut told: Vec<Value> = Vec::new();
    for step in &all {
        told.push(step.to_json(agents(&house, step, &scope).await));
    }
    Ok(Answer::new(json!({
        "workflow": plan.name,
        "steps": told,
        "estimated_duration": duration(&all),
        "required_tools": tools(&all),
        "next": format!("workflow_start(workflow=\"{}\", inputs) starts it.", plan.name),
    })))
}

/// The inputs and the state with which a run would begin, as far as they can be told.
async fn thought(house: &House, event: Event, mut run: Run, plan: &Plan) -> Map<String, Value> {
    let mut turn = run.apply(event);
    for _ in 0..ROUNDS_MAX {
        if turn.questions.is_empty() {
            break;
        }
        let mut answers = Vec::new();
        for question in std::mem::take(&mut turn.questions) {
            answers.push(match &question {
                Question::Gather { .. } => gathered(&question, |_| Err("nothing is stored".to_owned())).0,
                Question::Load { .. } => Told::Unanswered("nothing is stored".to_owned()),
                _ => house.ask(question).await,
            });
        }
        turn = run.answer(answers);
    }
    let values = |fields: &Fields| -> Map<String, Value> {
        fields.iter().filter_map(|(name, data)| Some((name.clone(), data.inline()?.clone()))).collect()
    };
    let state = values(run.state());
    let mut scope = flat::flat(plan, &state);
    for layer in &plan.state.layers {
        scope.insert(layer.clone(), Value::Object(flat::layer(plan, &state, layer)));
    }
    scope.insert("inputs".to_owned(), Value::Object(values(run.inputs())));
    scope
}

/// For how many items a step needs sub-agents, where that can be told.
async fn agents(house: &House, step: &Explained, scope: &Map<String, Value>) -> Option<usize> {
    match step.items.as_ref()? {
        Expr::Const(Value::Array(items)) => Some(items.len()),
        Expr::Foreign(Foreign { language, source, reads, given, .. }) if given.is_empty() => {
            let value = |path: &engine::kernel::language::Path| {
                let mut value = scope.get(&path.root)?.clone();
                if let Some(key) = path.key(0) {
                    value = value.get(key)?.clone();
                }
                Some((path.to_string(), Data::Inline(value)))
            };
            let question = Question::Evaluate {
                language: *language,
                expressions: vec![source.clone()],
                scope: reads.iter().filter_map(value).collect(),
                origins: Vec::new(),
            };
            match house.ask(question).await {
                Told::Evaluated(mut made) => match made.pop()? {
                    Ok(Data::Inline(Value::Array(items))) => Some(items.len()),
                    _ => None,
                },
                _ => None,
            }
        }
        _ => None,
    }
}
