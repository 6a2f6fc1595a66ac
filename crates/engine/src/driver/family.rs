//! What runs say to each other: children are started, cancelled and heard of. Everything here is a turn like any
//! other; nothing is remembered beside the journals.
//!
//! ```text
//!  parent ── StartChild, CancelChild ──> child
//!  parent <── EndChild ── TellParent ─── child (and Acknowledge, in the same transaction, back)
//! ```

use super::{Driver, Letter};
use crate::answers::Called;
use crate::turn::{Home, Origin, Posted, brought};
use kernel::command::Caller;
use kernel::event::Report;
use kernel::{
    Command, Digest, Effect, EffectId, Failure, FailureKind, Fields, Outcome, Plan, Run, RunId, Status,
};
use std::sync::Arc;

/// Most runs of one family that are open at once: a run that nobody called, and all below it. Depth alone does not bound them
/// where each calls many.
pub(super) const CALLED_MAX: usize = 10_000;

/// The run that waits for a child, and the effect it waits for.
type Parent = (RunId, EffectId);

impl Driver {
    pub(super) fn start_child(
        &mut self,
        child: RunId,
        parent: Parent,
        plan: Result<Called, String>,
        (inputs, depth): (Fields, u32),
        now: u64,
    ) {
        if self.is_there(&child) {
            return self.take(Letter::Recover { run: child, reply: None }, now);
        }
        let Some(home) = self.seats.get(&parent.0).map(|seat| Home::clone(&seat.home)) else { return };
        let origin = Origin { home, parent: Some(parent.clone()), depth };
        let admissible = plan.and_then(|called| {
            self.has_room(&child)?;
            self.admissible(&called.plan, &child, &inputs, &origin, now).map(|()| called)
        });
        let refused = match admissible {
            Ok(Called { plan, pinned }) => {
                let birth = super::start::Birth { id: child, plan, inputs, origin, key: None, pinned };
                return self.bear(birth, None, now);
            }
            Err(reason) => reason,
        };
        // There is no child, so none can end: the effect that asked for it has failed.
        let failure = Failure::new(FailureKind::Crashed, refused);
        let report = Report::Failed { failure, outputs: Fields::new() };
        let command = Command::Report { effect: parent.1, report };
        self.command(&parent.0, Posted { command, contents: Vec::new(), reply: None, child: None }, now);
    }

    /// Whether one more run may be open below the run that nobody called.
    fn has_room(&self, child: &RunId) -> Result<(), String> {
        let max = self.called_max;
        match self.seats.family(child) < max {
            true => Ok(()),
            false => Err(format!(
                "more than {max} runs would be open at once: workflows call each other too often"
            )),
        }
    }

    /// Whether a run of a plan would admit its start.
    fn admissible(
        &self,
        plan: &Arc<Plan>,
        child: &RunId,
        inputs: &Fields,
        origin: &Origin,
        now: u64,
    ) -> Result<(), String> {
        let (brought, _) = brought(inputs.clone(), &plan.limits, 0);
        let run = Run::new(Arc::clone(plan), child.clone(), origin.parent.clone(), origin.depth);
        let admitted = run.admit(Command::Start { inputs: brought }, now);
        admitted.and_then(|_| self.held_to_rules(plan, inputs)).map_err(|refusal| refusal.to_string())
    }

    pub(super) fn cancel_child(&mut self, child: RunId, parent: Parent, reason: String, now: u64) {
        if self.is_there(&child) {
            // One that has ended refuses, and is made to tell its end again by being brought back.
            let command = Command::Cancel { reason, by: Caller::Server };
            return self
                .take(Letter::Command { run: child, command, contents: Vec::new(), reply: None }, now);
        }
        self.end_child(child, parent, Outcome::Cancelled { reason }, None, now);
    }

    pub(super) fn tell_parent(&mut self, child: RunId, parent: Parent, outcome: Outcome, now: u64) {
        self.end_child(child.clone(), parent, outcome, Some(child), now);
    }

    fn end_child(&mut self, child: RunId, parent: Parent, outcome: Outcome, hears: Option<RunId>, now: u64) {
        let command = Command::EndChild { effect: parent.1, child, outcome };
        self.command(&parent.0, Posted { command, contents: Vec::new(), reply: None, child: hears }, now);
    }

    /// The end of a child is recorded by its parent, or never will be.
    pub(super) fn acknowledge(&mut self, child: Option<RunId>, now: u64) {
        let Some(child) = child else { return };
        let (command, contents) = (Command::Acknowledge, Vec::new());
        self.command(&child, Posted { command, contents, reply: None, child: None }, now);
    }

    /// Why a run is not to be carried on: its parent ended without it, so that its word to cancel was lost in a crash, or
    /// something is due above it for which the parent gives it up.
    pub(super) fn unwanted(&mut self, id: &RunId, now: u64) -> Option<String> {
        let run = &self.seats.get(id)?.run;
        if run.outcome().is_some() || matches!(run.status(), Status::Closing) {
            return None;
        }
        let parent = run.parent()?.0.clone();
        let ended = match self.seats.get(&parent) {
            Some(seat) => seat.run.outcome().is_some(),
            None => matches!(self.store.reader().run(&parent), Ok(Some(row)) if row.ended_at.is_some()),
        };
        if ended {
            return Some("the parent has ended".to_owned());
        }
        // A parent that cannot go on says so to whoever asks for it.
        if !self.is_due_above(&parent, now) || self.carried_on(&parent, now).is_err() {
            return None;
        }
        let open = self.seats.get(&parent)?.run.open();
        open.into_iter().find_map(|open| match open.effect {
            Effect::CancelChild { child, reason, .. } if child == *id => Some(reason),
            _ => None,
        })
    }

    /// Whether something is due in a run that is not under way, or in one above it.
    fn is_due_above(&mut self, id: &RunId, now: u64) -> bool {
        let Ok(seat) = self.seated(id) else { return false };
        if seat.under_way {
            return false;
        }
        let parent = seat.run.parent().map(|(parent, _)| parent.clone());
        !seat.run.overdue(now).is_empty() || parent.is_some_and(|parent| self.is_due_above(&parent, now))
    }

    /// The workflow that was pinned by a digest, with a plan that calls it: it was stored with that.
    pub fn pinned(&self, workflow: &str, digest: &Digest) -> Result<Called, String> {
        let lost =
            |reason: String| format!("the plan of `{workflow}` that was pinned cannot be had: {reason}");
        let body = self.store.reader().plan(digest).map_err(|fault| lost(fault.to_string()))?;
        let body = body.ok_or_else(|| lost(format!("{digest} is not in the store")))?;
        let plan: Plan = serde_json::from_slice(&body).map_err(|error| lost(error.to_string()))?;
        plan.check().map_err(|broken| lost(broken.0))?;
        Ok(Arc::new(plan).into())
    }

    /// Whether a run was ever started.
    pub(super) fn is_there(&self, run: &RunId) -> bool {
        self.seats.contains(run) || matches!(self.store.reader().has_run(run), Ok(true))
    }
}
