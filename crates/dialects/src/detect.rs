//! Which dialect a definition is written in, told by its structure and never by the text of its expressions.
//!
//! `states` and `blocks` name their dialect by their key. `steps` and `reactive` both have `steps`: there a
//! dialect is told by signs, which are keys beside `steps` and types of steps. Signs of one dialect decide;
//! signs of both do not, and the answer says what was looked for. Where there are none, weaker ones count: what
//! somebody means who has misspelt a type, has not written the tasks yet, or only calls tools. `kind` decides without looking.

use crate::diagnostic::Diagnostic;
use crate::near::{Guesses, nearest};
use crate::text::{Node, Source, Span};
use kernel::plan::Dialect;

/// Every dialect, in the order they are named.
const ALL: [Dialect; 4] = [Dialect::Blocks, Dialect::Steps, Dialect::Reactive, Dialect::States];

/// What tells `steps` and `reactive` apart.
struct Signs {
    keys: &'static [&'static str],
    step_keys: &'static [&'static str],
    types: &'static [&'static str],
}

const STEPS: Signs = Signs {
    keys: &["initial_state", "tasks"],
    step_keys: &["needs_state"],
    types: &[
        "condition",
        "set_state",
        "return",
        "goto",
        "shell",
        "prompt",
        "wait",
        "delegate",
        "info",
        "confirm",
        "text",
        "choice",
    ],
};

const REACTIVE: Signs = Signs {
    keys: &["state_schema", "default_state", "sub_agent_tasks", "imports"],
    step_keys: &[],
    types: &[
        "shell_command",
        "agent_shell_command",
        "state_update",
        "parallel_tasks",
        "user_message",
        "user_input",
        "apply_hints",
        "conditional",
        "parallel_foreach",
        "while",
        "break",
        "include_workflow",
        "exit",
    ],
};

/// Keys that only `reactive` has, so that they tell it also where `steps` is missing.
const REACTIVE_PARTS: [&str; 3] = ["state_schema", "default_state", "sub_agent_tasks"];

/// Types of steps that both have.
const SHARED: [&str; 2] = ["foreach", "mcp_call"];

/// Keys under which a step holds further steps.
const BODIES: [&str; 4] = ["steps", "then", "else", "body"];

/// Returns the mapping that is the definition: the root, what stands under a single `workflow:`, or under `definition:` beside
/// its `metadata:`.
pub fn body(root: &Node) -> &Node {
    let is_kept = root.entries().all(|(key, ..)| matches!(key, "definition" | "metadata"));
    if let Some(inner) = root.get("definition").filter(|inner| is_kept && inner.as_map().is_some()) {
        return inner;
    }
    match root.as_map() {
        Some([(key, inner)]) if key.as_text() == Some("workflow") && inner.as_map().is_some() => inner,
        _ => root,
    }
}

/// Tells the dialect of a definition.
pub fn detect(source: &Source, root: &Node) -> Result<Dialect, Box<Diagnostic>> {
    let body = body(root);
    if body.as_map().is_none() {
        return Err(Box::new(not_a_mapping(source, body)));
    }
    if let Some(kind) = body.get("kind") {
        return explicit(source, kind);
    }
    let main: Vec<(&Node, &str)> = ["states", "blocks", "steps"]
        .into_iter()
        .filter_map(|word| body.entry(word).map(|(key, _)| (key, word)))
        .collect();
    match main.as_slice() {
        [] if REACTIVE_PARTS.iter().any(|key| body.get(key).is_some()) => Ok(Dialect::Reactive),
        [] => Err(Box::new(undecided(source, body))),
        [(_, "states")] => Ok(Dialect::States),
        [(_, "blocks")] => Ok(Dialect::Blocks),
        [(key, _)] => by_signs(source, body, key),
        [(first, a), (second, b), ..] => {
            let message = format!("`{a}` and `{b}` belong to different dialects");
            let diagnostic = Diagnostic::error("mixed-dialects", source, second.span, message)
                .related(first.span, format!("`{a}` is here"))
                .hint("keep one of them, or say which is meant: `kind: blocks`, `steps`, `reactive` or `states`");
            Err(Box::new(diagnostic))
        }
    }
}

fn explicit(source: &Source, kind: &Node) -> Result<Dialect, Box<Diagnostic>> {
    let text = kind.as_text().unwrap_or_default();
    if let Some(dialect) = ALL.into_iter().find(|dialect| dialect.as_str() == text) {
        return Ok(dialect);
    }
    let message = format!("no dialect is called `{text}`");
    let diagnostic = Diagnostic::error("unknown-kind", source, kind.place(), message)
        .hint("`kind` is `blocks`, `steps`, `reactive` or `states`");
    Err(Box::new(match nearest(text, ALL.map(Dialect::as_str)) {
        Some(word) => diagnostic.label(format!("did you mean `{word}`?")),
        None => diagnostic,
    }))
}

/// A sign that was found: its place and how to name it.
type Found = (Span, String);

fn by_signs(source: &Source, body: &Node, steps_key: &Node) -> Result<Dialect, Box<Diagnostic>> {
    match (find(body, &STEPS), find(body, &REACTIVE)) {
        (Some(_), None) => Ok(Dialect::Steps),
        (None, Some(_)) => Ok(Dialect::Reactive),
        (None, None) if looks_like_steps(body) => Ok(Dialect::Steps),
        (None, None) if looks_like_reactive(body) => Ok(Dialect::Reactive),
        (None, None) => Err(Box::new(undecided(source, steps_key))),
        (Some((steps, a)), Some((reactive, b))) => {
            let message = format!("{a} is of the dialect `steps`, {b} of `reactive`");
            let diagnostic = Diagnostic::error("mixed-dialects", source, steps, message)
                .label("a sign of `steps`")
                .related(reactive, "a sign of `reactive`")
                .hint("say which is meant: `kind: steps` or `kind: reactive`");
            Err(Box::new(diagnostic))
        }
    }
}

/// Finds the first sign of a dialect: a key of the definition, then whatever its steps show.
fn find(body: &Node, signs: &Signs) -> Option<Found> {
    let mut entries = body.entries();
    let top = entries.find(|(text, ..)| signs.keys.contains(text));
    top.map(|(text, key, _)| (key.span, format!("the key `{text}`"))).or_else(|| find_in_steps(body, signs))
}

fn find_in_steps(body: &Node, signs: &Signs) -> Option<Found> {
    all_steps(body).find_map(|step| {
        let key = step.entries().find(|(text, ..)| signs.step_keys.contains(text));
        let found = key.map(|(text, key, _)| (key.place(), format!("the key `{text}` of a step")));
        found.or_else(|| sign_in_type(step, signs))
    })
}

/// The steps of a definition with those that they hold, in the order written.
fn all_steps(body: &Node) -> impl Iterator<Item = &Node> {
    let mut open: Vec<&Node> = body.get("steps").map(Node::items).unwrap_or_default().iter().rev().collect();
    std::iter::from_fn(move || {
        let step = open.pop()?;
        let bodies = BODIES.iter().filter_map(|key| step.get(key));
        open.extend(bodies.flat_map(|body| body.items().iter().rev()));
        Some(step)
    })
}

/// Whether something speaks for `steps` where no sign does: a tool that is called as there, an item's task, a type that is
/// nearer to one of its types than to any other.
fn looks_like_steps(body: &Node) -> bool {
    let (guesses, mut is_steps) = (Guesses::new(), false);
    for step in all_steps(body) {
        let Some(kind) = step.get("type").and_then(Node::as_text) else { continue };
        let has = |key: &str| step.get(key).is_some();
        match kind {
            "mcp_call" => is_steps |= body.get("version").is_some() && has("tool"),
            "foreach" => is_steps |= has("task"),
            kind => match guesses.nearest(kind, [STEPS.types, &SHARED, REACTIVE.types].concat()) {
                Some(near) if REACTIVE.types.contains(&near) => return false,
                Some(near) => is_steps |= STEPS.types.contains(&near),
                None => {}
            },
        }
    }
    is_steps
}

/// Whether something speaks for `reactive` where no sign does: a tool that is called as there, items with steps of their own.
fn looks_like_reactive(body: &Node) -> bool {
    all_steps(body).any(|step| match step.get("type").and_then(Node::as_text) {
        Some("mcp_call") => step.get("mcp").is_some_and(|mcp| mcp.get("method").is_some()),
        Some("foreach") => step.get("steps").is_some(),
        _ => false,
    })
}

/// The first `type` counts: a `prompt` step may have a second one, which is the kind of the prompt.
fn sign_in_type(step: &Node, signs: &Signs) -> Option<Found> {
    let node = step.get("type")?;
    let text = node.as_text().filter(|text| signs.types.contains(text))?;
    Some((node.place(), format!("the step type `{text}`")))
}

fn not_a_mapping(source: &Source, node: &Node) -> Diagnostic {
    let message = format!("a definition is a mapping, and this is {}", node.kind_name());
    Diagnostic::error("not-a-mapping", source, node.place(), message)
        .hint("begin with keys: `name: ...`, then `blocks:`, `steps:` or `states:`")
}

fn undecided(source: &Source, node: &Node) -> Diagnostic {
    let message = "which dialect this is cannot be told".to_owned();
    let span = node.as_map().and_then(|entries| entries.first()).map_or(node.place(), |(key, _)| key.span);
    let quoted = |words: &[&str]| words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ");
    let hint = format!(
        "looked for `blocks`; `states`; or `steps` and a sign of its dialect:\n\
         for steps: {}, {}, a step type such as `shell`, `set_state`, `condition`\n\
         for reactive: {}, a step type such as `shell_command`, `conditional`\n\
         or say it: `kind: blocks`, `steps`, `reactive` or `states`",
        quoted(STEPS.keys),
        quoted(STEPS.step_keys),
        quoted(REACTIVE.keys),
    );
    Diagnostic::error("unknown-dialect", source, span, message).hint(hint)
}

#[cfg(test)]
mod tests;
