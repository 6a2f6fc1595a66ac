//! Small plans.

use kernel::language::{Path, parse_condition};
use kernel::plan::{
    Adapter, Audience, Computed, Dialect, Expr, Flow, Foreign, Gate, GateLevel, Graph, Language, Machine,
    Node, OnError, OnFailure, Plan, Retry, Sequence, State, Step, Transition, Work, Write, WriteKind,
};
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

fn action(name: &str, audience: Audience, gate: Option<Gate>) -> Step {
    Step::new(
        name,
        Work::Action {
            audience,
            inputs: vec![("ask".to_owned(), Expr::Const("go on?".into()))],
            gate,
            ends: None,
        },
    )
}

fn condition(text: &str) -> Expr {
    Expr::Condition(parse_condition(text).expect("a good condition"))
}

/// A graph with a failure that is handled, a retry, a skip and an agent.
pub(crate) fn golden_graph() -> Plan {
    let mut bad = noop("bad");
    bad.retry = Retry { attempts_max: 2, delay_ms: 50, growth_percent: 200, delay_ms_max: 500 };
    let steps = vec![noop("first"), bad, noop("alert"), action("ask", Audience::Agent, None), noop("never")];
    let shape = vec![
        ("first".to_owned(), vec![], None),
        ("bad".to_owned(), vec![0], None),
        ("alert".to_owned(), vec![1], Some(condition("${blocks.bad.metadata.failed}"))),
        ("ask".to_owned(), vec![2], None),
        ("never".to_owned(), vec![1], None),
    ];
    let mut graph = Graph::new(shape, 4);
    graph.blocks[1].watched = true;
    let mut plan = Plan::new("golden-graph", Dialect::Blocks, Flow::Graph(graph));
    plan.steps = steps;
    plan.outputs = vec![("failed".to_owned(), condition("${blocks.bad.metadata.failed}"))];
    plan.check().expect("a good plan");
    plan
}

/// Lanes on one state, a loop, a computed field, questions, a gate, a wait and cleanup.
pub(crate) fn golden_sequence() -> Plan {
    let set =
        |field: &str, kind, value| Write { path: vec![field.to_owned()], kind, value, keys: Vec::new() };
    let work = |step, writes| Node::Do { step, writes, on_failure: OnFailure::Fail, otherwise: Vec::new() };
    let foreign = Foreign {
        language: Language::Jinja,
        source: "state.n".into(),
        reads: vec![Path::of("state", &["n"])],
        given: Vec::new(),
        origin: None,
    };
    let fork = Node::Fork {
        items: Expr::Const(serde_json::json!(["a", "b", "c"])),
        variable: "item".into(),
        body: 1,
        width_max: 2,
        on_failure: OnFailure::Fail,
        collect: Some("given".into()),
        tasks: None,
    };
    let one = || Expr::Const(Value::from(1));
    let bodies = vec![
        vec![
            fork,
            Node::While { condition: condition("${state.n} < 5"), body: 2, iterations_max: 9, leave: false },
            Node::Branch { arms: vec![(Expr::Foreign(foreign), 3)], otherwise: None },
            work(3, vec![]),
        ],
        vec![work(0, vec![set("n", WriteKind::Increment, one())]), Node::Give { value: one() }],
        vec![Node::Set { writes: vec![set("n", WriteKind::Increment, one())] }],
        vec![work(1, vec![]), work(2, vec![])],
    ];
    let mut plan = Plan::new("golden-sequence", Dialect::Reactive, Flow::Sequence(Sequence { bodies }));
    let gate = Some(Gate { level: GateLevel::Proof });
    let wait = Step::new("rest", Work::Wait { ms: Expr::Const(Value::from(100)) });
    plan.steps =
        vec![noop("in-lane"), action("gate", Audience::Human, gate), wait, noop("last"), noop("clean")];
    plan.cleanup = vec![4];
    plan.state.initial = vec![("n".to_owned(), Expr::Const(Value::from(0)))];
    plan.state.computed = vec![Computed {
        name: "large".into(),
        from: ["n".to_owned()].into(),
        value: condition("${state.n} > 3"),
        on_error: OnError::Propagate,
        transform: None,
    }];
    plan.outputs = vec![("large".to_owned(), condition("${state.large}"))];
    plan.check().expect("a good plan");
    plan
}

/// A machine that goes back once and then ends.
pub(crate) fn golden_machine() -> Plan {
    let to = |when: &str, to| Transition::when(condition(when), to);
    let bump = Write {
        path: vec!["n".to_owned()],
        kind: WriteKind::Increment,
        value: Expr::Const(Value::from(1)),
        keys: Vec::new(),
    };
    let states = vec![
        State { writes: vec![bump], transitions: vec![to("${result.ok}", 1)], ..State::default() },
        State {
            writes: vec![],
            transitions: vec![to("not ${result.ok} and ${state.n} < 2", 0), to("${state.n} >= 2", 2)],
            ..State::default()
        },
        State::default(),
    ];
    let mut plan =
        Plan::new("golden-machine", Dialect::States, Flow::Machine(Machine { states, ..Machine::default() }));
    plan.steps = vec![noop("open"), noop("bad"), noop("end")];
    plan.state.initial = vec![("n".to_owned(), Expr::Const(Value::from(0)))];
    plan.check().expect("a good plan");
    plan
}
