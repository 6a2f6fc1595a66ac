//! One transform of a list of a thousand, value to value: through the evaluator, and beside it in this very process, by the
//! same engine without any guard.

use crate::asking::evaluator;
use engine::answers::Patience;
use engine::evaluator::Evaluator;
use kernel::plan::Language;
use kernel::{Answer, Data, Question, RunId};
use rquickjs::{Array, Context, Ctx, Function, Object, Runtime, Type};
use serde_json::{Map, Number, Value, json};

const SOURCE: &str = "input
    .filter(file => file.size > 100 && !file.path.endsWith('.lock'))
    .map((file, index) => ({
        ...file,
        id: `batch_${index}`,
        folder: file.path.split('/').slice(0, -1).join('/'),
        status: file.errors.length ? 'failed' : 'pending',
        lines: file.errors.reduce((sum, error) => sum + error.line, 0),
    }))";

/// A list and what is asked of it.
pub(crate) struct Transform {
    evaluator: Evaluator,
    run: RunId,
    question: Question,
    input: Value,
}

impl Transform {
    pub(crate) fn new() -> Self {
        let input: Value = (0..1_000)
            .map(|number| {
                json!({
                    "path": format!("crates/part_{}/src/file_{number}.rs", number % 7),
                    "size": number * 37 % 5_000,
                    "errors": [{"line": number, "message": "a message of usual length"}],
                })
            })
            .collect();
        let question = Question::Evaluate {
            language: Language::JavaScript,
            expressions: vec![SOURCE.to_owned()],
            scope: vec![("input".to_owned(), Data::Inline(input.clone()))],
            origins: Vec::new(),
        };
        let transform =
            Transform { evaluator: evaluator(), run: RunId::new("quiet-river-1"), question, input };
        assert_eq!(transform.through(), transform.within(), "BUG: both must give the same");
        transform
    }

    /// Through the evaluator.
    pub(crate) fn through(&self) -> Value {
        let questions = std::slice::from_ref(&self.question);
        match self.evaluator.answer(&self.run, questions, &Patience::default()).pop() {
            Some(Answer::Evaluated(mut values)) => match values.pop() {
                Some(Ok(Data::Inline(value))) => value,
                other => unreachable!("{other:?}"),
            },
            other => unreachable!("{other:?}"),
        }
    }

    /// In this process.
    pub(crate) fn within(&self) -> Value {
        let runtime = Runtime::new().expect("an engine");
        let context = Context::full(&runtime).expect("an engine");
        context.with(|ctx| {
            let function: Function<'_> =
                ctx.eval(format!("(function (input) {{ return ({SOURCE}) }})")).expect("a function");
            let value: rquickjs::Value<'_> = function.call((given(&ctx, &self.input),)).expect("a value");
            told(&value)
        })
    }
}

fn given<'js>(ctx: &Ctx<'js>, value: &Value) -> rquickjs::Value<'js> {
    let ctx = ctx.clone();
    match value {
        Value::Null => rquickjs::Value::new_null(ctx),
        Value::Bool(truth) => rquickjs::Value::new_bool(ctx, *truth),
        Value::Number(number) => rquickjs::Value::new_number(ctx, number.as_f64().expect("a number")),
        Value::String(text) => rquickjs::String::from_str(ctx, text).expect("a text").into_value(),
        Value::Array(items) => {
            let array = Array::new(ctx.clone()).expect("a list");
            for (index, item) in items.iter().enumerate() {
                array.set(index, given(&ctx, item)).expect("an item");
            }
            array.into_value()
        }
        Value::Object(members) => {
            let object = Object::new(ctx.clone()).expect("an object");
            for (name, member) in members {
                object.set(name, given(&ctx, member)).expect("a member");
            }
            object.into_value()
        }
    }
}

fn told(value: &rquickjs::Value<'_>) -> Value {
    match value.type_of() {
        Type::Bool => Value::Bool(value.as_bool() == Some(true)),
        Type::Int => Value::from(value.as_int().expect("a number")),
        Type::Float => {
            Number::from_f64(value.as_float().expect("a number")).map_or(Value::Null, Value::Number)
        }
        Type::String => value.as_string().expect("a text").to_string().expect("UTF-8").into(),
        Type::Array => {
            let items = value.as_array().expect("a list").iter::<rquickjs::Value<'_>>();
            items.map(|item| told(&item.expect("an item"))).collect()
        }
        Type::Object => {
            let members = value.as_object().expect("an object").props::<String, rquickjs::Value<'_>>();
            let member = |member: Result<(String, rquickjs::Value<'_>), _>| {
                let (name, member) = member.expect("a member");
                (name, told(&member))
            };
            Value::Object(members.map(member).collect::<Map<_, _>>())
        }
        _ => Value::Null,
    }
}
