//! Plans of no-ops and of `true`.

use kernel::language::parse_condition;
use kernel::plan::{
    Adapter, Dialect, Expr, Flow, Graph, Node, OnFailure, Plan, Sequence, Step, Work, Write, WriteKind,
};
use serde_json::Value;

fn step(name: String, adapter: Adapter, inputs: Vec<(String, Expr)>) -> Step {
    Step::new(name, Work::Server { adapter, inputs, secrets: Default::default() })
}

fn graph(steps: Vec<Step>, depends_on: impl Fn(u32) -> Vec<u32>) -> Plan {
    let shape =
        steps.iter().zip(0..).map(|(step, block)| (step.id.clone(), depends_on(block), None)).collect();
    let mut plan = Plan::new("speed", Dialect::Blocks, Flow::Graph(Graph::new(shape, 16)));
    plan.steps = steps;
    plan.check().expect("BUG: a bad plan");
    plan
}

/// A chain of steps that answer at once.
pub(crate) fn chain(length: u32) -> Plan {
    let steps = (0..length).map(|number| step(format!("s{number}"), Adapter::Noop, vec![])).collect();
    graph(steps, |block| block.checked_sub(1).into_iter().collect())
}

/// A graph in which each block waits for two others, sixteen wide.
pub(crate) fn layers(blocks: u32) -> Plan {
    let steps = (0..blocks).map(|number| step(format!("s{number}"), Adapter::Noop, vec![])).collect();
    graph(steps, |block| [block.checked_sub(16), block.checked_sub(17)].into_iter().flatten().collect())
}

/// A chain of commands that do nothing.
pub(crate) fn commands(length: u32) -> Plan {
    let script = || vec![("script".to_owned(), Expr::Const(Value::from("true")))];
    let steps = (0..length).map(|number| step(format!("s{number}"), Adapter::Process, script())).collect();
    graph(steps, |block| block.checked_sub(1).into_iter().collect())
}

/// A loop of so many rounds, then a wait for the agent that never comes.
pub(crate) fn rounds(count: u32) -> Plan {
    let write = |kind, value| Write {
        path: vec!["n".to_owned()],
        kind,
        value: Expr::Const(Value::from(value)),
        keys: Vec::new(),
    };
    let condition = parse_condition(&format!("${{state.n}} < {count}")).expect("BUG: a bad condition");
    let body = vec![Node::Do {
        step: 0,
        writes: vec![write(WriteKind::Increment, 1)],
        on_failure: OnFailure::Fail,
        otherwise: Vec::new(),
    }];
    let first = vec![
        Node::While {
            condition: Expr::Condition(condition),
            body: 1,
            iterations_max: u32::MAX,
            leave: false,
        },
        Node::Do { step: 1, writes: vec![], on_failure: OnFailure::Fail, otherwise: Vec::new() },
    ];
    let bodies = vec![first, body];
    let mut plan = Plan::new("rounds", Dialect::Steps, Flow::Sequence(Sequence { bodies }));
    let ask =
        Work::Action { audience: kernel::plan::Audience::Agent, inputs: vec![], gate: None, ends: None };
    plan.steps = vec![step("round".to_owned(), Adapter::Noop, vec![]), Step::new("ask", ask)];
    plan.state.initial = vec![("n".to_owned(), Expr::Const(Value::from(0)))];
    plan.limits.iterations_max = u32::MAX;
    plan.check().expect("BUG: a bad plan");
    plan
}
