//! Runs that someone set aside: what works for one and for its children is interrupted, nothing new begins, and once
//! all of that is recorded the family leaves memory. It goes on when someone recovers it or asks something of it. What it would
//! have begun meanwhile is written down as unbegun.
//!
//! ```text
//!  park ── interrupt, stop timers ── reports come in ── nothing is in hand ── forgotten, the caller is told
//! ```
//! A child's id begins with its parent's and a slash, so a family is known by the id of its head.

use super::clock::now;
use super::worker::Worker;
use crate::backend::{Accepted, Error};
use crate::driver::Letter;
use crate::store::Write;
use kernel::{Command, RunId};
use tokio::sync::oneshot;

/// Told once the run is set aside.
pub(crate) type Parked = oneshot::Sender<Result<Accepted, Error>>;

/// A run that is being set aside.
pub(super) struct Parking {
    run: RunId,
    reply: Parked,
    /// What came for it meanwhile.
    letters: Vec<Letter>,
}

impl Worker {
    pub(super) fn park(&mut self, run: RunId, reply: Parked) {
        match self.driver.standing(&run) {
            Ok(standing) if !matches!(standing.status, kernel::Status::Ended(_)) => {}
            other => {
                let accepted = |standing: crate::backend::Standing| Accepted {
                    run: run.clone(),
                    seq: standing.seq,
                    status: standing.status,
                };
                return drop(reply.send(other.map(accepted)));
            }
        }
        self.timers.stop_all(|other| other.is_within(&run));
        self.hands.interrupt(|other| other.is_within(&run));
        self.parked.insert(run.clone());
        self.driver.write(Write::Park { run: run.clone(), at: Some(now()) });
        self.parking.push(Parking { run, reply, letters: Vec::new() });
    }

    /// Takes a letter. Whoever asks something of a run that was set aside takes it up again.
    pub(super) fn take_letter(&mut self, letter: Letter) {
        let run = match &letter {
            // A hand may hear when its report is recorded; it asks nothing of the run.
            Letter::Command { command: Command::Report { .. }, .. } => {
                return self.driver.take(letter, now());
            }
            Letter::Command { run, reply: Some(_), .. } | Letter::Recover { run, .. } => run,
            _ => return self.driver.take(letter, now()),
        };
        if let Some(parking) = self.parking.iter_mut().find(|parking| run.is_within(&parking.run)) {
            return parking.letters.push(letter);
        }
        let heads: Vec<RunId> = self.parked.iter().filter(|head| run.is_within(head)).cloned().collect();
        for head in heads {
            self.parked.remove(&head);
            self.driver.write(Write::Park { run: head, at: None });
        }
        self.driver.take(letter, now());
    }

    /// Forgets families that are set aside and quiet, and tells whoever waits for it.
    pub(super) fn settle(&mut self) {
        let (quiet, busy): (Vec<Parking>, Vec<Parking>) =
            std::mem::take(&mut self.parking).into_iter().partition(|parking| {
                let theirs = |run: &RunId| run.is_within(&parking.run);
                // What has let go has posted how first: that may still lie there, and must find the run where it was.
                !self.hands.interrupt(theirs) && !self.driver.is_turning(theirs) && !self.desk.has_mail()
            });
        self.parking = busy;
        for Parking { run, reply, letters } in quiet {
            let accepted = self.driver.standing(&run).map(|standing| Accepted {
                run: run.clone(),
                seq: standing.seq,
                status: standing.status,
            });
            self.driver.unseat(|other| other.is_within(&run));
            // Whoever does not listen any more has gone away on purpose.
            let _ = reply.send(accepted);
            letters.into_iter().for_each(|letter| self.take_letter(letter));
        }
    }

    /// Whether a run, or one above it, was set aside.
    pub(super) fn is_parked(&self, run: &RunId) -> bool {
        !self.parked.is_empty() && self.parked.iter().any(|head| run.is_within(head))
    }
}
