//! Plans whose state has layers: the same bodies over fields of a layer, with fields that an evaluator computes and books.

use super::Dice;
use crate::build::{just, layered, transform};
use kernel::Plan;
use kernel::plan::{Books, Flow, Key, Node, OnError, Write};
use serde_json::json;

/// Gives the state of a sequence layers.
pub(super) fn layer(dice: &mut Dice, plan: Plan) -> Plan {
    let mut plan = layered(plan);
    plan.state.initial.iter_mut().for_each(|(name, _)| up(name));
    plan.state.computed = computed(dice);
    if dice.one_in(3) {
        let field = |name: &str| Some(vec![format!("raw.{name}"), "k".to_owned()]);
        plan.state.books = Some(Books {
            completed: field("done"),
            failed: field("failed"),
            retries: field("retries"),
            last_error: field("last"),
            errors: Some(vec!["state.b".into()]),
            stacks: dice.one_in(2),
        });
    }
    if let Flow::Sequence(flow) = &mut plan.flow {
        flow.bodies.iter_mut().flatten().for_each(|node| layer_node(dice, node));
    }
    plan
}

fn computed(dice: &mut Dice) -> Vec<kernel::plan::Computed> {
    let fields: [(&str, &[&str]); 4] = [
        ("computed.c", &["state.a"]),
        ("computed.d", &["computed.c", "state.b"]),
        ("computed.e", &["state.map.in"]),
        ("computed.f", &["computed.d"]),
    ];
    let rule = |dice: &mut Dice| match dice.below(5) {
        0 => OnError::Fallback(json!("fallen")),
        1 => OnError::Ignore,
        2 if dice.wild => OnError::Propagate,
        _ => OnError::Null,
    };
    fields.iter().map(|(name, from)| transform(name, from, "any", rule(dice))).collect()
}

fn up(name: &mut String) {
    *name = format!("state.{name}");
}

fn layer_node(dice: &mut Dice, node: &mut Node) {
    match node {
        Node::Within { node, .. } => layer_node(dice, node),
        Node::Do { writes, otherwise, .. } => {
            writes.iter_mut().chain(otherwise).for_each(|write| layer_write(dice, write));
        }
        Node::Set { writes } => writes.iter_mut().for_each(|write| layer_write(dice, write)),
        Node::Fork { collect, tasks, .. } => {
            collect.iter_mut().for_each(up);
            tasks.iter_mut().filter_map(|tasks| tasks.errors.as_mut()?.first_mut()).for_each(up);
        }
        Node::Spread(spread) => spread.collect.iter_mut().for_each(up),
        _ => {}
    }
}

fn layer_write(dice: &mut Dice, write: &mut Write) {
    write.path.first_mut().into_iter().for_each(up);
    if dice.one_in(6) {
        let key = if dice.wild { json!(null) } else { json!("a/b.c") };
        write.keys = vec![Key::Name("in".into()), Key::Made(just(key))];
    }
}
