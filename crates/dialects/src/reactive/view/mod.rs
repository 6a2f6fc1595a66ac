//! What the tools of this dialect answer: the state as one flat object, steps that are ready to be carried out, tasks for
//! sub-agents, what follows from what, and the plan in words. Pure: whatever is stored was loaded before.

pub mod action;
pub mod atomic;
pub mod definition;
pub mod dependencies;
pub mod explain;
pub mod fit;
pub mod flat;
mod instructions;
pub mod path;
pub mod prompts;
pub mod tasks;

#[cfg(test)]
mod tests;
