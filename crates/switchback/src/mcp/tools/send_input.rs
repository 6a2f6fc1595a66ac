//! `send_input`: types into a session.

use super::{Hints, Later, Tool, schema};
use crate::mcp::terminals;
use crate::settings::Toolset;
use serde_json::json;

pub(super) const TOOL: Tool = Tool {
    name: "send_input",
    title: "Type into a terminal",
    description: "Use this to type into a session that open_terminal has opened. `input_text` is typed as it is, control \
        characters too (\\u0003 is Ctrl-C); end it with a newline to press Enter. With `keys: true` names of keys in it stand \
        for keys: `<Enter>`, `<Tab>`, `<Esc>`, `<Up>`, `<PageDown>`, `<F1>`, `<C-c>`, `<M-x>`, `<S-Tab>`; `<lt>` is a plain \
        `<`. It answers `screen_content` as soon as the program says something, or at once if it says nothing for a few \
        milliseconds: a command that takes time is not waited for. To wait for its end call await_output with a pattern for \
        what it prints then, or give `settle_ms`. Programs that fill the screen (editors, pagers) want `<Enter>` with keys \
        rather than a newline. While a person holds the session it is refused, and says who and since when.",
    hints: Hints { read_only: false, destructive: true, idempotent: false, open_world: true },
    toolset: Some(Toolset::Terminal),
    aliases: &[],
    schema: || {
        schema::object(
            json!({
                "session_id": schema::session_id(),
                "input_text": { "type": "string", "description": "What is typed; a newline at its end presses Enter." },
                "keys": {
                    "type": "boolean",
                    "default": false,
                    "description": "Whether names such as <Enter> and <C-c> in input_text stand for keys."
                },
                "settle_ms": schema::settle_ms(),
            }),
            &["session_id", "input_text"],
        )
    },
    call: |call| -> Later<'_> { Box::pin(terminals::carry_out(call)) },
};
