//! Starts runs: those a caller asks for, and children of other runs.

use super::Driver;
use crate::backend::{Accepted, Error, Start};
use crate::journal::Head;
use crate::store::{NewRun, Write};
use crate::turn::{Home, Origin, Reply, Seat, Turning, brought, fits, read};
use kernel::{Command, Data, Digest, Fields, Plan, Refusal, Run, RunId};
use serde_json::Value;
use std::collections::VecDeque;
use std::sync::Arc;

/// A run about to be made.
pub(super) struct Birth {
    pub(super) id: RunId,
    pub(super) plan: Arc<Plan>,
    pub(super) inputs: Fields,
    pub(super) origin: Origin,
    pub(super) key: Option<(String, Digest)>,
    /// Plans that are stored with it.
    pub(super) pinned: Vec<Arc<Plan>>,
}

impl Driver {
    /// Starts a run, unless its key started it before or there is a reason against a new one.
    pub(super) fn start(&mut self, start: Start, against: Option<Error>, reply: Option<Reply>, now: u64) {
        let Start { id, plan, inputs, home, request_key, pinned, is_brought } = start;
        let fingerprint = match is_brought {
            true => Digest::of_json(&(&plan.name, plan.digest(), ordered(&inputs))),
            false => Digest::of_json(&(&plan.name, ordered(&inputs))),
        };
        match self.asked_before(&home, request_key.as_deref(), fingerprint) {
            Ok(None) if self.is_there(&id) => return self.answer_later(reply, Err(Error::NameTaken(id))),
            Ok(None) => {}
            Ok(Some(run)) => return self.there_already(&run, reply),
            Err(error) => return self.answer_later(reply, Err(error)),
        }
        if let Some(error) = against {
            return self.answer_later(reply, Err(error));
        }
        let key = request_key.map(|key| (key, fingerprint));
        let origin = Origin { home, parent: None, depth: 0 };
        self.bear(Birth { id, plan, inputs, origin, key, pinned }, reply, now);
    }

    fn asked_before(
        &self,
        home: &Home,
        key: Option<&str>,
        fingerprint: Digest,
    ) -> Result<Option<RunId>, Error> {
        let Some(key) = key else { return Ok(None) };
        let workspace = home.folder.to_string_lossy();
        let request = match self.asked_just_now(&workspace, key) {
            Some(found) => Some(found),
            None => {
                let stored = self.store.reader().request(&workspace, key);
                let stored = stored.map_err(|fault| Error::Store(fault.to_string()))?;
                stored.map(|request| (request.fingerprint, request.run))
            }
        };
        match request {
            None => Ok(None),
            Some((used, run)) if used == fingerprint => Ok(Some(run)),
            Some(_) => Err(Error::KeyUsed(key.to_owned())),
        }
    }

    /// A request that no commit has written yet: it is in the batch, or its run is still asking its first questions.
    fn asked_just_now(&self, workspace: &str, key: &str) -> Option<(Digest, RunId)> {
        let turning = self.seats.values().filter_map(|seat| seat.turning.as_ref()?.birth.as_ref());
        let writes = turning.flat_map(|birth| &birth.0).chain(&self.batch.writes);
        writes.into_iter().find_map(|write| match write {
            Write::Request { workspace: at, key: used, fingerprint, run }
                if at == workspace && used == key =>
            {
                Some((*fingerprint, run.clone()))
            }
            _ => None,
        })
    }

    fn there_already(&mut self, run: &RunId, reply: Option<Reply>) {
        let accepted =
            self.standing(run).map(|standing| Accepted { run: run.clone(), seq: 0, status: standing.status });
        self.answer_later(reply, accepted);
    }

    pub(super) fn bear(&mut self, birth: Birth, reply: Option<Reply>, now: u64) {
        let Birth { id, plan, inputs, origin, key, pinned } = birth;
        let held = self.held_to_rules(&plan, &inputs);
        let (inputs, contents) = brought(inputs, &plan.limits, 0);
        let run = Run::new(Arc::clone(&plan), id.clone(), origin.parent.clone(), origin.depth);
        let mut run = run.within(origin.home.bounds());
        #[cfg(feature = "faults")]
        run.plant(self.planted_in_runs);
        let event = match run.admit(Command::Start { inputs }, now).and_then(|event| held.map(|()| event)) {
            Ok(event) => event,
            Err(refusal) => return self.answer_later(reply, Err(refusal.into())),
        };
        let (digest, kept) = self.plans.write(&plan);
        let mut writes = vec![kept];
        writes.extend(first_writes(&id, &plan, digest, &origin, key, now));
        writes.extend(pinned.iter().map(|plan| self.plans.write(plan).1));
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
            under_way: true,
        };
        self.seats.insert(id.clone(), seat);
        let birth = Some(Box::new((writes, origin)));
        let (asked, known, answers) = (Vec::new(), Vec::new(), Vec::new());
        let (child, patience) = (None, Arc::default());
        let turning = Turning { event, contents, asked, known, answers, reply, child, patience, birth };
        self.turned(&id, turning, turn);
    }
}

impl Driver {
    /// Whether inputs fit the rules of a plan.
    pub(super) fn held_to_rules(&self, plan: &Plan, inputs: &Fields) -> Result<(), Refusal> {
        let load = |digest: &Digest| {
            read(self.store.reader(), digest).map(|(value, _)| value).map_err(|fault| fault.to_string())
        };
        fits(plan, inputs, load)
    }
}

/// Inputs without the order in which the members of their objects were written: it means nothing.
fn ordered(inputs: &Fields) -> Vec<(&String, Value)> {
    let value = |data: &Data| match data {
        Data::Inline(value) => sorted(value),
        Data::Stored(reference) => reference.digest.to_string().into(),
    };
    inputs.iter().map(|(name, data)| (name, value(data))).collect()
}

fn sorted(value: &Value) -> Value {
    match value {
        Value::Array(items) => items.iter().map(sorted).collect(),
        Value::Object(members) => {
            let mut members: Vec<_> =
                members.iter().map(|(name, value)| (name.clone(), sorted(value))).collect();
            members.sort_by(|one, other| one.0.cmp(&other.0));
            Value::Object(members.into_iter().collect())
        }
        plain => plain.clone(),
    }
}

/// What makes a run in the store, once its plan is there.
fn first_writes(
    id: &RunId,
    plan: &Plan,
    digest: Digest,
    origin: &Origin,
    key: Option<(String, Digest)>,
    at: u64,
) -> impl Iterator<Item = Write> {
    let workspace = origin.home.folder.to_string_lossy().into_owned();
    let run = Write::CreateRun(NewRun {
        id: id.clone(),
        workflow: plan.name.clone(),
        dialect: plan.dialect.as_str().to_owned(),
        plan: digest,
        workspace: workspace.clone(),
        parent: origin.parent.as_ref().map(|(parent, _)| parent.clone()),
        status: "queued".to_owned(),
        detail: None,
        at,
    });
    let request =
        key.map(|(key, fingerprint)| Write::Request { workspace, key, fingerprint, run: id.clone() });
    std::iter::once(run).chain(request)
}
