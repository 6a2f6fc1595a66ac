//! Every limit: what is exactly at it passes, one more does not.

use super::scenarios;
use crate::build::*;
use crate::drive::{Drive, submission};
use kernel::plan::{Expr, Node, OnFailure, Step};
use kernel::{Command, Data, EffectId, FailureKind, Limits, Plan, Refusal};
use serde_json::{Value, json};

scenarios![
    inline_data,
    depth_of_data,
    the_state,
    what_a_run_holds,
    a_snapshot_at_the_edge,
    everything_held_is_weighed,
    inputs_that_a_run_could_not_hold,
    a_claimed_result_that_a_run_could_not_hold,
    length_of_text,
    a_text_that_would_be_too_long_is_not_loaded,
    what_is_made_of_content,
    what_is_made_for_one_step,
    many_middle_sized_outputs,
    outputs_that_are_only_passed_on,
    depth,
    lanes,
    iterations,
    moves_of_one_turn,
    remembered_results,
    closing,
    overdue,
    times_have_no_edge,
    long_words_are_cut,
];

fn limited(mut plan: Plan, change: impl Fn(&mut Limits)) -> Plan {
    change(&mut plan.limits);
    plan
}

fn text_of(length: usize) -> Value {
    Value::String("x".repeat(length))
}

#[test]
fn inline_data() {
    let plan = || limited(line(vec![agent("a")]), |limits| limits.inline_bytes_max = 100);
    Drive::start(plan()).submit("a#1", json!({"x": text_of(98)})).stands("succeeded");
    let refusal = Drive::start(plan()).refuse(submission("a#1", json!({"x": text_of(99)})));
    assert_eq!(refusal, Refusal::TooLarge { name: "x".into(), size: 101, max: 100 });
    let mut it = Drive::new(with_input(plan(), "x"));
    let start = |value| Command::Start { inputs: fields(json!({"x": value})) };
    assert!(matches!(it.refuse(start(text_of(99))), Refusal::TooLarge { .. }));
    it.give(start(text_of(98)));
}

#[test]
fn depth_of_data() {
    let nested = |depth: usize| (0..depth).fold(json!(1), |inner, _| json!([inner]));
    let mut it = Drive::start(line(vec![agent("a"), agent("b")]));
    it.submit("a#1", json!({"x": nested(64)}));
    assert!(matches!(it.refuse(submission("b#1", json!({"x": nested(65)}))), Refusal::TooLarge { .. }));
    let bodies = |rounds: u32| {
        vec![
            vec![whilst("true", 1, rounds)],
            vec![set(vec![put("x", kernel::plan::Expr::List(vec![text("${state.x}")]))])],
        ]
    };
    let mut it = Drive::start(with_state(sequence(vec![], bodies(900)), json!({"x": 1})));
    it.stands("failed: a value nests deeper than 64 levels").state("x", nested(64));
    let keys = vec!["k"; 70].join(".");
    let mut it = Drive::start(sequence(vec![], vec![vec![set(vec![put(&keys, just(json!(1)))])]]));
    it.stands("failed: a value nests deeper than 64 levels");
}

#[test]
fn the_state() {
    let plan = |max: u64, value: Value| {
        let plan = sequence(vec![agent("a")], vec![vec![set(vec![put("x", just(value))]), act(0)]]);
        limited(with_state(plan, json!({"x": 1})), |limits| limits.state_bytes_max = max)
    };
    let size = |value: &Value| kernel::data::weight_of(&fields(json!({"x": value})));
    let large = text_of(500);
    Drive::start(plan(size(&large), large.clone())).stands("waiting: agent a");
    let mut it = Drive::start(plan(size(&large) - 1, large.clone()));
    it.state("x", json!(1));
    let (weight, max) = (size(&large), size(&large) - 1);
    it.stands(&format!("failed: the state would have {weight} bytes; at most {max} are allowed"));
}

#[test]
fn what_a_run_holds() {
    // What is this small is never stored.
    let step = agent_with("a", &[("x", text("${state.y}${state.y}"))]);
    let plan = || with_state(machine(vec![(step.clone(), &[])]), json!({"y": text_of(127)}));
    let needed = Drive::start(plan()).run.weight();
    Drive::start(limited(plan(), |limits| limits.held_bytes_max = needed)).stands("waiting: agent a");
    let mut it = Drive::start(limited(plan(), |limits| limits.held_bytes_max = needed - 1));
    it.stands(&format!(
        "failed: state `a`: the run would hold {needed} bytes of values that something reads later; at most {} are \
         allowed: write values to files and pass their paths",
        needed - 1
    ));
}

#[test]
fn a_snapshot_at_the_edge() {
    let mut it = Drive::start(line(vec![agent("a")]));
    let max = Limits::default().held_bytes_max;
    let left = |it: &Drive| usize::try_from(max - it.run.weight()).expect("small");
    // What is this small is never stored.
    let one =
        usize::try_from(kernel::data::weight_of(&fields(json!({"y0000": text_of(240)})))).expect("small");
    let many = (0..(left(&it) - 40) / one).map(|field| (format!("y{field:04}"), text_of(240)));
    it.update(Value::Object(many.collect()));
    let overhead = usize::try_from(kernel::data::weight_of(&fields(json!({"z": ""})))).expect("small");
    let last = left(&it) - overhead;
    it.update(json!({"z": text_of(last)}));
    assert_eq!(it.run.weight(), max);
    assert!(crate::drive::bytes(&it.run).len() as u64 <= max);
    it.update(json!({"w": 1}));
    assert_eq!(it.run.state_field("w"), None);
    it.update(json!({"z": text_of(last - 1)})).submit("a#1", json!({"x": 1})).stands("succeeded");
}

#[test]
fn everything_held_is_weighed() {
    let small = |plan: Plan| limited(plan, |limits| limits.held_bytes_max = 2_000);
    let list: Vec<Value> = (0..40).map(|_| text_of(50)).collect();
    let needs_room = |status: String| assert!(status.contains("the run would hold"), "{status}");
    let looped = sequence(vec![noop("a")], vec![vec![each(just(json!(list)), "it", 1)], vec![act(0)]]);
    needs_room(crate::say::status(&Drive::start(small(looped)).run.status()));
    let forked = sequence(vec![noop("a")], vec![vec![fork(just(json!(list)), 1, 2)], vec![act(0)]]);
    needs_room(crate::say::status(&Drive::start(small(forked)).run.status()));
    let given = Node::Give { value: just(text_of(1_900)) };
    let gives = sequence(vec![noop("a")], vec![vec![fork(just(json!([1, 2])), 1, 2)], vec![given, act(0)]]);
    needs_room(crate::say::status(&Drive::start(small(gives)).run.status()));
    let returned = sequence(vec![], vec![vec![Node::Return { value: just(text_of(2_000)) }]]);
    needs_room(crate::say::status(&Drive::start(small(returned)).run.status()));
    let outputs =
        (0..8).fold(line(vec![]), |plan, name| with_output(plan, &format!("x{name}"), just(text_of(254))));
    needs_room(crate::say::status(&Drive::start(small(outputs)).run.status()));
    let kept = noop("a").keeps(&["outputs"]);
    let mut it = Drive::start(small(graph(vec![(kept, &[], None)])));
    needs_room(crate::say::status(&it.done("a#1", json!({"x": text_of(2_000)})).run.status()));
}

#[test]
fn inputs_that_a_run_could_not_hold() {
    let plan = limited(with_input(with_input(line(vec![agent("a")]), "x"), "y"), |limits| {
        limits.held_bytes_max = 1_500;
    });
    let mut it = Drive::new(plan);
    let inputs = fields(json!({"x": text_of(600), "y": text_of(600)}));
    assert!(matches!(it.refuse(Command::Start { inputs }), Refusal::TooLarge { max: 1_500, .. }));
}

#[test]
fn a_claimed_result_that_a_run_could_not_hold() {
    let step =
        Step { verify: verified(2, &[("u", text("${result.x}")), ("v", text("${result.x}"))]), ..agent("a") };
    let plan = limited(line(vec![step]), |limits| limits.held_bytes_max = 1_500);
    let mut it = Drive::start(plan);
    assert!(matches!(it.refuse(submission("a#1", json!({"x": text_of(1_900)}))), Refusal::TooLarge { .. }));
    it.submit("a#1", json!({"x": text_of(250)})).expect(&["offer a#2"]);
    it.submit("a#2", json!({"x": text_of(20)})).done("a#2/verify", json!({})).stands("succeeded");
}

const TOO_LONG: &str = "failed: step `a`: `x`: the text grows longer than 10 bytes: pass what is long alone, without text around \
                        it, or write it to a file and pass its path";

#[test]
fn length_of_text() {
    let step = noop_with("a", &[("x", text("${inputs.t}${inputs.t}"))]);
    let plan = || limited(with_input(line(vec![step.clone()]), "t"), |limits| limits.text_bytes_max = 10);
    Drive::new(plan()).started(json!({"t": "12345"})).stands("running");
    let mut it = Drive::new(plan()).started(json!({"t": "123456"}));
    it.stands(TOO_LONG);
}

#[test]
fn a_text_that_would_be_too_long_is_not_loaded() {
    let step = noop_with("a", &[("x", text("<${inputs.t}>"))]);
    let plan = limited(with_input(line(vec![step]), "t"), |limits| limits.text_bytes_max = 10);
    let mut it = Drive::new(plan);
    let stored = it.store(text_of(10));
    it.start_with(kernel::Fields::from([("t".into(), stored)]));
    it.asks(&[]).stands(TOO_LONG);
}

#[test]
fn what_is_made_of_content() {
    // Two texts of fifty bytes make `["...","..."]`.
    let both = Expr::List(vec![text("${inputs.t}"), text("${inputs.t}")]);
    let plan = |max: u64| {
        let plan = with_input(line(vec![noop_with("a", &[("x", both.clone())])]), "t");
        limited(plan, |limits| limits.made_bytes_max = max)
    };
    let started = |max: u64| {
        let mut it = Drive::new(plan(max));
        let stored = it.store(text_of(50));
        it.start_with(kernel::Fields::from([("t".into(), stored)]));
        it
    };
    started(107).asks(&[&["gather 2"]]).stands("running");
    started(106).asks(&[]).stands(
        "failed: step `a`: `x` would have at least 107 bytes; at most 106 are allowed: write what is large to a file \
         and pass its path",
    );
    let plan = with_output(with_input(line(vec![]), "t"), "o", Expr::List(vec![text("${inputs.t}"); 400]));
    let mut it = Drive::new(plan);
    let (Data::Stored(large), _) = crate::say::stored(&text_of(50)) else { panic!("stored") };
    let large = kernel::data::Reference { size: 5_000_000, ..large };
    it.start_with(kernel::Fields::from([("t".into(), Data::Stored(large))]));
    it.asks(&[]).stands(
        "failed: `o` would have at least 20000012 bytes; at most 16777216 are allowed: write what is large to a file \
         and pass its path",
    );
}

#[test]
fn what_is_made_for_one_step() {
    let lists =
        |count: usize| (0..count).map(|name| (format!("o{name}"), Expr::List(vec![just(text_of(46))])));
    let plan = |count: usize| {
        let plan = lists(count).fold(line(vec![]), |plan, (name, list)| with_output(plan, &name, list));
        limited(plan, |limits| limits.made_bytes_max = 100)
    };
    let mut it = Drive::start(plan(2));
    assert!(crate::say::status(&it.run.status()).starts_with("succeeded"));
    it = Drive::start(plan(3));
    it.stands(
        "failed: `o2`, with what is made beside it, would have at least 149 bytes; at most 100 are allowed: write \
         what is large to a file and pass its path",
    );
}

#[test]
fn many_middle_sized_outputs() {
    let value = text_of(10_000);
    let plan = |count: usize| {
        let outputs = (0..count).map(|name| (format!("o{name:02}"), just(value.clone())));
        outputs.fold(line(vec![]), |plan, (name, expr)| with_output(plan, &name, expr))
    };
    let outputs = |it: &Drive| match it.run.status() {
        kernel::Status::Ended(kernel::Outcome::Succeeded { outputs }) => outputs,
        other => panic!("{other:?}"),
    };
    let mut it = Drive::start(plan(12));
    assert!(outputs(it.asks(&[])).values().all(|data| data.inline().is_some()));
    let mut it = Drive::start(plan(60));
    let outputs = outputs(it.asks(&[&["gather 0"]]));
    assert_eq!(outputs.len(), 60);
    assert!(outputs.values().all(|data| data.inline().is_none() && it.value(data) == value));
    let list = Expr::List(vec![just(value.clone()); 60]);
    let mut it = Drive::start(line(vec![noop_with("a", &[("l", list)])]));
    it.asks(&[&["gather 0"]]).expect(&["perform a#1 l=<[\"xxxxxx>"]);
}

#[test]
fn outputs_that_are_only_passed_on() {
    let ended = |size: u64| {
        let plan = with_output(with_input(line(vec![]), "t"), "a", text("${inputs.t}"));
        let mut it = Drive::new(with_output(plan, "b", text("${inputs.t}")));
        let (Data::Stored(large), _) = crate::say::stored(&text_of(50)) else { panic!("stored") };
        let large = kernel::data::Reference { size, ..large };
        it.start_with(kernel::Fields::from([("t".into(), Data::Stored(large))]));
        crate::say::status(&it.run.status())
    };
    assert!(ended(32 * 1024 * 1024).starts_with("succeeded"));
    assert_eq!(
        ended(32 * 1024 * 1024 + 1),
        "failed: the outputs would have 67108866 bytes together; at most 67108864 are allowed: write what is large to \
         files and give their paths"
    );
}

#[test]
fn depth() {
    let plan = || limited(line(vec![child("c", &[])]), |limits| limits.depth_max = 2);
    Drive::of(plan(), None, 1).started(json!({})).expect(&["child c#1 other depth 2"]);
    let mut it = Drive::of(plan(), None, 2).started(json!({}));
    it.stands("failed: step `c`: workflows call workflows more than 2 deep");
}

#[test]
fn lanes() {
    let plan = |max: u32, inner: u32| {
        let items = |count: u32| just(json!((0..count).collect::<Vec<_>>()));
        let bodies = vec![vec![fork(items(3), 1, 9)], vec![fork(items(inner), 2, 9)], vec![act(0)]];
        limited(sequence(vec![noop("a")], bodies), |limits| limits.lanes_max = max)
    };
    assert_eq!(Drive::start(plan(9, 2)).effects.len(), 6);
    assert_eq!(Drive::start(plan(6, 1)).effects.len(), 3);
    let mut it = Drive::start(plan(4, 2));
    it.expect(&[]).stands("failed: more than 4 lanes at once");
    let flat = limited(
        sequence(vec![noop("a")], vec![vec![fork(just(json!([1, 2, 3, 4])), 1, 9)], vec![act(0)]]),
        |limits| limits.lanes_max = 3,
    );
    let mut it = Drive::start(flat);
    assert_eq!(it.effects.len(), 3);
    it.done("2/a@1#1", json!({})).expect(&["perform 4/a@1#1"]);
}

#[test]
fn iterations() {
    let plan = |node: fn(u32) -> Node, rounds: u32| {
        limited(sequence(vec![], vec![vec![node(rounds)], vec![count("n")]]), |limits| {
            limits.iterations_max = 3
        })
    };
    let items = |count: u32| just(json!((0..count).collect::<Vec<_>>()));
    let nodes: [fn(u32) -> Node; 2] = [
        |rounds| each(just(json!((0..rounds).collect::<Vec<_>>())), "it", 1),
        |rounds| fork(just(json!((0..rounds).collect::<Vec<_>>())), 1, 9),
    ];
    drop(items(1));
    for node in nodes {
        Drive::start(plan(node, 3)).state("n", json!(3)).stands("succeeded");
        Drive::start(plan(node, 4)).stands("failed: a loop went past its bound of 3 rounds");
    }
    let looped = |max| {
        let body = vec![vec![whilst("true", 1, max)], vec![count("n")]];
        limited(with_state(sequence(vec![], body), json!({"n": 0})), |limits| limits.iterations_max = 3)
    };
    Drive::start(looped(9)).state("n", json!(3)).stands("failed: a loop went past its bound of 3 rounds");
}

#[test]
fn moves_of_one_turn() {
    let looped = |rounds: u32| {
        let items = || just(json!((0..rounds).collect::<Vec<_>>()));
        let bodies = vec![
            vec![each(items(), "i", 1), act(0)],
            vec![each(items(), "j", 2)],
            vec![each(just(json!([1, 2, 3])), "k", 3)],
            vec![],
        ];
        sequence(vec![noop("a")], bodies)
    };
    Drive::start(looped(50)).expect(&["perform a#1"]);
    Drive::start(looped(600)).stands("failed: loops took more than 1000000 moves without a step");
}

#[test]
fn remembered_results() {
    for max in [0_u32, 1, 2] {
        let plan = limited(line((0..5).map(|n| agent(&format!("a{n}"))).collect()), |limits| {
            limits.remembered_max = max;
        });
        let mut it = Drive::start(plan);
        for n in 0..4 {
            it.submit(&format!("a{n}#1"), json!({}));
        }
        for n in 0..4_u32 {
            let refusal = it.refuse(submission(&format!("a{n}#1"), json!({})));
            let remembered = matches!(refusal, Refusal::Repeated { .. });
            assert_eq!(remembered, n + max >= 4, "a{n} with {max}: {refusal:?}");
        }
    }
}

#[test]
fn closing() {
    let mut it = Drive::start(limited(line(vec![noop("a")]), |limits| limits.close_ms_max = 7));
    it.cancel().expect(&["withdraw a#1", "timer run/close at 1007"]);
    it.now = 1_006;
    let early = it.refuse(Command::Fire { timer: EffectId::new("run/close") });
    assert!(matches!(early, Refusal::TooEarly { due: 1_007, .. }));
    it.now = 1_007;
    it.give(Command::Fire { timer: EffectId::new("run/close") }).stands("cancelled: enough");
}

#[test]
fn overdue() {
    let plan = limited(line(vec![agent("a").timeout(10)]), |limits| limits.overdue_ms = 5);
    Drive::start(plan).expect(&["offer a#1", "timer a#1/due at 1015"]);
}

#[test]
fn times_have_no_edge() {
    let plan = Plan {
        deadline: kernel::plan::Deadline::After(u64::MAX),
        ..line(vec![
            agent("a").timeout(u64::MAX),
            child("b", &[]).timeout(u64::MAX),
            noop("c").retry(2, u64::MAX),
        ])
    };
    let mut it = Drive::start(plan);
    it.now = u64::MAX - 1;
    it.submit("a#1", json!({})).end_child("b#1", crate::drive::succeeded(json!({})));
    it.fails("c#1", FailureKind::Crashed).cancel().stands("cancelled: enough");
}

#[test]
fn long_words_are_cut() {
    let long = |kind| kernel::Failure::new(kind, "x".repeat(100_000));
    let report = |kind| kernel::event::Report::Failed { failure: long(kind), outputs: kernel::Fields::new() };
    let command =
        |id: &str| Command::Report { effect: EffectId::new(id), report: report(FailureKind::Crashed) };
    let mut it = Drive::start(line(vec![noop("a")]));
    it.give(command("a#1"));
    assert!(it.run.weight() < 6_000, "{}", it.run.weight());
    let mut it = Drive::start(line(vec![noop("a")]));
    it.give(Command::Cancel { reason: "y".repeat(100_000), by: crate::drive::human(false) });
    assert!(it.run.weight() < 6_000);
    let verified = Step { verify: verified(2, &[]), ..agent("a") };
    let mut it = Drive::start(line(vec![verified]));
    it.submit("a#1", json!({})).give(command("a#1/verify"));
    assert!(it.run.weight() < 6_000);
    let forked = sequence(
        vec![noop("a")],
        vec![vec![fork_with(just(json!([1, 2])), 1, 2, OnFailure::Fail, None)], vec![act(0)]],
    );
    let mut it = Drive::start(forked);
    it.give(command("1/a@1#1"));
    assert!(it.run.weight() < 6_000);
    let silent: Data = json!(1).into();
    assert_eq!(silent.weight(), 8);
}
