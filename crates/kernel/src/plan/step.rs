//! A step: one unit of work, whose hand it is in, and our own additions that are the same in every dialect
//! (`timeout`, `retry`, `on_interrupt`, `on_overdue`, `verify`, `gate`, `secrets`).

use super::{Access, Expr};
use crate::Digest;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// One unit of work.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Step {
    /// Its name, unique in its plan.
    pub id: String,
    /// What its dialect calls such a step.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub kind: String,
    /// What is to be done.
    pub work: Work,
    /// How long one attempt may take.
    pub timeout: Deadline,
    /// Whether a failed attempt is followed by another.
    pub retry: Retry,
    /// What becomes of it when it was interrupted.
    pub on_interrupt: OnInterrupt,
    /// What becomes of an action whose result does not come.
    pub on_overdue: OnOverdue,
    /// What the server checks before it believes a submitted result.
    pub verify: Option<Verify>,
    /// What it may read of the state.
    pub access: Access,
    /// Which of its fields (`outputs.stdout`, `inputs.command`) the run must hold on to, because something reads
    /// them later. All others are in the journal only.
    pub keeps: BTreeSet<String>,
}

/// What is to be done, by the hand that does it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Work {
    /// The server, through an adapter.
    Server {
        /// Which adapter.
        adapter: Adapter,
        /// What it is given.
        inputs: Vec<(String, Expr)>,
        /// Secrets it may resolve: environment name to secret name.
        secrets: BTreeMap<String, String>,
    },
    /// The agent or the human.
    Action {
        /// Who.
        audience: Audience,
        /// What they are shown.
        inputs: Vec<(String, Expr)>,
        /// Only a human may answer, through a door the agent does not hold.
        gate: Option<Gate>,
        /// Where it ends by itself.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        ends: Option<Ends>,
    },
    /// A child run.
    Child {
        /// Which workflow.
        workflow: Workflow,
        /// What it is given.
        inputs: Vec<(String, Expr)>,
    },
    /// Nobody: what it gives follows from what it is given, within the turn that begins it.
    Make {
        /// What it is given.
        inputs: Vec<(String, Expr)>,
        /// What it gives; `result` is what it was given.
        outputs: Vec<(String, Expr)>,
    },
    /// The clock: wait this many milliseconds.
    Wait {
        /// How long.
        ms: Expr,
    },
}

/// How the server carries one kind of effect out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Adapter {
    /// Commands.
    Process,
    /// Files.
    File,
    /// Git.
    Git,
    /// Terminals.
    Terminal,
    /// Tools of other servers.
    Mcp,
    /// Answers at once with what it was given.
    Noop,
    /// JSON schemas: holds a value against one.
    Schema,
}

/// Who an action waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Audience {
    /// The agent.
    Agent,
    /// The human.
    Human,
}

/// An action that ends by itself, if no result comes before.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ends {
    /// After how many milliseconds.
    pub ms: Expr,
    /// What it gives then; `result` is what was shown.
    pub gives: Vec<(String, Expr)>,
}

/// An action only a human may answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gate {
    /// How sure we must be that it was a human.
    pub level: GateLevel,
}

/// How sure we must be that a human answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GateLevel {
    /// Through a door the agent does not hold.
    Ask,
    /// With a passphrase or key as well.
    Proof,
}

/// Which workflow a child runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Workflow {
    /// Named by a constant, and pinned with the parent's plan.
    Pinned {
        /// The name.
        name: String,
        /// The digest of its plan.
        plan: Digest,
    },
    /// Named when the step runs.
    Named(Expr),
}

/// How long something may take.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Deadline {
    /// As long as it takes.
    #[default]
    Never,
    /// This many milliseconds.
    After(u64),
}

impl Deadline {
    /// Whether there is no bound.
    pub fn is_never(&self) -> bool {
        *self == Deadline::Never
    }

    /// The milliseconds, if there is a bound.
    pub fn ms(self) -> Option<u64> {
        match self {
            Deadline::Never => None,
            Deadline::After(ms) => Some(ms),
        }
    }
}

/// Whether a failed attempt is followed by another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Retry {
    /// Most attempts, the first one included.
    pub attempts_max: u32,
    /// Rest before the second attempt.
    pub delay_ms: u64,
    /// By how many per cent each rest is longer than the one before; 200 doubles it.
    pub growth_percent: u32,
    /// The longest rest.
    pub delay_ms_max: u64,
}

impl Default for Retry {
    fn default() -> Self {
        Retry { attempts_max: 1, delay_ms: 0, growth_percent: 100, delay_ms_max: 60_000 }
    }
}

impl Retry {
    /// The rest after a failed attempt, counted from one.
    pub fn rest_ms(&self, failed: u32) -> u64 {
        let mut rest = self.delay_ms.min(self.delay_ms_max);
        for _ in 1..failed {
            rest = rest.saturating_mul(u64::from(self.growth_percent)) / 100;
            if rest >= self.delay_ms_max || self.growth_percent <= 100 {
                break;
            }
        }
        rest.min(self.delay_ms_max)
    }
}

/// What becomes of an effect that was interrupted: it may or may not have happened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnInterrupt {
    /// Do it again: it is pure, or idempotent by construction.
    Retry,
    /// Someone must look and say.
    #[default]
    Ask,
    /// It has failed.
    Fail,
}

/// What becomes of an action whose result does not come in time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnOverdue {
    /// It is offered again, and the run goes on waiting.
    #[default]
    Offer,
    /// It fails.
    Fail,
}

/// What the server checks before it believes a submitted result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Verify {
    /// The adapter that checks.
    pub adapter: Adapter,
    /// What it is given; `result` is what was submitted.
    pub inputs: Vec<(String, Expr)>,
    /// Most submitted results, the first one included.
    pub attempts_max: u32,
    /// How long one look may take; where it does not say, as long as the step.
    #[serde(default, skip_serializing_if = "Deadline::is_never")]
    pub timeout: Deadline,
}

impl Step {
    /// A step with nothing but its work.
    pub fn new(id: impl Into<String>, work: Work) -> Self {
        Step {
            id: id.into(),
            kind: String::new(),
            work,
            timeout: Deadline::Never,
            retry: Retry::default(),
            on_interrupt: OnInterrupt::default(),
            on_overdue: OnOverdue::default(),
            verify: None,
            access: Access::All,
            keeps: BTreeSet::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rests_grow_up_to_their_bound() {
        let retry = Retry { attempts_max: 9, delay_ms: 100, growth_percent: 200, delay_ms_max: 500 };
        assert_eq!([1, 2, 3, 4, 100].map(|failed| retry.rest_ms(failed)), [100, 200, 400, 500, 500]);
        assert_eq!(Retry { growth_percent: 100, ..retry }.rest_ms(u32::MAX), 100);
    }
}
