//! What a run asks of the world: the only thing that leaves it. An effect leaves after its turn was committed,
//! and may leave again after a crash; its id tells the two apart from a second wish.

use crate::plan::{Adapter, Audience, Gate};
use crate::run::Outcome;
use crate::{Data, Digest, EffectId, Fields, RunId};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Please do.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    /// Carry something out through an adapter, and report.
    Perform(Perform),
    /// Show an action to whoever it waits for.
    Offer(Action),
    /// Stop whatever is open under this id; a performing adapter still reports.
    Withdraw {
        /// The effect to stop.
        id: EffectId,
    },
    /// Wake the run at a time.
    StartTimer {
        /// The timer.
        id: EffectId,
        /// Milliseconds since 1970.
        due: u64,
    },
    /// Start a child run; one that is there already is the one that is meant.
    StartChild {
        /// The effect, to be named when the child has ended.
        id: EffectId,
        /// The child's id.
        child: RunId,
        /// The workflow's name, or the name it is to be looked up by.
        workflow: String,
        /// The plan, if it was pinned.
        plan: Option<Digest>,
        /// What it is given.
        inputs: Fields,
        /// How deep it is.
        depth: u32,
    },
    /// Cancel a child run; its end is still delivered, and one that never started ends at once.
    CancelChild {
        /// The effect that started it.
        id: EffectId,
        /// The child.
        child: RunId,
        /// Why.
        reason: String,
    },
    /// Tell the parent how this run ended, until it has recorded it.
    TellParent {
        /// The parent.
        parent: RunId,
        /// The parent's effect.
        effect: EffectId,
        /// How this run ended.
        outcome: Outcome,
    },
}

impl Effect {
    /// The name under which this effect begins something; `None` where it ends something or tells.
    pub(crate) fn begins(&self) -> Option<&EffectId> {
        match self {
            Effect::Perform(perform) => Some(&perform.id),
            Effect::Offer(action) => Some(&action.id),
            Effect::StartTimer { id, .. } | Effect::StartChild { id, .. } => Some(id),
            Effect::Withdraw { .. } | Effect::CancelChild { .. } | Effect::TellParent { .. } => None,
        }
    }
}

/// Work for an adapter.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Perform {
    /// The effect.
    pub id: EffectId,
    /// The step it belongs to.
    pub step: String,
    /// Which adapter.
    pub adapter: Adapter,
    /// What it is given.
    pub inputs: Fields,
    /// Secrets to resolve at the last moment: environment name to secret name.
    pub secrets: BTreeMap<String, String>,
    /// How long it may take.
    pub timeout_ms: Option<u64>,
}

/// Something that waits for the agent or the human.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Action {
    /// The effect, to be named with the result.
    pub id: EffectId,
    /// The step it belongs to.
    pub step: String,
    /// Which attempt this is, counted from one.
    pub attempt: u32,
    /// Who it waits for.
    pub audience: Audience,
    /// Whether only a human may answer.
    pub gate: Option<Gate>,
    /// What is shown.
    pub inputs: Fields,
    /// The digest of what is shown.
    pub shown: Digest,
    /// How long the work may take.
    pub timeout_ms: Option<u64>,
    /// Why it is offered again, if it is.
    pub note: Option<Data>,
    /// Whether the result should have come by now.
    pub overdue: bool,
}
