//! Plans from a seed: a small library of workflows of all three flows, some of which call others. Every kind of
//! step, node, rule and limit has its chance; what a plan makes of it is the kernel's business.

mod expr;
mod graph;
mod layers;
mod machine;
mod sequence;
mod step;

use crate::random::Random;
use engine::answers::Called;
use kernel::Limits;
use kernel::plan::{Deadline, Dialect, Flow, ITEM, Input, InputKind, Plan};
use serde_json::json;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The workflows of one world.
#[derive(Debug, Default)]
pub(crate) struct Library {
    pub(crate) roots: Vec<Arc<Plan>>,
    by_name: BTreeMap<String, Arc<Plan>>,
}

impl Library {
    /// Makes the workflows of a world: leaves call nobody, roots may call everybody.
    pub(crate) fn new(random: &mut Random) -> Self {
        let mut library = Library::default();
        for level in ["leaf", "mid", "root"] {
            let count = random.between(1, 2);
            for number in 0..count {
                let plan = Arc::new(Maker::new(random, &library).plan(&format!("{level}{number}")));
                plan.check().unwrap_or_else(|broken| panic!("BUG: a bad plan was made: {}", broken.0));
                if level == "root" {
                    library.roots.push(Arc::clone(&plan));
                } else {
                    library.by_name.insert(plan.name.clone(), plan);
                }
            }
        }
        library
    }

    /// The workflow that a child runs, where it is named late.
    pub(crate) fn called(&self, name: &str) -> Result<Called, String> {
        let found = self.by_name.get(name).ok_or_else(|| format!("Workflow '{name}' not found"))?;
        Ok(Called { plan: Arc::clone(found), pinned: self.pinned(found) })
    }

    /// The plans of all that a workflow calls by constant names, and of all that those call.
    pub(crate) fn pinned(&self, plan: &Plan) -> Vec<Arc<Plan>> {
        let mut all: BTreeMap<&str, &Arc<Plan>> = BTreeMap::new();
        let mut open: Vec<&Plan> = vec![plan];
        while let Some(plan) = open.pop() {
            for (name, below) in plan.pinned.keys().map(|name| (name.as_str(), &self.by_name[name])) {
                if all.insert(name, below).is_none() {
                    open.push(below);
                }
            }
        }
        all.into_values().cloned().collect()
    }

    fn names(&self) -> Vec<&Arc<Plan>> {
        self.by_name.values().collect()
    }
}

/// Makes one plan.
struct Maker<'m> {
    random: &'m mut Random,
    library: &'m Library,
    plan: Plan,
    /// Paths that an expression may read, with some that lead nowhere.
    readable: Vec<String>,
    /// Whether expressions may ask the evaluator.
    asks: bool,
}

impl<'m> Maker<'m> {
    fn new(random: &'m mut Random, library: &'m Library) -> Self {
        let plan =
            Plan::new("", Dialect::Steps, Flow::Sequence(kernel::plan::Sequence { bodies: Vec::new() }));
        let readable = ["inputs.n", "inputs.text", "inputs.items"].map(str::to_owned).to_vec();
        let asks = random.percent(60);
        Maker { random, library, plan, readable, asks }
    }

    fn plan(mut self, name: &str) -> Plan {
        self.plan.name = name.to_owned();
        self.plan.inputs = inputs();
        self.plan.limits = self.limits();
        match self.random.below(3) {
            0 => self.graph(),
            1 => {
                self.sequence();
                if self.random.percent(60) {
                    self.layers();
                }
            }
            _ => self.machine(),
        }
        self.cleanup();
        self.outputs();
        if self.random.percent(12) {
            self.plan.deadline = Deadline::After(self.random.between(100, 4_000));
        }
        self.plan
    }

    fn limits(&mut self) -> Limits {
        let mut limits = Limits {
            close_ms_max: self.random.between(100, 3_000),
            overdue_ms: self.random.between(50, 500),
            visits_max: u32::try_from(self.random.between(3, 12)).unwrap_or(3),
            remembered_max: u32::try_from(self.random.between(2, 16)).unwrap_or(2),
            ..Limits::default()
        };
        if self.random.percent(40) {
            limits.inline_bytes_max = self.random.between(24, 96);
        }
        if self.random.percent(10) {
            limits.held_bytes_max = self.random.between(200, 2_000);
        }
        if self.random.percent(10) {
            limits.made_bytes_max = self.random.between(100, 600);
        }
        if self.random.percent(30) {
            limits.lanes_max = u32::try_from(self.random.between(1, 2)).unwrap_or(1);
        }
        if self.random.percent(5) {
            limits.state_bytes_max = self.random.between(60, 400);
        }
        limits
    }

    fn cleanup(&mut self) {
        if !self.random.percent(25) {
            return;
        }
        for _ in 0..self.random.between(1, 2) {
            let step = self.step();
            self.plan.cleanup.push(step);
        }
    }

    fn outputs(&mut self) {
        for name in ["n", "text"] {
            if self.random.percent(40) {
                let value = self.value();
                self.plan.outputs.push((name.to_owned(), value));
            }
        }
    }
}

fn inputs() -> Vec<Input> {
    let input = |name: &str, kind, default| Input {
        name: name.to_owned(),
        description: String::new(),
        kind,
        required: false,
        default: Some(default),
        rules: None,
    };
    vec![
        input("n", InputKind::Integer, json!(2)),
        input("text", InputKind::Any, json!("some text")),
        input("items", InputKind::Any, json!([1, 2])),
        input(ITEM, InputKind::Any, json!(1)),
    ]
}
