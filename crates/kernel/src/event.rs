//! What has happened to a run: the only thing that changes it. Events are stored; their form is versioned with
//! the journal and only ever grows.

use crate::command::Caller;
use crate::plan::WriteKind;
use crate::run::Outcome;
use crate::{Data, EffectId, Failure, Fields, RunId};
use serde::{Deserialize, Serialize};

/// A fact and when it was recorded.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Event {
    /// Milliseconds since 1970.
    pub at: u64,
    /// What happened.
    pub fact: Fact,
}

/// What happened.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fact {
    /// The run was started; all inputs have their values.
    Started {
        /// The inputs.
        inputs: Fields,
    },
    /// An effect ended.
    Reported {
        /// The effect.
        effect: EffectId,
        /// How.
        report: Report,
    },
    /// An effect was found neither done nor undone.
    Interrupted {
        /// The effect.
        effect: EffectId,
    },
    /// Someone said what became of an interrupted effect.
    Resolved {
        /// The effect.
        effect: EffectId,
        /// What became of it.
        resolution: Resolution,
        /// Who said so.
        by: Caller,
    },
    /// A result for an action came.
    Submitted {
        /// The action.
        effect: EffectId,
        /// The result.
        result: Fields,
        /// Who gave it.
        by: Caller,
        /// What is said of it beside the result.
        #[serde(default, skip_serializing_if = "Claim::is_empty")]
        claim: Claim,
    },
    /// A human answered a gate.
    Answered {
        /// The action.
        effect: EffectId,
        /// Yes or no.
        approved: bool,
        /// What else was said.
        result: Fields,
        /// Who answered.
        by: Caller,
    },
    /// A timer's time came.
    Fired {
        /// The timer.
        timer: EffectId,
    },
    /// A child run ended.
    ChildEnded {
        /// The effect that started it.
        effect: EffectId,
        /// The child.
        child: RunId,
        /// How it ended.
        outcome: Outcome,
    },
    /// The state was changed from outside.
    Updated {
        /// Fields and their new values.
        values: Fields,
        /// Changes of what was there, after those; all or none.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        changes: Vec<Change>,
        /// Who changed them.
        by: Caller,
        /// What the request is known by.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        key: Option<String>,
    },
    /// A point was noted, to come back to.
    Marked {
        /// The step it belongs to.
        step: Option<String>,
        /// Why.
        reason: String,
        /// Who asked.
        by: Caller,
    },
    /// The run was given up.
    GaveUp {
        /// Why.
        reason: String,
        /// Who asked.
        by: Caller,
    },
    /// The run was asked to end.
    CancelRequested {
        /// Why.
        reason: String,
        /// Who asked.
        by: Caller,
    },
    /// The parent has recorded the run's end.
    Acknowledged,
}

/// A change of the state from outside.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Change {
    /// The field, and the keys below it.
    pub path: Vec<String>,
    /// How it changes.
    pub kind: WriteKind,
    /// The value.
    pub value: Data,
}

/// What whoever did an action says of it beside its result.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Claim {
    /// How long it took.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub took_ms: Option<u64>,
    /// Why it could not be done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Whether what its step changes of the state was changed already, by whoever did it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub written: bool,
}

impl Claim {
    /// Whether nothing is said.
    pub fn is_empty(&self) -> bool {
        *self == Claim::default()
    }
}

/// How an effect ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Report {
    /// It was carried out.
    Done {
        /// What it gave.
        outputs: Fields,
    },
    /// It failed; there may be something to show all the same.
    Failed {
        /// Why.
        failure: Failure,
        /// What it gave.
        outputs: Fields,
    },
}

/// What became of an interrupted effect.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Resolution {
    /// Do it again.
    Retry,
    /// It had happened.
    Done {
        /// What it gave.
        outputs: Fields,
    },
    /// It failed.
    Fail,
}
