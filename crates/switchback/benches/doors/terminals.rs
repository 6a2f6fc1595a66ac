//! Rows on terminals: what the way through the tools adds to a bare PTY. Of each side that goes through tools as many calls that do
//! nothing are taken away, so that what is left is the terminal.

use crate::bare::{Bare, SHELL};
use crate::client::Client;
use crate::pairs::{Bound, PAIRS, print, time};
use crate::world::World;
use serde_json::{Value, json};

/// All rows, by a word to choose them with.
pub(crate) const ALL: [(&str, fn()); 3] =
    [("terminal-command", command), ("terminal-open", open), ("terminal-idle", idle)];

/// What a start may take beside its share, in seconds.
const OPEN_ALLOWANCE: f64 = 0.003;

fn shell() -> Value {
    json!({ "shell": SHELL[0], "arguments": SHELL[1..], "environment": { "PS1": "$ " } })
}

fn opened(client: &mut Client) -> Value {
    client.call("open_terminal", shell())["result"]["structuredContent"]["session_id"].clone()
}

/// A call that does nothing: no session is open in the folder of this client.
fn nothing(client: &mut Client) {
    client.call("list_terminal_sessions", json!({}));
}

fn command() {
    let world = World::new();
    let (mut client, mut idle) = (world.client(), world.client_in("empty"));
    let id = opened(&mut client);
    let mut bare = Bare::open();
    bare.first();
    let mut ratios: Vec<f64> = (0..PAIRS + 10)
        .map(|round| {
            let line = format!("echo a{round}b\n");
            let through = time(&mut || {
                client.call("send_input", json!({ "session_id": id, "input_text": line }));
                let pattern = format!("^a{round}b$");
                let waited = client
                    .call("await_output", json!({ "session_id": id, "pattern": pattern, "timeout": 30 }));
                assert!(waited["result"]["structuredContent"]["match_text"].is_string(), "{waited}");
            });
            let calls = time(&mut || (0..2).for_each(|_| nothing(&mut idle)));
            let alone = time(&mut || bare.command(&line, &format!("\na{round}b")));
            (through.as_secs_f64() - calls.as_secs_f64()) / alone.as_secs_f64()
        })
        .skip(10)
        .collect();
    let name = "send_input + await_output - two calls that do nothing ÷ bare PTY";
    print(name, &Bound::AtMost(2.0), &mut ratios);
}

fn open() {
    let world = World::new();
    let (mut client, mut idle) = (world.client(), world.client_in("empty"));
    let mut ratios: Vec<f64> = (0..PAIRS + 10)
        .map(|_| {
            let mut id = Value::Null;
            let through = time(&mut || id = opened(&mut client));
            client.call("exit_terminal", json!({ "session_id": id }));
            let call = time(&mut || nothing(&mut idle));
            let mut bare = None;
            let alone = time(&mut || bare.insert(Bare::open()).first());
            (through.as_secs_f64() - call.as_secs_f64() - OPEN_ALLOWANCE) / alone.as_secs_f64()
        })
        .skip(10)
        .collect();
    print("open_terminal - a call - 3 ms ÷ bare PTY to its first byte", &Bound::AtMost(1.2), &mut ratios);
}

/// Printed only.
fn idle() {
    const SESSIONS: u64 = 50;
    let world = World::new();
    let mut client = world.client();
    nothing(&mut client);
    let before = World::resident(world.daemon());
    (0..SESSIONS).for_each(|_| drop(opened(&mut client)));
    let after = World::resident(world.daemon());
    let each = after.saturating_sub(before) / SESSIONS;
    println!(
        "resident memory of the daemon: {before} KiB, with {SESSIONS} idle shells {after} KiB, {each} KiB each"
    );
}
