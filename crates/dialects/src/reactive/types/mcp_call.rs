//! `mcp_call`: the agent calls a tool that it has.
//!
//! The tool and what it is given may also be written as the dialect `steps` has them: `tool`, `parameters`.

use super::form::{Form, Lowered};
use super::shell_command::TIMEOUT_MS;
use crate::js;
use crate::reactive::code::As;
use crate::reactive::reader::Reader;
use crate::shape::{self, Shape};
use crate::text::Node as Text;
use kernel::plan::Expr;
use serde_json::{Value, json};

const HINT: &str = "name the tool: `mcp: {method: lint_project, params: {...}}`";

pub(super) const FORM: Form = Form {
    name: "mcp_call",
    shape: Shape {
        has_no: "an mcp_call step has no key",
        keys: &[
            "id",
            "type",
            "description",
            "mcp",
            "tool",
            "parameters",
            "state_update",
            "on_error",
            "retry_count",
            "retry_delay",
            "fallback_value",
            "error_state_update",
            "timeout",
            "retry",
            "on_overdue",
            "verify",
        ],
        elsewhere: &[
            ("method", "it belongs under `mcp`"),
            ("params", "it belongs under `mcp`"),
            ("args", "did you mean `mcp`, with `params` under it?"),
        ],
    },
    lower,
};

const MCP: Shape = Shape {
    has_no: "`mcp` has no key",
    keys: &["method", "params"],
    elsewhere: &[("tool", "did you mean `method`?")],
};

fn lower<'n>(reader: &mut Reader<'_, 'n>, node: &'n Text, step: u32) -> Lowered {
    let (method, params) = reader.call(node);
    let mut shown = Vec::new();
    if let Some(method) = method.and_then(|method| reader.method(method)) {
        shown.push(("method".to_owned(), method));
    }
    let params = params.map_or_else(|| Expr::Const(json!({})), |params| reader.params(params));
    shown.push(("params".to_owned(), params));
    reader.action(node, step, shown, None).within(TIMEOUT_MS)
}

impl<'n> Reader<'_, 'n> {
    /// The tool and what it is given.
    fn call(&mut self, node: &'n Text) -> (Option<&'n Text>, Option<&'n Text>) {
        let given = |owner: &'n Text, key: &str| owner.get(key).filter(|value| !value.is_null());
        let Some((key, mcp)) = node.entry("mcp").filter(|(_, mcp)| !mcp.is_null()) else {
            if given(node, "tool").is_none() {
                self.must(node, "mcp", HINT);
            }
            return (given(node, "tool"), given(node, "parameters"));
        };
        if let Some((other, _)) = node.entry("tool").or(node.entry("parameters")) {
            let again = other.place();
            self.sheet().error(|sheet| {
                let message = "the tool is given twice, under `mcp` and beside it";
                sheet.error("duplicate-key", key.place(), message).related(again, "it is here as well")
            });
        }
        if mcp.as_map().is_none() {
            shape::wrong_kind(self.sheet(), mcp, "`mcp`", "a mapping", HINT);
            return (None, None);
        }
        let meant = shape::check_keys(self.sheet(), mcp, &MCP);
        if given(mcp, "method").is_none() && !meant.contains("method") && mcp.get("tool").is_none() {
            shape::missing(self.sheet(), mcp.place(), "`mcp`", "method", HINT);
        }
        (given(mcp, "method"), given(mcp, "params"))
    }

    fn method(&mut self, node: &'n Text) -> Option<Expr> {
        let word = shape::text(self.sheet(), node, "`method`")?;
        if word.trim().is_empty() {
            self.sheet()
                .error(|sheet| sheet.error("bad-value", node.place(), "`method` is empty").hint(HINT));
        }
        Some(self.text(node, As::Text))
    }

    /// What a tool is given: a mapping, or one expression that is one.
    fn params(&mut self, node: &'n Text) -> Expr {
        let is_whole = |text: &str| js::parts(text).is_ok_and(|parts| js::whole(&parts, text).is_some());
        let is_broken = |text: &str| js::is_code(text) && js::parts(text).is_err();
        if node.as_map().is_none() && !node.as_string().is_some_and(|text| is_whole(text) || is_broken(text))
        {
            let hint = "name each: `params: {files: \"{{ changed_files }}\"}`";
            shape::wrong_kind(self.sheet(), node, "`params`", "a mapping", hint);
            return Expr::Const(Value::Null);
        }
        self.value(node)
    }
}
