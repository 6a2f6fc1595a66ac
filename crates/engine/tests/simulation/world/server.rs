//! The server's life: started, killed at any moment, started again, taken over. And its loop: what it takes in, what
//! it commits, what it lets leave.

use super::queue::Happening;
use super::{Halt, World};
use crate::faults;
use crate::watch::Violation;
use engine::driver::{Driver, Letter, Parcel};
use engine::store::{Filter, Kind, Store};
use kernel::{Command, RunId};

impl World<'_> {
    pub(super) fn driver(&mut self) -> &mut Driver {
        self.driver.as_mut().expect("BUG: the server is down")
    }

    /// Starts the server: opens the store and carries every open run on.
    pub(super) fn start_server(&mut self) -> Result<(), Violation> {
        self.queue.forget(self.life);
        self.life += 1;
        self.own.clear();
        self.hands.forget();
        self.asking = 0;
        self.recovering = 0;
        self.replies.forget();
        self.driver = None;
        let store = match self.store.take() {
            Some(store) => store,
            None => {
                Store::open(self.dir).map_err(|error| Violation::new("the store opens", error.to_string()))?
            }
        };
        let mut driver = faults::driver(store, self.fault);
        driver.snapshot_past(self.random.weighted(&[(3, 0), (2, 2_000), (1, 32_768)]));
        let reader = driver.store().reader();
        let ours = Filter { workspace: Some(self.folder()), ..Filter::default() };
        for row in reader.runs(&ours).map_err(unreadable)? {
            self.watch.catch_up(reader, &row.id)?;
        }
        let mut runs = reader.runs(&Filter { open: true, ..ours }).map_err(unreadable)?;
        self.driver = Some(driver);
        while !runs.is_empty() {
            let position = usize::try_from(self.random.below(runs.len() as u64)).unwrap_or(0);
            let run = runs.swap_remove(position).id;
            // People may be faster than recovery.
            let after = self.random.weighted(&[(3, 0), (1, 1), (1, 80)]);
            if after > 0 {
                self.recovering += 1;
                self.queue.plan(self.clock + after, Some(self.life), Happening::Recover { run });
                continue;
            }
            let reply = self.replies.expect();
            self.own.push_back(Letter::Recover { run, reply });
        }
        Ok(())
    }

    /// A chance to die.
    pub(super) fn may_crash(&mut self) -> Result<(), Halt> {
        if self.kind || self.crashes_left == 0 || self.random.below(1_000) >= self.crash_permille {
            return Ok(());
        }
        self.crashes_left -= 1;
        self.crashes += 1;
        self.note(|| "CRASH".to_owned());
        Err(Halt::Crash)
    }

    /// Another server takes over while this one sleeps; it will wake up and try to go on.
    pub(super) fn take_over(&mut self) -> Result<(), Halt> {
        if self.kind {
            return Ok(());
        }
        self.note(|| "TAKEN OVER".to_owned());
        self.crashes += 1;
        let _ = std::fs::remove_file(self.dir.join("store.lock"));
        self.zombie = self.driver.take();
        let after = self.random.below(200);
        self.queue.plan(self.clock + after, None, Happening::Zombie);
        Err(Halt::Crash)
    }

    /// The one that was taken over wakes up: nothing of it may be written.
    pub(super) fn zombie_acts(&mut self) -> Result<(), Halt> {
        let Some(mut zombie) = self.zombie.take() else { return Ok(()) };
        zombie.fill_disk(0);
        let runs: Vec<RunId> = self.watch.runs.keys().cloned().collect();
        for run in runs {
            let by = kernel::command::Caller::Server;
            let command = Command::Cancel { reason: "a revived owner".into(), by };
            zombie.take(Letter::Command { run, command, contents: Vec::new(), reply: None }, self.clock);
        }
        let before = zombie.store().counters().appends;
        let committed = zombie.commit();
        let wrote = zombie.store().counters().appends > before;
        self.note(|| format!("the revived owner wakes up: {:?}", committed.as_ref().map(Vec::len)));
        match committed {
            Ok(_) if !wrote => Ok(()),
            Err(error) if error.kind() == Kind::Fenced => Ok(()),
            other => {
                let detail = format!("a revived owner got {:?}", other.map(|parcels| parcels.len()));
                Err(Violation::new("a fenced owner writes nothing", detail).into())
            }
        }
    }

    pub(super) fn take(&mut self, letter: Letter) {
        let clock = self.clock;
        self.driver().take(letter, clock);
    }

    pub(super) fn command(&mut self, run: &RunId, command: Command) {
        let reply = self.replies.expect();
        self.take(Letter::Command { run: run.clone(), command, contents: Vec::new(), reply });
    }

    /// Asks what must be known, commits, and lets everything leave.
    pub(super) fn flush(&mut self) -> Result<(), Halt> {
        for parcel in self.driver().questions() {
            self.let_leave(parcel)?;
            self.may_crash()?;
        }
        self.may_crash()?;
        if !self.kind && self.random.percent(2) {
            let commits = self.random.between(1, 3);
            self.driver().fill_disk(u32::try_from(commits).unwrap_or(1));
        }
        let parcels = match self.driver().commit() {
            Ok(parcels) => parcels,
            // The disk is full: all of it goes on waiting.
            Err(error) if error.kind() == Kind::Retryable => {
                self.note(|| format!("not committed: {error}"));
                self.queue.plan(self.clock, None, Happening::Retry);
                return Ok(());
            }
            Err(error) => {
                return Err(Violation::new("the owner's commits are taken", error.to_string()).into());
            }
        };
        self.may_crash()?;
        self.look(&parcels)?;
        for parcel in parcels {
            self.let_leave(parcel)?;
            self.may_crash()?;
        }
        self.hear_replies()?;
        self.check_what_is_held()?;
        Ok(())
    }

    fn let_leave(&mut self, parcel: Parcel) -> Result<(), Halt> {
        match parcel {
            Parcel::Effect { run, effect, .. } => {
                let driver = self.driver.as_ref().expect("BUG: the server is down");
                self.watch.leaves(driver.store().reader(), &run, &effect)?;
                self.dispatch(run, effect)?;
            }
            Parcel::Ask { run, questions, .. } => {
                self.note(|| format!("{run} asks {questions:?}"));
                self.asking += 1;
                let after = self.random.weighted(&[(6, 0), (2, 5), (1, 60)]);
                let life = Some(self.life);
                self.queue.plan(self.clock + after, life, Happening::Answer { run, questions });
            }
            Parcel::Died { run, perform, .. } => {
                self.note(|| format!("{run} takes away what {} left", perform.id));
            }
            Parcel::Progress(progress) => {
                let (run, seq) = (&progress.run, progress.seq);
                self.note(|| format!("{run} entry {seq}: {:?}", progress.status));
            }
        }
        Ok(())
    }
}

pub(super) fn unreadable(fault: engine::store::Fault) -> Violation {
    Violation::new("what is stored can be read", fault.to_string())
}
