//! The evaluator: answers as it likes, never twice the same, and dies now and then. Whoever needs it for a replay
//! is found out.

use super::World;
use engine::driver::Letter;
use engine::turn::stored;
use kernel::{Answer, Data, Fields, Question, RunId};
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
                answer => answer,
            });
        }
        self.note(|| format!("{run} is told {answers:?}"));
        self.take(Letter::Answers { run, answers, contents });
    }

    fn evaluated(&mut self, question: &Question) -> Answer {
        let Question::Evaluate { expressions, .. } = question else {
            return Answer::Unanswered("only the store knows".into());
        };
        if self.random.percent(2) {
            return Answer::Unanswered("the evaluator died".into());
        }
        Answer::Evaluated(expressions.iter().map(|hoped| self.value_of(hoped).map(Data::Inline)).collect())
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
