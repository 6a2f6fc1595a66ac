//! `prompt`: a person is told or asked something.
//!
//! Its kind may be written in three ways: as a second `type`, as `prompt_type`, or as the only `type`.

use super::form::{Form, Lowered};
use crate::additions;
use crate::jinja;
use crate::near::nearest;
use crate::shape::{self, Shape, did_you_mean, listed};
use crate::steps::reader::{At, Reader};
use crate::steps::rules;
use crate::text::Node;
use kernel::plan::{Audience, Expr, Foreign, Gate};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// The kinds of prompts.
pub(super) const KINDS: [&str; 4] = ["info", "confirm", "text", "choice"];

/// The options that a question may have.
const OPTIONS_MAX: usize = 100;

const HINT: &str = "say what is asked: `message: Deploy to production?`";
const OPTIONS: &str = "name them: `options: [staging, production]`";

pub(super) const FORM: Form = Form {
    name: "prompt",
    shape: Shape {
        has_no: "a prompt step has no key",
        keys: &[
            "id",
            "type",
            "description",
            "needs_state",
            "output_to",
            "when",
            "message",
            "prompt_type",
            "options",
            "validation",
            "default",
            "gate",
            "timeout",
            "on_overdue",
            "verify",
        ],
        elsewhere: &[
            ("prompt", "did you mean `message`?"),
            ("question", "did you mean `message`?"),
            ("text", "did you mean `message`?"),
            ("choices", "did you mean `options`?"),
            ("kind", "did you mean `prompt_type`?"),
            ("retry", "a person is asked once, and waited for"),
        ],
    },
    has_bodies: false,
    lower,
};

const VALIDATION: Shape = Shape {
    has_no: "the validation of a prompt has no rule",
    keys: &["pattern", "min_length", "max_length"],
    elsewhere: &[("enum", "let them choose: `prompt_type: choice`, with `options`")],
};

fn lower(reader: &mut Reader<'_, '_>, at: At) -> Lowered {
    let node = reader.node(at);
    let said = |key: &str| node.get(key).filter(|value| !value.is_null());
    let gate = said("gate").and_then(|gate| additions::gate(&mut reader.mistakes, gate));
    let kind = reader.kind(at, gate.as_ref());
    if let (Some(_), Some((key, _))) = (&gate, node.entry("verify")) {
        additions::no_verify_at_a_gate(&mut reader.mistakes, key);
    }
    let message = reader.must(at, "message", HINT);
    let message = message.and_then(|message| match kind {
        "info" => reader.remark(message, "message", at),
        _ => reader.words(message, "message", at),
    });
    let mut shown: Vec<(&str, Expr)> = message.map(|message| ("message", message)).into_iter().collect();
    shown.push(("type", Expr::Const(kind.into())));
    let options = reader.options(at, kind);
    if let Some(default) = said("default") {
        let default = reader.default(default, kind, gate.as_ref(), options.as_ref(), at);
        shown.push(("default", default));
    }
    shown.extend(options.map(|options| ("options", options)));
    let rules = node.entry("validation").filter(|(_, rules)| !rules.is_null());
    let rules = rules.and_then(|(key, rules)| reader.validation(key, rules, kind));
    shown.extend(rules.map(|rules| ("validation", Expr::Const(rules))));
    reader.action(at, Audience::Human, shown, gate)
}

impl<'n> Reader<'_, 'n> {
    /// A kind that is not known is taken for the nearest one, so that the rest is still checked.
    fn kind(&mut self, at: At, gate: Option<&Gate>) -> &'static str {
        let node = self.node(at);
        let types: Vec<&Node> = node.all("type").map(|(_, value)| value).collect();
        let first = types.first().copied().filter(|node| node.as_text() != Some("prompt"));
        let written = node.get("prompt_type").filter(|node| !node.is_null());
        let said: Vec<&Node> = first.or(types.get(1).copied()).into_iter().chain(written).collect();
        if let [one, other] = said.as_slice()
            && one.as_text() != other.as_text()
        {
            let place = one.place();
            self.mistakes.error(|sheet| {
                let diagnostic =
                    sheet.error("duplicate-key", other.place(), "two different kinds of one prompt");
                diagnostic
                    .label("written again")
                    .related(place, "first written here")
                    .hint("keep one of them")
            });
        }
        let otherwise = match (node.get("options").is_some(), gate.is_some()) {
            (true, _) => "choice",
            (_, true) => "confirm",
            _ => "text",
        };
        let Some(node) = said.first() else { return otherwise };
        let Some(word) = shape::text(&mut self.mistakes, node, "the kind of a prompt") else {
            return otherwise;
        };
        if let Some(kind) = KINDS.into_iter().find(|kind| *kind == word) {
            return kind;
        }
        let near = nearest(word, KINDS);
        // A type that is near to no kind is told where types are read.
        if first.is_none() {
            self.mistakes.error(|sheet| {
                let message = format!("no kind of prompts is called `{word}`");
                let diagnostic = sheet.error("unknown-type", node.place(), message);
                match near {
                    Some(near) => diagnostic.label(did_you_mean(near)),
                    None => diagnostic.hint(format!("kinds are {}", listed(KINDS))),
                }
            });
        }
        near.unwrap_or(otherwise)
    }

    /// A list, or one expression that is one.
    fn options(&mut self, at: At, kind: &str) -> Option<Expr> {
        let Some((key, node)) = self.node(at).entry("options").filter(|(_, node)| !node.is_null()) else {
            if kind == "choice" {
                self.must(at, "options", OPTIONS);
            }
            return None;
        };
        if kind != "choice" {
            let message = format!("`options` belong to a choice, and this is a prompt of kind `{kind}`");
            self.mistakes.error(|sheet| {
                let diagnostic = sheet.error("bad-value", key.place(), message);
                diagnostic.hint("write `prompt_type: choice`, or take them away")
            });
        }
        match node.as_list() {
            Some(items) => self.check_options(node, items),
            None if Self::is_whole(node) => return self.made_options(node, at),
            None => shape::wrong_kind(&mut self.mistakes, node, "`options`", "a list", OPTIONS),
        }
        Some(self.value(node, at))
    }

    /// Options that an expression gives: what nobody could choose among fails the step.
    fn made_options(&mut self, node: &'n Node, at: At) -> Option<Expr> {
        let inside = node.as_string().and_then(|text| Some(&text[jinja::reads(text).whole?]))?;
        let source = format!("{{{{ ({inside}) | choices }}}}");
        match self.text(node, at) {
            Expr::Foreign(foreign) => Some(Expr::Foreign(Foreign { source, ..foreign })),
            _ => None,
        }
    }

    fn check_options(&mut self, node: &Node, items: &[Node]) {
        if items.is_empty() || items.len() > OPTIONS_MAX {
            let message = format!("there are {} options, and it takes 1 to {OPTIONS_MAX}", items.len());
            self.mistakes.error(|sheet| sheet.error("bad-value", node.place(), message));
        }
        let mut seen = BTreeMap::new();
        for item in items.iter().take(OPTIONS_MAX) {
            if item.as_scalar().is_none() || item.is_null() {
                shape::wrong_kind(
                    &mut self.mistakes,
                    item,
                    "an option",
                    "one value",
                    "write a text or a number",
                );
            } else if let Some(first) = seen.insert(item.as_text().unwrap_or_default(), item.place()) {
                self.mistakes.error(|sheet| {
                    let diagnostic = sheet.error("bad-value", item.place(), "two options are the same");
                    diagnostic.label("written again").related(first, "first written here")
                });
            }
        }
    }

    /// What counts where nothing is said.
    fn default(
        &mut self,
        node: &'n Node,
        kind: &str,
        gate: Option<&Gate>,
        options: Option<&Expr>,
        at: At,
    ) -> Expr {
        let default = self.value(node, at);
        let wrong = match (&default, kind, options) {
            _ if gate.is_some() => Some("a gate has no `default`: who says nothing has not said yes"),
            (_, "info", _) => Some("a prompt of kind `info` asks nothing, so nothing can be said for it"),
            (Expr::Const(value), "confirm", _) if !value.is_boolean() => {
                Some("the default does not fit: this asks for `true` or `false`")
            }
            (Expr::Const(value), "text", _) if !value.is_string() => {
                Some("the default does not fit: this asks for a text")
            }
            (Expr::Const(value), "choice", Some(Expr::Const(Value::Array(all)))) if !all.contains(value) => {
                Some("the default does not fit: it is none of the options")
            }
            _ => None,
        };
        if let Some(wrong) = wrong {
            self.mistakes.error(|sheet| {
                sheet.error("bad-value", node.place(), wrong).hint("take `default` away, or mend it")
            });
        }
        default
    }

    /// The rules that an answer must fit, as a JSON schema.
    fn validation(&mut self, key: &Node, node: &'n Node, kind: &str) -> Option<Value> {
        if kind != "text" {
            let message = format!("`validation` belongs to a text, and this is a prompt of kind `{kind}`");
            self.mistakes.error(|sheet| sheet.error("bad-value", key.place(), message).hint("take it away"));
            return None;
        }
        let hint = "name each rule: `validation: {min_length: 3}`";
        if !shape::is_map(&mut self.mistakes, node, "`validation`", hint) {
            return None;
        }
        shape::check_keys(&mut self.mistakes, node, &VALIDATION);
        let rules: Map<String, Value> = rules::of_text(&mut self.mistakes, node);
        (!rules.is_empty()).then_some(Value::Object(rules))
    }
}
