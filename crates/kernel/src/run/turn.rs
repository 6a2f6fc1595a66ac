//! A turn: one event, the answers it needed, and what it gave. A task that must know something first stops with a
//! question and is begun again once that is answered.
//!
//! Invariant: what stops with a question has changed nothing since the last thing it finished, so that beginning again
//! does nothing twice.

use super::{Moment, Run, Task};
use crate::plan::Flow;
use crate::table::Row;
use crate::{Answer, Digest, Effect, Event, News, Question};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// What one event gave.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Turn {
    /// To be answered with [`Run::answer`] before the turn is whole. Empty when it is.
    pub questions: Vec<Question>,
    /// What may leave once the turn is committed.
    pub effects: Vec<Effect>,
    /// What changed, for views.
    pub news: Vec<News>,
    /// The rows of transition tables that were followed.
    pub rows: Vec<Row>,
}

impl Turn {
    /// The digest of the questions and effects, by which a replay is compared.
    pub fn digest(&self, asked: &[Question]) -> Digest {
        Digest::of_json(&(asked, &self.effects))
    }
}

/// A turn that is not whole yet.
#[derive(Clone, Debug, Default)]
pub(super) struct Turning {
    now: u64,
    agenda: VecDeque<Task>,
    answers: BTreeMap<Digest, Answer>,
    asked: Vec<Question>,
    /// How many nodes lanes have passed.
    moves: u32,
    /// How many bytes evaluators have made.
    made: u64,
    turn: Turn,
}

impl Run {
    /// Lets an admitted event happen. If the turn has questions, [`Run::answer`] must follow.
    pub fn apply(&mut self, event: Event) -> Turn {
        assert!(self.turning.is_none(), "BUG: an event was applied in the middle of a turn");
        let mut turning = Turning { now: event.at, ..Turning::default() };
        self.life.at = event.at;
        self.moment(&mut turning).happen(event.fact);
        self.go_on(turning)
    }

    /// Gives the answers to the questions of the turn, in their order.
    pub fn answer(&mut self, answers: Vec<Answer>) -> Turn {
        let mut turning = self.turning.take().expect("BUG: answers without a question");
        let asked = std::mem::take(&mut turning.asked);
        assert_eq!(asked.len(), answers.len(), "BUG: as many answers as questions");
        turning.made = turning.made.saturating_add(answers.iter().map(Answer::made_bytes).sum());
        turning.answers.extend(asked.iter().map(Question::digest).zip(answers));
        self.go_on(turning)
    }

    /// Whether the run waits for answers in the middle of a turn.
    pub fn is_turning(&self) -> bool {
        self.turning.is_some()
    }

    fn go_on(&mut self, mut turning: Turning) -> Turn {
        loop {
            let questions = self.work_off(&mut turning);
            if !questions.is_empty() {
                turning.asked.clone_from(&questions);
                self.turning = Some(turning);
                return Turn { questions, ..Turn::default() };
            }
            self.moment(&mut turning).settle();
            if turning.agenda.is_empty() {
                return turning.turn;
            }
        }
    }

    /// Works the agenda off, and gives what must be answered first. Blocks of a graph do not wait for each other's
    /// answers; lanes and states go in their order.
    fn work_off(&mut self, turning: &mut Turning) -> Vec<Question> {
        let overtakes = matches!(self.plan.flow, Flow::Graph(_));
        let (mut deferred, mut questions, mut known) = (VecDeque::new(), Vec::new(), BTreeSet::new());
        while (overtakes || questions.is_empty())
            && let Some(task) = turning.agenda.pop_front()
        {
            if let Some(asked) = self.moment(turning).work_off(&task) {
                deferred.push_back(task);
                questions.extend(asked.into_iter().filter(|question| known.insert(question.digest())));
            }
        }
        deferred.append(&mut turning.agenda);
        turning.agenda = deferred;
        questions
    }

    fn moment<'m>(&'m mut self, turning: &'m mut Turning) -> Moment<'m> {
        Moment {
            plan: &self.plan,
            life: &mut self.life,
            turn: &mut turning.turn,
            agenda: &mut turning.agenda,
            answers: &turning.answers,
            now: turning.now,
            moves: &mut turning.moves,
            made: turning.made,
            #[cfg(feature = "faults")]
            planted: self.planted,
        }
    }
}
