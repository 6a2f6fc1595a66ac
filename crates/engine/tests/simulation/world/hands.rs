//! The hands of the server: adapters that take their time, fail, answer twice and ignore being stopped, and timers.
//! All of it dies with the server.

use super::queue::Happening;
use super::{Halt, World};
use crate::watch::Violation;
use engine::driver::Letter;
use engine::turn::stored;
use kernel::effect::Perform;
use kernel::event::Report;
use kernel::{Command, Data, Effect, EffectId, Failure, FailureKind, Fields, RunId};
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};

/// An effect of a run.
pub(crate) type Key = (RunId, EffectId);

/// What is being carried out.
#[derive(Default)]
pub(crate) struct Hands {
    pub(super) jobs: BTreeMap<Key, Job>,
    pub(super) timers: BTreeMap<Key, u64>,
    pub(super) offers: BTreeSet<Key>,
    next: u64,
}

/// Work of an adapter.
pub(crate) struct Job {
    ticket: u64,
    withdrawn: bool,
    times_out: bool,
}

impl Hands {
    pub(super) fn forget(&mut self) {
        *self = Hands { next: self.next, ..Hands::default() };
    }
}

impl World<'_> {
    /// Lets an effect leave, to the hand it is for.
    pub(super) fn dispatch(&mut self, run: RunId, effect: Effect) -> Result<(), Halt> {
        match effect {
            Effect::Perform(perform) => self.perform(run, &perform)?,
            Effect::Offer(action) => drop(self.hands.offers.insert((run, action.id))),
            Effect::Withdraw { id } => self.withdraw((run, id)),
            Effect::StartTimer { id, due } => {
                let (life, late) = (Some(self.life), self.random.weighted(&[(5, 0), (2, 3), (1, 150)]));
                let at = due.max(self.clock) + late;
                self.hands.timers.insert((run.clone(), id.clone()), due);
                self.queue.plan(at, life, Happening::Timer { key: (run, id), due });
            }
            Effect::StartChild { id, child, workflow, plan, inputs, depth } => {
                let plan = match plan {
                    Some(pinned) => self.driver().pinned(&workflow, &pinned),
                    None => self.library.called(&workflow),
                };
                self.own.push_back(Letter::StartChild { child, parent: (run, id), plan, inputs, depth });
            }
            Effect::CancelChild { id, child, reason } => {
                self.own.push_back(Letter::CancelChild { child, parent: (run, id), reason });
            }
            Effect::TellParent { parent, effect, outcome } => {
                self.own.push_back(Letter::TellParent { child: run, parent: (parent, effect), outcome });
            }
        }
        Ok(())
    }

    fn perform(&mut self, run: RunId, perform: &Perform) -> Result<(), Halt> {
        self.note(|| format!("{run} performs {}", perform.id));
        let key = (run, perform.id.clone());
        let takes =
            if self.kind { self.random.below(5) } else { self.random.weighted(&[(5, 0), (4, 40), (1, 900)]) };
        let times_out = perform.timeout_ms.is_some_and(|most| most < takes);
        let takes = perform.timeout_ms.map_or(takes, |most| takes.min(most));
        let ticket = self.plan_report(&key, takes);
        if self.hands.jobs.insert(key.clone(), Job { ticket, withdrawn: false, times_out }).is_some() {
            let detail = format!("{} {} is being performed already", key.0, key.1);
            return Err(Violation::new("a step is started once", detail).into());
        }
        Ok(())
    }

    fn plan_report(&mut self, key: &Key, after: u64) -> u64 {
        let ticket = self.hands.next;
        self.hands.next += 1;
        let happening = Happening::Report { key: key.clone(), ticket };
        self.queue.plan(self.clock + after, Some(self.life), happening);
        ticket
    }

    fn withdraw(&mut self, key: Key) {
        self.hands.timers.remove(&key);
        self.hands.offers.remove(&key);
        // Some adapters do not hear, and go on until they are done.
        let deaf = !self.kind && self.random.percent(25);
        if deaf || !self.hands.jobs.contains_key(&key) {
            return;
        }
        self.note(|| format!("{} {} is stopped", key.0, key.1));
        let after = self.random.below(30);
        let ticket = self.plan_report(&key, after);
        if let Some(job) = self.hands.jobs.get_mut(&key) {
            (job.ticket, job.withdrawn) = (ticket, true);
        }
    }

    pub(super) fn job_ends(&mut self, key: Key, ticket: u64) {
        if self.hands.jobs.get(&key).is_none_or(|job| job.ticket != ticket) {
            return;
        }
        let job = self.hands.jobs.remove(&key).expect("BUG: a job that was just there is gone");
        let (run, effect) = key;
        let report = self.report(&job);
        self.note(|| format!("{run} {effect} reports {report:?}"));
        let command = Command::Report { effect, report };
        self.echo(&run, &command, Some(self.life));
        let (command, contents) = self.maybe_stored(command);
        let reply = self.replies.expect();
        self.take(Letter::Command { run, command, contents, reply });
    }

    fn report(&mut self, job: &Job) -> Report {
        let failed =
            |kind, outputs| Report::Failed { failure: Failure::new(kind, "it did not work"), outputs };
        if job.times_out {
            return failed(FailureKind::TimedOut, Fields::new());
        }
        if job.withdrawn && self.random.percent(70) {
            return failed(FailureKind::Cancelled, Fields::new());
        }
        let outputs = self.fields();
        let kind = match self.random.below(100) {
            0..=5 => FailureKind::Operation,
            6..=8 => FailureKind::Crashed,
            9..=12 => FailureKind::TimedOut,
            _ => return Report::Done { outputs },
        };
        failed(kind, outputs)
    }

    /// What someone gives: small things, and now and then a large one.
    pub(super) fn fields(&mut self) -> Fields {
        let size = usize::try_from(self.random.weighted(&[(6, 3), (2, 60), (1, 400)])).unwrap_or(3);
        let mut fields = Fields::from([
            ("n".to_owned(), Data::Inline(json!(self.random.below(4)))),
            ("text".to_owned(), Data::Inline("t".repeat(size).into())),
        ]);
        if self.random.percent(20) {
            fields.insert("items".to_owned(), Data::Inline(json!(vec![self.random.below(9); size / 3])));
        }
        fields
    }

    /// Puts large data of a report beside it, as adapters do.
    fn maybe_stored(&mut self, command: Command) -> (Command, Vec<engine::turn::Content>) {
        match command {
            Command::Report { effect, report: Report::Done { outputs } } if self.random.percent(50) => {
                let (outputs, contents) = stored(outputs, 48);
                (Command::Report { effect, report: Report::Done { outputs } }, contents)
            }
            other => (other, Vec::new()),
        }
    }

    /// The same again, later.
    pub(super) fn echo(&mut self, run: &RunId, command: &Command, life: Option<u64>) {
        if self.kind || !self.random.percent(20) {
            return;
        }
        let after = self.random.weighted(&[(3, 0), (3, 50), (3, 400)]);
        let happening = Happening::Echo { run: run.clone(), command: command.clone() };
        self.queue.plan(self.clock + after, life, happening);
    }

    pub(super) fn timer_fires(&mut self, key: Key, due: u64) {
        if self.hands.timers.get(&key) != Some(&due) {
            return;
        }
        self.hands.timers.remove(&key);
        let (run, timer) = key;
        self.note(|| format!("{run} {timer} fires"));
        let command = Command::Fire { timer };
        self.echo(&run, &command, Some(self.life));
        self.command(&run, command);
    }
}
