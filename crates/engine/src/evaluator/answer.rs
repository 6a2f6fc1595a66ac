//! Answers the questions of a turn: all at once, and if that fails, each once more alone in a fresh process. What
//! fails again has no answer, and a reason that says why.

use super::limits::{EXPRESSIONS_MAX, INLINE_BYTES_MAX, REQUEST_BYTES_MAX, Rules};
use super::pool::Pool;
use super::process::{Process, Program};
use super::trouble::Trouble;
use super::wire::{Asked, Head, LENGTH_BYTES, Sent, Told, request};
use crate::answers::Patience;
use crate::kill_point;
use kernel::data::weight;
use kernel::{Answer, Data, Digest, Question, RunId};
use serde_json::Value;
use std::borrow::Cow;
use std::time::{Duration, Instant};

/// The evaluator: a pool of processes that answer questions.
#[derive(Debug)]
pub struct Evaluator {
    pool: Pool,
}

impl Evaluator {
    /// An evaluator of this program, under the usual rules. Nothing is started yet.
    pub fn new(program: Program) -> Self {
        Evaluator::with(program, Rules::default())
    }

    /// An evaluator under rules of one's own.
    pub fn with(program: Program, rules: Rules) -> Self {
        Evaluator { pool: Pool::new(program, rules) }
    }

    /// Answers questions of one turn, in their order. Waits for it: call it where waiting harms nobody.
    pub fn answer(&self, run: &RunId, questions: &[Question], patience: &Patience) -> Vec<Answer> {
        let ours = |question: &&Question| matches!(question, Question::Evaluate { .. });
        let ours: Vec<&Question> = questions.iter().filter(ours).collect();
        let mut answers = self.answer_ours(run, &ours, patience).into_iter();
        let in_order = questions.iter().map(|question| match question {
            Question::Evaluate { .. } => answers.next().expect("BUG: a question was not answered"),
            Question::Load { .. } | Question::Gather { .. } => Answer::Unanswered(Trouble::NotOurs.words()),
        });
        in_order.collect()
    }

    fn answer_ours(&self, run: &RunId, questions: &[&Question], patience: &Patience) -> Vec<Answer> {
        if questions.is_empty() {
            return Vec::new();
        }
        let unanswered = |trouble: &Trouble| Answer::Unanswered(trouble.words());
        match self.ask(run, questions, patience, false) {
            Ok(answers) => answers,
            Err(trouble @ (Trouble::Over(_) | Trouble::TurnOver(_))) => {
                questions.iter().map(|_| unanswered(&trouble)).collect()
            }
            Err(trouble)
                if questions.len() == 1
                    && (!trouble.is_of_the_process() || self.over(patience).is_some()) =>
            {
                vec![unanswered(&trouble)]
            }
            Err(_) => {
                let alone = |question: &&Question| match self.over(patience) {
                    Some(trouble) => unanswered(&trouble),
                    None => match self.ask(run, &[question], patience, true) {
                        Ok(mut answers) => answers.pop().expect("BUG: one was asked"),
                        Err(trouble) => unanswered(&trouble),
                    },
                };
                questions.iter().map(alone).collect()
            }
        }
    }

    /// Why nothing more of a turn is asked.
    fn over(&self, patience: &Patience) -> Option<Trouble> {
        let turn = self.pool.rules.turn;
        let used_up = (patience.spent() >= turn).then_some(Trouble::TurnOver(turn));
        patience.over(Instant::now()).map(Trouble::Over).or(used_up)
    }

    /// The numbers of processes that wait for a question.
    pub fn idle(&self) -> Vec<u32> {
        self.pool.idle()
    }

    /// How many wait for a process.
    pub fn waiting(&self) -> usize {
        self.pool.waiting()
    }

    /// Asks once, perhaps a fresh process, and gives the seat back: whoever asks again takes turns with the others. A
    /// process that did not answer well is ended.
    fn ask(
        &self,
        run: &RunId,
        questions: &[&Question],
        patience: &Patience,
        afresh: bool,
    ) -> Result<Vec<Answer>, Trouble> {
        // To wait for others is nobody's fault, and does not count.
        let mut seat = patience.wait(|| self.pool.seat(run));
        if let Some(trouble) = self.over(patience) {
            return Err(trouble);
        }
        if afresh {
            seat.end();
            kill_point("evaluator replaced");
        }
        let (begun, time) = (Instant::now(), self.pool.rules.deadline);
        let told = seat.process().and_then(|process| exchange(process, run, questions, time));
        patience.spend(begun.elapsed());
        if matches!(told, Err(Trouble::Late(_))) {
            seat.was_late();
        }
        if told.is_err() {
            seat.end();
        }
        let evaluated = |values: Vec<Result<Value, String>>| {
            Answer::Evaluated(values.into_iter().map(|value| value.map(Data::Inline)).collect())
        };
        Ok(told?.into_iter().map(evaluated).collect())
    }
}

fn exchange(
    process: &mut Process,
    run: &RunId,
    questions: &[&Question],
    time: Duration,
) -> Result<Told, Trouble> {
    let frame = framed(process, run, questions)?;
    let until = Instant::now() + time;
    process.send(&frame, time, until)?;
    drop(frame);
    kill_point("evaluator asked");
    let answer = process.receive(time, until)?;
    kill_point("evaluator answered");
    let told: Told = serde_json::from_slice(&answer).map_err(|error| Trouble::Nonsense(error.to_string()))?;
    let fits = told.len() == questions.len()
        && told.iter().zip(questions).all(|(told, question)| Some(told.len()) == expressions(question));
    if fits { Ok(told) } else { Err(Trouble::Nonsense("it does not fit the questions".to_owned())) }
}

fn expressions(question: &Question) -> Option<usize> {
    match question {
        Question::Evaluate { expressions, .. } => Some(expressions.len()),
        Question::Load { .. } | Question::Gather { .. } => None,
    }
}

/// The request as this process needs it: with the values that it does not hold.
fn framed(process: &mut Process, run: &RunId, questions: &[&Question]) -> Result<Vec<u8>, Trouble> {
    let forget = process.held.forget();
    let mut bodies = Bodies { process, list: Vec::new(), bytes: Vec::new() };
    let questions = questions.iter().map(|question| bodies.asked(question)).collect::<Result<_, _>>()?;
    let head = Head { run: run.as_str().into(), forget, bodies: bodies.list, questions };
    let frame = request(&head, &bodies.bytes);
    if frame.len() - LENGTH_BYTES > REQUEST_BYTES_MAX { Err(Trouble::TooLarge) } else { Ok(frame) }
}

/// What goes along with a request.
struct Bodies<'p> {
    process: &'p mut Process,
    list: Vec<(Digest, usize)>,
    bytes: Vec<Vec<u8>>,
}

impl Bodies<'_> {
    fn asked<'q>(&mut self, question: &'q Question) -> Result<Asked<'q, &'q Value>, Trouble> {
        let Question::Evaluate { language, expressions, scope } = question else {
            return Err(Trouble::NotOurs);
        };
        if expressions.len() > EXPRESSIONS_MAX {
            return Err(Trouble::TooMany(expressions.len()));
        }
        let scope = scope.iter().map(|(path, data)| match data {
            Data::Inline(value) => Ok((Cow::Borrowed(path.as_str()), self.sent(value))),
            Data::Stored(_) => Err(Trouble::Absent(path.clone())),
        });
        let scope = scope.collect::<Result<_, _>>()?;
        Ok(Asked { language: *language, expressions: Cow::Borrowed(expressions), scope })
    }

    /// A value as it travels. One that weighs much, or nests deep, stands apart.
    fn sent<'q>(&mut self, value: &'q Value) -> Sent<&'q Value> {
        if weight(value) <= INLINE_BYTES_MAX {
            return Sent::Inline(value);
        }
        let body = value.to_string().into_bytes();
        let digest = Digest::of(&body);
        if self.process.held.read(digest, body.len()) {
            self.list.push((digest, body.len()));
            self.bytes.push(body);
        }
        Sent::Held(digest)
    }
}
