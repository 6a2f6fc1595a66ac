//! The dialect `reactive` through the real binary: its examples driven to their ends by an agent who only does what each step says, one
//! of them killed at every point, and what people and models may write that never ends or grows without bounds.

mod agent;
mod conversation;
mod examples;
mod flows;
pub(crate) mod killed;
mod place;
mod round_trips;
mod traps;
