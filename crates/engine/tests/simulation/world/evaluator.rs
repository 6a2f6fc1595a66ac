//! The evaluator: answers as it likes, never twice the same, and dies now and then. Whoever needs it for a replay
//! is found out.

use super::World;
use engine::driver::Letter;
use engine::turn::stored;
use kernel::question::{Compute, Made, Otherwise};
use kernel::{Answer, Data, Digest, Fields, Question, RunId};
use serde_json::{Value, json};

impl World<'_> {
    pub(super) fn evaluator_answers(&mut self, run: RunId, questions: &[Question]) {
        self.asking -= 1;
        let mut contents = Vec::new();
        let mut answers = Vec::new();
        for question in questions {
            answers.push(match self.evaluated(question) {
                Answer::Evaluated(values) => {
                    let mut settle = |data: Data| {
                        let (mut fields, large) = stored(Fields::from([(String::new(), data)]), 64);
                        contents.extend(large);
                        fields.remove("").expect("BUG: one went in")
                    };
                    Answer::Evaluated(values.into_iter().map(|value| value.map(&mut settle)).collect())
                }
                Answer::Computed(mut fields) => {
                    for made in &mut fields {
                        let Some(data) = made.value.take() else { continue };
                        let (mut settled, large) = stored(Fields::from([(String::new(), data)]), 64);
                        contents.extend(large);
                        made.value = settled.remove("");
                    }
                    Answer::Computed(fields)
                }
                answer => answer,
            });
        }
        self.note(|| format!("{run} is told {answers:?}"));
        self.take(Letter::Answers { run, answers, contents });
    }

    fn evaluated(&mut self, question: &Question) -> Answer {
        if self.random.percent(2) {
            return Answer::Unanswered("the evaluator died".into());
        }
        match question {
            Question::Evaluate { expressions, .. } => {
                let values = expressions.iter().map(|hoped| self.value_of(hoped).map(Data::Inline));
                Answer::Evaluated(values.collect())
            }
            Question::Compute { fields, .. } => {
                Answer::Computed(fields.iter().map(|field| self.made(field)).collect())
            }
            Question::Load { .. } | Question::Gather { .. } => {
                Answer::Unanswered("only the store knows".into())
            }
        }
    }

    /// What became of a field: a value, none, or what it is when it cannot be computed.
    fn made(&mut self, field: &Compute) -> Made {
        let computed =
            if self.random.percent(15) { Err("it is undefined".into()) } else { self.value_of("any") };
        let (value, error) = match (computed, &field.otherwise) {
            (Ok(_), _) if self.random.percent(5) => (None, None),
            (Ok(value), _) => (Some(value), None),
            (Err(reason), Otherwise::Value(value)) => (Some(value.clone()), Some(reason)),
            (Err(reason), Otherwise::Old) => (None, Some(reason)),
            (Err(reason), Otherwise::Null) => (Some(Value::Null), Some(reason)),
        };
        let input = Digest::of_json(&field.inputs);
        let kept = !field.only_after.is_empty() && self.random.percent(30);
        Made { value: value.map(Data::Inline), error, input, took_us: self.random.below(900), kept }
    }

    fn value_of(&mut self, hoped: &str) -> Result<Value, String> {
        if self.random.percent(2) {
            return Err("it is undefined".into());
        }
        let hoped = if self.random.percent(2) { "any" } else { hoped };
        Ok(match hoped {
            "truth" => json!(self.random.percent(60)),
            "number" => json!(self.random.below(5)),
            "items" => (0..self.random.below(5)).map(|item| json!(item)).collect(),
            _ => match self.random.below(4) {
                0 => json!("e".repeat(usize::try_from(self.random.below(300)).unwrap_or(0))),
                1 => json!({ "a": self.random.below(3) }),
                2 => json!(self.random.percent(50)),
                _ => json!(self.random.below(9)),
            },
        })
    }
}
