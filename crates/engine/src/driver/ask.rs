//! Questions of a turn: what lies in the store, or is made of it, is answered at once, what only others know is asked, and the turn waits.

use super::gather::{stored_bytes, too_much_to_send};
use super::{Driver, Parcel};
use crate::store::{Fault, Write};
use crate::turn::{Content, Turning};
use kernel::{Answer, Data, Digest, Question, RunId, Turn};
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
    fn outward(&mut self, question: &Question, contents: &[Content]) -> Question {
        let mut question = question.clone();
        if let Question::Evaluate { scope, .. } | Question::Compute { scope, .. } = &mut question {
            for (_, data) in scope {
                let Data::Stored(reference) = data else { continue };
                if let Answer::Loaded { value, .. } = self.look_up(&reference.digest, contents) {
                    *data = Data::Inline(Arc::unwrap_or_clone(value));
                }
            }
        }
        question
    }

    /// The answer, if it lies in the store or came along with the event, or is made of what does.
    fn known(&mut self, question: &Question, contents: &mut Vec<Content>, made: u64) -> Option<Answer> {
        match question {
            Question::Load { digest } => Some(self.look_up(digest, contents)),
            Question::Evaluate { scope, .. } | Question::Compute { scope, .. } => {
                too_much_to_send(scope).map(Answer::Unanswered)
            }
            Question::Gather { .. } => Some(self.gather(question, contents, made)),
        }
    }

    /// What content says: it was wanted lately, came along with the event, is of this very batch, or lies in the store.
    fn look_up(&mut self, wanted: &Digest, contents: &[Content]) -> Answer {
        let (store, writes) = (&self.store, &self.batch.writes);
        let read = || {
            let along = contents.iter().find(|content| content.digest == *wanted);
            let along = along.map(|content| (Content::word(content.kind), &content.body));
            match along.or_else(|| written(writes, wanted)) {
                Some((kind, body)) => {
                    Ok((Content::value(kind, body).map_err(Fault::Corrupt)?, body.len() as u64))
                }
                None => crate::turn::read(store.reader(), wanted),
            }
        };
        let answer = self.lately.answer(wanted, read);
        answer.unwrap_or_else(|fault| Answer::Unanswered(format!("stored data cannot be read: {fault}")))
    }

    /// What content says that a turn has named.
    pub(crate) fn load_content(&mut self, wanted: &Digest) -> Answer {
        self.look_up(wanted, &[])
    }
}

/// Content that waits for the next commit.
pub(super) fn written<'w>(writes: &'w [Write], wanted: &Digest) -> Option<(&'w str, &'w Vec<u8>)> {
    writes.iter().find_map(|write| match write {
        Write::Content { digest, kind, body, .. } if digest == wanted => Some((kind.as_str(), body)),
        _ => None,
    })
}
