//! The action of a state: a tool and what it is given. Texts may have variables in braces; what a tool wants as a number or a
//! truth value is checked here where it is written out, and when the state runs where a variable says it.

use super::nested::{self, Nested};
use super::plan::{PARAMS, SESSION, TOOL};
use super::tools::{self, RUN_WORKFLOW, SESSION_ID, TERMINAL, Tool};
use super::{Entry, pattern};
use crate::mistakes::Mistakes;
use crate::near::nearest;
use crate::shape::{self, Shape, did_you_mean};
use crate::text::{Node, Source};
use kernel::language::{Brace, Path, braces, whole_brace};
use kernel::plan::{Adapter, Expr, InputKind, Work};
use serde_json::Value;
use std::collections::BTreeMap;

const ACTION: Shape = Shape { has_no: "an action has no key", keys: &["tool", "params"], elsewhere: &[] };

/// How long a tool may wait where it is told by a variable, in seconds: the longest that a state may take.
const WAIT_SECONDS_MAX: f64 = 300.0;

/// An action as it was read.
pub(super) struct Action {
    pub(super) tool: &'static str,
    pub(super) work: Work,
    /// How long the tool itself waits, in seconds.
    pub(super) waits: Option<f64>,
    /// The workflow that stands in it.
    pub(super) nested: Option<Nested>,
}

/// Reads the action of a state.
pub(super) fn read(
    mistakes: &mut Mistakes<'_>,
    state: &Node,
    id: &str,
    (entry, source): (Entry, &Source),
) -> Option<Action> {
    let Some((key, node)) = state.entry("action") else {
        let hint = "say what it does: `action: {tool: send_input, params: {input_text: \"ls\\n\"}}`";
        shape::missing(mistakes, state.place(), &format!("state `{id}`"), "action", hint);
        return None;
    };
    if node.is_null() || !shape::is_map(mistakes, node, "`action`", "write `{tool: .., params: {..}}`") {
        if node.is_null() {
            shape::missing(mistakes, key.place(), "the action", "tool", "name one of the tools");
        }
        return None;
    }
    shape::check_keys(mistakes, node, &ACTION);
    let tool = tool(mistakes, node, entry)?;
    let params = params(mistakes, node, entry);
    check_params(mistakes, tool, node, params);
    if tool.name == RUN_WORKFLOW {
        let (work, nested) = nested::read(mistakes, node, params, (entry, source))?;
        return Some(Action { tool: tool.name, work, waits: None, nested });
    }
    Some(Action { tool: tool.name, work: work(tool, params), waits: waits(tool, params), nested: None })
}

fn tool(mistakes: &mut Mistakes<'_>, action: &Node, entry: Entry) -> Option<&'static Tool> {
    let Some(node) = action.get("tool") else {
        shape::missing(mistakes, action.place(), "the action", "tool", "name one of the tools");
        return None;
    };
    let name = shape::text(mistakes, node, "`tool`")?;
    let found = tools::tool(name).filter(|_| entry != Entry::Create || name != RUN_WORKFLOW);
    if found.is_none() {
        unknown_tool(mistakes, node, name, entry);
    }
    found
}

fn unknown_tool(mistakes: &mut Mistakes<'_>, node: &Node, name: &str, entry: Entry) {
    let mut known: Vec<&str> = TERMINAL.iter().map(|tool| tool.name).collect();
    known.sort_unstable();
    let near = nearest(name, known.iter().copied().chain([RUN_WORKFLOW]));
    let message = match entry {
        Entry::Create => format!("Tool '{name}' not supported. Available tools: {}", known.join(", ")),
        Entry::Inline => format!("Unknown tool: {name}"),
        Entry::Any => {
            let all: Vec<&str> = TERMINAL.iter().chain([&tools::NESTED]).map(|tool| tool.name).collect();
            format!("Unknown tool: {name}. Available: {}", all.join(", "))
        }
    };
    mistakes.error(|sheet| {
        let diagnostic = sheet.error("unknown-tool", node.place(), message);
        match near {
            Some(word) => diagnostic.label(did_you_mean(word)),
            None => diagnostic
                .hint(format!("known are {}", shape::listed(known.into_iter().chain([RUN_WORKFLOW])))),
        }
    });
}

fn params<'n>(mistakes: &mut Mistakes<'_>, action: &'n Node, entry: Entry) -> Option<&'n Node> {
    let node = action.get("params").filter(|node| !node.is_null());
    match node {
        Some(node) => shape::is_map(mistakes, node, "`params`", "write `{name: value}`").then_some(node),
        None => {
            if entry == Entry::Inline {
                shape::missing(
                    mistakes,
                    action.place(),
                    "the action",
                    "params",
                    "write `params: {}` where there are none",
                );
            }
            None
        }
    }
}

/// Holds what is written out against what the tool takes.
fn check_params(mistakes: &mut Mistakes<'_>, tool: &Tool, action: &Node, params: Option<&Node>) {
    for (name, key, value) in params.into_iter().flat_map(shape::unique) {
        match tool.param(name) {
            Some(param) => check_param(mistakes, tool, value, param.name, param.kind),
            None => unknown_param(mistakes, tool, name, key),
        }
    }
    let is_given = |name: &str| params.is_some_and(|params| params.get(name).is_some());
    let missing =
        tool.params.iter().find(|param| param.required && param.name != SESSION_ID && !is_given(param.name));
    if let Some(param) = missing {
        let hint =
            format!("`{}` takes {}", tool.name, shape::listed(tool.params.iter().map(|param| param.name)));
        shape::missing(mistakes, action.place(), "the action", param.name, &hint);
    }
}

fn check_param(mistakes: &mut Mistakes<'_>, tool: &Tool, value: &Node, name: &str, kind: InputKind) {
    let given = value.to_value();
    let is_said_later = given.as_str().is_some_and(has_names);
    if name == "pattern"
        && let Some(text) = given.as_str().filter(|_| !is_said_later)
    {
        pattern::check(mistakes, value, text, "`pattern`");
    }
    if is_said_later || given.is_null() || kind.accepts(&given) {
        return;
    }
    let message = format!(
        "`{name}` of `{}` is of type {}, and this is {}",
        tool.name,
        kind.as_str(),
        value.kind_name()
    );
    mistakes.error(|sheet| sheet.error("wrong-type", value.place(), message));
}

/// A parameter that the tool does not have: it will be refused when the state runs.
fn unknown_param(mistakes: &mut Mistakes<'_>, tool: &Tool, name: &str, key: &Node) {
    mistakes.warn(|sheet| {
        let message = format!("`{}` takes no `{name}`, and refuses it when the state runs", tool.name);
        let diagnostic = sheet.warning("unknown-parameter", key.place(), message);
        match nearest(name, tool.params.iter().map(|param| param.name)) {
            Some(word) => diagnostic.label(did_you_mean(word)),
            None => diagnostic,
        }
    });
}

/// What is to be done.
fn work(tool: &'static Tool, params: Option<&Node>) -> Work {
    let entries = entries(tool, params);
    let takes_session = tool.param(SESSION_ID).is_some();
    let mut inputs =
        vec![(TOOL.to_owned(), Expr::Const(tool.name.into())), (PARAMS.to_owned(), Expr::Object(entries))];
    if takes_session {
        inputs.push((SESSION.to_owned(), Expr::Optional(Path::of("inputs", &[SESSION_ID]))));
    }
    Work::Server { adapter: Adapter::Terminal, inputs, secrets: BTreeMap::new() }
}

/// What a tool is given, by name.
pub(super) fn entries(tool: &Tool, params: Option<&Node>) -> Vec<(String, Expr)> {
    let kind = |name: &str| tool.param(name).map_or(InputKind::Any, |param| param.kind);
    let given = params.into_iter().flat_map(shape::unique);
    given.map(|(name, _, value)| (name.to_owned(), said(&value.to_value(), kind(name)))).collect()
}

/// A value as it is said when the state runs: texts with names in braces are, all else is known.
fn said(value: &Value, kind: InputKind) -> Expr {
    match value {
        Value::String(text) if has_names(text) => Expr::Braced { text: text.clone(), kind },
        Value::Array(items) if items.iter().any(has_names_below) => {
            Expr::List(items.iter().map(|item| said(item, InputKind::Any)).collect())
        }
        Value::Object(map) if map.values().any(has_names_below) => {
            Expr::Object(map.iter().map(|(key, item)| (key.clone(), said(item, InputKind::Any))).collect())
        }
        known => Expr::Const(known.clone()),
    }
}

fn has_names_below(value: &Value) -> bool {
    match value {
        Value::String(text) => has_names(text),
        Value::Array(items) => items.iter().any(has_names_below),
        Value::Object(map) => map.values().any(has_names_below),
        _ => false,
    }
}

/// Whether a text is more than what it says: it has a name in braces, or braces that stand for themselves.
fn has_names(text: &str) -> bool {
    text.contains("\\{") || braces(text).iter().any(|piece| matches!(piece, Brace::Name(..)))
}

/// How long the tool itself waits, in seconds.
fn waits(tool: &Tool, params: Option<&Node>) -> Option<f64> {
    if !tool.waits {
        return None;
    }
    let usual = tool.param("timeout").and_then(|param| param.default?.parse().ok()).unwrap_or_default();
    let Some(given) = params.and_then(|params| params.get("timeout")) else { return Some(usual) };
    match given.as_string().and_then(whole_brace) {
        Some(_) => Some(WAIT_SECONDS_MAX),
        None => Some(given.as_f64().unwrap_or(usual)),
    }
}
