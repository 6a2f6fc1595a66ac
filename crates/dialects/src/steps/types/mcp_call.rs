//! `mcp_call`: the agent calls a tool that it has.
//!
//! The tool and what it is given may also be written as the dialect `reactive` has them: `mcp: {method, params}`.

use super::form::{Form, Lowered};
use super::shell::TIMEOUT_MS;
use crate::shape::{self, Shape};
use crate::steps::reader::{At, Reader};
use crate::text::Node;
use kernel::plan::{Audience, Deadline, Expr};
use serde_json::{Value, json};

const HINT: &str = "name the tool: `tool: github.get_pr`, and under `parameters` what it is given";

pub(super) const FORM: Form = Form {
    name: "mcp_call",
    shape: Shape {
        has_no: "an mcp_call step has no key",
        keys: &[
            "id",
            "type",
            "description",
            "needs_state",
            "output_to",
            "when",
            "tool",
            "parameters",
            "mcp",
            "timeout",
            "retry",
            "on_overdue",
            "verify",
        ],
        elsewhere: &[
            ("args", "did you mean `parameters`?"),
            ("arguments", "did you mean `parameters`?"),
            ("params", "did you mean `parameters`?"),
            ("method", "did you mean `tool`?"),
            ("name", "did you mean `tool`?"),
        ],
    },
    has_bodies: false,
    lower,
};

const MCP: Shape = Shape { has_no: "`mcp` has no key", keys: &["method", "params"], elsewhere: &[] };

fn lower(reader: &mut Reader<'_, '_>, at: At) -> Lowered {
    let node = reader.node(at);
    let (owner, tool, parameters) = match node.entry("mcp").filter(|(_, mcp)| !mcp.is_null()) {
        Some((key, mcp)) => {
            if shape::is_map(&mut reader.mistakes, mcp, "`mcp`", "write `mcp: {method: ..., params: {...}}`")
            {
                shape::check_keys(&mut reader.mistakes, mcp, &MCP);
            }
            if let Some((first, _)) = node.entry("tool").or(node.entry("parameters")) {
                let again = first.place();
                reader.mistakes.error(|sheet| {
                    let message = "the tool is given twice, under `mcp` and beside it";
                    sheet.error("duplicate-key", key.place(), message).related(again, "it is here as well")
                });
            }
            (mcp, "method", "params")
        }
        None => (node, "tool", "parameters"),
    };
    let name = match owner.get(tool).filter(|node| !node.is_null()) {
        None if tool == "tool" => reader.must(at, "tool", HINT),
        None => {
            shape::missing(&mut reader.mistakes, owner.place(), "`mcp`", tool, HINT);
            None
        }
        name => name,
    };
    let name = name.and_then(|name| {
        let word = shape::text(&mut reader.mistakes, name, &format!("`{tool}`"))?;
        if word.trim().is_empty() {
            reader.mistakes.error(|sheet| {
                sheet.error("bad-value", name.place(), format!("`{tool}` is empty")).hint(HINT)
            });
        }
        Some(reader.text(name, at))
    });
    let args = owner.get(parameters).filter(|node| !node.is_null());
    let args = args.map_or_else(|| Expr::Const(json!({})), |args| reader.args(args, parameters, at));
    let shown = name.map(|name| ("tool", name)).into_iter().chain([("args", args)]).collect();
    let lowered = reader.action(at, Audience::Agent, shown, None);
    Lowered { timeout: Deadline::After(TIMEOUT_MS), ..lowered }
}

impl<'n> Reader<'_, 'n> {
    /// What a tool is given: a mapping, or one expression that is one.
    fn args(&mut self, node: &'n Node, key: &str, at: At) -> Expr {
        if node.as_map().is_none() && !Self::is_whole(node) {
            let hint = format!("name each: `{key}: {{query: \"{{{{ inputs.topic }}}}\"}}`");
            shape::wrong_kind(&mut self.mistakes, node, &format!("`{key}`"), "a mapping", &hint);
            return Expr::Const(Value::Null);
        }
        self.value(node, at)
    }
}
