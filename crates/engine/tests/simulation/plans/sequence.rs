//! Sequences: nested bodies with every kind of node, lanes that write one state, computed fields.

use super::Maker;
use kernel::plan::{
    Body, Computed, Dialect, Expr, Flow, ItemInputs, Node, OnError, OnFailure, Place, Sequence, Spread,
    Tasks, Write, WriteKind,
};
use serde_json::json;
use std::collections::BTreeSet;

/// Where a body stands.
#[derive(Clone, Copy)]
struct Around {
    depth: u32,
    looped: bool,
    forked: bool,
    caught: bool,
}

/// Kinds of nodes.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Do,
    Set,
    Branch,
    While,
    Foreach,
    Fork,
    Give,
    Break,
    Goto,
    Return,
    Fail,
    Spread,
    Try,
    Raise,
    Exit,
    Warn,
}

impl Maker<'_> {
    pub(super) fn sequence(&mut self) {
        self.plan.dialect = Dialect::Reactive;
        self.state();
        let mut bodies = vec![Body::new()];
        let body =
            self.body(&mut bodies, 0, Around { depth: 0, looped: false, forked: false, caught: false });
        bodies[0] = body;
        self.plan.flow = Flow::Sequence(Sequence { bodies });
    }

    /// Gives the plan a state with rules.
    pub(super) fn state(&mut self) {
        let note = self.value();
        self.plan.state.initial = vec![
            ("count".into(), Expr::Const(json!(0))),
            ("list".into(), Expr::Const(json!([]))),
            ("note".into(), note),
        ];
        self.readable.extend(["state.count", "state.note", "state.list"].map(str::to_owned));
        for (name, from) in [("double", "count"), ("noted", "note")] {
            if !self.random.percent(30) {
                continue;
            }
            let value = if self.random.percent(50) { self.foreign("any") } else { self.reference() };
            let on_error = match self.random.below(3) {
                0 => OnError::Fallback(json!(0)),
                1 => OnError::Ignore,
                _ => OnError::Propagate,
            };
            let (name, from) = (name.to_owned(), BTreeSet::from([from.to_owned()]));
            self.plan.state.computed.push(Computed { name, from, value, on_error, transform: None });
        }
    }

    pub(super) fn writes(&mut self) -> Vec<Write> {
        let count = self.random.below(3);
        (0..count)
            .map(|_| {
                let (path, kind): (&[&str], _) = self.random.weighted(&[
                    (6, (&["count"][..], WriteKind::Increment)),
                    (2, (&["list"][..], WriteKind::Append)),
                    (3, (&["note"][..], WriteKind::Set)),
                    (1, (&["map", "deep"][..], WriteKind::Set)),
                    (1, (&["map"][..], WriteKind::Merge)),
                ]);
                let value = match kind {
                    WriteKind::Increment => Expr::Const(json!(1)),
                    _ => self.value(),
                };
                Write {
                    path: path.iter().map(|key| (*key).to_owned()).collect(),
                    kind,
                    value,
                    keys: Vec::new(),
                }
            })
            .collect()
    }

    /// Makes a body and gives its number.
    fn nested(&mut self, bodies: &mut Vec<Body>, around: Around) -> u32 {
        let number = bodies.len();
        bodies.push(Body::new());
        let body = self.body(bodies, number, around);
        bodies[number] = body;
        u32::try_from(number).unwrap_or(u32::MAX)
    }

    fn body(&mut self, bodies: &mut Vec<Body>, number: usize, around: Around) -> Body {
        let (least, most) = if around.depth == 0 { (2, 6) } else { (1, 2) };
        let count = self.random.between(least, most);
        let mut body = Body::new();
        for position in 0..count {
            let node = self.node(bodies, around, Place { body: number as u32, position: position as u32 });
            let node = if self.random.percent(30) { self.within(node) } else { node };
            body.push(node);
        }
        body
    }

    fn node(&mut self, bodies: &mut Vec<Body>, around: Around, here: Place) -> Node {
        let forked = u64::from(around.forked);
        let deeper = u64::from(around.depth < 2 + u32::from(around.forked));
        let kind = self.random.weighted(&[
            (12, Kind::Do),
            (3, Kind::Set),
            ((3 + 4 * forked) * deeper, Kind::Branch),
            (2 * deeper, Kind::While),
            (2 * deeper, Kind::Foreach),
            (6 * deeper, Kind::Fork),
            (3 * forked, Kind::Give),
            (u64::from(around.looped), Kind::Break),
            (u64::from(here.position > 0), Kind::Goto),
            (1 + forked, Kind::Return),
            (u64::from(around.depth > 0), Kind::Fail),
            (if self.library.names().is_empty() { 0 } else { 4 }, Kind::Spread),
            (4 * deeper, Kind::Try),
            (3 * u64::from(around.caught), Kind::Raise),
            (u64::from(around.depth > 0), Kind::Exit),
            (1, Kind::Warn),
        ]);
        let inner = Around { depth: around.depth + 1, ..around };
        let on_failure = *self.random.pick(&[OnFailure::Fail, OnFailure::Continue, OnFailure::Take]);
        match kind {
            Kind::Do => self.do_node(on_failure),
            Kind::Set => Node::Set { writes: self.writes() },
            Kind::Branch => {
                let condition = if around.forked { self.item_is_one() } else { self.condition() };
                let arms = vec![(condition, self.nested(bodies, inner))];
                let otherwise = self.random.percent(50).then(|| self.nested(bodies, inner));
                Node::Branch { arms, otherwise }
            }
            Kind::While => {
                let condition = self.condition();
                let iterations_max = u32::try_from(self.random.between(1, 4)).unwrap_or(1);
                Node::While {
                    condition,
                    body: self.nested(bodies, Around { looped: true, ..inner }),
                    iterations_max,
                    leave: self.random.percent(50),
                }
            }
            Kind::Foreach => {
                let items = self.items();
                let body = self.with_item(bodies, Around { looped: true, ..inner });
                Node::Foreach { items, variable: "item".into(), body }
            }
            Kind::Fork => {
                let items = self.items();
                let inner = Around { looped: false, forked: true, caught: false, ..inner };
                let body = self.with_item(bodies, inner);
                let width_max = u32::try_from(self.random.between(1, 3)).unwrap_or(1);
                let collect = self.random.percent(50).then(|| "given".to_owned());
                Node::Fork {
                    items,
                    variable: "item".into(),
                    body,
                    width_max,
                    on_failure,
                    collect,
                    tasks: self.random.percent(50).then(|| Box::new(self.tasks())),
                }
            }
            Kind::Give => Node::Give { value: self.value() },
            Kind::Break => Node::Break,
            Kind::Goto => {
                let to = Place { position: self.random.below(u64::from(here.position)) as u32, ..here };
                Node::Goto { to, iterations_max: u32::try_from(self.random.between(1, 2)).unwrap_or(1) }
            }
            Kind::Return => Node::Return { value: self.value() },
            Kind::Fail => Node::Fail { message: Expr::Const("so it is written".into()) },
            Kind::Spread => self.spread(on_failure),
            Kind::Try => {
                let body = self.nested(bodies, inner);
                let caught = Around { caught: true, ..inner };
                let catch = self.random.percent(70).then(|| self.nested(bodies, caught));
                Node::Try { body, catch }
            }
            Kind::Raise => Node::Raise,
            Kind::Exit => Node::Exit,
            Kind::Warn => Node::Warn { message: self.value() },
        }
    }

    /// Tasks of sub-agents; some share a name, and some have none.
    fn tasks(&mut self) -> Tasks {
        let id = match self.random.below(4) {
            0 => self.reference_to("item"),
            1 => self.foreign("number"),
            _ => Expr::Const("task".into()),
        };
        Tasks {
            step: self.step(),
            task: "task".into(),
            id,
            given: vec![("given".to_owned(), self.value())],
            prompt: self.random.percent(30).then(|| Expr::Const("do it".into())),
            retries_max: u32::try_from(self.random.below(3)).unwrap_or(0),
            errors: self.random.percent(60).then(|| vec!["errors".to_owned()]),
        }
    }

    /// A child for each item; now and then so many that their rows become one piece.
    fn spread(&mut self, on_failure: OnFailure) -> Node {
        let many = self.random.percent(12);
        let items = if many { Expr::Const((0..66).collect()) } else { self.items() };
        let step = self.child_step();
        let single = self.random.percent(70).then(|| "text".to_owned());
        let given = ItemInputs { names: vec!["text".into(), "n".into()], required: Vec::new(), single };
        let width_max = if many { 66 } else { u32::try_from(self.random.between(1, 3)).unwrap_or(1) };
        let collect = self.random.percent(80).then(|| "given".to_owned());
        Node::Spread(Spread { step, task: "task".into(), items, given, width_max, on_failure, collect })
    }

    /// A node as a step of a definition.
    fn within(&mut self, node: Node) -> Node {
        let step = match &node {
            Node::Do { step, .. } | Node::Spread(Spread { step, .. }) => *step,
            Node::Fork { tasks: Some(tasks), .. } => tasks.step,
            _ => self.step(),
        };
        let when = self.random.percent(40).then(|| self.condition());
        Node::Within { step, when, node: Box::new(node) }
    }

    fn with_item(&mut self, bodies: &mut Vec<Body>, around: Around) -> u32 {
        self.readable.push("item".to_owned());
        let body = self.nested(bodies, around);
        self.readable.pop();
        body
    }

    fn do_node(&mut self, on_failure: OnFailure) -> Node {
        let known = self.plan.steps.len() as u64;
        let again = known > 0 && self.random.percent(20);
        let step = if again { self.random.below(known) as u32 } else { self.step() };
        self.readable.push("result.n".to_owned());
        let writes = self.writes();
        self.readable.pop();
        self.readable.push("error.message".to_owned());
        let otherwise = if self.random.percent(40) { self.writes() } else { Vec::new() };
        self.readable.pop();
        Node::Do { step, writes, on_failure, otherwise }
    }
}
