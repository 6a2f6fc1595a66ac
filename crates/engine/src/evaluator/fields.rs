//! Fields that are computed together, asked for one by one: a process died or hung over them, and nobody knows which of them
//! did it. That one fails by its rule; those after it read what became of it, and the innocent have their values.

use super::Evaluator;
use super::trouble::Trouble;
use crate::answers::Patience;
use kernel::question::{Compute, Made, Otherwise};
use kernel::{Answer, Data, Digest, Question, RunId};
use serde_json::Value;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// Whether a question has fields that can be asked for one by one.
pub(super) fn is_of_many(question: &Question) -> bool {
    matches!(question, Question::Compute { fields, .. } if fields.len() > 1)
}

impl Evaluator {
    /// Computes the fields of a question one by one, each with half the time that all of them had.
    pub(super) fn field_by_field(&self, run: &RunId, question: &Question, patience: &Patience) -> Answer {
        let Question::Compute { language, fields, scope } = question else {
            return Answer::Unanswered(Trouble::NotOurs.words());
        };
        let time = self.pool.rules.deadline / 2;
        let mut known: BTreeMap<String, Data> = scope.iter().cloned().collect();
        let all = fields.iter().map(|field| {
            let scope = known.clone().into_iter().collect();
            let alone = Question::Compute { language: *language, fields: vec![field.clone()], scope };
            let made = self.field(run, &alone, patience, time);
            let made = made.unwrap_or_else(|(trouble, took)| failed(field, &known, &trouble, took));
            read_on(&mut known, &field.name, made.value.clone());
            made
        });
        Answer::Computed(all.collect())
    }

    /// Computes one field, or says why it could not be and how long that took.
    fn field(
        &self,
        run: &RunId,
        alone: &Question,
        patience: &Patience,
        time: Duration,
    ) -> Result<Made, (Trouble, Duration)> {
        let begun = Instant::now();
        if let Some(trouble) = self.over(patience) {
            return Err((trouble, Duration::ZERO));
        }
        match self.ask(run, &[alone], patience, (false, time)) {
            Ok(mut answers) => match answers.pop() {
                Some(Answer::Computed(mut made)) if made.len() == 1 => Ok(made.remove(0)),
                _ => Err((Trouble::Nonsense("one field was asked for".to_owned()), begun.elapsed())),
            },
            Err(trouble) => Err((trouble, begun.elapsed())),
        }
    }
}

/// What becomes of a field that nobody can compute.
fn failed(field: &Compute, known: &BTreeMap<String, Data>, trouble: &Trouble, took: Duration) -> Made {
    let value = match &field.otherwise {
        Otherwise::Value(value) => Some(Data::Inline(value.clone())),
        Otherwise::Null => Some(Data::Inline(Value::Null)),
        Otherwise::Old => known.get(&field.name).cloned(),
    };
    let inputs: Vec<String> = field.inputs.iter().map(|path| json(known.get(path))).collect();
    let input = if field.single { inputs.concat() } else { format!("[{}]", inputs.join(",")) };
    let took_us = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
    let input = Digest::of(input.as_bytes());
    Made { value, error: Some(trouble.words()), input, took_us, kept: false }
}

fn json(data: Option<&Data>) -> String {
    data.and_then(Data::inline).map_or_else(|| "null".to_owned(), Value::to_string)
}

/// Notes what a field is now: under its own name, and by its bare one.
fn read_on(known: &mut BTreeMap<String, Data>, name: &str, value: Option<Data>) {
    known.remove(name);
    let Some(value) = value else { return };
    let bare = name.split_once('.').map_or(name, |(_, bare)| bare);
    known.insert(bare.to_owned(), value.clone());
    known.insert(name.to_owned(), value);
}
