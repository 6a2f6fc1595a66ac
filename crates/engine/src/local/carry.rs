//! Carries one effect out, through the adapter it names, beside the driving thread; its report comes as a letter.

use super::hands::{Hands, Key};
use super::secret::masked;
use crate::adapters::file::{self, Created};
use crate::adapters::mounts::may_stand_still;
use crate::adapters::process::{self, Begun, Job, Outcome, Stops};
use crate::adapters::{git, schema, shell};
use crate::kill_point;
use crate::log::say;
use crate::turn::{Home, Reply};
use kernel::effect::Perform;
use kernel::event::Report;
use kernel::plan::Adapter;
use kernel::{Fields, RunId};
use std::sync::Arc;

impl Hands {
    /// Carries one effect out. While the server shuts down nothing new is begun.
    pub(super) fn perform(self: &Arc<Self>, run: RunId, home: &Home, perform: Perform) {
        if !self.is_open() {
            return;
        }
        match perform.adapter {
            Adapter::Noop => self.report(run, perform.id, Report::Done { outputs: perform.inputs }),
            Adapter::Process => self.process(run, home, perform),
            Adapter::File => self.file(run, home.clone(), perform),
            Adapter::Git => self.git(run, home.clone(), perform),
            Adapter::Schema => self.schema(run, perform),
            Adapter::Terminal => self.terminal(run, home.clone(), perform),
            other @ Adapter::Mcp => {
                let reason = format!("this version has no `{other:?}` adapter").to_lowercase();
                self.refuse(run, perform.id, reason);
            }
        }
    }

    fn process(self: &Arc<Self>, run: RunId, home: &Home, perform: Perform) {
        let mut job = match shell::job(&run, home, &perform) {
            Ok(job) => job,
            Err(failure) => {
                return self.report(run, perform.id, Report::Failed { failure, outputs: Fields::new() });
            }
        };
        let key = (run, perform.id.clone());
        // To start a process takes no longer than to wake another thread for it; where others are under way already, they
        // should not wait for that. Secrets may have to be waited for.
        let here = self.is_idle() && perform.secrets.is_empty() && !may_stand_still(&job.dir);
        let Some(stops) = self.begin(key.clone()) else { return };
        let hands = Arc::clone(self);
        if here {
            // What other steps were given may come back in this one.
            job.mask = self.secrets().masker();
            let begun = self.begin_process(&job, stops);
            self.carry(&key.clone(), async move {
                let outcome = begun.follow(&job, &hands.notes).await;
                hands.process_over(&key, &perform, &job, &outcome);
            });
            return;
        }
        let folder = home.folder.clone();
        self.carry(&key.clone(), async move {
            let mut stopped = stops.clone();
            let given = tokio::select! {
                biased;
                given = hands.give(&folder, &perform, &mut job) => given,
                // Nobody waits for its secrets any more: it ends as one that was stopped before it began.
                _ = stopped.first() => Ok(()),
            };
            match given {
                Ok(()) => {
                    kill_point("before process");
                    let outcome = process::run(&job, &hands.notes, stops).await;
                    hands.process_over(&key, &perform, &job, &outcome);
                }
                Err(failure) => {
                    let report = Report::Failed { failure, outputs: Fields::new() };
                    hands.over(&key, |hands| hands.send(key.0.clone(), perform.id, report, None));
                }
            }
        });
    }

    fn begin_process(&self, job: &Job, stops: Stops) -> Begun {
        kill_point("before process");
        let _inside = self.runtime.enter();
        Begun::begin(job, &self.notes, stops)
    }

    fn process_over(&self, key: &Key, perform: &Perform, job: &Job, outcome: &Outcome) {
        kill_point("process ended");
        let (run, id) = key.clone();
        if let Some(left) = shell::unended(outcome) {
            say(format_args!("switchback: `{id}` of {run}: {left}"));
        }
        let report = match (shell::report(outcome, perform), &outcome.ended) {
            (Some(report), process::Ended::NotStarted(_)) => Some(masked(report, &job.mask)),
            // What it said was masked as it came.
            (report, _) => report,
        };
        self.over(key, |hands| match report {
            Some(report) => hands.send(run, id, report, None),
            None => hands.interrupted(run, id),
        });
    }

    fn file(self: &Arc<Self>, run: RunId, home: Home, perform: Perform) {
        let key = (run, perform.id.clone());
        let Some(stops) = self.begin(key.clone()) else { return };
        let hands = Arc::clone(self);
        self.carry(&key.clone(), async move {
            kill_point("before file");
            let ended = file::run(Arc::clone(&hands.files), key.0.clone(), home, perform, stops).await;
            kill_point("file done");
            let (run, effect) = key.clone();
            hands.over(&key, |hands| match ended {
                file::Ended::Reported(report, note) => {
                    hands.report_then(run, effect, report, note.map(forget));
                }
                file::Ended::Interrupted => hands.interrupted(run, effect),
            });
        });
    }

    /// Takes away what an effect on files left whose server died. It is in hand meanwhile: the server does not end before.
    pub(super) fn clear(self: &Arc<Self>, run: RunId, home: Arc<Home>, perform: Perform) {
        let key = (run, perform.id.clone());
        if self.begin(key.clone()).is_none() {
            return;
        }
        let hands = Arc::clone(self);
        self.carry(&key.clone(), async move {
            file::clear(Arc::clone(&hands.files), key.0.clone(), home, perform).await;
            hands.over(&key, |_| ());
        });
    }

    /// A large value takes a while to be held against a large schema.
    fn schema(self: &Arc<Self>, run: RunId, perform: Perform) {
        let key = (run, perform.id.clone());
        if self.begin(key.clone()).is_none() {
            return;
        }
        let hands = Arc::clone(self);
        self.carry_aside(&key.clone(), move || {
            let report = schema::report(&perform);
            hands.over(&key, |hands| hands.report(key.0.clone(), perform.id.clone(), report));
        });
    }

    fn git(self: &Arc<Self>, run: RunId, home: Home, perform: Perform) {
        let key = (run, perform.id.clone());
        let Some(stops) = self.begin(key.clone()) else { return };
        let hands = Arc::clone(self);
        let (of_work, may_stand_still) = (key.clone(), may_stand_still(&home.folder));
        let work = async move {
            let asked = (&hands.repositories, stops);
            let report = git::perform(&key.0, &home, &perform, &hands.notes, asked).await;
            hands.over(&key, |hands| match report {
                Some(report) => hands.report(key.0.clone(), perform.id, report),
                None => hands.interrupted(key.0.clone(), perform.id),
            });
        };
        match may_stand_still {
            // It looks at the folder itself, and then holds up its own thread only.
            true => {
                let runtime = self.runtime.clone();
                self.carry_aside(&of_work, move || runtime.block_on(work));
            }
            false => self.carry(&of_work, work),
        }
    }
}

/// Forgets a note once a report is recorded; until then the next attempt may need it.
fn forget(note: Created) -> Reply {
    Box::new(move |recorded| {
        if recorded.is_ok() {
            note.forget();
        }
    })
}
