//! The three flows: rules that choose the next step. Each is a machine in its own room that opens with its
//! transition table. A flow begins activities and hears of their end; it knows nothing of attempts or effects.

pub(crate) mod graph;
pub(crate) mod machine;
mod rows;
pub(crate) mod sequence;

pub(crate) use rows::Row;

use crate::Fields;
use crate::plan::{Flow, Machine};
use crate::run::life::FlowLife;
use crate::run::{Moment, Stop, Task};

impl Moment<'_> {
    /// Gives the state its first values and lets the flow begin.
    pub(crate) fn open_flow(&mut self) -> Result<(), Stop> {
        match &self.plan.flow {
            Flow::Machine(Machine { variables: Some(variables), .. }) => self.open_variables(variables)?,
            _ => self.open_state()?,
        }
        match &self.plan.flow {
            Flow::Graph(_) => self.open_graph(),
            Flow::Sequence(_) => self.open_sequence(),
            Flow::Machine(machine) => self.agenda.push_back(Task::Enter(machine.initial)),
        }
        Ok(())
    }
}

/// What the last state of a machine gave, while the outputs are made.
pub(crate) fn given(life: &FlowLife) -> Option<&Fields> {
    match life {
        FlowLife::Machine(machine) => machine.given(),
        FlowLife::Graph(_) | FlowLife::Sequence(_) => None,
    }
}

/// The run closes: lets go of where the flow was, and says what that weighed. What blocks gave is kept, because
/// cleanup may read it.
pub(crate) fn close_flow(life: &mut FlowLife) -> u64 {
    match life {
        FlowLife::Graph(graph) => graph.close(),
        FlowLife::Sequence(sequence) => sequence.close(),
        FlowLife::Machine(machine) => machine.close(),
    }
}
