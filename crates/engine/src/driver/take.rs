//! Takes a letter in: admits the command, applies the event, asks what must be known, and puts the finished turn
//! into the batch.

use super::{Driver, Letter, Parcel};
use crate::backend::{Accepted, Error, Progress};
use crate::kill_point;
use crate::store::Write;
use crate::turn::{Content, ENTRY_VERSION, EntryBody, Posted, Reply, Seat, Turning, stored};
use kernel::event::Report;
use kernel::{Answer, Command, Data, Fact, Fields, Outcome, Question, RunId, Status, Turn};
use std::sync::Arc;

/// Once a run holds half of what it may, all but the smallest data goes to the store.
const CROWDED_INLINE_BYTES_MAX: u64 = 256;

impl Driver {
    /// Takes one letter in. What it gives leaves with the next commit.
    pub fn take(&mut self, letter: Letter, now: u64) {
        match letter {
            Letter::Start { start, reply } => self.start(*start, reply, now),
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
        let ends = matches!(posted.command, Command::Cancel { .. });
        let ready = self.seated(id).map(|seat| seat.under_way);
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
        if seat.turning.is_some() {
            return seat.backlog.push_back(posted);
        }
        let limits = &seat.run.plan().limits;
        let crowded = seat.run.weight() > limits.held_bytes_max / 2;
        let inline = limits.inline_bytes_max.min(if crowded { CROWDED_INLINE_BYTES_MAX } else { u64::MAX });
        posted.contents.extend(shrink(&mut posted.command, inline));
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

    /// A turn came to questions or to its end.
    pub(super) fn turned(&mut self, id: &RunId, mut turning: Turning, mut turn: Turn) {
        while !turn.questions.is_empty() {
            let questions = std::mem::take(&mut turn.questions);
            turning.asked.extend(questions.iter().cloned());
            let known: Vec<Option<Answer>> =
                questions.iter().map(|question| self.known(question, &turning.contents)).collect();
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
        self.batch.questions.push(Parcel::Ask { run: id.clone(), questions });
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

    /// The answer, if it lies in the store or came along with the event.
    fn known(&self, question: &Question, contents: &[Content]) -> Option<Answer> {
        match question {
            Question::Load { digest } => Some(self.look_up(digest, contents)),
            Question::Evaluate { .. } => None,
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

    /// Puts a whole turn into the batch.
    fn record(&mut self, id: &RunId, turning: Turning, turn: Turn) {
        kill_point("turn made");
        let Turning { event, contents, asked, answers, reply, child, birth, .. } = turning;
        let at = event.at;
        let origin = birth.map(|birth| {
            let (writes, origin) = *birth;
            self.batch.writes.extend(writes);
            origin
        });
        self.mention(id, &event.fact, contents);
        let gave = turn.digest(&asked);
        let body = EntryBody { v: ENTRY_VERSION, event, answers, gave, origin }.encode();
        let seat = self.seats.get_mut(id).expect("BUG: a turn without a run");
        seat.head = seat.head.next(&body);
        seat.tail_bytes += body.len() as u64;
        let (head, home) = (seat.head, seat.home.clone());
        let status = seat.run.status();
        self.batch.writes.push(Write::Append { run: id.clone(), head, at, body });
        show(&mut self.batch.writes, id, seat, &status, at);
        save(&mut self.batch.writes, id, seat, self.tail_bytes_min);
        let effect = |effect| Parcel::Effect { run: id.clone(), home: Arc::clone(&home), effect };
        #[cfg(feature = "faults")]
        self.leak(&turn, &effect);
        self.batch.parcels.extend(turn.effects.into_iter().map(effect));
        let progress =
            Progress { run: id.clone(), seq: head.seq, at, news: turn.news, status: status.clone() };
        self.batch.parcels.push(Parcel::Progress(progress));
        self.batch.moved.push(id.clone());
        self.answer_later(reply, Ok(Accepted { run: id.clone(), seq: head.seq, status }));
        self.acknowledge(child, at);
    }

    /// Stores the contents that come along, and notes what the event names of others.
    fn mention(&mut self, id: &RunId, fact: &Fact, contents: Vec<Content>) {
        let mut named = Vec::new();
        fields_of(fact, &mut |fields| {
            named.extend(fields.values().filter_map(|data| match data {
                Data::Stored(reference) => Some(reference.digest),
                Data::Inline(_) => None,
            }));
        });
        named.retain(|digest| !contents.iter().any(|content| content.digest == *digest));
        self.batch.writes.extend(contents.into_iter().map(|content| Write::Content {
            run: id.clone(),
            digest: content.digest,
            kind: Content::word(content.kind).to_owned(),
            body: content.body,
        }));
        self.batch.writes.extend(named.into_iter().map(|digest| Write::Mention { run: id.clone(), digest }));
    }

    pub(super) fn answer_later(&mut self, reply: Option<Reply>, answer: Result<Accepted, Error>) {
        if let Some(reply) = reply {
            self.batch.replies.push((reply, answer));
        }
    }
}

/// Tells the store how the run stands, if that is new.
fn show(writes: &mut Vec<Write>, id: &RunId, seat: &mut Seat, status: &Status, at: u64) {
    let shown = (word(status), detail(status));
    if seat.shown == shown {
        return;
    }
    seat.shown = shown.clone();
    let ended = matches!(status, Status::Ended(_));
    writes.push(Write::RunStatus { run: id.clone(), status: shown.0.to_owned(), detail: shown.1, at, ended });
}

/// Saves the run where its tail outweighs its last snapshot.
fn save(writes: &mut Vec<Write>, id: &RunId, seat: &mut Seat, tail_bytes_min: u64) {
    if !seat.wants_snapshot(tail_bytes_min) {
        return;
    }
    let body = serde_json::to_vec(&seat.run.snapshot()).expect("BUG: a run has no JSON form");
    (seat.snapshot_bytes, seat.tail_bytes) = (body.len() as u64, 0);
    writes.push(Write::Snapshot { run: id.clone(), head: seat.head, body });
}

/// The word for a status.
pub(crate) fn word(status: &Status) -> &'static str {
    match status {
        Status::Queued => "queued",
        Status::Running => "running",
        Status::Waiting(_) => "waiting",
        Status::Closing => "closing",
        Status::Ended(Outcome::Succeeded { .. }) => "succeeded",
        Status::Ended(Outcome::Failed { .. }) => "failed",
        Status::Ended(Outcome::Cancelled { .. }) => "cancelled",
    }
}

/// What a list shows beside the status: what is waited for, or why it failed.
fn detail(status: &Status) -> Option<String> {
    match status {
        Status::Waiting(waiting) => {
            Some(waiting.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "))
        }
        Status::Ended(Outcome::Failed { failure }) => Some(failure.message.clone()),
        Status::Ended(Outcome::Cancelled { reason }) => Some(reason.clone()),
        _ => None,
    }
}

/// Stores what is too large in a command, and puts references in its place.
fn shrink(command: &mut Command, inline: u64) -> Vec<Content> {
    let mut contents = Vec::new();
    let mut settle = |fields: &mut Fields| {
        let (small, large) = stored(std::mem::take(fields), inline);
        *fields = small;
        contents.extend(large);
    };
    match command {
        Command::Start { inputs } => settle(inputs),
        Command::Report { report: Report::Done { outputs } | Report::Failed { outputs, .. }, .. } => {
            settle(outputs)
        }
        Command::Submit { result, .. } | Command::Answer { result, .. } => settle(result),
        Command::EndChild { outcome: Outcome::Succeeded { outputs }, .. } => settle(outputs),
        Command::Resolve { resolution: kernel::event::Resolution::Done { outputs }, .. } => settle(outputs),
        Command::Update { values, .. } => settle(values),
        _ => {}
    }
    contents
}

/// Shows the data of a fact.
fn fields_of(fact: &Fact, see: &mut dyn FnMut(&Fields)) {
    match fact {
        Fact::Started { inputs } => see(inputs),
        Fact::Reported { report: Report::Done { outputs } | Report::Failed { outputs, .. }, .. } => {
            see(outputs)
        }
        Fact::Submitted { result, .. } | Fact::Answered { result, .. } => see(result),
        Fact::ChildEnded { outcome: Outcome::Succeeded { outputs }, .. } => see(outputs),
        Fact::Resolved { resolution: kernel::event::Resolution::Done { outputs }, .. } => see(outputs),
        Fact::Updated { values, .. } => see(values),
        _ => {}
    }
}
