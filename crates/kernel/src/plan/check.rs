//! Checks that the parts of a plan fit together. Dialects report mistakes of a definition with places;
//! this finds what only a broken plan can have, so that `apply` never meets it.

use super::{
    Body, Books, COMPUTED, Flow, Graph, Machine, Node, Place, Plan, Sequence, Spread, Step, Work, Write,
};
use std::collections::BTreeSet;

/// Why a plan cannot be run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Broken(pub String);

impl Plan {
    /// Checks that every position names something, that bodies nest, and that computed fields follow what they read
    /// and are written by nobody.
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
        require(later.len() == self.state.computed.len(), "two computed fields have one name")?;
        self.check_layers()?;
        let first = self.state.initial.iter().find(|(name, _)| later.contains(name.as_str()));
        require(first.is_none(), "a computed field has a first value")?;
        for field in &self.state.computed {
            let early = field.from.iter().any(|from| later.contains(from.as_str()));
            require(!early, &format!("computed field `{}` stands before what it reads", field.name))?;
            later.remove(field.name.as_str());
        }
        Ok(())
    }

    /// Whether every field that the rules name is of a layer, where there are layers, and what an evaluator computes is of
    /// its own.
    fn check_layers(&self) -> Result<(), Broken> {
        let rules = &self.state;
        let foreign = rules.computed.iter().any(|field| field.transform.is_some());
        require(rules.is_layered() || !foreign && rules.books.is_none(), "a rule needs layers of the state")?;
        if !rules.is_layered() {
            return Ok(());
        }
        let own = |name: &str| rules.layer_of(name).is_some_and(|(layer, _)| layer == COMPUTED);
        let known = |name: &String| rules.layer_of(name).is_some();
        let good = rules.computed.iter().all(|field| own(&field.name) && field.from.iter().all(known));
        require(good, "a computed field is in no layer of its own, or follows from what is in none")?;
        let first = rules.initial.iter().all(|(name, _)| known(name) && !own(name));
        require(first, "a first value is in no layer that can be written")?;
        let books = rules.books.iter().flat_map(Books::paths);
        self.check_writes(books.map(Vec::as_slice))
    }

    /// Whether something may write these fields.
    fn check_writes<'w>(&self, mut paths: impl Iterator<Item = &'w [String]>) -> Result<(), Broken> {
        let bad = paths.find(|path| {
            let name = path.first();
            name.is_none_or(|name| !self.can_write(name))
        });
        require(bad.is_none(), "a write has no field, or one that is computed")
    }

    /// Whether a step may write a field: nobody writes what is computed, and where there are layers it is in one.
    pub(crate) fn can_write(&self, name: &str) -> bool {
        let rules = &self.state;
        let layer = rules.layer_of(name).map(|(layer, _)| layer);
        let in_place = if rules.is_layered() { layer.is_some_and(|layer| layer != COMPUTED) } else { true };
        in_place && rules.computed.iter().all(|field| field.name != name)
    }

    fn check_graph(&self, graph: &Graph) -> Result<(), Broken> {
        let count = graph.blocks.len();
        require(graph.width_max > 0, "no block may run at once")?;
        let mut each = graph.blocks.iter().filter_map(|block| block.for_each.as_ref());
        require(each.all(|each| each.width_max != Some(0)), "no item may run at once")?;
        require(count <= self.steps.len() && graph.names.len() == count, "blocks and steps differ")?;
        let mut forth: Vec<(u32, u32)> = Vec::new();
        let mut back: Vec<(u32, u32)> = Vec::new();
        for (block, position) in graph.blocks.iter().zip(0..) {
            forth.extend(block.dependents.iter().map(|later| (position, *later)));
            back.extend(block.depends_on.iter().map(|earlier| (*earlier, position)));
        }
        forth.sort_unstable();
        back.sort_unstable();
        require(forth == back, "dependents do not fit dependencies")?;
        require(reached(graph) == count, "blocks wait for each other in a circle")
    }

    fn check_sequence(&self, sequence: &Sequence) -> Result<(), Broken> {
        require(!sequence.bodies.is_empty(), "there is no body")?;
        sequence.bodies.iter().try_for_each(|body| self.check_body(sequence, body))?;
        require(!is_circular(sequence), "a body stands inside itself")?;
        // A body may stand in several places; where a break or goto leads nowhere in one of them, the run says so.
        let mut seen = BTreeSet::from([0]);
        let mut inside = vec![Inside { body: 0, around: vec![0], looped: false, caught: false }];
        while let Some(here) = inside.pop() {
            for node in &sequence.bodies[here.body as usize] {
                here.check(node)?;
                inside.extend(here.below(node).into_iter().filter(|below| seen.insert(below.body)));
            }
        }
        Ok(())
    }

    fn check_body(&self, sequence: &Sequence, body: &Body) -> Result<(), Broken> {
        let has_body = |body: u32| (body as usize) < sequence.bodies.len();
        for node in body {
            let node = self.check_within(node)?;
            let good = match node {
                Node::Do { step, .. } => self.has_step(*step),
                Node::Branch { arms, otherwise } => {
                    arms.iter().all(|(_, body)| has_body(*body)) && otherwise.is_none_or(has_body)
                }
                Node::While { body, .. } | Node::Foreach { body, .. } => has_body(*body),
                Node::Fork { body, width_max, tasks, .. } => {
                    let is_there = tasks.as_ref().is_none_or(|tasks| self.has_step(tasks.step));
                    has_body(*body) && *width_max > 0 && is_there
                }
                Node::Try { body, catch } => has_body(*body) && catch.is_none_or(has_body),
                Node::Again { body, catch, .. } => has_body(*body) && has_body(*catch),
                Node::Goto { to, .. } => has_place(sequence, *to),
                Node::Spread(spread) => {
                    let is_child = self.steps.get(spread.step as usize).is_some_and(calls);
                    let is_named = !spread.task.is_empty() && !spread.task.contains(['#', '@', '/']);
                    is_child && is_named && spread.width_max > 0
                }
                Node::Set { .. } | Node::Give { .. } | Node::Break | Node::Return { .. } => true,
                Node::Fail { .. } | Node::Raise | Node::Exit | Node::Warn { .. } => true,
                Node::Within { .. } => false,
            };
            require(good, "a node names a step or body that is not there")?;
            self.check_writes(written(node).into_iter())?;
        }
        Ok(())
    }

    /// What is within a step, if that is there and does no other one.
    fn check_within<'n>(&self, node: &'n Node) -> Result<&'n Node, Broken> {
        if let Node::Within { step, node, .. } = node {
            let is_its_own = match &**node {
                Node::Do { step: done, .. } => done == step,
                Node::Spread(spread) => spread.step == *step,
                Node::Fork { tasks: Some(tasks), .. } => tasks.step == *step,
                _ => true,
            };
            require(self.has_step(*step) && is_its_own, "a node is within a step that is not its own")?;
        }
        Ok(node.inner())
    }

    fn check_machine(&self, machine: &Machine) -> Result<(), Broken> {
        let count = machine.states.len();
        let has = |state: u32| (state as usize) < count;
        require(has(machine.initial) && count <= self.steps.len(), "states and steps differ")?;
        let good = machine.states.iter().all(|state| state.ways().all(has));
        require(good, "a transition leads nowhere")?;
        let own = |state: u32| machine.states[state as usize].own;
        let twice = machine.states.iter().filter(|state| state.own).any(|state| state.ways().any(own));
        require(!twice, "a state of the server's own leads to another one")?;
        let is_end =
            |state: u32| has(state) && own(state) && machine.states[state as usize].ways().next().is_none();
        require(machine.finally.is_none_or(is_end), "the last state leads on, or is not the server's own")?;
        let writes = machine.states.iter().flat_map(|state| &state.writes);
        self.check_writes(writes.map(|write| write.path.as_slice()))
    }
}

/// How many blocks can be reached, one after the other.
fn reached(graph: &Graph) -> usize {
    let mut waits: Vec<usize> = graph.blocks.iter().map(|block| block.depends_on.len()).collect();
    let mut ready: Vec<usize> = (0..waits.len()).filter(|block| waits[*block] == 0).collect();
    let mut seen = 0;
    while let Some(block) = ready.pop() {
        seen += 1;
        for dependent in &graph.blocks[block].dependents {
            let wait = &mut waits[*dependent as usize];
            *wait -= 1;
            if *wait == 0 {
                ready.push(*dependent as usize);
            }
        }
    }
    seen
}

/// Whether some body stands inside itself.
fn is_circular(sequence: &Sequence) -> bool {
    let below = |body: usize| sequence.bodies[body].iter().flat_map(bodies_of);
    let mut places = vec![0_u32; sequence.bodies.len()];
    (0..places.len()).flat_map(below).for_each(|body| places[body as usize] += 1);
    let mut free: Vec<usize> = (0..places.len()).filter(|body| places[*body] == 0).collect();
    let mut seen = 0;
    while let Some(body) = free.pop() {
        seen += 1;
        for below in below(body) {
            places[below as usize] -= 1;
            if places[below as usize] == 0 {
                free.push(below as usize);
            }
        }
    }
    seen < places.len()
}

/// Whether the work of a step is a child.
fn calls(step: &Step) -> bool {
    matches!(step.work, Work::Child { .. })
}

/// The bodies that a node has.
fn bodies_of(node: &Node) -> Vec<u32> {
    match node.inner() {
        Node::Branch { arms, otherwise } => arms.iter().map(|(_, body)| *body).chain(*otherwise).collect(),
        Node::While { body, .. } | Node::Foreach { body, .. } | Node::Fork { body, .. } => vec![*body],
        Node::Try { body, catch } => std::iter::once(*body).chain(*catch).collect(),
        Node::Again { body, catch, .. } => vec![*body, *catch],
        _ => Vec::new(),
    }
}

/// A body and what stands around it, as far as a goto or a break may lead.
struct Inside {
    body: u32,
    around: Vec<u32>,
    looped: bool,
    caught: bool,
}

impl Inside {
    fn check(&self, node: &Node) -> Result<(), Broken> {
        match node.inner() {
            Node::Break => require(self.looped, "a break stands outside any loop"),
            Node::Raise => require(self.caught, "nothing was caught where it is raised again"),
            Node::Goto { to, .. } => {
                require(self.around.contains(&to.body), "a goto leads into a body that is not around it")
            }
            _ => Ok(()),
        }
    }

    /// The bodies below a node. A lane cannot leave the fork that made it.
    fn below(&self, node: &Node) -> Vec<Inside> {
        let looped = self.looped || matches!(node.inner(), Node::While { .. } | Node::Foreach { .. });
        let below = |body: u32| match node.inner() {
            Node::Fork { .. } => Inside { body, around: vec![body], looped: false, caught: false },
            other => {
                let catches = match other {
                    Node::Try { catch, .. } => *catch == Some(body),
                    Node::Again { catch, .. } => *catch == body,
                    _ => false,
                };
                let caught = self.caught || catches;
                Inside { body, around: self.around.iter().copied().chain([body]).collect(), looped, caught }
            }
        };
        bodies_of(node).into_iter().map(below).collect()
    }
}

fn has_place(sequence: &Sequence, place: Place) -> bool {
    sequence.bodies.get(place.body as usize).is_some_and(|body| (place.position as usize) < body.len())
}

/// The paths that a node writes.
fn written(node: &Node) -> Vec<&[String]> {
    match node {
        Node::Do { writes, otherwise, .. } => writes.iter().chain(otherwise).map(Write::path).collect(),
        Node::Set { writes } => writes.iter().map(Write::path).collect(),
        Node::Fork { collect, tasks, .. } => {
            let errors = tasks.as_ref().and_then(|tasks| tasks.errors.as_deref());
            collect.as_ref().map(std::slice::from_ref).into_iter().chain(errors).collect()
        }
        Node::Spread(Spread { collect: Some(name), .. }) => vec![std::slice::from_ref(name)],
        _ => Vec::new(),
    }
}

fn require(holds: bool, otherwise: &str) -> Result<(), Broken> {
    if holds { Ok(()) } else { Err(Broken(otherwise.to_owned())) }
}
