//! Tasks as plans: one for each agent that a task is given to, and one where it is given to none.
//!
//! What a sub-agent cannot do is another node in its plan: a prompt fails, and a change of the state is shown to it.

use super::draft::Draft;
use super::reader::Reader;
use super::uses::TASK_PLANS_MAX;
use kernel::Digest;
use kernel::plan::{Audience, Expr, Flow, ITEM, Input, InputKind, Node, OnFailure, Plan, Work, Workflow};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// What a sub-agent is told of a change of the state.
const UPDATED: &str = "State updated internally";

/// A way in which a task is used.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Way<'n> {
    task: usize,
    /// Who it is given to.
    agent: Option<&'n str>,
    /// Whether a sub-agent is at work, here or further up.
    is_delegated: bool,
}

/// Makes plans of drafts.
pub(super) struct Tasks<'r, 's, 'n> {
    reader: &'r Reader<'s, 'n>,
    drafts: &'r [Draft],
    made: BTreeMap<Way<'n>, Digest>,
    /// The plans, in the order in which they were made.
    pub(super) plans: Vec<Arc<Plan>>,
}

impl<'r, 's, 'n> Tasks<'r, 's, 'n> {
    pub(super) fn new(reader: &'r Reader<'s, 'n>, drafts: &'r [Draft]) -> Self {
        Tasks { reader, drafts, made: BTreeMap::new(), plans: Vec::new() }
    }

    /// The plan of the workflow, with the digests of all tasks in it.
    pub(super) fn workflow(&mut self) -> Plan {
        let mut plan = self.drafts[0].plan(&self.reader.head.name);
        plan.inputs = self.reader.world.units[0].inputs.clone().unwrap_or_default();
        self.pin(0, &mut plan, false);
        plan
    }

    /// Puts the digests of the tasks that a unit uses into its plan.
    fn pin(&mut self, unit: usize, plan: &mut Plan, is_delegated: bool) {
        let reader = self.reader;
        for used in reader.uses.iter().filter(|used| used.at.unit == unit) {
            let is_delegated = is_delegated || used.agent.is_some();
            let digest = self.task(Way { task: used.task, agent: used.agent, is_delegated });
            if let Work::Child { workflow: Workflow::Pinned { plan, .. }, .. } =
                &mut plan.steps[used.at.step].work
            {
                *plan = digest;
            }
        }
    }

    fn task(&mut self, way: Way<'n>) -> Digest {
        if let Some(digest) = self.made.get(&way) {
            return *digest;
        }
        let unit = &self.reader.world.units[way.task];
        let mut plan = self.drafts[way.task].plan(unit.task.map_or("", |(name, _)| name));
        plan.description.clone_from(&unit.description);
        plan.inputs = unit.inputs.clone().unwrap_or_default();
        plan.inputs.push(item());
        plan.agent = way.agent.map(str::to_owned);
        self.pin(way.task, &mut plan, way.is_delegated);
        if way.is_delegated {
            without_prompts(&mut plan);
        }
        if way.agent.is_some() {
            with_changes_shown(&mut plan);
        }
        debug_assert!(plan.check().is_ok(), "BUG: a broken plan: {:?}", plan.check());
        let digest = plan.digest();
        self.made.insert(way, digest);
        if self.plans.iter().all(|known| **known != plan) {
            self.plans.push(Arc::new(plan));
        }
        digest
    }
}

/// The input that holds what a task is run for.
fn item() -> Input {
    Input {
        name: ITEM.to_owned(),
        description: String::new(),
        kind: InputKind::Any,
        required: false,
        default: None,
        rules: None,
    }
}

/// Who asks a person fails: a sub-agent has none.
fn without_prompts(plan: &mut Plan) {
    let steps = &mut plan.steps;
    each_node(&mut plan.flow, |step, node| {
        let step = &mut steps[step];
        if step.kind == "prompt" {
            let why = "a prompt asks a person, and a sub-agent has none: ask in the main flow, before the task is given away";
            *node = Node::Fail { message: Expr::Const(why.into()) };
            step.work = Work::Make { inputs: Vec::new(), outputs: Vec::new() };
        }
    });
}

/// A change of the state is an action that says so: the server makes the change, whoever acknowledges it.
fn with_changes_shown(plan: &mut Plan) {
    let steps = &mut plan.steps;
    each_node(&mut plan.flow, |at, node| {
        if let Node::Set { writes } = node {
            let shown = vec![("message".to_owned(), Expr::Const(UPDATED.into()))];
            steps[at].work =
                Work::Action { audience: Audience::Agent, inputs: shown, gate: None, ends: None };
            let (step, writes) =
                (u32::try_from(at).expect("BUG: more steps than nodes"), std::mem::take(writes));
            *node = Node::Do { step, writes, on_failure: OnFailure::Fail, otherwise: Vec::new() };
        }
    });
}

/// Visits what stands within each step.
fn each_node(flow: &mut Flow, mut visit: impl FnMut(usize, &mut Node)) {
    let Flow::Sequence(sequence) = flow else { return };
    for node in sequence.bodies.iter_mut().flatten() {
        if let Node::Within { step, node, .. } = node {
            visit(*step as usize, node);
        }
    }
}

impl<'n> Reader<'_, 'n> {
    /// The tasks that are given to sub-agents, directly or inside of others, and how many plans all uses make.
    fn ways(&self) -> BTreeSet<Way<'n>> {
        let mut ways = BTreeSet::new();
        let mut open: Vec<(usize, bool)> = vec![(0, false)];
        while let Some((unit, is_delegated)) = open.pop() {
            for used in self.uses.iter().filter(|used| used.at.unit == unit) {
                let is_delegated = is_delegated || used.agent.is_some();
                let way = Way { task: used.task, agent: used.agent, is_delegated };
                if ways.len() <= TASK_PLANS_MAX && ways.insert(way) {
                    open.push((used.task, is_delegated));
                }
            }
        }
        ways
    }

    /// Reports prompts that nobody can answer, and more uses than there can be plans. There must be no circles.
    pub(super) fn report_ways(&mut self) {
        let ways = self.ways();
        if ways.len() > TASK_PLANS_MAX {
            let place =
                self.world.units[0].node.entry("tasks").map(|(key, _)| key.place()).unwrap_or_default();
            self.mistakes.error(|sheet| {
                let message = format!("tasks are used in more than {TASK_PLANS_MAX} ways");
                let diagnostic = sheet.error("too-many-tasks", place, message);
                diagnostic.hint("each task counts once for each agent that it is given to")
            });
        }
        let delegated: BTreeSet<usize> =
            ways.into_iter().filter(|way| way.is_delegated).map(|way| way.task).collect();
        for unit in delegated {
            let unit = &self.world.units[unit];
            let asks = |form: &'static super::types::Form| form.name == "prompt";
            for outline in unit.steps.iter().filter(|outline| outline.form.is_some_and(asks)) {
                let owner = unit.called();
                self.mistakes.warn(|sheet| {
                    let message =
                        format!("step {} asks a person, and {owner} is given to a sub-agent", outline.name);
                    let diagnostic = sheet.warning("prompt-in-task", outline.place, message);
                    diagnostic
                        .label("fails when it is reached")
                        .hint("ask in the main flow, before the `foreach` that gives the task away")
                });
            }
        }
    }
}
