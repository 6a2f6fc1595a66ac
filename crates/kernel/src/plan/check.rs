//! Checks that the parts of a plan fit together. Dialects report mistakes of a definition with places;
//! this finds what only a broken plan can have, so that `apply` never meets it.

use super::{Body, Flow, Graph, Machine, Node, Plan, Sequence};
use std::collections::BTreeSet;

/// Why a plan cannot be run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Broken(pub String);

impl Plan {
    /// Checks that every position names something and that computed fields follow what they read.
    pub fn check(&self) -> Result<(), Broken> {
        let ids: BTreeSet<&str> = self.steps.iter().map(|step| step.id.as_str()).collect();
        require(ids.len() == self.steps.len(), "two steps have one name")?;
        require(self.cleanup.iter().all(|step| self.has_step(*step)), "cleanup names no step")?;
        self.check_computed()?;
        match &self.flow {
            Flow::Graph(graph) => self.check_graph(graph),
            Flow::Sequence(sequence) => self.check_sequence(sequence),
            Flow::Machine(machine) => self.check_machine(machine),
        }
    }

    fn has_step(&self, step: u32) -> bool {
        (step as usize) < self.steps.len()
    }

    fn check_computed(&self) -> Result<(), Broken> {
        let mut later: BTreeSet<&str> = self.state.computed.iter().map(|field| field.name.as_str()).collect();
        for field in &self.state.computed {
            let early = field.from.iter().any(|from| later.contains(from.as_str()));
            require(!early, &format!("computed field `{}` stands before what it reads", field.name))?;
            later.remove(field.name.as_str());
        }
        Ok(())
    }

    fn check_graph(&self, graph: &Graph) -> Result<(), Broken> {
        let count = graph.blocks.len();
        require(graph.width_max > 0, "no block may run at once")?;
        require(count <= self.steps.len() && graph.names.len() == count, "blocks and steps differ")?;
        let mut waits: Vec<usize> = graph.blocks.iter().map(|block| block.depends_on.len()).collect();
        let mut ready: Vec<usize> = (0..count).filter(|block| waits[*block] == 0).collect();
        let mut seen = 0;
        while let Some(block) = ready.pop() {
            seen += 1;
            for dependent in &graph.blocks[block].dependents {
                let wait = waits.get_mut(*dependent as usize).filter(|wait| **wait > 0);
                let wait = wait.ok_or_else(|| Broken("dependents do not fit dependencies".into()))?;
                *wait -= 1;
                if *wait == 0 {
                    ready.push(*dependent as usize);
                }
            }
        }
        require(seen == count, "blocks wait for each other in a circle")
    }

    fn check_sequence(&self, sequence: &Sequence) -> Result<(), Broken> {
        require(!sequence.bodies.is_empty(), "there is no body")?;
        sequence.bodies.iter().try_for_each(|body| self.check_body(sequence, body))
    }

    fn check_body(&self, sequence: &Sequence, body: &Body) -> Result<(), Broken> {
        let has_body = |body: u32| (body as usize) < sequence.bodies.len();
        let good = body.iter().all(|node| match node {
            Node::Do { step, .. } => self.has_step(*step),
            Node::Branch { arms, otherwise } => {
                arms.iter().all(|(_, body)| has_body(*body)) && otherwise.is_none_or(has_body)
            }
            Node::While { body, .. } | Node::Foreach { body, .. } => has_body(*body),
            Node::Fork { body, width_max, .. } => has_body(*body) && *width_max > 0,
            Node::Goto { to, .. } => {
                sequence.bodies.get(to.body as usize).is_some_and(|body| (to.position as usize) < body.len())
            }
            Node::Set { .. } | Node::Give { .. } | Node::Break | Node::Return { .. } => true,
        });
        require(good, "a node names a step or body that is not there")
    }

    fn check_machine(&self, machine: &Machine) -> Result<(), Broken> {
        let count = machine.states.len();
        let has = |state: u32| (state as usize) < count;
        require(has(machine.initial) && count <= self.steps.len(), "states and steps differ")?;
        let good = machine.states.iter().all(|state| {
            state.transitions.iter().all(|transition| has(transition.to)) && state.on_timeout.is_none_or(has)
        });
        require(good, "a transition leads nowhere")
    }
}

fn require(holds: bool, otherwise: &str) -> Result<(), Broken> {
    if holds { Ok(()) } else { Err(Broken(otherwise.to_owned())) }
}
