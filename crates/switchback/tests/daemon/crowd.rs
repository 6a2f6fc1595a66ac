//! One client that asks for more than all the others together.

use crate::pipe::Client;
use crate::world::{World, until};
use serde_json::{Value, json};

#[test]
fn thousands_of_calls_of_one_client_are_in_nobodys_way() {
    const CALLS: usize = 3000;
    let world = World::new();
    world.define("hello", "echo hello");
    let (mut many, mut other) = (Client::start(&world, true), Client::start(&world, true));
    let calls: Vec<u64> = (0..CALLS).map(|_| many.execute("hello")).collect();
    let good = |answer: &Value| answer["result"]["structuredContent"]["outputs"]["text"] == "hello";
    until("all of them are on their way", || many.answered() > 100);
    let before = many.answered();
    let answer = other.call("execute_workflow", json!({ "workflow": "hello" }));
    assert!(good(&answer), "{answer}");
    let meanwhile = many.answered() - before;
    assert!(meanwhile < CALLS / 10, "it waited for {meanwhile} of {CALLS}");
    for call in calls {
        let answer = many.answer(call);
        assert!(good(&answer), "{answer}");
    }
}
