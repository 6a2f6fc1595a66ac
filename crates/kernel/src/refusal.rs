//! Why a command was not admitted. A refusal moves nothing; it says what is due.

use crate::data::{DEPTH_MAX, TOO_DEEP};
use crate::{EffectId, RunId};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::fmt;

/// A command was refused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Refusal {
    /// The run has started already.
    AlreadyStarted,
    /// The run has not started yet.
    NotStarted,
    /// The run is closing or has ended.
    Over,
    /// Inputs that must be given are missing.
    MissingInputs(Vec<String>),
    /// An input is not known; these are.
    UnknownInput {
        /// The name that was given.
        name: String,
        /// The names there are.
        known: Vec<String>,
    },
    /// An input has the wrong type.
    WrongInput {
        /// The input.
        name: String,
        /// The type it must have.
        expected: Cow<'static, str>,
        /// What was given.
        got: String,
    },
    /// Nothing of that name is open.
    NotOpen {
        /// What was named.
        effect: EffectId,
        /// What is due.
        due: Vec<EffectId>,
    },
    /// An older attempt was named.
    Stale {
        /// What was named.
        effect: EffectId,
        /// What is due instead.
        due: EffectId,
    },
    /// The same result was taken already.
    Repeated {
        /// What was named.
        effect: EffectId,
    },
    /// Another result was taken already.
    AlreadyAnswered {
        /// What was named.
        effect: EffectId,
    },
    /// The command does not fit what is open under that name.
    WrongKind {
        /// What was named.
        effect: EffectId,
        /// What it waits for.
        waits_for: Cow<'static, str>,
    },
    /// Only a human may answer this.
    HumansOnly {
        /// What was named.
        effect: EffectId,
    },
    /// This gate wants a passphrase or key.
    ProofNeeded {
        /// What was named.
        effect: EffectId,
    },
    /// What was shown is not what is asked now.
    ShownChanged {
        /// What was named.
        effect: EffectId,
    },
    /// The timer's time has not come.
    TooEarly {
        /// The timer.
        timer: EffectId,
        /// When it comes.
        due: u64,
    },
    /// Another child is meant.
    WrongChild {
        /// What was named.
        child: RunId,
    },
    /// A value is too large or nests too deep to be carried inline, or is more than the run can hold.
    TooLarge {
        /// Its name.
        name: String,
        /// How large it is.
        size: u64,
        /// How large it may be.
        max: u64,
    },
    /// Time went backwards.
    BackInTime {
        /// The time of the last event.
        last: u64,
    },
    /// Nobody but its rule may write this field of the state.
    NotWritable(String),
}

impl fmt::Display for Refusal {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::AlreadyStarted => write!(out, "the run has started already"),
            Refusal::NotStarted => write!(out, "the run has not started yet"),
            Refusal::Over => write!(out, "the run is over"),
            Refusal::MissingInputs(names) => write!(out, "Missing required inputs: {}", names.join(", ")),
            Refusal::UnknownInput { name, .. } => write!(out, "there is no input `{name}`"),
            Refusal::WrongInput { name, expected, got } => {
                write!(out, "input `{name}` must be {expected}, not {got}")
            }
            Refusal::NotOpen { effect, due } if due.is_empty() => {
                write!(out, "`{effect}` is not due, and nothing else is")
            }
            Refusal::NotOpen { effect, due } => {
                let due: Vec<String> = due.iter().map(|id| format!("`{id}`")).collect();
                write!(out, "`{effect}` is not due; due: {}", due.join(", "))
            }
            Refusal::Stale { effect, due } => write!(out, "`{effect}` is an old attempt; due is `{due}`"),
            Refusal::Repeated { effect } => write!(out, "this result of `{effect}` was taken already"),
            Refusal::AlreadyAnswered { effect } => {
                write!(out, "another result of `{effect}` was taken already")
            }
            Refusal::WrongKind { effect, waits_for } => write!(out, "`{effect}` waits for {waits_for}"),
            Refusal::HumansOnly { effect } => write!(out, "only a human may answer `{effect}`"),
            Refusal::ProofNeeded { effect } => write!(out, "`{effect}` wants a passphrase or key"),
            Refusal::ShownChanged { effect } => {
                write!(out, "what `{effect}` asks is not what was shown; look again")
            }
            Refusal::TooEarly { timer, .. } => write!(out, "the time of `{timer}` has not come"),
            Refusal::WrongChild { child } => write!(out, "`{child}` is not the child that is waited for"),
            Refusal::TooLarge { name, size: TOO_DEEP, .. } => {
                write!(out, "`{name}` nests deeper than {DEPTH_MAX} levels")
            }
            Refusal::TooLarge { name, size, max } => {
                write!(out, "`{name}` has {size} bytes; at most {max} fit")
            }
            Refusal::BackInTime { last } => write!(out, "the last event was at {last}, later than this one"),
            Refusal::NotWritable(field) => write!(out, "state field `{field}` cannot be written"),
        }
    }
}
