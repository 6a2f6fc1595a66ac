//! What callers ask of a run. A command is admitted as an event or refused; it changes nothing itself.

use crate::event::{Change, Claim, Report, Resolution};
use crate::run::Outcome;
use crate::{Data, Digest, EffectId, Fields, RunId};
use serde::{Deserialize, Serialize};

/// A caller asked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Command {
    /// Start the run.
    Start {
        /// Values of its inputs.
        inputs: Fields,
    },
    /// An adapter says how an effect ended.
    Report {
        /// The effect.
        effect: EffectId,
        /// How.
        report: Report,
    },
    /// Recovery found an effect neither done nor undone.
    Interrupt {
        /// The effect.
        effect: EffectId,
    },
    /// Someone looked and says what became of an interrupted effect.
    Resolve {
        /// The effect.
        effect: EffectId,
        /// What became of it.
        resolution: Resolution,
        /// Who says so.
        by: Caller,
    },
    /// A result for an action.
    Submit {
        /// The action.
        effect: EffectId,
        /// The result.
        result: Fields,
        /// Who gives it.
        by: Caller,
        /// What is said of it beside the result.
        #[serde(default, skip_serializing_if = "Claim::is_empty")]
        claim: Claim,
    },
    /// A human's answer to a gate.
    Answer {
        /// The action.
        effect: EffectId,
        /// Yes or no.
        approved: bool,
        /// What else was said.
        result: Fields,
        /// The digest of what was shown.
        shown: Digest,
        /// Who answers, and whether they proved it.
        by: Caller,
    },
    /// A timer's time has come.
    Fire {
        /// The timer.
        timer: EffectId,
    },
    /// A child run has ended.
    EndChild {
        /// The effect that started it.
        effect: EffectId,
        /// The child.
        child: RunId,
        /// How it ended.
        outcome: Outcome,
    },
    /// Change the state from outside.
    Update {
        /// Fields and their new values.
        values: Fields,
        /// Changes of what is there, after those; all or none.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        changes: Vec<Change>,
        /// Who changes them.
        by: Caller,
        /// What the request is known by, so that whoever asks again is told what came of it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        key: Option<String>,
    },
    /// Note that this point was reached, to come back to.
    Mark {
        /// The step it belongs to.
        step: Option<String>,
        /// Why.
        reason: String,
        /// Who asks.
        by: Caller,
    },
    /// End the run as failed.
    GiveUp {
        /// Why.
        reason: String,
        /// Who asks.
        by: Caller,
    },
    /// Cancel the run.
    Cancel {
        /// Why.
        reason: String,
        /// Who asks.
        by: Caller,
    },
    /// The parent has recorded this run's end.
    Acknowledge,
}

/// Who calls.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Caller {
    /// The server itself.
    Server,
    /// An agent, by name.
    Agent(String),
    /// A human, by the door used.
    Human {
        /// The door: console, command line, elicitation.
        door: String,
        /// Whether a passphrase or key was shown.
        proven: bool,
    },
}

impl Caller {
    /// A data value that names the caller.
    pub fn label(&self) -> Data {
        Data::Inline(match self {
            Caller::Server => "server".into(),
            Caller::Agent(name) => format!("agent {name}").into(),
            Caller::Human { door, .. } => format!("human at {door}").into(),
        })
    }
}
