//! Small plans of every flow. They fit together; whether their expressions make sense is left to chance.

use super::Dice;
use crate::build::*;
use kernel::Plan;
use kernel::plan::{
    Access, Computed, Deadline, Each, Expr, GateLevel, Node, OnError, OnFailure, OnInterrupt, OnOverdue,
    Place, Retry, Spread, Step, Tasks, WriteKind,
};
use serde_json::json;

const STEPS: u32 = 6;

pub(super) fn any(dice: &mut Dice) -> Plan {
    let steps: Vec<Step> = (0..STEPS).map(|position| step(dice, position)).collect();
    let mut plan = match dice.below(5) {
        0 | 1 => graph_plan(dice, steps),
        2 => machine_plan(dice, steps),
        _ => sequence_plan(dice, steps),
    };
    let has_layers = matches!(plan.flow, kernel::plan::Flow::Sequence(_)) && dice.one_in(2);
    plan = with_input(with_input(plan, "big"), "n");
    plan.state.initial =
        vec![("a".into(), just(json!(0))), ("b".into(), just(json!("b"))), ("list".into(), just(json!([])))];
    if dice.one_in(3) {
        let on_error = match dice.below(3) {
            0 => OnError::Propagate,
            1 => OnError::Ignore,
            _ => OnError::Fallback(json!("fallen")),
        };
        let from = ["a".to_owned()].into();
        plan.state.computed.push(Computed {
            name: "c".into(),
            from,
            value: value(dice),
            on_error,
            transform: None,
        });
    }
    plan.cleanup = (0..dice.below(3)).map(|_| dice.below(STEPS)).collect();
    if dice.one_in(2) {
        plan.outputs.push(("out".into(), value(dice)));
    }
    if dice.one_in(4) {
        plan.deadline = Deadline::After(u64::from(dice.below(50_000)));
    }
    limits(dice, &mut plan);
    if has_layers { super::layers::layer(dice, plan) } else { plan }
}

fn limits(dice: &mut Dice, plan: &mut Plan) {
    plan.limits.iterations_max = if dice.wild { 2 } else { 20 };
    plan.limits.visits_max = 3 + dice.below(12);
    plan.limits.remembered_max = dice.below(4);
    plan.limits.depth_max = 2 + dice.below(4);
    plan.limits.lanes_max = 2 + dice.below(12);
    plan.limits.items_max = if dice.wild { 3 } else { 70 };
    if dice.one_in(8) {
        plan.limits.held_bytes_max = 800 + u64::from(dice.below(4_000));
    }
    if dice.one_in(8) {
        plan.limits.state_bytes_max = 40 + u64::from(dice.below(400));
    }
}

fn step(dice: &mut Dice, position: u32) -> Step {
    let id = format!("s{position}");
    let inputs = [("x", value(dice)), ("y", value(dice))];
    let inputs = &inputs[..dice.below(3) as usize];
    let mut step = match dice.below(9) {
        0..=2 => noop_with(&id, inputs),
        3 if dice.one_in(3) => {
            let ms = if dice.wild { value(dice) } else { just(json!(dice.below(9_000))) };
            ending(&id, inputs, ms, &[("x", text("${result.x}")), ("y", value(dice))])
        }
        3 | 4 => Step { kind: (*dice.pick(&["", "shell", "wait"])).into(), ..agent_with(&id, inputs) },
        5 => child(&id, inputs),
        6 if dice.one_in(2) => gate(&id, if dice.one_in(2) { GateLevel::Ask } else { GateLevel::Proof }),
        7 => make(&id, inputs, &[("x", value(dice)), ("y", text("${result.x}"))]),
        6 => named_child(&id, if dice.wild { value(dice) } else { text("w-${state.a}") }, inputs),
        _ => wait(&id, if dice.wild { value(dice) } else { just(json!(dice.below(9_000))) }),
    };
    if dice.one_in(3) {
        step.timeout = Deadline::After(u64::from(dice.below(5_000)));
    }
    let delay_ms = u64::from(dice.below(900));
    step.retry = Retry { attempts_max: 1 + dice.below(3), delay_ms, ..Retry::default() };
    step.on_interrupt = *dice.pick(&[OnInterrupt::Ask, OnInterrupt::Fail, OnInterrupt::Retry]);
    step.on_overdue = *dice.pick(&[OnOverdue::Offer, OnOverdue::Fail]);
    if dice.one_in(3) {
        step.verify = verified(1 + dice.below(3), &[("v", value(dice))]);
    }
    if dice.one_in(6) {
        step.access = Access::Fields(["a".to_owned(), "c".to_owned()].into());
    }
    let kept: [&[&str]; 3] = [&["outputs.x"], &["outputs", "inputs"], &[]];
    step.keeps(kept[dice.below(3) as usize])
}

/// An expression, of any kind.
fn value(dice: &mut Dice) -> Expr {
    let kind = dice.below(30);
    match if dice.wild { kind } else { kind.max(4) } {
        0 => text("${item}"),
        1 => text("${result.x}"),
        2 => text("${blocks.s0.outputs.x}"),
        3 => text("${inputs.big[9]}"),
        4..=6 => text("${inputs.big}"),
        7 | 8 => text("<${inputs.big}>"),
        9 | 10 => text("${inputs.big[1].k}"),
        11..=13 => text("${state.a}"),
        14 if dice.wild => text("${each.item}"),
        14 => text("${state}"),
        15..=17 => js("any", &["state.a", "inputs.big", "item"]),
        18 | 19 => Expr::List(vec![text("${state.b}"), js("any", &["state.list"])]),
        20 | 21 => cond("${inputs.n} == 1"),
        22..=24 => just(json!({"k": [1, 2.5]})),
        25 => just(json!("a text")),
        _ => just(json!(dice.below(5))),
    }
}

fn condition(dice: &mut Dice) -> Expr {
    let kind = dice.below(16);
    match if dice.wild { kind } else { kind.max(2) } {
        0 => cond("${nothing}"),
        1 => cond("${blocks.s0.metadata.succeeded}"),
        2..=4 => js("truth", &["state.a", "item"]),
        5 | 6 => cond("'p' in ${inputs.big}"),
        7..=9 => cond("${state.a} < 2"),
        10 | 11 => cond("false"),
        _ => cond("true"),
    }
}

fn items(dice: &mut Dice) -> Expr {
    match dice.below(6) {
        0 => text("${inputs.big}"),
        1 => js("list", &["state.a", "item"]),
        2 if dice.wild => value(dice),
        _ => just(json!((0..dice.below(5)).collect::<Vec<_>>())),
    }
}

fn graph_plan(dice: &mut Dice, steps: Vec<Step>) -> Plan {
    let depends: Vec<Vec<u32>> =
        (0..STEPS).map(|block| (0..block).filter(|_| dice.one_in(3)).collect()).collect();
    let blocks =
        steps.into_iter().zip(&depends).map(|(step, depends)| (step, depends.as_slice(), None)).collect();
    let mut plan = graph_of_width(1 + dice.below(4), blocks);
    if let kernel::plan::Flow::Graph(graph) = &mut plan.flow {
        for block in &mut graph.blocks {
            block.condition = dice.one_in(3).then(|| condition(dice));
            block.watched = dice.one_in(2);
            block.for_each = dice.one_in(3).then(|| each(dice));
        }
        let with_items =
            graph.blocks.iter().zip(&mut plan.steps).filter(|(block, _)| block.for_each.is_some());
        with_items.for_each(|(_, step)| give_item(dice, step));
    }
    plan
}

/// A few items, and now and then many.
fn each(dice: &mut Dice) -> Each {
    let many = || just(json!((0..70).collect::<Vec<_>>()));
    let items = if dice.one_in(12) { many() } else { items(dice) };
    Each { items, width_max: *dice.pick(&[None, Some(1), Some(2), Some(40)]) }
}

/// Lets a step see the item it is done for.
fn give_item(dice: &mut Dice, step: &mut Step) {
    use kernel::plan::Work;
    if let Work::Server { inputs, .. } | Work::Action { inputs, .. } | Work::Make { inputs, .. } =
        &mut step.work
    {
        let read = *dice.pick(&["${each.item}", "${each.index}", "<${each.item}>", "${each}"]);
        inputs.push(("item".into(), text(read)));
    }
    if dice.one_in(2) {
        step.keeps.insert("outputs.results".into());
    }
}

fn machine_plan(dice: &mut Dice, steps: Vec<Step>) -> Plan {
    if dice.one_in(2) {
        return scripted_plan(dice, steps);
    }
    let mut plan = machine(steps.into_iter().map(|step| (step, &[][..])).collect());
    for position in 0..STEPS as usize {
        let transitions = (0..dice.below(3)).map(|_| {
            let when = match dice.below(4) {
                0 => cond("${result.ok}"),
                1 => cond("${result.timed_out}"),
                2 => cond("not ${result.ok}"),
                _ => condition(dice),
            };
            kernel::plan::Transition::when(when, dice.below(STEPS))
        });
        let transitions = transitions.collect();
        let on_timeout = dice.one_in(3).then(|| dice.below(STEPS));
        let writes = writes(dice);
        let on_failure = dice.one_in(4).then(|| dice.below(STEPS));
        *state_of(&mut plan, position) =
            kernel::plan::State { writes, transitions, on_timeout, on_failure, own: false };
    }
    plan
}

/// A machine with variables, whose ways are tests.
fn scripted_plan(dice: &mut Dice, steps: Vec<Step>) -> Plan {
    let states = steps.into_iter().map(|step| {
        let ways = (0..dice.below(3)).map(|_| (test(dice), dice.below(STEPS))).collect::<Vec<_>>();
        (step, ways)
    });
    let mut plan = scripted(states.collect());
    for position in 0..STEPS as usize {
        let state = state_of(&mut plan, position);
        state.on_timeout = dice.one_in(3).then(|| dice.below(STEPS));
        state.on_failure = dice.one_in(4).then(|| dice.below(STEPS));
    }
    plan
}

fn test(dice: &mut Dice) -> Vec<kernel::plan::Test> {
    use kernel::plan::Test;
    vec![match dice.below(5) {
        0 => Test::Equals { field: "success".into(), value: json!(dice.one_in(2)) },
        1 => Test::TimedOut(dice.one_in(2)),
        2 => Test::Contains { field: "error".into(), text: "i".into() },
        3 => Test::Found { pattern: "x".into(), found: dice.one_in(2) },
        _ => Test::Equals { field: "n".into(), value: json!(dice.below(3)) },
    }]
}

fn writes(dice: &mut Dice) -> Vec<kernel::plan::Write> {
    let one = |dice: &mut Dice| match dice.below(5) {
        0 => change("a", WriteKind::Increment, just(json!(1))),
        1 => change("list", WriteKind::Append, value(dice)),
        2 => change("map.in", WriteKind::Merge, just(json!({"k": 1}))),
        3 => put("b", value(dice)),
        _ => put("a", just(json!(dice.below(3)))),
    };
    (0..dice.below(3)).map(|_| one(dice)).collect()
}

/// Tasks of sub-agents.
fn tasks(dice: &mut Dice) -> Tasks {
    let ids = [text("${item}"), text("t-${item}"), js("any", &["item"]), just(json!("same"))];
    let id = if dice.wild { dice.pick(&ids).clone() } else { just(json!("same")) };
    Tasks {
        step: dice.below(STEPS),
        task: "task".into(),
        id,
        given: vec![("given".into(), value(dice))],
        prompt: dice.one_in(3).then(|| text("do it")),
        retries_max: dice.below(3),
        errors: dice.one_in(2).then(|| vec!["list".to_owned()]),
    }
}

/// A node as a step of the definition.
fn a_step(dice: &mut Dice, node: Node) -> Node {
    let step = match &node {
        Node::Fork { tasks: Some(tasks), .. } => tasks.step,
        Node::Do { step, .. } | Node::Spread(Spread { step, .. }) => *step,
        _ => dice.below(STEPS),
    };
    let when = dice.one_in(3).then(|| if dice.one_in(3) { value(dice) } else { condition(dice) });
    Node::Within { step, when, node: Box::new(node) }
}

/// Bodies that nest: each stands inside one before it.
fn sequence_plan(dice: &mut Dice, steps: Vec<Step>) -> Plan {
    let is_child = |step: &Step| matches!(step.work, kernel::plan::Work::Child { .. });
    let children = (0..).zip(&steps).filter(|(_, step)| is_child(step)).map(|(step, _)| step).collect();
    let mut grower = Grower { bodies: vec![Vec::new()], children };
    grower.grow(dice, &Around { body: 0, around: vec![0], looped: false, caught: false, depth: 0 });
    sequence(steps, grower.bodies)
}

struct Grower {
    bodies: Vec<Vec<Node>>,
    /// The steps that are child runs.
    children: Vec<u32>,
}

struct Around {
    body: usize,
    around: Vec<u32>,
    looped: bool,
    caught: bool,
    depth: u32,
}

impl Grower {
    fn grow(&mut self, dice: &mut Dice, at: &Around) {
        for _ in 0..2 + dice.below(4) {
            let node = self.node(dice, at);
            let node = if dice.one_in(3) { a_step(dice, node) } else { node };
            self.bodies[at.body].push(node);
        }
    }

    fn body(&mut self, dice: &mut Dice, at: &Around, looped: bool, forked: bool) -> u32 {
        let caught = at.caught && !forked;
        self.body_of(dice, &Around { around: at.around.clone(), caught, ..*at }, looped, forked)
    }

    fn body_of(&mut self, dice: &mut Dice, at: &Around, looped: bool, forked: bool) -> u32 {
        let body = self.bodies.len();
        self.bodies.push(Vec::new());
        let number = u32::try_from(body).expect("few bodies");
        let mut around = if forked { Vec::new() } else { at.around.clone() };
        around.push(number);
        let looped = looped || (at.looped && !forked);
        self.grow(dice, &Around { body, around, looped, caught: at.caught, depth: at.depth + 1 });
        number
    }

    fn node(&mut self, dice: &mut Dice, at: &Around) -> Node {
        let rules = [OnFailure::Fail, OnFailure::Continue, OnFailure::Continue, OnFailure::Take];
        let rule = *dice.pick(&rules);
        let leaf = at.depth >= 3;
        if !self.children.is_empty() && dice.one_in(8) {
            let (step, width_max) = (*dice.pick(&self.children), 1 + dice.below(3));
            let many = dice.one_in(8).then(|| just(json!((0..70).collect::<Vec<_>>())));
            let items = many.unwrap_or_else(|| items(dice));
            let collect = (!dice.one_in(4)).then(|| "list".to_owned());
            return Node::Spread(Spread { on_failure: rule, collect, ..spread(step, items, width_max) });
        }
        match dice.below(if leaf { 6 } else { 13 }) {
            0..=2 => Node::Do {
                step: dice.below(STEPS),
                writes: writes(dice),
                on_failure: rule,
                otherwise: if dice.one_in(3) { writes(dice) } else { Vec::new() },
            },
            3 => set(writes(dice)),
            4 => Node::Give { value: value(dice) },
            5 => self.way_out(dice, at),
            6 => {
                let arms = vec![(condition(dice), self.body(dice, at, false, false))];
                let otherwise = dice.one_in(2).then(|| self.body(dice, at, false, false));
                Node::Branch { arms, otherwise }
            }
            7 => {
                let (condition, body) = (condition(dice), self.body(dice, at, true, false));
                Node::While { condition, body, iterations_max: 1 + dice.below(4), leave: dice.one_in(2) }
            }
            8 => {
                let items = items(dice);
                let variable = (*dice.pick(&["item", "other"])).to_owned();
                Node::Foreach { items, variable, body: self.body(dice, at, true, false) }
            }
            9 | 10 => {
                let body = self.body(dice, at, false, false);
                let caught = Around { around: at.around.clone(), caught: true, ..*at };
                let catch = (!dice.one_in(3)).then(|| self.body_of(dice, &caught, false, false));
                Node::Try { body, catch }
            }
            _ => {
                let items = items(dice);
                let collect = dice.one_in(2).then(|| "list".to_owned());
                let body = self.body(dice, at, false, true);
                Node::Fork {
                    items,
                    variable: "item".into(),
                    body,
                    width_max: 1 + dice.below(3),
                    on_failure: rule,
                    collect,
                    tasks: dice.one_in(2).then(|| Box::new(tasks(dice))),
                }
            }
        }
    }

    fn way_out(&mut self, dice: &mut Dice, at: &Around) -> Node {
        match dice.below(9) {
            6 if at.caught => Node::Raise,
            7 if at.depth > 1 && dice.one_in(3) => Node::Exit,
            7 | 8 => Node::Warn { message: value(dice) },
            0 if at.depth > 0 => Node::Return { value: value(dice) },
            1 | 2 if at.looped => Node::Break,
            2 if dice.one_in(3) => Node::Fail { message: text("so ${state.b}") },
            3 | 4 => {
                let body = *dice.pick(&at.around);
                let length = u32::try_from(self.bodies[body as usize].len()).expect("a short body");
                // A goto to where it will stand itself leads round and round, up to its bound.
                let position =
                    dice.below(length + u32::from(body as usize == at.body).max(u32::from(length == 0)));
                if position < length || body as usize == at.body {
                    return Node::Goto { to: Place { body, position }, iterations_max: 1 + dice.below(4) };
                }
                set(Vec::new())
            }
            _ => count("a"),
        }
    }
}
