//! Evaluation: what an expression of the plan means at this moment. Reads the run, changes nothing. Where the
//! kernel cannot know (a foreign expression, stored content), it stops with the question to ask.

use super::Life;
use super::life::FlowLife;
use crate::language::{Part, Path, Template, cut, descend, holds, kind};
use crate::plan::{Access, Expr, Flow, Foreign, Plan, Workflow};
use crate::{Answer, Data, Digest, Failure, FailureKind, Fields, Question};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// Why there is no value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Stop {
    /// This must be answered first.
    Ask(Question),
    /// There is none.
    Fail(Failure),
}

impl From<Failure> for Stop {
    fn from(failure: Failure) -> Self {
        Stop::Fail(failure)
    }
}

impl From<String> for Stop {
    fn from(message: String) -> Self {
        Stop::Fail(Failure::new(FailureKind::Expression, message))
    }
}

/// What can be read, and by whom.
#[derive(Clone, Copy)]
pub(crate) struct Scope<'s> {
    plan: &'s Plan,
    life: &'s Life,
    answers: &'s BTreeMap<Digest, Answer>,
    access: &'s Access,
    lane: Option<u32>,
    result: Option<&'s Fields>,
    changes: Option<&'s Fields>,
}

impl<'s> Scope<'s> {
    pub(crate) fn new(
        plan: &'s Plan,
        life: &'s Life,
        answers: &'s BTreeMap<Digest, Answer>,
        access: &'s Access,
    ) -> Self {
        Scope { plan, life, answers, access, lane: None, result: None, changes: None }
    }

    pub(crate) fn in_lane(self, lane: Option<u32>) -> Self {
        Scope { lane, ..self }
    }

    pub(crate) fn with_result(self, result: &'s Fields) -> Self {
        Scope { result: Some(result), ..self }
    }

    pub(crate) fn with_result_of(self, result: Option<&'s Fields>) -> Self {
        Scope { result, ..self }
    }

    /// Sees changes of the state that are not made yet.
    pub(crate) fn over(self, changes: &'s Fields) -> Self {
        Scope { changes: Some(changes), ..self }
    }

    /// Evaluates named expressions together: what an evaluator must be asked, it is asked at once.
    pub(crate) fn fields(&self, wanted: &[(String, Expr)]) -> Result<Fields, Stop> {
        let mut foreign = Vec::new();
        wanted.iter().for_each(|(_, expr)| expr.foreign(&mut foreign));
        let mut told = self.ask(&foreign)?.into_iter();
        wanted.iter().map(|(name, expr)| Ok((name.clone(), self.make(expr, &mut told)?))).collect()
    }

    /// Evaluates one expression.
    pub(crate) fn data(&self, expr: &Expr) -> Result<Data, Stop> {
        let mut foreign = Vec::new();
        expr.foreign(&mut foreign);
        let mut told = self.ask(&foreign)?.into_iter();
        self.make(expr, &mut told)
    }

    /// Evaluates a condition.
    pub(crate) fn holds(&self, expr: &Expr) -> Result<bool, Stop> {
        let value = self.value(self.data(expr)?)?;
        holds(&value).map_err(Stop::from)
    }

    /// The name and inputs of a child.
    pub(crate) fn child(&self, workflow: &Workflow, inputs: &[(String, Expr)]) -> Result<Fields, Stop> {
        let depth = self.life.depth + 1;
        if depth > self.plan.limits.depth_max {
            let message = format!("workflows call workflows more than {} deep", self.plan.limits.depth_max);
            return Err(Failure::new(FailureKind::Limit, message).into());
        }
        let mut made = self.fields(inputs)?;
        if let Workflow::Named(name) = workflow {
            let name = self.value(self.data(name)?)?;
            if !name.is_string() {
                return Err(format!("a workflow's name is text, and this is {}", kind(&name)).into());
            }
            made.insert("workflow".into(), Data::Inline(name));
        }
        Ok(made)
    }

    fn ask(&self, foreign: &[&Foreign]) -> Result<Vec<Data>, Stop> {
        let Some(first) = foreign.first() else { return Ok(Vec::new()) };
        let mut scope = BTreeMap::new();
        for path in foreign.iter().flat_map(|foreign| &foreign.reads) {
            match self.read(path) {
                Ok(data) => scope.insert(path.to_string(), data),
                // What is not there stays undefined; the evaluator knows what that means in its language.
                Err(Stop::Fail(failure)) if failure.kind == FailureKind::Expression => None,
                Err(stop) => return Err(stop),
            };
        }
        let question = Question::Evaluate {
            language: first.language,
            expressions: foreign.iter().map(|foreign| foreign.source.clone()).collect(),
            scope: scope.into_iter().collect(),
        };
        match self.answers.get(&question.digest()) {
            None => Err(Stop::Ask(question)),
            Some(Answer::Evaluated(values)) if values.len() == foreign.len() => {
                values.iter().cloned().collect::<Result<_, String>>().map_err(Stop::from)
            }
            Some(Answer::Unanswered(reason)) => Err(reason.clone().into()),
            Some(_) => Err("the evaluator's answer does not fit the question".to_owned().into()),
        }
    }

    fn make(&self, expr: &Expr, told: &mut std::vec::IntoIter<Data>) -> Result<Data, Stop> {
        Ok(match expr {
            Expr::Const(value) => Data::Inline(value.clone()),
            Expr::Template(template) => self.template(template)?,
            Expr::Condition(condition) => {
                Data::Inline(condition.evaluate(&mut |path| self.value(self.read(path)?))?)
            }
            Expr::List(items) => {
                let items = items.iter().map(|item| self.value(self.make(item, told)?));
                Data::Inline(Value::Array(items.collect::<Result<_, Stop>>()?))
            }
            Expr::Object(fields) => {
                let mut map = Map::new();
                for (name, item) in fields {
                    map.insert(name.clone(), self.value(self.make(item, told)?)?);
                }
                Data::Inline(Value::Object(map))
            }
            Expr::Foreign(_) => told.next().expect("BUG: an expression was not asked about"),
        })
    }

    fn template(&self, template: &Template) -> Result<Data, Stop> {
        if let Some(path) = template.whole() {
            return self.read(path);
        }
        let mut text = String::new();
        for part in &template.parts {
            match part {
                Part::Text(plain) => text.push_str(plain),
                Part::Reference(path) => write_text(&mut text, path, &self.value(self.read(path)?)?)?,
            }
            let max = self.plan.limits.text_bytes_max;
            if text.len() as u64 > max {
                let message = format!("the text grows longer than {max} bytes");
                return Err(Failure::new(FailureKind::Limit, message).into());
            }
        }
        Ok(Data::Inline(Value::String(text)))
    }

    /// The value of data, loaded if it is stored.
    pub(crate) fn value(&self, data: Data) -> Result<Value, Stop> {
        let reference = match data {
            Data::Inline(value) => return Ok(value),
            Data::Stored(reference) => reference,
        };
        let question = Question::Load { digest: reference.digest };
        match self.answers.get(&question.digest()) {
            None => Err(Stop::Ask(question)),
            Some(Answer::Loaded { value, .. }) => Ok(value.clone()),
            Some(Answer::Unanswered(reason)) => Err(reason.clone().into()),
            Some(Answer::Evaluated(_)) => Err("the answer does not fit the question".to_owned().into()),
        }
    }

    /// The data at a path.
    pub(crate) fn read(&self, path: &Path) -> Result<Data, Stop> {
        match path.root.as_str() {
            "inputs" => self.read_field(path, &self.life.inputs),
            "metadata" => self.read_metadata(path),
            "blocks" => self.read_block(path),
            "state" => self.read_state(path),
            "result" => match self.result {
                Some(result) => self.read_field(path, result),
                None => Err("there is no result here".to_owned().into()),
            },
            name => match self.variable(name) {
                Some(data) => self.below(path, data, 0),
                None => Err(format!("nothing is called `{name}` here").into()),
            },
        }
    }

    fn read_field(&self, path: &Path, fields: &Fields) -> Result<Data, Stop> {
        let Some(name) = path.key(0) else { return self.whole(fields.iter()) };
        match fields.get(name) {
            Some(data) => self.below(path, data, 1),
            None => Err(format!("`{}` has no `{name}`", path.root).into()),
        }
    }

    fn whole<'f>(&self, fields: impl Iterator<Item = (&'f String, &'f Data)>) -> Result<Data, Stop> {
        let mut map = Map::new();
        for (name, data) in fields {
            map.insert(name.clone(), self.value(data.clone())?);
        }
        Ok(Data::Inline(Value::Object(map)))
    }

    /// Follows the rest of a path, after `taken` segments, into data.
    fn below(&self, path: &Path, data: &Data, taken: usize) -> Result<Data, Stop> {
        let rest = &path.segments[taken..];
        if rest.is_empty() {
            return Ok(data.clone());
        }
        let value = self.value(data.clone())?;
        match descend(&value, rest) {
            Some(found) => Ok(Data::Inline(found.clone())),
            None => Err(format!("`{path}` is not there: {} has no such part", cut(&value)).into()),
        }
    }

    fn read_metadata(&self, path: &Path) -> Result<Data, Stop> {
        Ok(Data::Inline(match path.key(0) {
            Some("workflow_name") => self.plan.name.clone().into(),
            Some("run_id") => self.life.id.as_str().into(),
            Some("start_time") => crate::clock::iso(self.life.since).into(),
            _ => return Err(format!("`{path}` is not there").into()),
        }))
    }

    fn read_block(&self, path: &Path) -> Result<Data, Stop> {
        let (Flow::Graph(graph), FlowLife::Graph(life)) = (&self.plan.flow, &self.life.flow) else {
            return Err("there are no blocks here".to_owned().into());
        };
        let (Some(name), Some(space)) = (path.key(0), path.key(1)) else {
            return Err(format!("`{path}` must name a block and what to read of it").into());
        };
        let Some(position) = graph.names.get(name) else {
            return Err(format!("no block is called `{name}`").into());
        };
        match path.key(2) {
            Some(field) => self.below(path, &life.read(*position, space, field)?, 3),
            None => self.whole(life.read_all(*position, space).iter()),
        }
    }

    fn read_state(&self, path: &Path) -> Result<Data, Stop> {
        let Some(name) = path.key(0) else {
            let names =
                self.life.state.names().chain(self.changes.into_iter().flat_map(|changes| changes.keys()));
            let allowed: Fields = names
                .filter(|name| self.access.allows(name))
                .filter_map(|name| Some((name.clone(), self.state_data(name)?.clone())))
                .collect();
            return self.whole(allowed.iter());
        };
        if !self.access.allows(name) {
            let message = format!("`state.{name}` was not declared in needs_state");
            return Err(Failure::new(FailureKind::Access, message).into());
        }
        match self.state_data(name) {
            Some(data) => self.below(path, data, 1),
            None => Err(format!("the state has no `{name}`").into()),
        }
    }

    /// A field of the state, with changes that are not made yet.
    pub(crate) fn state_data(&self, name: &str) -> Option<&'s Data> {
        self.changes.and_then(|changes| changes.get(name)).or_else(|| self.life.state.get(name))
    }

    /// The value of a field of the state, if it is there.
    pub(crate) fn state_value(&self, name: &str) -> Result<Option<Value>, Stop> {
        self.state_data(name).map(|data| self.value(data.clone())).transpose()
    }

    /// A variable of the lane or of one that it was forked from.
    fn variable(&self, name: &str) -> Option<&'s Data> {
        let FlowLife::Sequence(life) = &self.life.flow else { return None };
        life.variable(self.lane?, name)
    }
}

fn write_text(text: &mut String, path: &Path, value: &Value) -> Result<(), Stop> {
    match value {
        Value::Null => return Err(format!("`{path}` has no value, so it cannot be part of a text").into()),
        Value::String(plain) => text.push_str(plain),
        other => text.push_str(&other.to_string()),
    }
    Ok(())
}
