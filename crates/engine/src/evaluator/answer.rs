//! Answers the questions of a turn: as many at once as one request can have, and if that fails, each once more alone in a
//! fresh process. What fails again has no answer, and a reason that says why. Fields that are computed together are then asked
//! for one by one (`fields.rs`): what harms a process fails alone.

use super::fields::is_of_many;
use super::limits::{EXPRESSIONS_MAX, INLINE_BYTES_MAX, QUESTIONS_MAX, REQUEST_BYTES_MAX, Rules};
use super::pool::Pool;
use super::process::{Process, Program};
use super::trouble::Trouble;
use super::wire::{self, Asked, Computed, Head, LENGTH_BYTES, Scope, Sent, Told, request};
use crate::answers::Patience;
use crate::kill_point;
use kernel::data::weight;
use kernel::plan::Language;
use kernel::question::Made;
use kernel::{Answer, Data, Digest, Question, RunId};
use serde_json::Value;
use std::borrow::Cow;
use std::time::{Duration, Instant};

/// The evaluator: a pool of processes that answer questions.
#[derive(Debug)]
pub struct Evaluator {
    pub(super) pool: Pool,
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
        let ours: Vec<&Question> = questions.iter().filter(is_ours).collect();
        let mut answers = self.answer_ours(run, &ours, patience).into_iter();
        let in_order = questions.iter().map(|question| match is_ours(&question) {
            true => answers.next().expect("BUG: a question was not answered"),
            false => Answer::Unanswered(Trouble::NotOurs.words()),
        });
        in_order.collect()
    }

    /// Many questions are many requests: each has the time of one, and what fails in one is not asked again in the others.
    fn answer_ours(&self, run: &RunId, questions: &[&Question], patience: &Patience) -> Vec<Answer> {
        let requests = questions.chunks(QUESTIONS_MAX);
        requests.flat_map(|questions| self.answer_some(run, questions, patience)).collect()
    }

    fn answer_some(&self, run: &RunId, questions: &[&Question], patience: &Patience) -> Vec<Answer> {
        let unanswered = |trouble: &Trouble| Answer::Unanswered(trouble.words());
        let time = self.pool.rules.deadline;
        match self.ask(run, questions, patience, (false, time)) {
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
                    None if is_of_many(question) => self.field_by_field(run, question, patience),
                    None => match self.ask(run, &[question], patience, (true, time)) {
                        Ok(mut answers) => answers.pop().expect("BUG: one was asked"),
                        Err(trouble) => unanswered(&trouble),
                    },
                };
                questions.iter().map(alone).collect()
            }
        }
    }

    /// Why nothing more of a turn is asked.
    pub(super) fn over(&self, patience: &Patience) -> Option<Trouble> {
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
    pub(super) fn ask(
        &self,
        run: &RunId,
        questions: &[&Question],
        patience: &Patience,
        (afresh, time): (bool, Duration),
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
        let begun = Instant::now();
        let told = seat.process().and_then(|process| exchange(process, run, questions, time));
        patience.spend(begun.elapsed());
        if matches!(told, Err(Trouble::Late(_))) {
            seat.was_late();
        }
        if told.is_err() {
            seat.end();
        }
        Ok(told?.into_iter().map(answered).collect())
    }
}

/// Whether a question is for an evaluator.
fn is_ours(question: &&Question) -> bool {
    match question {
        Question::Evaluate { .. } | Question::Compute { .. } => true,
        Question::Load { .. } | Question::Gather { .. } => false,
    }
}

/// What was told, as the kernel wants to know it.
fn answered(told: Told) -> Answer {
    match told {
        Told::Evaluated(values) => {
            Answer::Evaluated(values.into_iter().map(|value| value.map(Data::Inline)).collect())
        }
        Told::Computed(fields) => {
            let made = |Computed { mut value, error, input, took_us, kept }: Computed| {
                let value = value.pop().map(Data::Inline);
                Made { value, error, input, took_us, kept }
            };
            Answer::Computed(fields.into_iter().map(made).collect())
        }
    }
}

fn exchange(
    process: &mut Process,
    run: &RunId,
    questions: &[&Question],
    time: Duration,
) -> Result<Vec<Told>, Trouble> {
    let frame = framed(process, run, questions)?;
    let until = Instant::now() + time;
    process.send(&frame, time, until)?;
    drop(frame);
    kill_point("evaluator asked");
    let answer = process.receive(time, until)?;
    kill_point("evaluator answered");
    wire::answer(&answer, questions).map_err(Trouble::Nonsense)
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

fn enough(count: usize) -> Result<(), Trouble> {
    if count > EXPRESSIONS_MAX { Err(Trouble::TooMany(count)) } else { Ok(()) }
}

/// What goes along with a request.
struct Bodies<'p> {
    process: &'p mut Process,
    list: Vec<(Digest, usize)>,
    bytes: Vec<Vec<u8>>,
}

impl Bodies<'_> {
    fn asked<'q>(&mut self, question: &'q Question) -> Result<Asked<'q, &'q Value>, Trouble> {
        match question {
            Question::Evaluate { language, expressions, scope, origins } => {
                enough(expressions.len())?;
                let (expressions, origins) = (Cow::Borrowed(&expressions[..]), Cow::Borrowed(&origins[..]));
                Ok(Asked::Evaluate { language: *language, expressions, origins, scope: self.scope(scope)? })
            }
            Question::Compute { language: Language::JavaScript, fields, scope } => {
                enough(fields.len())?;
                Ok(Asked::Compute { fields: Cow::Borrowed(fields), scope: self.scope(scope)? })
            }
            Question::Compute { language: Language::Jinja | Language::Regex, .. } => {
                Err(Trouble::NoTransform)
            }
            Question::Load { .. } | Question::Gather { .. } => Err(Trouble::NotOurs),
        }
    }

    fn scope<'q>(&mut self, scope: &'q [(String, Data)]) -> Result<Scope<'q, &'q Value>, Trouble> {
        let sent = scope.iter().map(|(path, data)| match data {
            Data::Inline(value) => Ok((Cow::Borrowed(path.as_str()), self.sent(value))),
            Data::Stored(_) => Err(Trouble::Absent(path.clone())),
        });
        sent.collect()
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
