//! All that a run remembers. This is what a snapshot holds; it has no log, and nothing that can be had from
//! the plan.

use super::activity::Activity;
use super::phase::Phase;
use super::state::State;
use crate::flow::machine::{MachineLife, seconds};
use crate::flow::{graph::GraphLife, sequence::SequenceLife};
use crate::plan::{Flow, Plan};
use crate::{BEHAVIOUR, Digest, EffectId, Failure, Fields, RunId};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, VecDeque};

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// With these outputs.
    Succeeded {
        /// What it gave.
        outputs: Fields,
    },
    /// It failed.
    Failed {
        /// Why.
        failure: Failure,
    },
    /// It was cancelled.
    Cancelled {
        /// Why.
        reason: String,
    },
}

/// A run between two turns, ready to be stored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Snapshot(pub(super) Life);

/// What a run remembers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Life {
    pub(crate) behaviour: u32,
    pub(crate) id: RunId,
    pub(crate) parent: Option<(RunId, EffectId)>,
    pub(crate) depth: u32,
    /// Most blocks at once where the run is carried out, however many its plan allows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) width: Option<u32>,
    /// How long past its time-out an action is offered before it is called overdue, whatever its plan says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) overdue_ms: Option<u64>,
    pub(crate) phase: Phase,
    /// When the run started, and when its last event happened.
    pub(crate) since: u64,
    pub(crate) at: u64,
    pub(crate) inputs: Fields,
    pub(crate) state: State,
    pub(crate) flow: FlowLife,
    /// Open attempts, by key.
    pub(crate) activities: BTreeMap<String, Activity>,
    /// The latest results that were taken, to recognise their repetition.
    pub(crate) taken: VecDeque<(EffectId, Digest)>,
    /// The weight of all data held.
    pub(crate) held: u64,
}

/// Where a run's flow is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum FlowLife {
    Graph(GraphLife),
    Sequence(SequenceLife),
    Machine(MachineLife),
}

impl FlowLife {
    pub(super) fn weight(&self) -> u64 {
        match self {
            FlowLife::Graph(graph) => graph.weight(),
            FlowLife::Sequence(sequence) => sequence.weight(),
            FlowLife::Machine(_) => 0,
        }
    }
}

impl Life {
    pub(super) fn new(plan: &Plan, id: RunId, parent: Option<(RunId, EffectId)>, depth: u32) -> Self {
        let flow = match &plan.flow {
            Flow::Graph(graph) => FlowLife::Graph(GraphLife::new(graph, &plan.steps)),
            Flow::Sequence(_) => FlowLife::Sequence(SequenceLife::default()),
            Flow::Machine(_) => FlowLife::Machine(MachineLife::default()),
        };
        let mut life = Life {
            behaviour: BEHAVIOUR,
            id,
            parent,
            depth,
            width: None,
            overdue_ms: None,
            phase: Phase::Queued,
            since: 0,
            at: 0,
            inputs: Fields::new(),
            state: State::default(),
            flow,
            activities: BTreeMap::new(),
            taken: VecDeque::new(),
            held: 0,
        };
        life.held = life.base();
        life
    }

    /// Restores what follows from the plan and is not stored.
    pub(super) fn rebuild(&mut self, plan: &Plan) {
        self.state.rebuild();
        if let (FlowLife::Graph(life), Flow::Graph(graph)) = (&mut self.flow, &plan.flow) {
            life.rebuild(graph, &plan.steps);
        }
    }

    /// How long the run may take, if there is a bound: as whoever started it said, or its plan.
    pub(super) fn time_ms(&self, plan: &Plan) -> Option<u64> {
        seconds(plan, &self.inputs).or(plan.deadline.ms())
    }

    /// When the run's own time is up, if it has a bound.
    pub(super) fn deadline(&self, plan: &Plan) -> Option<u64> {
        self.time_ms(plan).map(|ms| self.since.saturating_add(ms))
    }
}

/// Gives the life of the flow that the plan has.
macro_rules! flow_of {
    ($moment:expr, $flow:ident) => {
        match (&$moment.plan.flow, &mut $moment.life.flow) {
            (crate::plan::Flow::$flow(plan), crate::run::life::FlowLife::$flow(life)) => (plan, life),
            _ => unreachable!("BUG: a run's flow is not that of its plan"),
        }
    };
}
pub(crate) use flow_of;
