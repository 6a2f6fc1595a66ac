//! The plans of the proof: small, and together they use every hand and every flow.

use kernel::Plan;
use kernel::language::{Path, Syntax, Template};
use kernel::plan::{
    Adapter, Audience, Deadline, Dialect, Expr, Flow, Foreign, Gate, GateLevel, Graph, Language, Machine,
    Node, OnFailure, OnInterrupt, Sequence, State, Step, Transition, Work, Workflow, Write, WriteKind,
};
use serde_json::{Value, json};
use std::sync::Arc;

/// All plans that a run may call by name or digest.
pub(crate) fn library() -> Vec<Arc<Plan>> {
    vec![Arc::new(machine()), Arc::new(slow_child())]
}

/// Work, a wait, an agent's action and a child side by side; then a gate; then the end.
///
/// ```text
/// fetch ─┐
/// nap ───┤
/// ask ───┼── approve ── publish
/// sub ───┘
/// ```
pub(crate) fn graph() -> Plan {
    let machine = machine();
    let pinned = Workflow::Pinned { name: machine.name.clone(), plan: machine.digest() };
    let steps = vec![
        held("fetch", 2_500, &[("word", json!("fetched"))]),
        Step::new("nap", Work::Wait { ms: constant(3_000) }),
        agent("ask", "write a line"),
        Step::new("sub", Work::Child { workflow: pinned, inputs: vec![] }),
        gate("approve", "may it be published?"),
        with_inputs(
            "publish",
            vec![("text", text("${blocks.fetch.outputs.word} and ${blocks.ask.outputs.line}"))],
        ),
    ];
    let all = vec![0, 1, 2, 3];
    let dependencies = [vec![], vec![], vec![], vec![], all, vec![4]];
    let blocks = steps.iter().zip(dependencies).map(|(step, on)| (step.id.clone(), on, None)).collect();
    let mut plan = Plan::new("graph", Dialect::Blocks, Flow::Graph(Graph::new(blocks, 8)));
    plan.steps = steps;
    for step in &mut plan.steps {
        step.keeps.extend(["outputs.word", "outputs.line", "outputs.text"].map(str::to_owned));
    }
    plan.outputs = vec![("text".into(), text("${blocks.publish.outputs.text}"))];
    plan.deadline = Deadline::After(600_000);
    plan
}

/// Two lanes on one state, each with work, a wait and an action of its own; then a question.
pub(crate) fn lanes() -> Plan {
    let steps = vec![
        with_inputs("work", vec![("word", text("${item}")), ("hold_ms", constant(1_500))]),
        Step::new("rest", Work::Wait { ms: constant(700) }),
        agent("say", "say something about it"),
        with_inputs("sum", vec![("all", foreign("words | join", &["state.words"]))]),
    ];
    let append = |path: &str, value| Write {
        path: vec![path.into()],
        kind: WriteKind::Append,
        value,
        keys: Vec::new(),
    };
    let lane = vec![
        step(0, vec![append("words", text("${result.word}"))]),
        step(1, vec![]),
        step(2, vec![append("lines", text("${result.line}"))]),
        Node::Give { value: text("${item}") },
    ];
    let first = vec![
        Node::Fork {
            items: Expr::Const(json!(["north", "south"])),
            variable: "item".into(),
            body: 1,
            width_max: 2,
            on_failure: OnFailure::Fail,
            collect: Some("given".into()),
            tasks: None,
        },
        step(
            3,
            vec![Write {
                path: vec!["sum".into()],
                kind: WriteKind::Set,
                value: text("${result.all}"),
                keys: Vec::new(),
            }],
        ),
        Node::Return { value: text("${state}") },
    ];
    let mut plan =
        Plan::new("lanes", Dialect::Reactive, Flow::Sequence(Sequence { bodies: vec![first, lane] }));
    plan.steps = steps;
    plan.state.initial =
        vec![("words".into(), Expr::Const(json!([]))), ("lines".into(), Expr::Const(json!([])))];
    plan
}

/// A draft goes to a human until the human says yes.
pub(crate) fn machine() -> Plan {
    let steps = vec![agent("draft", "write it"), gate("review", "is it good?"), with_inputs("file", vec![])];
    let to = |when: &str, to| Transition::when(condition(when), to);
    let states = vec![
        State {
            writes: vec![Write {
                path: vec!["text".into()],
                kind: WriteKind::Set,
                value: text("${result.line}"),
                keys: Vec::new(),
            }],
            transitions: vec![to("${result.ok} == true", 1)],
            ..State::default()
        },
        State {
            writes: vec![],
            transitions: vec![to("${result.ok} == true", 2), to("${result.ok} == false", 0)],
            ..State::default()
        },
        State::default(),
    ];
    let mut plan =
        Plan::new("machine", Dialect::States, Flow::Machine(Machine { states, ..Machine::default() }));
    plan.steps = steps;
    plan.outputs = vec![("text".into(), text("${state.text}"))];
    plan
}

/// Everything that can be open at once, for a long time, with a child of the same kind below it.
pub(crate) fn slow() -> Plan {
    let child = slow_child();
    let pinned = Workflow::Pinned { name: child.name.clone(), plan: child.digest() };
    all_at_once(
        "slow",
        vec![
            held("work", 600_000, &[]),
            Step::new("sleep", Work::Wait { ms: constant(600_000) }),
            agent("ask", "anything"),
            Step::new("sub", Work::Child { workflow: pinned, inputs: vec![] }),
        ],
    )
}

pub(crate) fn slow_child() -> Plan {
    all_at_once("slow child", vec![held("work", 600_000, &[]), agent("ask", "anything")])
}

fn all_at_once(name: &str, steps: Vec<Step>) -> Plan {
    let blocks = steps.iter().map(|step| (step.id.clone(), vec![], None)).collect();
    let mut plan = Plan::new(name, Dialect::Blocks, Flow::Graph(Graph::new(blocks, 8)));
    plan.steps = steps;
    plan
}

fn agent(id: &str, prompt: &str) -> Step {
    action(id, prompt, Audience::Agent, None)
}

fn gate(id: &str, prompt: &str) -> Step {
    action(id, prompt, Audience::Human, Some(Gate { level: GateLevel::Ask }))
}

fn action(id: &str, prompt: &str, audience: Audience, gate: Option<Gate>) -> Step {
    let inputs = vec![("prompt".into(), Expr::Const(json!(prompt)))];
    Step::new(id, Work::Action { audience, inputs, gate, ends: None })
}

/// Work that takes its time and may be done again when it was interrupted.
fn held(id: &str, hold_ms: u64, outputs: &[(&str, Value)]) -> Step {
    let outputs = outputs.iter().map(|(name, value)| (*name, Expr::Const(value.clone())));
    with_inputs(id, outputs.chain([("hold_ms", constant(hold_ms))]).collect())
}

fn with_inputs(id: &str, inputs: Vec<(&str, Expr)>) -> Step {
    let inputs = inputs.into_iter().map(|(name, expr)| (name.to_owned(), expr)).collect();
    let work = Work::Server { adapter: Adapter::Noop, inputs, secrets: Default::default() };
    Step { on_interrupt: OnInterrupt::Retry, ..Step::new(id, work) }
}

fn step(step: u32, writes: Vec<Write>) -> Node {
    Node::Do { step, writes, on_failure: OnFailure::Fail, otherwise: Vec::new() }
}

fn constant(number: u64) -> Expr {
    Expr::Const(json!(number))
}

fn text(text: &str) -> Expr {
    Expr::Template(Template::parse(text, Syntax::Dollar).unwrap().0)
}

fn condition(text: &str) -> Expr {
    Expr::Condition(kernel::language::parse_condition(text).unwrap())
}

fn foreign(source: &str, reads: &[&str]) -> Expr {
    let reads = reads.iter().map(|path| Path::parse(path, 0).unwrap()).collect();
    Expr::Foreign(Foreign {
        language: Language::Jinja,
        source: source.into(),
        reads,
        given: vec![],
        origin: None,
    })
}
