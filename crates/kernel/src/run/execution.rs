//! The run as a value: made, saved, restored, and asked who it is. How it moves is in `turn.rs`.

use super::phase::Phase;
use super::turn::Turning;
use super::{Life, Snapshot};
use crate::plan::Plan;
use crate::{BEHAVIOUR, EffectId, RunId};
use std::sync::Arc;

/// What holds where a run is carried out, whatever its plan says. Nothing else of a machine is seen by a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bounds {
    /// Most blocks at once.
    pub width: Option<u32>,
    /// How long past its time-out an action is offered before it is called overdue.
    pub overdue_ms: Option<u64>,
}

/// One execution of a plan.
#[derive(Clone, Debug)]
pub struct Run {
    pub(super) plan: Arc<Plan>,
    pub(super) life: Life,
    pub(super) turning: Option<Turning>,
    #[cfg(feature = "faults")]
    pub(super) planted: crate::fault::Planted,
}

impl Run {
    /// A run that has not started. `parent` names who waits for its end.
    pub fn new(plan: Arc<Plan>, id: RunId, parent: Option<(RunId, EffectId)>, depth: u32) -> Self {
        let life = Life::new(&plan, id, parent, depth);
        Run::of(plan, life)
    }

    /// The run within these bounds. They must be said of a run that has not started, and the same of every replay.
    pub fn within(mut self, bounds: Bounds) -> Self {
        assert!(self.life.phase == Phase::Queued, "BUG: a run was narrowed on its way");
        self.life.width = bounds.width.map(|width| width.max(1));
        self.life.overdue_ms = bounds.overdue_ms;
        self
    }

    /// Continues from a snapshot of the same plan.
    pub fn restore(plan: Arc<Plan>, snapshot: Snapshot) -> Self {
        let mut life = snapshot.0;
        life.rebuild(&plan);
        Run::of(plan, life)
    }

    fn of(plan: Arc<Plan>, life: Life) -> Self {
        Run {
            plan,
            life,
            turning: None,
            #[cfg(feature = "faults")]
            planted: crate::fault::Planted::default(),
        }
    }

    /// What must be saved to continue from here. Only between turns.
    pub fn snapshot(&self) -> Snapshot {
        assert!(self.turning.is_none(), "BUG: a run was saved in the middle of a turn");
        Snapshot(self.life.clone())
    }

    /// Plants a fault, to see that the simulation finds it.
    #[cfg(feature = "faults")]
    pub fn plant(&mut self, planted: crate::fault::Planted) {
        self.planted = planted;
    }

    /// The plan.
    pub fn plan(&self) -> &Arc<Plan> {
        &self.plan
    }

    /// The run's name.
    pub fn id(&self) -> &RunId {
        &self.life.id
    }

    /// Who waits for its end: the parent and the parent's effect.
    pub fn parent(&self) -> Option<&(RunId, EffectId)> {
        self.life.parent.as_ref()
    }

    /// How many runs are above it.
    pub fn depth(&self) -> u32 {
        self.life.depth
    }

    /// The number of the behaviour it is pinned to.
    pub fn behaviour(&self) -> u32 {
        self.life.behaviour
    }

    /// Whether this kernel can move it.
    pub fn supported(&self) -> bool {
        self.life.behaviour == BEHAVIOUR
    }

    /// What the run holds, in bytes: near the size of its snapshot, and never less.
    pub fn weight(&self) -> u64 {
        self.life.held
    }

    /// What the run holds, weighed anew. Invariant: it is [`Run::weight`].
    pub fn weigh(&self) -> u64 {
        self.life.weigh()
    }
}
