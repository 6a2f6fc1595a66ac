//! Puts a whole turn into the batch: its entry, the contents it names, the run's status and snapshot, and what may leave
//! once all of that is committed.

use super::{Driver, Parcel};
use crate::backend::{Accepted, Progress};
use crate::kill_point;
use crate::store::Write;
use crate::turn::{Content, ENTRY_VERSION, EntryBody, Seat, Turning};
use kernel::event::Report;
use kernel::{Data, Fact, Fields, Outcome, RunId, Status, Turn};
use std::sync::Arc;

impl Driver {
    /// Puts a whole turn into the batch.
    pub(super) fn record(&mut self, id: &RunId, turning: Turning, turn: Turn) {
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
pub(crate) fn detail(status: &Status) -> Option<String> {
    match status {
        Status::Waiting(waiting) => {
            Some(waiting.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "))
        }
        Status::Ended(Outcome::Failed { failure }) => Some(failure.message.clone()),
        Status::Ended(Outcome::Cancelled { reason }) => Some(reason.clone()),
        _ => None,
    }
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
        Fact::Updated { values, changes, .. } => {
            see(values);
            changes.iter().for_each(|change| see(&Fields::from([(String::new(), change.value.clone())])));
        }
        _ => {}
    }
}
