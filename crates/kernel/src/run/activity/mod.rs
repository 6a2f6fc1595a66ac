//! The life of one step's work, the same in every flow: attempts, retries, actions, checks, children, waits,
//! interruption and stopping. The flow hears of it once, when it has ended.
//!
//! ```text
//!            ┌─ working ◄──► resting      an adapter        work.rs
//!            ├─ offered ◄──► verifying    agent or human    action.rs, check.rs
//!            │     ▲ └─────► resting      given up, silent  action.rs
//!  begin.rs ─┤                                                                  ├─► ended   end.rs
//!            ├─ nested ◄───► resting      a child run       child.rs
//!            ├─────────────────────────── nobody            make.rs
//!            └─ sleeping                  the clock         work.rs
//! ```
//! When the run closes (stop.rs), what only waits is dropped, and what works is told to stop and awaited.

mod action;
mod begin;
mod check;
mod child;
mod end;
mod make;
mod stop;
mod work;

pub(super) use action::is_gate;

use super::{Moment, Weigh};
use crate::data::{text_weight, weight_of};
use crate::id::Purpose;
use crate::plan::Step;
use crate::table::table;
use crate::{Data, Digest, EffectId, Fields, RunId};
use serde::{Deserialize, Serialize};

table! { "activity":
    PERFORM        = "none",        "server's work began"                 => "working";
    OFFER          = "none",        "agent's or human's work began"       => "offered";
    NEST           = "none",        "a child was asked for"               => "nested";
    SLEEP          = "none",        "a wait began"                        => "sleeping";
    REFUSE         = "none",        "its inputs cannot be made"           => "ended";
    MAKE           = "none",        "what it gives was made"              => "ended";
    MAKE_NOT       = "none",        "what it gives cannot be made"        => "ended";
    DONE           = "working",     "done"                                => "ended";
    FAILED         = "working",     "failed, no attempt left"             => "ended";
    REST           = "working",     "failed, an attempt is left"          => "resting";
    AGAIN          = "resting",     "the rest is over"                    => "working";
    NEST_AGAIN     = "resting",     "the rest of a child is over"         => "nested";
    REDO           = "working",     "interrupted, may be done again"      => "working";
    ASK            = "working",     "interrupted, must be asked"          => "interrupted";
    GIVE_UP        = "working",     "interrupted, counts as failed"       => "ended";
    TOLD_AGAIN     = "interrupted", "do it again"                         => "working";
    TOLD_DONE      = "interrupted", "it had happened"                     => "ended";
    TOLD_FAILED    = "interrupted", "it has failed"                       => "ended";
    TAKE           = "offered",     "result came"                         => "ended";
    CHECK          = "offered",     "result came, to be verified"         => "verifying";
    RESUME         = "offered",     "its time came, and that is its end"  => "ended";
    OVERTIME       = "offered",     "it is said to have taken too long"   => "ended";
    GAVE_UP        = "offered",     "given up, no attempt left"           => "ended";
    GAVE_UP_REST   = "offered",     "given up or silent, one is left"     => "resting";
    OFFER_AGAIN    = "resting",     "the rest of an action is over"       => "offered";
    APPROVE        = "offered",     "a human said yes"                    => "ended";
    DECLINE        = "offered",     "a human said no"                     => "ended";
    OVERDUE        = "offered",     "result is overdue"                   => "offered";
    EXPIRE         = "offered",     "no result in time, no attempt left"  => "ended";
    HOLDS          = "verifying",   "the result holds"                    => "ended";
    HOLDS_NOT      = "verifying",   "it does not, an attempt is left"     => "offered";
    HOLDS_NEVER    = "verifying",   "it does not, no attempt left"        => "ended";
    CHECK_AGAIN    = "verifying",   "the check was interrupted"           => "verifying";
    CHILD_DONE     = "nested",      "the child succeeded"                 => "ended";
    CHILD_FAILED   = "nested",      "the child did not, no attempt left"  => "ended";
    CHILD_REST     = "nested",      "the child did not, one is left"      => "resting";
    CHILD_LATE     = "nested",      "the child takes too long"            => "nested";
    CHILD_REFUSED  = "nested",      "there is no child, no attempt left"  => "ended";
    CHILD_WAITS    = "nested",      "there is no child, one is left"      => "resting";
    AWAKE          = "sleeping",    "the wait is over"                    => "ended";
    STOP           = "working",     "the run closes"                      => "stopping";
    STOP_CHECK     = "verifying",   "the run closes"                      => "stopping";
    STOP_CHILD     = "nested",      "the run closes"                      => "stopping";
    DROP           = "waiting",     "the run closes"                      => "ended";
    UNDO           = "any",         "the run closes before it has left"   => "ended";
    STOPPED        = "stopping",    "it reported, or its child ended"     => "ended";
}

/// Who hears of the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Owner {
    Block(u32),
    /// A block and which of its items.
    Item(u32, u32),
    Lane(u32),
    /// A lane and the item that a child is run for.
    Child(u32, u32),
    State,
    Cleanup,
}

impl Owner {
    pub(crate) fn lane(self) -> Option<u32> {
        match self {
            Owner::Lane(lane) | Owner::Child(lane, _) => Some(lane),
            Owner::Block(_) | Owner::Item(..) | Owner::State | Owner::Cleanup => None,
        }
    }
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
    /// The name of the workflow that a child runs, where only the step itself could tell.
    pub(crate) workflow: Option<String>,
    /// After how long an action ends by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) ends_ms: Option<u64>,
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

impl Activity {
    /// The effect of the current attempt.
    pub(super) fn id(&self, key: &str, purpose: Purpose) -> EffectId {
        EffectId::of(key, self.attempt, purpose)
    }

    /// What people call it: the step, or the item of it.
    pub(super) fn name(&self, key: &str, step: &Step) -> String {
        match self.owner {
            Owner::Item(..) | Owner::Child(..) => key.to_owned(),
            _ => step.id.clone(),
        }
    }

    /// The timer it has running, if it has one, and when that is due.
    pub(super) fn due(&self) -> Option<(Purpose, u64)> {
        match &self.stage {
            Stage::Resting { due } => Some((Purpose::Retry, *due)),
            Stage::Sleeping { due } => Some((Purpose::Due, *due)),
            Stage::Offered { due, .. } | Stage::Nested { due, .. } => due.map(|due| (Purpose::Due, due)),
            Stage::Working | Stage::Verifying { .. } | Stage::Interrupted | Stage::Stopping { .. } => None,
        }
    }
}

/// What an activity takes beside its data.
const ACTIVITY: u64 = 320;

impl Weigh for (&String, &Activity) {
    fn weight(&self) -> u64 {
        let (key, activity) = self;
        let stage = match &activity.stage {
            Stage::Verifying { result, check } => weight_of(result) + check.as_ref().map_or(0, weight_of),
            Stage::Offered { note, .. } => note.as_ref().map_or(0, Data::weight),
            Stage::Nested { child, .. } | Stage::Stopping { child: Some(child), .. } => {
                text_weight(child.as_str())
            }
            _ => 0,
        };
        let workflow = activity.workflow.as_deref().map_or(0, text_weight);
        ACTIVITY + text_weight(key) + weight_of(&activity.inputs) + workflow + stage
    }
}

impl<'m> Moment<'m> {
    /// The open activity of a key.
    fn activity(&self, key: &str) -> &Activity {
        self.life.activities.get(key).expect("BUG: no such activity")
    }

    /// The step that an activity does.
    fn step(&self, key: &str) -> &'m Step {
        &self.plan.steps[self.activity(key).step as usize]
    }

    /// Changes an activity, and weighs it again.
    fn alter(&mut self, key: &str, change: impl FnOnce(&mut Activity)) {
        let (name, activity) = self.life.activities.get_key_value(key).expect("BUG: no such activity");
        let before = (name, activity).weight();
        change(self.life.activities.get_mut(key).expect("BUG: no such activity"));
        let (name, activity) = self.life.activities.get_key_value(key).expect("BUG: no such activity");
        let after = (name, activity).weight();
        self.let_go(before);
        self.carry(after);
    }

    /// Takes an activity out: nothing of it is open any more.
    fn remove(&mut self, key: &str) -> Activity {
        let (key, activity) = self.life.activities.remove_entry(key).expect("BUG: no such activity");
        self.let_go((&key, &activity).weight());
        activity
    }
}
