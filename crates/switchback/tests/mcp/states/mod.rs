//! State machines over terminals, through the real binary: killed anywhere, as long as they may be, and left alone by their client.

mod killed;
mod left;
mod long;
mod pages;

use serde_json::{Value, json};

/// What a client of this dialect may call.
const TOOLSETS: &str = "terminal,states,authoring";

/// A state that calls a tool in the session that `open` has opened, and goes on when that succeeded.
fn state(tool: &str, mut params: Value, next: &str) -> Value {
    params["session_id"] = "{open_session_id}".into();
    json!({"action": {"tool": tool, "params": params}, "transitions": [{"condition": {"success": true}, "next_state": next}]})
}

/// A state that opens a shell.
fn open(next: &str) -> Value {
    json!({
        "action": {"tool": "open_terminal", "params": {"shell": "sh"}},
        "transitions": [{"condition": {"success": true}, "next_state": next}],
    })
}

/// A machine of five states: a shell is opened, a line is typed, its answer is waited for and looked at, the shell is closed.
fn five() -> Value {
    json!({"name": "five", "initial_state": "open", "states": {
        "open": open("say"),
        "say": state("send_input", json!({"input_text": "echo $((6 * 7)) is all\n"}), "wait"),
        "wait": state("await_output", json!({"pattern": "42 is all", "timeout": 20}), "look"),
        "look": state("get_screen_content", json!({"content_mode": "tail"}), "close"),
        "close": {"action": {"tool": "exit_terminal", "params": {"session_id": "{open_session_id}"}}},
    }})
}
