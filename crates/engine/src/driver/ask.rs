//! Questions of a turn: what lies in the store, or is made of it, is answered at once, what only others know is asked, and the turn waits.

use super::gather::{stored_bytes, too_much_to_send};
use super::{Driver, Parcel};
use crate::store::Write;
use crate::turn::{Content, Turning};
use kernel::{Answer, Data, Question, RunId, Turn};
use std::sync::Arc;

impl Driver {
    /// A turn came to questions or to its end.
    pub(super) fn turned(&mut self, id: &RunId, mut turning: Turning, mut turn: Turn) {
        while !turn.questions.is_empty() {
            let questions = std::mem::take(&mut turn.questions);
            turning.asked.extend(questions.iter().cloned());
            let mut made = stored_bytes(turning.answers.iter().flatten());
            let mut known: Vec<Option<Answer>> = Vec::new();
            for question in &questions {
                let answer = self.known(question, &mut turning.contents, made);
                made += stored_bytes(&answer);
                known.push(answer);
            }
            if known.iter().any(Option::is_none) {
                return self.ask(id, &questions, known, turning);
            }
            let answers: Vec<Answer> = known.into_iter().flatten().collect();
            turning.answers.push(answers.clone());
            turn = self.seats.get_mut(id).expect("BUG: a turn without a run").run.answer(answers);
        }
        self.record(id, turning, turn);
    }

    /// Lets the turn wait for what only others know.
    fn ask(&mut self, id: &RunId, questions: &[Question], known: Vec<Option<Answer>>, mut turning: Turning) {
        let unknown = questions.iter().zip(&known).filter(|(_, known)| known.is_none());
        let questions = unknown.map(|(question, _)| self.outward(question, &turning.contents)).collect();
        let patience = Arc::clone(&turning.patience);
        self.batch.questions.push(Parcel::Ask { run: id.clone(), questions, patience });
        turning.known = known;
        self.seats.get_mut(id).expect("BUG: a turn without a run").turning = Some(turning);
    }

    /// A question as an evaluator gets it: with the values themselves.
    fn outward(&self, question: &Question, contents: &[Content]) -> Question {
        let mut question = question.clone();
        if let Question::Evaluate { scope, .. } = &mut question {
            for (_, data) in scope {
                let Data::Stored(reference) = data else { continue };
                if let Answer::Loaded { value, .. } = self.look_up(&reference.digest, contents) {
                    *data = Data::Inline(value);
                }
            }
        }
        question
    }

    /// The answer, if it lies in the store or came along with the event, or is made of what does.
    fn known(&self, question: &Question, contents: &mut Vec<Content>, made: u64) -> Option<Answer> {
        match question {
            Question::Load { digest } => Some(self.look_up(digest, contents)),
            Question::Evaluate { scope, .. } => too_much_to_send(scope).map(Answer::Unanswered),
            Question::Gather { .. } => Some(self.gather(question, contents, made)),
        }
    }

    fn look_up(&self, digest: &kernel::Digest, contents: &[Content]) -> Answer {
        let fresh = contents.iter().find(|content| content.digest == *digest);
        match fresh.and_then(|it| Content::value(Content::word(it.kind), &it.body).ok()) {
            Some(value) => Answer::Loaded { digest: *digest, value },
            None => self.load_content(digest),
        }
    }

    /// What stored content says; content of this very batch counts.
    pub(crate) fn load_content(&self, wanted: &kernel::Digest) -> Answer {
        let fresh = self.batch.writes.iter().find_map(|write| match write {
            Write::Content { digest, kind, body, .. } if digest == wanted => {
                Content::value(kind, body).ok().map(|value| Answer::Loaded { digest: *digest, value })
            }
            _ => None,
        });
        fresh.unwrap_or_else(|| {
            crate::turn::load(self.store.reader(), wanted)
                .unwrap_or_else(|fault| Answer::Unanswered(format!("stored data cannot be read: {fault}")))
        })
    }
}
