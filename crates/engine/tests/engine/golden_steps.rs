//! Plans of steps whose journals are kept: nodes with rights and conditions, children for items, actions that end by
//! themselves or are given up.

use kernel::Digest;
use kernel::language::{Path, Syntax, Template};
use kernel::plan::{
    Access, Audience, Deadline, Dialect, Ends, Expr, Flow, Foreign, ItemInputs, Language, Node, OnFailure,
    Place, Plan, Retry, Sequence, Spread, Step, Work, Workflow, Write, WriteKind,
};
use serde_json::{Value, json};

fn text(source: &str) -> Expr {
    Expr::Template(Template::parse(source, Syntax::Dollar).expect("a template").0)
}

fn jinja(source: &str, reads: &[&str]) -> Expr {
    let reads = reads.iter().map(|path| Path::parse(path, 0).expect("a path")).collect();
    Expr::Foreign(Foreign {
        language: Language::Jinja,
        source: source.into(),
        reads,
        given: Vec::new(),
        origin: None,
    })
}

fn step(id: &str, kind: &str, work: Work, reads: &[&str]) -> Step {
    let access = Access::Fields(reads.iter().map(|name| (*name).to_owned()).collect());
    Step { kind: kind.into(), access, ..Step::new(id, work) }
}

fn control(id: &str, kind: &str, reads: &[&str]) -> Step {
    step(id, kind, Work::Make { inputs: Vec::new(), outputs: Vec::new() }, reads)
}

fn shell(id: &str, ends: Option<Ends>) -> Step {
    let shown = if ends.is_some() { ("duration", json!(5)) } else { ("command", json!("make")) };
    let inputs = vec![(shown.0.to_owned(), Expr::Const(shown.1))];
    step(id, "shell", Work::Action { audience: Audience::Agent, inputs, gate: None, ends }, &[])
}

fn set(name: &str, value: Expr) -> Write {
    Write { path: vec![name.to_owned()], kind: WriteKind::Set, value, keys: Vec::new() }
}

fn within(step: u32, when: Option<Expr>, node: Node) -> Node {
    Node::Within { step, when, node: Box::new(node) }
}

fn act(step: u32, on_failure: OnFailure) -> Node {
    within(
        step,
        None,
        Node::Do {
            step,
            writes: vec![set("said", text("${result.said}"))],
            on_failure,
            otherwise: Vec::new(),
        },
    )
}

fn plan(name: &str, steps: Vec<Step>, bodies: Vec<Vec<Node>>) -> Plan {
    let mut plan = Plan::new(name, Dialect::Steps, Flow::Sequence(Sequence { bodies }));
    plan.steps = steps;
    plan.state.initial = vec![("n".to_owned(), Expr::Const(Value::from(0)))];
    plan.check().expect("a good plan");
    plan
}

/// A step that is passed by, bare names, a branch, a way back, a return.
pub(crate) fn steps() -> Plan {
    let steps = vec![
        shell("build", None),
        shell("never", None),
        control("count", "set_state", &["n"]),
        control("more", "condition", &["n"]),
        control("back", "goto", &[]),
        control("end", "return", &["n", "said"]),
    ];
    let writes = vec![
        set("at", text("${now}")),
        set("seen", jinja("{{ at }}", &["at", "state.n"])),
        Write {
            path: vec!["n".to_owned()],
            kind: WriteKind::Increment,
            value: Expr::Const(json!(1)),
            keys: Vec::new(),
        },
    ];
    let less = kernel::language::parse_condition("${state.n} < 4").expect("a condition");
    let value =
        Expr::Object(vec![("n".to_owned(), text("${state.n}")), ("said".to_owned(), text("${state.said}"))]);
    let bodies = vec![
        vec![
            act(0, OnFailure::Fail),
            within(
                1,
                Some(Expr::Const(json!([]))),
                Node::Do { step: 1, writes: vec![], on_failure: OnFailure::Fail, otherwise: Vec::new() },
            ),
            within(2, Some(jinja("{{ state.n }}", &["state.n"])), Node::Set { writes }),
            within(3, None, Node::Branch { arms: vec![(Expr::Condition(less), 1)], otherwise: None }),
            within(5, None, Node::Return { value }),
        ],
        vec![within(4, None, Node::Goto { to: Place { body: 0, position: 0 }, iterations_max: 3 })],
    ];
    plan("golden-steps", steps, bodies)
}

/// Five children, two at once, and one list.
pub(crate) fn spread() -> Plan {
    let workflow = Workflow::Pinned { name: "task".into(), plan: Digest::of(b"task") };
    let steps = vec![
        step("each", "foreach", Work::Child { workflow, inputs: Vec::new() }, &[]),
        control("end", "return", &["all"]),
    ];
    let given = ItemInputs { names: vec!["x".into()], required: vec!["x".into()], single: Some("x".into()) };
    let spread = Spread {
        step: 0,
        task: "task".into(),
        items: Expr::Const(json!(["a", {"x": 2}, null, [3], "e"])),
        given,
        width_max: 2,
        on_failure: OnFailure::Fail,
        collect: Some("all".into()),
    };
    let end = within(1, None, Node::Return { value: text("${state.all}") });
    plan("golden-steps-spread", steps, vec![vec![within(0, None, Node::Spread(spread)), end]])
}

/// What ends by itself, what is given up twice, what took too long; then the run fails as it is written.
pub(crate) fn ends() -> Plan {
    let gives = vec![("said".to_owned(), text("${result.duration}"))];
    let wait = shell("wait", Some(Ends { ms: Expr::Const(json!(5_000)), gives }));
    let retry = Retry { attempts_max: 2, delay_ms: 50, ..Retry::default() };
    let given_up = Step { retry, ..shell("give-up", None) };
    let slow = Step { timeout: Deadline::After(30_000), ..shell("slow", None) };
    let steps = vec![wait, given_up, slow, control("stop", "fail", &["said"])];
    let stop = within(3, None, Node::Fail { message: text("nothing more after ${state.said}") });
    let body = vec![act(0, OnFailure::Fail), act(1, OnFailure::Continue), act(2, OnFailure::Continue), stop];
    plan("golden-steps-ends", steps, vec![body])
}
