//! The kernel: what a run is and how it moves, and nothing else.
//!
//! Two pure functions carry everything. [`Run::admit`] reads a [`Command`] and either turns it into an
//! [`Event`] or refuses it; [`Run::apply`] is total and gives a [`Turn`]: the questions that must be answered
//! before the turn can end, and the effects that may leave once it is committed. The same plan and the same
//! events give the same bytes.
//!
//! Deliberately absent: clocks, randomness, files, network, threads, async. Time and ids come in with events.

pub mod clock;
pub mod command;
pub mod data;
pub mod digest;
pub mod effect;
pub mod event;
pub mod exact;
pub mod failure;
pub mod fault;
mod flow;
pub mod id;
pub mod language;
pub mod limits;
pub mod news;
pub mod plan;
pub mod question;
pub mod refusal;
mod run;
pub mod table;

pub use command::Command;
pub use data::{Data, Fields};
pub use digest::Digest;
pub use effect::Effect;
pub use event::{Event, Fact};
pub use failure::{Failure, FailureKind, Reached};
pub use flow::sequence::{Forking, Spreading, TaskStage, TaskState};
pub use id::{EffectId, RunId};
pub use limits::Limits;
pub use news::News;
pub use plan::Plan;
pub use question::{Answer, Question};
pub use refusal::Refusal;
pub use run::{Bounds, Open, OpenKind, Outcome, Run, Snapshot, Status, Turn, Waiting};

/// The number of this kernel's behaviour. A run is pinned to the number it started with: whoever changes what
/// a recorded event does must raise it and keep the old behaviour for old runs.
pub const BEHAVIOUR: u32 = 1;
