//! A plan in words: the steps in the order they are written, when each is taken, and what it needs. Nothing is carried out.

use kernel::Plan;
use kernel::plan::{Body, Expr, Flow, Language, Node, Tasks, Work};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// What a step of a machine, of a person and of the clock takes, roughly, in seconds.
const SERVER_SECONDS: u64 = 5;
const AGENT_SECONDS: u64 = 30;
const PERSON_SECONDS: u64 = 60;

/// A step as it is explained.
#[derive(Debug, Clone, PartialEq)]
pub struct Explained {
    /// The step.
    pub step_id: String,
    /// What the definition calls it.
    pub kind: String,
    /// What must hold before it is taken, from the outside in.
    pub conditions: Vec<String>,
    /// The step around it, if there is one.
    pub inside: Option<String>,
    /// The items that sub-agents are created for.
    pub items: Option<Expr>,
    /// The task of sub-agents that it is part of.
    pub task: Option<String>,
    /// The fields of the state and the inputs that it reads.
    pub dependencies: BTreeSet<String>,
    /// The tool that the agent calls.
    pub tool: Option<String>,
    seconds: u64,
}

/// All steps of a plan.
pub fn steps(plan: &Plan) -> Vec<Explained> {
    let mut found = Walker { plan, found: Vec::new() };
    match &plan.flow {
        Flow::Sequence(sequence) => found.body(&sequence.bodies, 0, &Around::default()),
        _ => (0..plan.steps.len()).for_each(|step| found.add(step, &Around::default(), Vec::new(), None)),
    }
    found.found
}

/// The tools of the host that the agent calls, each once.
pub fn tools(steps: &[Explained]) -> Vec<&str> {
    steps.iter().filter_map(|step| step.tool.as_deref()).collect::<BTreeSet<_>>().into_iter().collect()
}

/// How long it may take, in words. `agents` says for how many items each step with sub-agents is done, where that is known.
pub fn duration(steps: &[Explained]) -> String {
    let seconds: u64 = steps.iter().map(|step| step.seconds).sum();
    match seconds {
        0 => "less than a second".to_owned(),
        1..=90 => format!("about {seconds} seconds, each step taken once"),
        more => format!("about {} minutes, each step taken once", more.div_ceil(60)),
    }
}

impl Explained {
    /// As it is answered; `agents` is the number of sub-agents, where it is known.
    pub fn to_json(&self, agents: Option<usize>) -> Value {
        let mut value = json!({ "step_id": self.step_id, "type": self.kind });
        let more = [
            ("conditions", (!self.conditions.is_empty()).then(|| json!(self.conditions))),
            ("estimated_sub_agents", agents.map(|count| json!(count))),
            ("dependencies", (!self.dependencies.is_empty()).then(|| json!(self.dependencies))),
            ("inside", self.inside.clone().map(Value::String)),
            ("sub_agent_task", self.task.clone().map(Value::String)),
            ("tool", self.tool.clone().map(Value::String)),
        ];
        for (key, found) in more {
            if let Some(found) = found {
                value[key] = found;
            }
        }
        value
    }
}

/// What stands around a node.
#[derive(Clone, Default)]
struct Around {
    conditions: Vec<String>,
    step: Option<String>,
    task: Option<String>,
}

struct Walker<'p> {
    plan: &'p Plan,
    found: Vec<Explained>,
}

impl Walker<'_> {
    fn body(&mut self, bodies: &[Body], body: u32, around: &Around) {
        for node in bodies.get(body as usize).into_iter().flatten() {
            self.node(bodies, node, None, around);
        }
    }

    fn node(&mut self, bodies: &[Body], node: &Node, within: Option<u32>, around: &Around) {
        let id = |step: u32| self.plan.steps[step as usize].id.clone();
        let inside = |condition: Option<String>| Around {
            conditions: around.conditions.iter().cloned().chain(condition).collect(),
            step: within.map(id).or_else(|| around.step.clone()),
            task: around.task.clone(),
        };
        match node {
            Node::Within { step, when, node } => {
                let around = Around {
                    conditions: around
                        .conditions
                        .iter()
                        .cloned()
                        .chain(when.as_ref().map(condition))
                        .collect(),
                    ..around.clone()
                };
                if !matches!(node.as_ref(), Node::Do { .. } | Node::Fork { .. }) {
                    self.add(*step as usize, &around, reads_of(node), None);
                }
                self.node(bodies, node, Some(*step), &around);
            }
            Node::Do { step, .. } => self.add(*step as usize, around, Vec::new(), None),
            Node::Branch { arms, otherwise } => {
                let mut before: Vec<String> = Vec::new();
                for (held, body) in arms {
                    self.body(bodies, *body, &inside(Some(condition(held))));
                    before.push(format!("not ({})", condition(held)));
                }
                if let Some(body) = otherwise {
                    self.body(bodies, *body, &inside(Some(before.join(" and "))));
                }
            }
            Node::While { condition: held, body, .. } => {
                self.body(bodies, *body, &inside(Some(format!("while {}", condition(held)))));
            }
            Node::Foreach { items, body, .. } => {
                self.body(bodies, *body, &inside(Some(format!("for each of {}", condition(items)))));
            }
            Node::Fork { items, body, tasks, .. } => {
                self.fork(bodies, (items, *body), tasks.as_deref(), (within, around))
            }
            Node::Try { body, catch } => {
                self.body(bodies, *body, &inside(None));
                if let Some(catch) = catch {
                    self.body(bodies, *catch, &inside(Some("a step before has failed".to_owned())));
                }
            }
            Node::Again { body, catch, .. } => {
                self.body(bodies, *body, &inside(None));
                self.body(bodies, *catch, &inside(Some("a step before has failed".to_owned())));
            }
            _ => {}
        }
    }

    fn fork(
        &mut self,
        bodies: &[Body],
        (items, body): (&Expr, u32),
        tasks: Option<&Tasks>,
        (within, around): (Option<u32>, &Around),
    ) {
        let step = tasks.map(|tasks| tasks.step).or(within);
        if let Some(step) = step {
            self.add(step as usize, around, reads(items), Some(items.clone()));
        }
        let id = step.map(|step| self.plan.steps[step as usize].id.clone());
        let task = tasks.map(|tasks| tasks.task.clone());
        self.body(bodies, body, &Around { step: id, task, ..around.clone() });
    }

    fn add(&mut self, step: usize, around: &Around, mut paths: Vec<String>, items: Option<Expr>) {
        let planned = &self.plan.steps[step];
        let inputs = match &planned.work {
            Work::Server { inputs, .. }
            | Work::Action { inputs, .. }
            | Work::Child { inputs, .. }
            | Work::Make { inputs, .. } => inputs.as_slice(),
            Work::Wait { .. } => &[],
        };
        paths.extend(inputs.iter().flat_map(|(_, value)| reads(value)));
        let called = inputs.iter().find(|(name, _)| name == "method" || name == "tool");
        let tool = called.and_then(|(_, value)| match value {
            Expr::Const(Value::String(name)) => Some(name.clone()),
            _ => None,
        });
        self.found.push(Explained {
            step_id: planned.id.clone(),
            kind: planned.kind.clone(),
            conditions: around.conditions.clone(),
            inside: around.step.clone(),
            items,
            task: around.task.clone(),
            dependencies: paths.into_iter().collect(),
            tool,
            seconds: match &planned.work {
                Work::Server { .. } => SERVER_SECONDS,
                Work::Action { .. } if planned.kind == "user_input" => PERSON_SECONDS,
                Work::Action { .. } | Work::Child { .. } => AGENT_SECONDS,
                Work::Make { .. } | Work::Wait { .. } => 0,
            },
        });
    }
}

/// The expressions of a node that has no step of its own.
fn reads_of(node: &Node) -> Vec<String> {
    match node {
        Node::Branch { arms, .. } => arms.iter().flat_map(|(held, _)| reads(held)).collect(),
        Node::While { condition, .. } => reads(condition),
        Node::Foreach { items, .. } => reads(items),
        Node::Set { writes } => writes.iter().flat_map(|write| reads(&write.value)).collect(),
        _ => Vec::new(),
    }
}

/// What an expression reads of the state and the inputs, by root and first key.
fn reads(expr: &Expr) -> Vec<String> {
    let paths = expr.paths();
    let named = paths.into_iter().map(|path| match path.key(0) {
        Some(key) => format!("{}.{key}", path.root),
        None => path.root.clone(),
    });
    named.filter(|name| !["item", "index", "result", "error"].contains(&name.as_str())).collect()
}

/// A condition as it is written.
fn condition(expr: &Expr) -> String {
    match expr {
        Expr::Foreign(foreign) if foreign.language == Language::JavaScript => {
            let inner = foreign.source.strip_prefix("!!(").and_then(|rest| rest.strip_suffix(')'));
            inner.unwrap_or(&foreign.source).trim().to_owned()
        }
        Expr::Foreign(foreign) => foreign.source.clone(),
        Expr::Const(value) => value.to_string(),
        other => other.paths().first().map(ToString::to_string).unwrap_or_default(),
    }
}
