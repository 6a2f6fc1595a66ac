//! Where a run stands, in the words that every door shares.

use super::activity::Stage;
use super::life::FlowLife;
use super::phase::Phase;
use super::{Outcome, Run};
use crate::EffectId;
use crate::flow::sequence::{Forking, Spreading};
use crate::plan::{Audience, Flow, Work};
use serde::{Deserialize, Serialize};
use std::fmt;

/// The status of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Not started.
    Queued,
    /// Something works.
    Running,
    /// Nothing works; each thing it waits for is named.
    Waiting(Vec<Waiting>),
    /// It stops what is open and cleans up.
    Closing,
    /// It ended.
    Ended(Outcome),
}

/// Something a run waits for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Waiting {
    /// The agent, for this step.
    Agent(String),
    /// A human, for this step.
    Human(String),
    /// Someone must say what became of this step.
    Decision(String),
    /// The clock, for this step, until then.
    Clock(String, u64),
    /// A child run of this step.
    Child(String),
}

impl Run {
    /// Where the run stands.
    pub fn status(&self) -> Status {
        match &self.life.phase {
            Phase::Queued => Status::Queued,
            Phase::Closing { .. } => Status::Closing,
            Phase::Ended { outcome, .. } => Status::Ended(outcome.clone()),
            Phase::Running => {
                let waiting = self.waiting();
                if waiting.len() == self.life.activities.len() && !waiting.is_empty() {
                    Status::Waiting(waiting)
                } else {
                    Status::Running
                }
            }
        }
    }

    /// What it waits for; what works is not among it.
    pub fn waiting(&self) -> Vec<Waiting> {
        let activities = self.life.activities.iter();
        activities
            .filter_map(|(key, activity)| {
                let step = &self.plan.steps[activity.step as usize];
                let name = activity.name(key, step);
                Some(match &activity.stage {
                    Stage::Offered { due: Some(due), .. } if activity.ends_ms.is_some() => {
                        Waiting::Clock(name, *due)
                    }
                    Stage::Offered { .. } => match step.work {
                        Work::Action { audience: Audience::Human, .. } => Waiting::Human(name),
                        _ => Waiting::Agent(name),
                    },
                    Stage::Interrupted => Waiting::Decision(name),
                    Stage::Resting { due } | Stage::Sleeping { due } => Waiting::Clock(name, *due),
                    Stage::Nested { .. } => Waiting::Child(name),
                    Stage::Working | Stage::Verifying { .. } | Stage::Stopping { .. } => return None,
                })
            })
            .collect()
    }

    /// The lists that it is at, for whose items there are children.
    pub fn spreading(&self) -> Vec<Spreading> {
        match (&self.plan.flow, &self.life.flow) {
            (Flow::Sequence(planned), FlowLife::Sequence(life)) => life.spreading(planned),
            _ => Vec::new(),
        }
    }

    /// The forks that it is at whose lanes are tasks.
    pub fn forking(&self) -> Vec<Forking> {
        match (&self.plan.flow, &self.life.flow) {
            (Flow::Sequence(planned), FlowLife::Sequence(life)) => life.forking(planned),
            _ => Vec::new(),
        }
    }

    /// The task that an open effect belongs to.
    pub fn task_of(&self, effect: &EffectId) -> Option<&str> {
        let (key, ..) = effect.parts()?;
        let lane = self.life.activities.get(key)?.owner.lane()?;
        match &self.life.flow {
            FlowLife::Sequence(life) => life.task_of(lane),
            _ => None,
        }
    }

    /// How often its state was changed, where it has layers.
    pub fn state_version(&self) -> u64 {
        self.life.state.version()
    }

    /// How it ended, if it has.
    pub fn outcome(&self) -> Option<&Outcome> {
        match &self.life.phase {
            Phase::Ended { outcome, .. } => Some(outcome),
            _ => None,
        }
    }

    /// When it started, in milliseconds since 1970.
    pub fn since(&self) -> u64 {
        self.life.since
    }

    /// When its last event happened.
    pub fn at(&self) -> u64 {
        self.life.at
    }

    /// When the first attempt began of the open work that an effect belongs to.
    pub fn begun(&self, effect: &EffectId) -> Option<u64> {
        let (key, ..) = effect.parts()?;
        self.life.activities.get(key).map(|activity| activity.since)
    }

    /// How many results may still be handed in for an action whose results are verified, the one that is awaited included.
    pub fn attempts_left(&self, effect: &EffectId) -> Option<u32> {
        let (key, ..) = effect.parts()?;
        let activity = self.life.activities.get(key)?;
        let verify = self.plan.steps[activity.step as usize].verify.as_ref()?;
        Some(verify.attempts_max.saturating_sub(activity.failed))
    }

    /// Its inputs. What was not given has its default.
    pub fn inputs(&self) -> &crate::Fields {
        &self.life.inputs
    }

    /// Its state.
    pub fn state(&self) -> &crate::Fields {
        self.life.state.fields()
    }

    /// A field of its state.
    pub fn state_field(&self, name: &str) -> Option<&crate::Data> {
        self.life.state.get(name)
    }
}

impl fmt::Display for Waiting {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Waiting::Agent(step) => write!(out, "the agent: `{step}`"),
            Waiting::Human(step) => write!(out, "your answer: `{step}`"),
            Waiting::Decision(step) => write!(out, "`{step}` was interrupted"),
            Waiting::Clock(step, due) => write!(out, "the clock: `{step}` at {}", crate::clock::iso(*due)),
            Waiting::Child(step) => write!(out, "the run of `{step}`"),
        }
    }
}
