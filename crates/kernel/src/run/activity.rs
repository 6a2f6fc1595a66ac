//! The life of one step's work, the same in every flow: attempts, retries, actions, checks, children, waits,
//! interruption and stopping. The flow hears of it once, when it has ended.

use super::phase::Phase;
use super::{Moment, Stop, Task};
use crate::effect::{Action, Perform};
use crate::event::{Report, Resolution};
use crate::fault::Fault;
use crate::id::Purpose;
use crate::plan::{Audience, Deadline, OnInterrupt, OnOverdue, Step, Work, Workflow};
use crate::run::Outcome;
use crate::table::table;
use crate::{Data, Digest, Effect, EffectId, Failure, FailureKind, Fields, News, RunId};
use serde::{Deserialize, Serialize};
use serde_json::Value;

table! { "activity":
    PERFORM        = "none",        "server's work began"               => "working";
    OFFER          = "none",        "agent's or human's work began"     => "offered";
    NEST           = "none",        "a child was asked for"             => "nested";
    SLEEP          = "none",        "a wait began"                      => "sleeping";
    REFUSE         = "none",        "its inputs cannot be made"         => "ended";
    DONE           = "working",     "done"                              => "ended";
    FAILED         = "working",     "failed, no attempt left"           => "ended";
    REST           = "working",     "failed, an attempt is left"        => "resting";
    AGAIN          = "resting",     "the rest is over"                  => "working";
    REDO           = "working",     "interrupted, may be done again"    => "working";
    ASK            = "working",     "interrupted, must be asked"        => "interrupted";
    GIVE_UP        = "working",     "interrupted, counts as failed"     => "ended";
    TOLD_AGAIN     = "interrupted", "do it again"                       => "working";
    TOLD_DONE      = "interrupted", "it had happened"                   => "ended";
    TOLD_FAILED    = "interrupted", "it has failed"                     => "ended";
    TAKE           = "offered",     "result came"                       => "ended";
    CHECK          = "offered",     "result came, to be verified"       => "verifying";
    APPROVE        = "offered",     "a human said yes"                  => "ended";
    DECLINE        = "offered",     "a human said no"                   => "ended";
    OVERDUE        = "offered",     "result is overdue"                 => "offered";
    EXPIRE         = "offered",     "result did not come in time"       => "ended";
    HOLDS          = "verifying",   "the result holds"                  => "ended";
    HOLDS_NOT      = "verifying",   "it does not, an attempt is left"   => "offered";
    HOLDS_NEVER    = "verifying",   "it does not, no attempt left"      => "ended";
    CHECK_AGAIN    = "verifying",   "the check was interrupted"         => "verifying";
    CHILD_DONE     = "nested",      "the child succeeded"               => "ended";
    CHILD_FAILED   = "nested",      "the child did not"                 => "ended";
    CHILD_LATE     = "nested",      "the child takes too long"          => "nested";
    AWAKE          = "sleeping",    "the wait is over"                  => "ended";
    STOP           = "working",     "the run closes"                    => "stopping";
    DROP           = "waiting",     "the run closes"                    => "ended";
    STOPPED        = "stopping",    "it reported"                       => "ended";
}

/// Who hears of the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Owner {
    Block(u32),
    Lane(u32),
    State,
    Cleanup,
}

/// One step's work, from its first attempt to its end.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Activity {
    pub(crate) step: u32,
    pub(crate) owner: Owner,
    pub(crate) attempt: u32,
    /// How many attempts have failed, or results not held.
    pub(crate) failed: u32,
    pub(crate) since: u64,
    pub(crate) inputs: Fields,
    pub(crate) stage: Stage,
}

/// Where it is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Stage {
    Working,
    Offered {
        shown: Digest,
        due: Option<u64>,
        overdue: bool,
        note: Option<Data>,
    },
    /// A submitted result is being checked; `check` is what the adapter was given, once that is known.
    Verifying {
        result: Fields,
        check: Option<Fields>,
    },
    Resting {
        due: u64,
    },
    Interrupted,
    Nested {
        child: RunId,
        workflow: String,
        plan: Option<Digest>,
        due: Option<u64>,
        late: bool,
    },
    Sleeping {
        due: u64,
    },
    /// Withdrawn; its report is still to come. A child's end counts as one.
    Stopping {
        checking: bool,
        child: Option<RunId>,
    },
}

impl Moment<'_> {
    /// Begins a step: makes its inputs and sends its first attempt out.
    pub(crate) fn begin(&mut self, owner: Owner, step: u32, key: String) -> Result<(), Stop> {
        let planned = &self.plan.steps[step as usize];
        let lane = if let Owner::Lane(lane) = owner { Some(lane) } else { None };
        let scope = self.scope(&planned.access).in_lane(lane);
        let made = match &planned.work {
            Work::Server { inputs, .. } | Work::Action { inputs, .. } => scope.fields(inputs),
            Work::Child { inputs, workflow } => scope.child(workflow, inputs),
            Work::Wait { ms } => scope.fields(std::slice::from_ref(&("ms".to_owned(), ms.clone()))),
        };
        let inputs = match made.and_then(|inputs| self.room_for(inputs)) {
            Err(Stop::Fail(failure)) => {
                self.refuse(owner, step, key, failure);
                return Ok(());
            }
            other => other?,
        };
        self.life.held += crate::data::weight_of(&inputs);
        let activity =
            Activity { step, owner, attempt: 1, failed: 0, since: self.now, inputs, stage: Stage::Working };
        let replaced = self.life.activities.insert(key.clone(), activity);
        assert!(replaced.is_none(), "BUG: `{key}` was begun twice");
        self.launch(&key);
        Ok(())
    }

    fn room_for(&self, inputs: Fields) -> Result<Fields, Stop> {
        self.hold(crate::data::weight_of(&inputs))?;
        Ok(inputs)
    }

    /// Fails if the run would hold more than it may.
    pub(crate) fn hold(&self, more: u64) -> Result<(), Failure> {
        let (held, max) = (self.life.held + more, self.plan.limits.held_bytes_max);
        if held <= max {
            return Ok(());
        }
        Err(Failure::new(
            FailureKind::Limit,
            format!("the run would hold {held} bytes; at most {max} are allowed"),
        ))
    }

    fn refuse(&mut self, owner: Owner, step: u32, key: String, failure: Failure) {
        self.reach(REFUSE);
        self.news(News::Began { key: key.clone(), step, attempt: 1, inputs: Fields::new() });
        self.ended(&key, owner, step, self.now, Some(failure), Fields::new());
    }

    /// Sends the current attempt out.
    fn launch(&mut self, key: &str) {
        let activity = &self.life.activities[key];
        let step = &self.plan.steps[activity.step as usize];
        let (attempt, inputs) = (activity.attempt, activity.inputs.clone());
        self.news(News::Began { key: key.to_owned(), step: activity.step, attempt, inputs: inputs.clone() });
        match &step.work {
            Work::Server { .. } => {
                self.reach(PERFORM);
                self.set(key, Stage::Working);
                let perform = perform(step, EffectId::of(key, attempt, Purpose::Work), inputs);
                if self.planted.has(Fault::StepStartedTwice) && attempt > 1 {
                    self.effect(Effect::Perform(perform.clone()));
                }
                self.effect(Effect::Perform(perform));
            }
            Work::Action { .. } => {
                self.reach(OFFER);
                self.offer(key, None);
            }
            Work::Child { workflow, .. } => {
                self.reach(NEST);
                self.nest(key, step, workflow, inputs);
            }
            Work::Wait { .. } => {
                self.reach(SLEEP);
                let ms = inputs.get("ms").and_then(Data::inline).and_then(Value::as_u64).unwrap_or(0);
                let due = self.now.saturating_add(ms);
                self.set(key, Stage::Sleeping { due });
                self.effect(Effect::StartTimer { id: EffectId::of(key, attempt, Purpose::Due), due });
            }
        }
    }

    fn offer(&mut self, key: &str, note: Option<Data>) {
        let activity = &self.life.activities[key];
        let step = &self.plan.steps[activity.step as usize];
        let grace = match step.on_overdue {
            OnOverdue::Offer if !is_gate(step) => self.plan.limits.overdue_ms,
            _ => 0,
        };
        let due = step.timeout.ms().map(|ms| self.now + ms + grace);
        let shown = Digest::of_json(&activity.inputs);
        let attempt = activity.attempt;
        self.set(key, Stage::Offered { shown, due, overdue: false, note });
        let offer = self.action(key);
        self.effect(Effect::Offer(offer));
        if let Some(due) = due {
            self.effect(Effect::StartTimer { id: EffectId::of(key, attempt, Purpose::Due), due });
        }
    }

    fn action(&self, key: &str) -> Action {
        action(self.plan, key, &self.life.activities[key]).expect("BUG: an offered activity is an action")
    }

    fn nest(&mut self, key: &str, step: &Step, workflow: &Workflow, mut inputs: Fields) {
        let attempt = self.life.activities[key].attempt;
        let id = EffectId::of(key, attempt, Purpose::Work);
        let child = self.life.id.child(&id);
        let (name, plan) = match workflow {
            Workflow::Pinned { name, plan } => (name.clone(), Some(*plan)),
            Workflow::Named(_) => (workflow_named(&mut inputs), None),
        };
        let due = step.timeout.ms().map(|ms| self.now + ms);
        self.set(key, Stage::Nested { child: child.clone(), workflow: name.clone(), plan, due, late: false });
        let depth = self.life.depth + 1;
        self.effect(Effect::StartChild { id, child, workflow: name, plan, inputs, depth });
        if let Some(due) = due {
            self.effect(Effect::StartTimer { id: EffectId::of(key, attempt, Purpose::Due), due });
        }
    }

    fn set(&mut self, key: &str, stage: Stage) {
        self.life.activities.get_mut(key).expect("BUG: no such activity").stage = stage;
    }

    /// An adapter reported.
    pub(super) fn reported(&mut self, key: &str, report: Report) {
        match (&self.life.activities[key].stage, report) {
            (Stage::Working, Report::Done { outputs }) => {
                self.reach(DONE);
                self.end(key, None, outputs);
            }
            (Stage::Working, Report::Failed { failure, outputs }) => {
                self.attempt_failed(key, failure, outputs)
            }
            (Stage::Verifying { .. }, Report::Done { .. }) => {
                self.reach(HOLDS);
                let result = self.submitted_result(key);
                self.end(key, None, result);
            }
            (Stage::Verifying { .. }, Report::Failed { failure, outputs }) => {
                self.held_not(key, failure, outputs)
            }
            (Stage::Stopping { .. }, report) => {
                let (Report::Done { outputs } | Report::Failed { outputs, .. }) = report;
                self.stopped(key, outputs);
            }
            _ => unreachable!("BUG: a report for `{key}` was admitted"),
        }
    }

    fn attempt_failed(&mut self, key: &str, failure: Failure, outputs: Fields) {
        let activity = self.life.activities.get_mut(key).expect("BUG: no such activity");
        activity.failed += 1;
        let retry = &self.plan.steps[activity.step as usize].retry;
        if activity.failed >= retry.attempts_max || failure.kind == FailureKind::Cancelled {
            self.reach(FAILED);
            self.end(key, Some(failure), outputs);
            return;
        }
        let due = self.now + retry.rest_ms(activity.failed);
        let attempt = activity.attempt;
        activity.stage = Stage::Resting { due };
        self.reach(REST);
        self.news(News::Retrying { key: key.to_owned(), attempt, failure, due });
        self.effect(Effect::StartTimer { id: EffectId::of(key, attempt, Purpose::Retry), due });
    }

    fn next_attempt(&mut self, key: &str) {
        self.life.activities.get_mut(key).expect("BUG: no such activity").attempt += 1;
        self.launch(key);
    }

    /// A timer of an activity fired.
    pub(super) fn activity_timer_fired(&mut self, key: &str) {
        let activity = &self.life.activities[key];
        let step = &self.plan.steps[activity.step as usize];
        match &activity.stage {
            Stage::Resting { .. } => {
                self.reach(AGAIN);
                self.next_attempt(key);
            }
            Stage::Sleeping { .. } => {
                self.reach(AWAKE);
                self.end(key, None, Fields::new());
            }
            Stage::Offered { .. } if step.on_overdue == OnOverdue::Fail || is_gate(step) => {
                self.expire(key, step)
            }
            Stage::Offered { .. } => self.overdue(key),
            Stage::Nested { .. } => self.child_late(key),
            _ => unreachable!("BUG: a timer of `{key}` was admitted"),
        }
    }

    fn expire(&mut self, key: &str, step: &Step) {
        self.reach(EXPIRE);
        let ms = step.timeout.ms().unwrap_or_default();
        let kind = if is_gate(step) { FailureKind::Declined } else { FailureKind::TimedOut };
        let id = EffectId::of(key, self.life.activities[key].attempt, Purpose::Work);
        self.effect(Effect::Withdraw { id });
        self.end(key, Some(Failure::new(kind, format!("no answer came within {ms} ms"))), Fields::new());
    }

    fn overdue(&mut self, key: &str) {
        self.reach(OVERDUE);
        if let Stage::Offered { overdue, due, .. } =
            &mut self.life.activities.get_mut(key).expect("BUG: no such activity").stage
        {
            (*overdue, *due) = (true, None);
        }
        let offer = self.action(key);
        self.effect(Effect::Offer(offer));
    }

    fn child_late(&mut self, key: &str) {
        self.reach(CHILD_LATE);
        let activity = self.life.activities.get_mut(key).expect("BUG: no such activity");
        let id = EffectId::of(key, activity.attempt, Purpose::Work);
        if let Stage::Nested { child, late, due, .. } = &mut activity.stage {
            (*late, *due) = (true, None);
            let child = child.clone();
            self.effect(Effect::CancelChild { id, child, reason: "it took too long".into() });
        }
    }

    /// Recovery found an attempt neither done nor undone.
    pub(super) fn interrupted(&mut self, key: &str) {
        let activity = &self.life.activities[key];
        let attempt = activity.attempt;
        match (&activity.stage, self.plan.steps[activity.step as usize].on_interrupt) {
            (Stage::Stopping { .. }, _) => return self.stopped(key, Fields::new()),
            (Stage::Verifying { .. }, _) => {
                self.reach(CHECK_AGAIN);
                return self.perform_check(key);
            }
            (_, OnInterrupt::Retry) => {
                self.reach(REDO);
                self.news(News::Interrupted { key: key.to_owned(), attempt });
                self.next_attempt(key);
            }
            (_, OnInterrupt::Ask) => {
                self.reach(ASK);
                self.news(News::Interrupted { key: key.to_owned(), attempt });
                self.set(key, Stage::Interrupted);
            }
            (_, OnInterrupt::Fail) => {
                self.reach(GIVE_UP);
                self.news(News::Interrupted { key: key.to_owned(), attempt });
                self.end(key, Some(interruption()), Fields::new());
            }
        }
    }

    /// Someone said what became of an interrupted attempt.
    pub(super) fn resolved(&mut self, key: &str, resolution: Resolution) {
        match resolution {
            Resolution::Retry => {
                self.reach(TOLD_AGAIN);
                self.next_attempt(key);
            }
            Resolution::Done { outputs } => {
                self.reach(TOLD_DONE);
                self.end(key, None, outputs);
            }
            Resolution::Fail => {
                self.reach(TOLD_FAILED);
                self.end(key, Some(interruption()), Fields::new());
            }
        }
    }

    /// A result for an action came.
    pub(super) fn submitted(&mut self, key: &str, result: Fields) {
        self.withdraw_due(key);
        let step = &self.plan.steps[self.life.activities[key].step as usize];
        if step.verify.is_none() {
            self.reach(TAKE);
            self.end(key, None, result);
            return;
        }
        self.reach(CHECK);
        self.life.held += crate::data::weight_of(&result);
        self.set(key, Stage::Verifying { result, check: None });
        self.agenda.push_back(Task::Check(key.to_owned()));
    }

    /// Makes what the check needs and sends it out.
    pub(super) fn check_result(&mut self, key: &str) -> Result<(), Stop> {
        let activity = &self.life.activities[key];
        let (step, owner) = (activity.step, activity.owner);
        let Stage::Verifying { result, .. } = &activity.stage else { unreachable!("BUG: nothing to check") };
        let planned = &self.plan.steps[step as usize];
        let lane = if let Owner::Lane(lane) = owner { Some(lane) } else { None };
        let scope = self.scope(&planned.access).in_lane(lane).with_result(result);
        let verify = planned.verify.as_ref().expect("BUG: a check without a rule");
        match scope.fields(&verify.inputs) {
            Ok(inputs) => {
                let result = self.submitted_result(key);
                self.set(key, Stage::Verifying { result, check: Some(inputs) });
                self.perform_check(key);
                Ok(())
            }
            Err(Stop::Ask(question)) => Err(Stop::Ask(question)),
            Err(Stop::Fail(failure)) => {
                self.held_not(key, failure, Fields::new());
                Ok(())
            }
        }
    }

    fn perform_check(&mut self, key: &str) {
        let check = check(self.plan, key, &self.life.activities[key]).expect("BUG: nothing to check");
        self.effect(Effect::Perform(check));
    }

    fn submitted_result(&self, key: &str) -> Fields {
        match &self.life.activities[key].stage {
            Stage::Verifying { result, .. } => result.clone(),
            _ => unreachable!("BUG: no result of `{key}` is being checked"),
        }
    }

    fn held_not(&mut self, key: &str, failure: Failure, outputs: Fields) {
        let dropped = crate::data::weight_of(&self.submitted_result(key));
        self.life.held = self.life.held.saturating_sub(dropped);
        let activity = self.life.activities.get_mut(key).expect("BUG: no such activity");
        activity.failed += 1;
        let (failed, step) = (activity.failed, &self.plan.steps[activity.step as usize]);
        let max = step.verify.as_ref().map_or(1, |verify| verify.attempts_max);
        let message = format!("the result does not hold: {}", failure.message);
        let failure = Failure::new(FailureKind::Unverified, message);
        self.news(News::Unverified { key: key.to_owned(), failure: failure.clone() });
        if failed >= max {
            self.reach(HOLDS_NEVER);
            self.end(key, Some(failure), outputs);
            return;
        }
        self.reach(HOLDS_NOT);
        self.life.activities.get_mut(key).expect("BUG: no such activity").attempt += 1;
        self.offer(key, Some(Data::Inline(failure.message.into())));
    }

    /// A human answered a gate.
    pub(super) fn answered(&mut self, key: &str, approved: bool, result: Fields) {
        self.withdraw_due(key);
        if approved {
            self.reach(APPROVE);
            self.end(key, None, result);
        } else {
            self.reach(DECLINE);
            self.end(key, Some(Failure::new(FailureKind::Declined, "a human said no")), result);
        }
    }

    /// A child run ended.
    pub(super) fn child_ended(&mut self, key: &str, outcome: Outcome) {
        let late = match &self.life.activities[key].stage {
            Stage::Nested { late, .. } => *late,
            _ => return self.stopped(key, Fields::new()),
        };
        self.withdraw_due(key);
        let failure = match outcome {
            Outcome::Succeeded { outputs } => {
                self.reach(CHILD_DONE);
                return self.end(key, None, outputs);
            }
            _ if late => Failure::new(FailureKind::TimedOut, "the child run took too long"),
            Outcome::Failed { failure } => {
                Failure::new(FailureKind::Child, format!("Child workflow failed: {}", failure.message))
            }
            Outcome::Cancelled { reason } => {
                Failure::new(FailureKind::Child, format!("Child workflow was cancelled: {reason}"))
            }
        };
        self.reach(CHILD_FAILED);
        self.attempt_failed(key, failure, Fields::new());
    }

    fn withdraw_due(&mut self, key: &str) {
        let activity = &self.life.activities[key];
        let (Stage::Offered { due, .. } | Stage::Nested { due, .. }) = &activity.stage else { return };
        if due.is_some() {
            let id = EffectId::of(key, activity.attempt, Purpose::Due);
            self.effect(Effect::Withdraw { id });
        }
    }

    /// The run closes: stops an activity. What must report stays as stopping.
    pub(super) fn stop(&mut self, key: &str) {
        let activity = &self.life.activities[key];
        let id = |purpose| EffectId::of(key, activity.attempt, purpose);
        let mut withdrawn = Vec::new();
        let stopping = match &activity.stage {
            Stage::Working => {
                withdrawn.push(Effect::Withdraw { id: id(Purpose::Work) });
                Some(Stage::Stopping { checking: false, child: None })
            }
            Stage::Verifying { check: Some(_), .. } => {
                withdrawn.push(Effect::Withdraw { id: id(Purpose::Verify) });
                Some(Stage::Stopping { checking: true, child: None })
            }
            Stage::Nested { child, .. } => {
                let (id, child) = (id(Purpose::Work), child.clone());
                withdrawn.push(Effect::CancelChild {
                    id,
                    child: child.clone(),
                    reason: "the parent closes".into(),
                });
                Some(Stage::Stopping { checking: false, child: Some(child) })
            }
            Stage::Offered { .. } => {
                withdrawn.push(Effect::Withdraw { id: id(Purpose::Work) });
                None
            }
            Stage::Resting { .. } => {
                withdrawn.push(Effect::Withdraw { id: id(Purpose::Retry) });
                None
            }
            Stage::Sleeping { .. } => {
                withdrawn.push(Effect::Withdraw { id: id(Purpose::Due) });
                None
            }
            Stage::Verifying { check: None, .. } | Stage::Interrupted | Stage::Stopping { .. } => None,
        };
        self.withdraw_due(key);
        self.turn.effects.extend(withdrawn);
        match stopping {
            Some(stage) => {
                self.reach(STOP);
                self.set(key, stage);
            }
            None => {
                self.reach(DROP);
                self.drop_activity(key, Fields::new());
            }
        }
    }

    fn stopped(&mut self, key: &str, outputs: Fields) {
        self.reach(STOPPED);
        self.drop_activity(key, outputs);
    }

    fn drop_activity(&mut self, key: &str, outputs: Fields) {
        let Activity { step, since, inputs, .. } =
            self.life.activities.remove(key).expect("BUG: no such activity");
        self.life.held = self.life.held.saturating_sub(crate::data::weight_of(&inputs));
        let failure = Some(Failure::new(FailureKind::Cancelled, "the run closed"));
        self.news(News::Ended { key: key.to_owned(), step, failure, outputs, since });
    }

    /// The activity is over: tells the flow.
    fn end(&mut self, key: &str, failure: Option<Failure>, outputs: Fields) {
        let gone = self.life.activities.remove(key).expect("BUG: no such activity");
        let mut freed = crate::data::weight_of(&gone.inputs);
        if let Stage::Verifying { result, .. } = &gone.stage {
            freed += crate::data::weight_of(result);
        }
        self.life.held = self.life.held.saturating_sub(freed);
        let Activity { owner, step, since, .. } = gone;
        self.keep_inputs(owner, step, &gone.inputs);
        self.ended(key, owner, step, since, failure, outputs);
    }

    fn ended(
        &mut self,
        key: &str,
        owner: Owner,
        step: u32,
        since: u64,
        failure: Option<Failure>,
        outputs: Fields,
    ) {
        self.news(News::Ended {
            key: key.to_owned(),
            step,
            failure: failure.clone(),
            outputs: outputs.clone(),
            since,
        });
        if owner != Owner::Cleanup && self.life.phase != Phase::Running {
            return;
        }
        match owner {
            Owner::Block(block) => self.block_ended(block, failure, outputs, since),
            Owner::Lane(lane) => self.lane_step_ended(lane, failure, outputs),
            Owner::State => self.state_ended(failure, outputs),
            Owner::Cleanup => {}
        }
    }
}

fn interruption() -> Failure {
    Failure::new(FailureKind::Interrupted, "was interrupted, and counts as failed")
}

/// Whether nobody but a human may answer.
pub(super) fn is_gate(step: &Step) -> bool {
    matches!(step.work, Work::Action { gate: Some(_), .. })
}

fn workflow_named(inputs: &mut Fields) -> String {
    match inputs.remove("workflow") {
        Some(Data::Inline(Value::String(name))) => name,
        other => unreachable!("BUG: a child's name was made as {other:?}"),
    }
}

/// The effect of a server's work.
pub(super) fn perform(step: &Step, id: EffectId, inputs: Fields) -> Perform {
    let Work::Server { adapter, secrets, .. } = &step.work else {
        unreachable!("BUG: not the server's work")
    };
    let timeout_ms = match step.timeout {
        Deadline::Never => None,
        Deadline::After(ms) => Some(ms),
    };
    Perform { id, step: step.id.clone(), adapter: *adapter, inputs, secrets: secrets.clone(), timeout_ms }
}

/// The effect of a check.
pub(super) fn check(plan: &crate::Plan, key: &str, activity: &Activity) -> Option<Perform> {
    let step = &plan.steps[activity.step as usize];
    let (Stage::Verifying { check: Some(inputs), .. }, Some(verify)) = (&activity.stage, &step.verify) else {
        return None;
    };
    Some(Perform {
        id: EffectId::of(key, activity.attempt, Purpose::Verify),
        step: step.id.clone(),
        adapter: verify.adapter,
        inputs: inputs.clone(),
        secrets: std::collections::BTreeMap::new(),
        timeout_ms: step.timeout.ms(),
    })
}

/// The action that an offered activity shows.
pub(super) fn action(plan: &crate::Plan, key: &str, activity: &Activity) -> Option<Action> {
    let step = &plan.steps[activity.step as usize];
    let Stage::Offered { shown, overdue, note, .. } = &activity.stage else { return None };
    let (audience, gate) = match &step.work {
        Work::Action { audience, gate, .. } => (*audience, gate.clone()),
        _ => (Audience::Agent, None),
    };
    Some(Action {
        id: EffectId::of(key, activity.attempt, Purpose::Work),
        step: step.id.clone(),
        attempt: activity.attempt,
        audience,
        gate,
        inputs: activity.inputs.clone(),
        shown: *shown,
        timeout_ms: step.timeout.ms(),
        note: note.clone(),
        overdue: *overdue,
    })
}
