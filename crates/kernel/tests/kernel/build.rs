//! Builders: the smallest plan that shows something, in one expression.

use kernel::language::{Path, Syntax, Template, parse_condition};
use kernel::plan::{
    Access, Adapter, Audience, Body, Computed, Deadline, Dialect, Ends, Expr, Flow, Foreign, Gate, GateLevel,
    Graph, InputKind, ItemInputs, Language, Machine, Node, OnError, OnFailure, OnInterrupt, Retry, Sequence,
    Spread, State, Step, Test, Transform, Transition, Variables, Verify, Work, Workflow, Write, WriteKind,
};
use kernel::{Data, Digest, Fields, Plan};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Text with `${references}`.
pub(crate) fn text(source: &str) -> Expr {
    Expr::Template(Template::parse(source, Syntax::Dollar).expect("a template").0)
}

/// A condition.
pub(crate) fn cond(source: &str) -> Expr {
    Expr::Condition(parse_condition(source).expect("a condition"))
}

/// A constant.
pub(crate) fn just(value: Value) -> Expr {
    Expr::Const(value)
}

/// A foreign expression that reads paths.
pub(crate) fn js(source: &str, reads: &[&str]) -> Expr {
    let reads = reads.iter().map(|path| Path::parse(path, 0).expect("a path")).collect();
    Expr::Foreign(Foreign {
        language: Language::JavaScript,
        source: source.into(),
        reads,
        given: vec![],
        origin: None,
    })
}

pub(crate) fn fields(value: Value) -> Fields {
    let Value::Object(map) = value else { panic!("fields are an object") };
    map.into_iter().map(|(name, value)| (name, Data::Inline(value))).collect()
}

pub(crate) type Inputs<'i> = &'i [(&'i str, Expr)];

fn named(inputs: Inputs<'_>) -> Vec<(String, Expr)> {
    inputs.iter().map(|(name, expr)| ((*name).to_owned(), expr.clone())).collect()
}

/// The server's work.
pub(crate) fn noop(id: &str) -> Step {
    noop_with(id, &[])
}

pub(crate) fn noop_with(id: &str, inputs: Inputs<'_>) -> Step {
    Step::new(id, Work::Server { adapter: Adapter::Noop, inputs: named(inputs), secrets: BTreeMap::new() })
}

/// Something for the agent.
pub(crate) fn agent(id: &str) -> Step {
    agent_with(id, &[])
}

pub(crate) fn agent_with(id: &str, inputs: Inputs<'_>) -> Step {
    Step::new(id, Work::Action { audience: Audience::Agent, inputs: named(inputs), gate: None, ends: None })
}

/// Something for the agent that ends by itself.
pub(crate) fn ending(id: &str, inputs: Inputs<'_>, ms: Expr, gives: Inputs<'_>) -> Step {
    let (audience, gate) = (Audience::Agent, None);
    let ends = Some(Ends { ms, gives: named(gives) });
    Step::new(id, Work::Action { audience, inputs: named(inputs), gate, ends })
}

/// A gate.
pub(crate) fn gate(id: &str, level: GateLevel) -> Step {
    let inputs = named(&[("message", just(json!("sure?")))]);
    Step::new(id, Work::Action { audience: Audience::Human, inputs, gate: Some(Gate { level }), ends: None })
}

/// A child of a pinned plan.
pub(crate) fn child(id: &str, inputs: Inputs<'_>) -> Step {
    let workflow = Workflow::Pinned { name: "other".into(), plan: Digest::of(b"other") };
    Step::new(id, Work::Child { workflow, inputs: named(inputs) })
}

/// A child whose name is made when the step runs.
pub(crate) fn named_child(id: &str, name: Expr, inputs: Inputs<'_>) -> Step {
    Step::new(id, Work::Child { workflow: Workflow::Named(name), inputs: named(inputs) })
}

/// Nobody's work.
pub(crate) fn make(id: &str, inputs: Inputs<'_>, outputs: Inputs<'_>) -> Step {
    Step::new(id, Work::Make { inputs: named(inputs), outputs: named(outputs) })
}

/// A foreign expression with names of its own.
pub(crate) fn jinja(source: &str, given: Inputs<'_>) -> Expr {
    let (language, source) = (Language::Jinja, source.into());
    Expr::Foreign(Foreign { language, source, reads: vec![], given: named(given), origin: None })
}

/// A wait.
pub(crate) fn wait(id: &str, ms: Expr) -> Step {
    Step::new(id, Work::Wait { ms })
}

/// A claimed result is checked; this many may be claimed.
pub(crate) fn verified(attempts_max: u32, inputs: Inputs<'_>) -> Option<Verify> {
    Some(Verify { adapter: Adapter::Noop, inputs: named(inputs), attempts_max, timeout: Deadline::Never })
}

pub(crate) trait StepExt {
    fn timeout(self, ms: u64) -> Step;
    fn retry(self, attempts_max: u32, delay_ms: u64) -> Step;
    fn interrupt(self, rule: OnInterrupt) -> Step;
    fn keeps(self, names: &[&str]) -> Step;
}

impl StepExt for Step {
    fn timeout(self, ms: u64) -> Step {
        Step { timeout: Deadline::After(ms), ..self }
    }
    fn retry(self, attempts_max: u32, delay_ms: u64) -> Step {
        Step { retry: Retry { attempts_max, delay_ms, ..Retry::default() }, ..self }
    }
    fn interrupt(self, rule: OnInterrupt) -> Step {
        Step { on_interrupt: rule, ..self }
    }
    fn keeps(self, names: &[&str]) -> Step {
        Step { keeps: names.iter().map(|name| (*name).to_owned()).collect(), ..self }
    }
}

/// One block: its step, the blocks it waits for, its condition.
pub(crate) type BlockOf<'b> = (Step, &'b [u32], Option<&'b str>);

/// A graph with room for four blocks at once.
pub(crate) fn graph(blocks: Vec<BlockOf<'_>>) -> Plan {
    graph_of_width(4, blocks)
}

pub(crate) fn graph_of_width(width_max: u32, blocks: Vec<BlockOf<'_>>) -> Plan {
    let (mut steps, mut shape) = (Vec::new(), Vec::new());
    for (step, depends_on, condition) in blocks {
        shape.push((step.id.clone(), depends_on.to_vec(), condition.map(cond)));
        steps.push(step);
    }
    let flow = Flow::Graph(Graph::new(shape, width_max));
    Plan { steps, ..Plan::new("test", Dialect::Blocks, flow) }
}

/// A graph in which a block is done for each of some items.
pub(crate) fn with_items(mut plan: Plan, block: usize, items: Expr, width_max: Option<u32>) -> Plan {
    let Flow::Graph(graph) = &mut plan.flow else { panic!("a graph") };
    graph.blocks[block].for_each = Some(kernel::plan::Each { items, width_max });
    plan
}

/// A sequence; it starts in the first body.
pub(crate) fn sequence(steps: Vec<Step>, bodies: Vec<Body>) -> Plan {
    Plan { steps, ..Plan::new("test", Dialect::Reactive, Flow::Sequence(Sequence { bodies })) }
}

/// A sequence of steps, one after the other.
pub(crate) fn line(steps: Vec<Step>) -> Plan {
    let body = (0..).take(steps.len()).map(act).collect();
    sequence(steps, vec![body])
}

/// A machine: for each state its step, and where to go when what holds.
pub(crate) fn machine(states: Vec<(Step, &[(&str, u32)])>) -> Plan {
    let (steps, states) = states
        .into_iter()
        .map(|(step, ways)| {
            let ways = ways.iter().map(|(when, to)| Transition::when(cond(when), *to));
            (step, State { transitions: ways.collect(), ..State::default() })
        })
        .unzip();
    let flow = Flow::Machine(Machine { states, ..Machine::default() });
    Plan { steps, ..Plan::new("test", Dialect::States, flow) }
}

/// Where a state leads, and when: all tests must hold.
pub(crate) type Ways = Vec<(Vec<Test>, u32)>;

/// A machine with variables: for each state its step, and where to go when which tests hold.
pub(crate) fn scripted(states: Vec<(Step, Ways)>) -> Plan {
    let mut plan = machine(Vec::new());
    let (steps, states) = states
        .into_iter()
        .map(|(step, ways)| {
            let transitions = ways.into_iter().map(|(tests, to)| Transition::tested(tests, to)).collect();
            (step, State { transitions, ..State::default() })
        })
        .unzip();
    let standard = ["session_id", "success", "error", "n"].map(|name| (name.to_owned(), name.to_owned()));
    let mut standard = BTreeMap::from(standard);
    standard.insert("final_state".to_owned(), "workflow_final_state".to_owned());
    let variables = Variables {
        initial: "initial_variables".into(),
        standard,
        without: ["final_variables".to_owned()].into(),
        bytes_max: 40_000,
        visits: "max_states".into(),
        seconds: "execution_timeout".into(),
    };
    plan.steps = steps;
    plan.flow = Flow::Machine(Machine { states, variables: Some(variables), ..Machine::default() });
    plan
}

/// Text with names of variables in braces.
pub(crate) fn braced(text: &str) -> Expr {
    braced_as(text, InputKind::String)
}

pub(crate) fn braced_as(text: &str, kind: InputKind) -> Expr {
    Expr::Braced { text: text.to_owned(), kind }
}

pub(crate) fn state_of(plan: &mut Plan, position: usize) -> &mut State {
    match &mut plan.flow {
        Flow::Machine(machine) => &mut machine.states[position],
        _ => panic!("a machine"),
    }
}

/// Do a step.
pub(crate) fn act(step: u32) -> Node {
    Node::Do { step, writes: Vec::new(), on_failure: OnFailure::Fail, otherwise: Vec::new() }
}

/// Do a step and put a field of its result into the state.
pub(crate) fn act_into(step: u32, field: &str, value: &str) -> Node {
    Node::Do {
        step,
        writes: vec![put(field, text(value))],
        on_failure: OnFailure::Fail,
        otherwise: Vec::new(),
    }
}

/// Do a step that may fail.
pub(crate) fn attempt(step: u32) -> Node {
    Node::Do { step, writes: Vec::new(), on_failure: OnFailure::Continue, otherwise: Vec::new() }
}

pub(crate) fn set(writes: Vec<Write>) -> Node {
    Node::Set { writes }
}

/// A field becomes a value.
pub(crate) fn put(path: &str, value: Expr) -> Write {
    change(path, WriteKind::Set, value)
}

pub(crate) fn change(path: &str, kind: WriteKind, value: Expr) -> Write {
    Write { path: path.split('.').map(str::to_owned).collect(), kind, value, keys: Vec::new() }
}

/// A write of a field in a layer.
pub(crate) fn layer(field: &str, kind: WriteKind, value: Expr) -> Write {
    Write { path: vec![field.to_owned()], keys: Vec::new(), kind, value }
}

/// A plan whose state has the layers of `reactive`.
pub(crate) fn layered(mut plan: Plan) -> Plan {
    plan.state.layers = ["computed", "raw", "state", "included"].map(str::to_owned).to_vec();
    plan
}

/// A field that an evaluator computes.
pub(crate) fn transform(name: &str, from: &[&str], source: &str, on_error: OnError) -> Computed {
    let inputs: Vec<Path> = from.iter().map(|path| Path::parse(path, 0).expect("a path")).collect();
    let field = |path: &Path| format!("{}.{}", path.root, path.key(0).expect("a field"));
    Computed {
        name: name.to_owned(),
        from: inputs.iter().map(field).collect(),
        value: just(Value::Null),
        on_error,
        transform: Some(Transform {
            source: source.to_owned(),
            single: inputs.len() == 1,
            inputs,
            ..Transform::default()
        }),
    }
}

/// A field grows by one.
pub(crate) fn count(field: &str) -> Node {
    set(vec![change(field, WriteKind::Increment, just(json!(1)))])
}

pub(crate) fn whilst(condition: &str, body: u32, iterations_max: u32) -> Node {
    Node::While { condition: cond(condition), body, iterations_max, leave: false }
}

pub(crate) fn when(condition: &str, body: u32, otherwise: Option<u32>) -> Node {
    Node::Branch { arms: vec![(cond(condition), body)], otherwise }
}

pub(crate) fn each(items: Expr, variable: &str, body: u32) -> Node {
    Node::Foreach { items, variable: variable.into(), body }
}

pub(crate) fn fork(items: Expr, body: u32, width_max: u32) -> Node {
    fork_with(items, body, width_max, OnFailure::Fail, None)
}

pub(crate) fn fork_with(
    items: Expr,
    body: u32,
    width_max: u32,
    on_failure: OnFailure,
    collect: Option<&str>,
) -> Node {
    Node::Fork {
        items,
        variable: "item".into(),
        body,
        width_max,
        on_failure,
        collect: collect.map(str::to_owned),
        tasks: None,
    }
}

/// A child for each item, each of which is given as `x`; their results go into `list`.
pub(crate) fn spread(step: u32, items: Expr, width_max: u32) -> Spread {
    let given = ItemInputs { names: vec!["x".into()], required: vec!["x".into()], single: Some("x".into()) };
    let (task, on_failure, collect) = ("task".to_owned(), OnFailure::Fail, Some("list".to_owned()));
    Spread { step, task, items, given, width_max, on_failure, collect }
}

/// A step that nobody does: what it means stands in the body.
pub(crate) fn control(id: &str, reads: &[&str]) -> Step {
    Step { access: fields_only(reads), ..make(id, &[], &[]) }
}

/// These fields of the state and no others.
pub(crate) fn fields_only(names: &[&str]) -> Access {
    Access::Fields(names.iter().map(|name| (*name).to_owned()).collect())
}

/// A node that is a step.
pub(crate) fn within(step: u32, node: Node) -> Node {
    Node::Within { step, when: None, node: Box::new(node) }
}

/// A node that is a step, done only when something holds.
pub(crate) fn within_when(step: u32, when: Expr, node: Node) -> Node {
    Node::Within { step, when: Some(when), node: Box::new(node) }
}

/// First values of the state.
pub(crate) fn with_state(mut plan: Plan, initial: Value) -> Plan {
    let Value::Object(map) = initial else { panic!("a state is an object") };
    plan.state.initial = map.into_iter().map(|(name, value)| (name, just(value))).collect();
    plan
}

/// An input of any type that need not be given.
pub(crate) fn with_input(mut plan: Plan, name: &str) -> Plan {
    plan.inputs.push(kernel::plan::Input {
        name: name.into(),
        description: String::new(),
        kind: kernel::plan::InputKind::Any,
        required: false,
        default: None,
        rules: None,
    });
    plan
}

pub(crate) fn with_output(mut plan: Plan, name: &str, value: Expr) -> Plan {
    plan.outputs.push((name.into(), value));
    plan
}
