//! What only others know: foreign expressions and stored content. What was answered in this turn is known.

use super::{Scope, Stop};
use crate::data::weight;
use crate::failure::{MESSAGE_BYTES_MAX, shortened};
use crate::plan::{Foreign, Language};
use crate::{Answer, Data, FailureKind, Question};
use serde_json::Value;
use std::collections::BTreeMap;

/// A value in parts.
#[derive(Default)]
pub(crate) struct Gather {
    frame: Value,
    parts: Vec<(String, Data)>,
    flat: bool,
}

impl Gather {
    /// A value whose parts are to come.
    pub(crate) fn new(frame: Value) -> Self {
        Gather { frame, ..Gather::default() }
    }

    /// A list of lists that become one.
    pub(crate) fn flat() -> Self {
        Gather { frame: Value::Array(Vec::new()), parts: Vec::new(), flat: true }
    }

    /// Puts data where a JSON pointer leads.
    pub(crate) fn put(&mut self, pointer: String, data: &Data) {
        match (data, self.frame.pointer_mut(&pointer)) {
            (Data::Inline(value), Some(place)) => *place = value.clone(),
            _ => self.parts.push((pointer, data.clone())),
        }
    }

    /// Adds data to a list, at the end of what a JSON pointer leads to.
    pub(crate) fn push(&mut self, list: &str, data: &Data) {
        let list_of = self.frame.pointer_mut(list).and_then(Value::as_array_mut);
        let list_of = list_of.expect("BUG: no list to add to");
        let position = list_of.len();
        list_of.push(Value::Null);
        self.put(format!("{list}/{position}"), data);
    }
}

impl Scope<'_> {
    /// The values of foreign expressions, in their order. All of one language are asked at once, but for those that
    /// have names of their own.
    pub(super) fn ask(&self, foreign: &[&Foreign]) -> Result<Vec<Data>, Stop> {
        let mut told: Vec<Option<Data>> = vec![None; foreign.len()];
        for language in [Language::Jinja, Language::JavaScript] {
            let speaks = |position: &usize| foreign[*position].language == language;
            let shares = |position: &usize| foreign[*position].given.is_empty();
            let (shared, own): (Vec<usize>, Vec<usize>) = (0..foreign.len()).filter(speaks).partition(shares);
            for positions in std::iter::once(shared).chain(own.into_iter().map(|position| vec![position])) {
                let asked: Vec<&Foreign> = positions.iter().map(|position| foreign[*position]).collect();
                for (position, value) in positions.into_iter().zip(self.ask_in(language, &asked)?) {
                    told[position] = Some(value);
                }
            }
        }
        Ok(told.into_iter().flatten().collect())
    }

    fn ask_in(&self, language: Language, foreign: &[&Foreign]) -> Result<Vec<Data>, Stop> {
        if foreign.is_empty() {
            return Ok(Vec::new());
        }
        let question = Question::Evaluate {
            language,
            expressions: foreign.iter().map(|foreign| foreign.source.clone()).collect(),
            scope: self.read_by(foreign)?,
        };
        match self.answers.get(&question.digest()) {
            None => Err(Stop::Ask(question)),
            Some(Answer::Evaluated(values)) if values.len() == foreign.len() => {
                values.iter().cloned().collect::<Result<_, String>>().map_err(told)
            }
            Some(Answer::Unanswered(reason)) => Err(told(reason.clone())),
            Some(_) => Err("the evaluator's answer does not fit the question".to_owned().into()),
        }
    }

    /// The values that expressions read, by path or by the name they are given.
    fn read_by(&self, foreign: &[&Foreign]) -> Result<Vec<(String, Data)>, Stop> {
        let mut scope = BTreeMap::new();
        for path in foreign.iter().flat_map(|foreign| &foreign.reads) {
            match self.read(path) {
                Ok(data) => scope.insert(path.to_string(), data),
                // What is not there stays undefined; the evaluator knows what that means in its language.
                Err(Stop::Fail(failure)) if failure.kind == FailureKind::Expression => None,
                Err(stop) => return Err(stop),
            };
        }
        for (name, expr) in foreign.iter().flat_map(|foreign| &foreign.given) {
            scope.insert(name.clone(), self.data(expr)?);
        }
        Ok(scope.into_iter().collect())
    }

    /// A value with each part put in its place. What weighs more than so much comes back as a reference.
    pub(crate) fn gathered(&self, gather: Gather, inline_bytes_max: u64) -> Result<Data, Stop> {
        let Gather { frame, parts, flat } = gather;
        if parts.is_empty() && !flat && weight(&frame) <= inline_bytes_max {
            return Ok(Data::Inline(frame));
        }
        let question = Question::Gather { frame, parts, flat, inline_bytes_max };
        match self.answers.get(&question.digest()) {
            None => Err(Stop::Ask(question)),
            Some(Answer::Evaluated(values)) if values.len() == 1 => values[0].clone().map_err(told),
            Some(Answer::Unanswered(reason)) => Err(told(reason.clone())),
            Some(_) => Err("the answer does not fit the question".to_owned().into()),
        }
    }

    /// The value of data, loaded if it is stored.
    pub(crate) fn value(&self, data: Data) -> Result<Value, Stop> {
        match data {
            Data::Inline(value) => Ok(value),
            stored => self.value_of(&stored).cloned(),
        }
    }

    /// The value of data, to look at.
    pub(crate) fn value_of<'d>(&'d self, data: &'d Data) -> Result<&'d Value, Stop> {
        let reference = match data {
            Data::Inline(value) => return Ok(value),
            Data::Stored(reference) => reference,
        };
        let question = Question::Load { digest: reference.digest };
        match self.answers.get(&question.digest()) {
            None => Err(Stop::Ask(question)),
            Some(Answer::Loaded { value, .. }) => Ok(value),
            Some(Answer::Unanswered(reason)) => Err(told(reason.clone())),
            Some(Answer::Evaluated(_)) => Err("the answer does not fit the question".to_owned().into()),
        }
    }
}

/// What someone else said is of any length.
fn told(reason: String) -> Stop {
    shortened(reason, MESSAGE_BYTES_MAX).into()
}
