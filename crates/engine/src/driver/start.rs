//! Starts runs: those a caller asks for, and children of other runs.

use super::{Driver, Letter};
use crate::backend::{Accepted, Error, Start};
use crate::journal::Head;
use crate::store::{NewRun, Write};
use crate::turn::{Home, Origin, Reply, Seat, Turning, stored};
use kernel::{Command, Digest, EffectId, Failure, FailureKind, Fields, Outcome, Plan, Run, RunId};
use std::collections::VecDeque;
use std::sync::Arc;

/// A run about to be made.
struct Birth {
    id: RunId,
    plan: Arc<Plan>,
    inputs: Fields,
    origin: Origin,
    key: Option<(String, Digest)>,
}

impl Driver {
    pub(super) fn start(&mut self, start: Start, reply: Option<Reply>, now: u64) {
        let Start { id, plan, inputs, home, request_key } = start;
        let digest = plan.digest();
        let fingerprint = Digest::of_json(&(digest, &inputs));
        match self.asked_before(&home, request_key.as_deref(), fingerprint) {
            Ok(None) => {}
            Ok(Some(run)) => return self.there_already(&run, reply),
            Err(error) => return self.answer_later(reply, Err(error)),
        }
        let key = request_key.map(|key| (key, fingerprint));
        let origin = Origin { home, parent: None, depth: 0 };
        self.bear(Birth { id, plan, inputs, origin, key }, digest, reply, now);
    }

    fn asked_before(
        &self,
        home: &Home,
        key: Option<&str>,
        fingerprint: Digest,
    ) -> Result<Option<RunId>, Error> {
        let Some(key) = key else { return Ok(None) };
        let workspace = home.folder.to_string_lossy();
        let request =
            self.store.reader().request(&workspace, key).map_err(|fault| Error::Store(fault.to_string()))?;
        match request {
            None => Ok(None),
            Some(request) if request.fingerprint == fingerprint => Ok(Some(request.run)),
            Some(_) => Err(Error::KeyUsed(key.to_owned())),
        }
    }

    fn there_already(&mut self, run: &RunId, reply: Option<Reply>) {
        let accepted =
            self.standing(run).map(|standing| Accepted { run: run.clone(), seq: 0, status: standing.status });
        self.answer_later(reply, accepted);
    }

    fn bear(&mut self, birth: Birth, digest: Digest, reply: Option<Reply>, now: u64) {
        let Birth { id, plan, inputs, origin, key } = birth;
        let (inputs, contents) = stored(inputs, plan.limits.inline_bytes_max);
        let mut run = Run::new(Arc::clone(&plan), id.clone(), origin.parent.clone(), origin.depth);
        let event = match run.admit(Command::Start { inputs }, now) {
            Ok(event) => event,
            Err(refusal) => return self.answer_later(reply, Err(refusal.into())),
        };
        self.write_birth(&id, &plan, digest, &origin, key, now);
        let turn = run.apply(event.clone());
        let seat = Seat {
            run,
            home: Arc::new(origin.home.clone()),
            head: Head::first(&id, &digest),
            tail_bytes: 0,
            snapshot_bytes: 0,
            shown: ("queued", None),
            turning: None,
            backlog: VecDeque::new(),
        };
        self.seats.insert(id.clone(), seat);
        let turning =
            Turning { event, contents, asked: Vec::new(), known: Vec::new(), answers: Vec::new(), reply };
        self.turned(&id, turning, turn, Some(origin));
    }

    fn write_birth(
        &mut self,
        id: &RunId,
        plan: &Plan,
        digest: Digest,
        origin: &Origin,
        key: Option<(String, Digest)>,
        at: u64,
    ) {
        let workspace = origin.home.folder.to_string_lossy().into_owned();
        let body = serde_json::to_vec(plan).expect("BUG: a plan has no JSON form");
        self.batch.writes.push(Write::Plan { digest, body });
        self.batch.writes.push(Write::CreateRun(NewRun {
            id: id.clone(),
            workflow: plan.name.clone(),
            dialect: plan.dialect.as_str().to_owned(),
            plan: digest,
            workspace: workspace.clone(),
            parent: origin.parent.as_ref().map(|(parent, _)| parent.clone()),
            status: "queued".to_owned(),
            detail: None,
            at,
        }));
        if let Some((key, fingerprint)) = key {
            self.batch.writes.push(Write::Request { workspace, key, fingerprint, run: id.clone() });
        }
    }

    pub(super) fn start_child(
        &mut self,
        child: RunId,
        parent: (RunId, EffectId),
        plan: Result<Arc<Plan>, String>,
        inputs: Fields,
        depth: u32,
        now: u64,
    ) {
        if self.seats.contains_key(&child) || matches!(self.store.reader().run(&child), Ok(Some(_))) {
            return self.take(Letter::Recover { run: child, reply: None }, now);
        }
        let Some(home) = self.seats.get(&parent.0).map(|seat| Home::clone(&seat.home)) else { return };
        let refused = match plan {
            Err(reason) => reason,
            Ok(plan) => match self.admissible(&plan, &child, &inputs, now) {
                Some(reason) => reason,
                None => {
                    let digest = plan.digest();
                    let origin = Origin { home, parent: Some(parent), depth };
                    return self.bear(
                        Birth { id: child, plan, inputs, origin, key: None },
                        digest,
                        None,
                        now,
                    );
                }
            },
        };
        // A child that cannot start has failed, and its parent hears of it like of any other end.
        let failure = Failure::new(FailureKind::Crashed, refused);
        let command = Command::EndChild { effect: parent.1, child, outcome: Outcome::Failed { failure } };
        self.take(Letter::Command { run: parent.0, command, contents: Vec::new(), reply: None }, now);
    }

    fn admissible(&self, plan: &Arc<Plan>, child: &RunId, inputs: &Fields, now: u64) -> Option<String> {
        let (inputs, _) = stored(inputs.clone(), plan.limits.inline_bytes_max);
        let run = Run::new(Arc::clone(plan), child.clone(), None, 0);
        run.admit(Command::Start { inputs }, now).err().map(|refusal| refusal.to_string())
    }
}
