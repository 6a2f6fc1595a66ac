//! What a Temporal run begins with: a new run, or one that continues. It is the workflow's input, so its form
//! is part of every recorded history.

use kernel::{Bounds, Command, EffectId, Fields, Plan, Run, RunId, Snapshot};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The blocks of one run that are carried out at once. A history must not depend on the machine that replays it.
const WIDTH: u32 = 16;

/// The beginning of a Temporal run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Seed {
    /// The plan. The full backend puts it behind its digest with a payload codec.
    pub plan: Arc<Plan>,
    /// Where effects are carried out.
    pub home: String,
    /// How many turns a Temporal run may have, even if the server does not ask for a new one. At least one.
    pub turns_max: u64,
    /// The number of the kernel's behaviour that the history was begun with.
    pub behaviour: u32,
    /// New, or continued.
    pub origin: Origin,
}

/// Where a run comes from.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// Someone starts it.
    New {
        /// Its name, which is the workflow id as well.
        id: RunId,
        /// Who waits for its end.
        parent: Option<(RunId, EffectId)>,
        /// How deep it is.
        depth: u32,
        /// What it is given.
        inputs: Fields,
    },
    /// It was continued as new after a turn.
    Continued {
        /// The run between two turns.
        snapshot: Box<Snapshot>,
    },
}

impl Seed {
    /// A run that nobody waits for.
    pub fn new(id: RunId, plan: Arc<Plan>, inputs: Fields, home: impl Into<String>) -> Self {
        let origin = Origin::New { id, parent: None, depth: 0, inputs };
        Seed { plan, home: home.into(), turns_max: 10_000, behaviour: kernel::BEHAVIOUR, origin }
    }

    /// The run, and the command it begins with if it is new.
    pub(super) fn grow(self) -> (Run, Option<Command>) {
        match self.origin {
            Origin::New { id, parent, depth, inputs } => {
                let bounds = Bounds { width: Some(WIDTH), overdue_ms: None };
                (Run::new(self.plan, id, parent, depth).within(bounds), Some(Command::Start { inputs }))
            }
            Origin::Continued { snapshot } => (Run::restore(self.plan, *snapshot), None),
        }
    }
}
