//! Takes a letter in: admits the command and lets the event happen. What the turn then asks is in `ask`, what it leaves
//! behind in `record`.

use super::{Driver, Letter};
use crate::backend::{Accepted, Error};
use crate::turn::{Content, Posted, Reply, Turning, brought};
use kernel::event::{Change, Report};
use kernel::{Answer, Command, Data, Fields, Limits, Outcome, RunId};
use serde_json::Value;
use std::sync::Arc;

impl Driver {
    /// Takes one letter in. What it gives leaves with the next commit.
    pub fn take(&mut self, letter: Letter, now: u64) {
        match letter {
            Letter::Start { start, reply } => self.start(*start, None, reply, now),
            Letter::StartedBefore { start, otherwise, reply } => {
                self.start(*start, Some(otherwise), reply, now);
            }
            Letter::StartChild { child, parent, plan, inputs, depth } => {
                self.start_child(child, parent, plan, (inputs, depth), now);
            }
            Letter::CancelChild { child, parent, reason } => self.cancel_child(child, parent, reason, now),
            Letter::TellParent { child, parent, outcome } => self.tell_parent(child, parent, outcome, now),
            Letter::Command { run, command, contents, reply } => {
                self.command(&run, Posted { command, contents, reply, child: None }, now);
            }
            Letter::Answers { run, answers, contents } => self.answers(&run, answers, contents, now),
            Letter::Recover { run, reply } => self.recover(&run, reply, now),
            Letter::Query { run, reply } => reply(self.standing(&run)),
        }
    }

    pub(super) fn command(&mut self, id: &RunId, posted: Posted, now: u64) {
        let cancels = matches!(posted.command, Command::Cancel { .. });
        let ready = self.seated(id).map(|seat| seat.under_way);
        // One whose time is up ends by that, whoever comes to cancel it later.
        let ends = cancels && !self.seats.get(id).is_some_and(|seat| seat.run.is_time_up(now));
        let ready = match ready {
            Ok(false) if ends => return self.cancel_first(id, posted, now),
            Ok(false) => self.carried_on(id, now),
            other => other.map(drop),
        };
        if let Err(error) = ready {
            // A parent that is no more will never record anything.
            let hears = posted.child.filter(|_| matches!(error, Error::NoRun(_)));
            self.answer_later(posted.reply, Err(error));
            return self.acknowledge(hears, now);
        }
        self.admit(id, posted, now);
    }

    /// Admits a command to a run in memory, or keeps it until the run's turn is over.
    pub(super) fn admit(&mut self, id: &RunId, mut posted: Posted, now: u64) {
        let seat = self.seats.get_mut(id).expect("BUG: a run that was just seated is gone");
        if let Some(turning) = &seat.turning {
            if matches!(posted.command, Command::Cancel { .. }) {
                turning.patience.cancel();
            }
            return seat.backlog.push_back(posted);
        }
        if let Some(fields) = fields_of(&mut posted.command) {
            let (small, contents) =
                brought(std::mem::take(fields), &seat.run.plan().limits, seat.run.weight());
            *fields = small;
            posted.contents.extend(contents);
        }
        if let Command::Update { changes, .. } = &mut posted.command {
            posted.contents.extend(stored_changes(changes, &seat.run.plan().limits, seat.run.weight()));
        }
        let now = now.max(seat.run.at());
        match seat.run.admit(posted.command, now) {
            Err(refusal) => {
                self.answer_later(posted.reply, Err(refusal.into()));
                self.acknowledge(posted.child, now);
            }
            Ok(event) => {
                let turn = seat.run.apply(event.clone());
                let turning = Turning {
                    event,
                    contents: posted.contents,
                    asked: Vec::new(),
                    known: Vec::new(),
                    answers: Vec::new(),
                    reply: posted.reply,
                    child: posted.child,
                    patience: Arc::default(),
                    birth: None,
                };
                self.turned(id, turning, turn);
            }
        }
    }

    fn answers(&mut self, id: &RunId, answers: Vec<Answer>, contents: Vec<Content>, now: u64) {
        // A run that was forgotten meanwhile asks again when it is brought back.
        let Some(seat) = self.seats.get_mut(id) else { return };
        let Some(mut turning) = seat.turning.take() else { return };
        turning.contents.extend(contents);
        let mut told = answers.into_iter();
        let known = std::mem::take(&mut turning.known).into_iter();
        let answers: Vec<Answer> = known.filter_map(|known| known.or_else(|| told.next())).collect();
        turning.answers.push(answers.clone());
        let turn = seat.run.answer(answers);
        self.turned(id, turning, turn);
        self.work_off_backlog(id, now);
    }

    fn work_off_backlog(&mut self, id: &RunId, now: u64) {
        while let Some(seat) = self.seats.get_mut(id)
            && seat.turning.is_none()
            && let Some(posted) = seat.backlog.pop_front()
        {
            self.command(id, posted, now);
        }
    }

    pub(super) fn answer_later(&mut self, reply: Option<Reply>, answer: Result<Accepted, Error>) {
        if let Some(reply) = reply {
            self.batch.replies.push((reply, answer));
        }
    }
}

/// Makes what is large in changes of the state content, as what steps give is. Gives the contents.
fn stored_changes(changes: &mut [Change], limits: &Limits, held: u64) -> Vec<Content> {
    let numbered = |(index, change): (usize, &mut Change)| {
        let value = std::mem::replace(&mut change.value, Data::Inline(Value::Null));
        (format!("{index:08}"), value)
    };
    let values: Fields = changes.iter_mut().enumerate().map(numbered).collect();
    let (small, contents) = brought(values, limits, held);
    changes.iter_mut().zip(small.into_values()).for_each(|(change, value)| change.value = value);
    contents
}

/// The data that a command brings.
fn fields_of(command: &mut Command) -> Option<&mut Fields> {
    match command {
        Command::Start { inputs } => Some(inputs),
        Command::Report { report: Report::Done { outputs } | Report::Failed { outputs, .. }, .. } => {
            Some(outputs)
        }
        Command::Submit { result, .. } | Command::Answer { result, .. } => Some(result),
        Command::EndChild { outcome: Outcome::Succeeded { outputs }, .. } => Some(outputs),
        Command::Resolve { resolution: kernel::event::Resolution::Done { outputs }, .. } => Some(outputs),
        Command::Update { values, .. } => Some(values),
        _ => None,
    }
}
