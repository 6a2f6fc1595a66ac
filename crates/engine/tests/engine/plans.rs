//! Small plans.

use kernel::plan::{Adapter, Dialect, Expr, Flow, Graph, Plan, Step, Work};
use serde_json::Value;

/// A graph of no-ops: each name with the positions it depends on.
pub(crate) fn noops(blocks: &[(&str, &[u32])]) -> Plan {
    graph(blocks.iter().map(|(name, depends_on)| (noop(name), depends_on.to_vec())).collect())
}

/// A graph of steps.
pub(crate) fn graph(blocks: Vec<(Step, Vec<u32>)>) -> Plan {
    let shape = blocks.iter().map(|(step, depends_on)| (step.id.clone(), depends_on.clone(), None)).collect();
    let mut plan = Plan::new("test", Dialect::Blocks, Flow::Graph(Graph::new(shape, 64)));
    plan.steps = blocks.into_iter().map(|(step, _)| step).collect();
    plan.check().expect("a good plan");
    plan
}

/// A step that answers at once with what it was given.
pub(crate) fn noop(name: &str) -> Step {
    let inputs = vec![("n".to_owned(), Expr::Const(Value::from(1)))];
    Step::new(name, Work::Server { adapter: Adapter::Noop, inputs, secrets: Default::default() })
}

/// A step that runs a command.
pub(crate) fn shell(name: &str, script: &str) -> Step {
    let inputs = vec![("script".to_owned(), Expr::Const(Value::from(script)))];
    Step::new(name, Work::Server { adapter: Adapter::Process, inputs, secrets: Default::default() })
}
