//! The same kernel inside one generic Temporal workflow: a proof that the backend will be small.
//!
//! | the kernel says | Temporal does |
//! |---|---|
//! | `admit` | the validator of an update: a refusal leaves no event in the history |
//! | a command of a caller | an update; its answer is what is due next |
//! | a question | a local activity: its answer is a marker in the history |
//! | `Perform` | an activity on the task queue of the run's home |
//! | `Withdraw` | a cancelled timer, or an activity that tells the home to stop |
//! | `StartTimer` | a timer |
//! | `StartChild`, `CancelChild` | an abandoned child workflow; a cancel request by workflow id |
//! | `TellParent` | a signal to the parent, by workflow id |
//! | `Offer` | nothing: an action lies in the run until an update brings its result |
//! | `run.open()` | what a run that continued as new asks for again |
//!
//! Invariant: nothing here decides. What comes back from Temporal becomes a command, and the kernel chooses.
//! Deliberately absent: journal tables, lists and views of this backend; they belong to the full one.

mod backend;
mod desk;
mod flight;
mod home;
mod host;
mod ledger;
mod seed;
mod worker;

pub use backend::{Backend, Error, replay};
pub use desk::{Answers, Desk};
pub use home::{Hands, Home, Stop};
pub use host::Next;
pub use ledger::Key;
pub use seed::Seed;
pub use worker::work;
