//! The inputs of a Prompt block: what a human is asked. Whoever answers, the block gives `response`.
//!
//! | input | what it is |
//! |---|---|
//! | `prompt` | the question |
//! | `kind` | `text`, `confirm` or `choice` |
//! | `choices` | what can be chosen |
//! | `default` | what counts where nothing is said |
//! | `details` | what else is shown |
//!
//! With a `gate` only a human may answer, nothing is said for them, and a no is a failed operation. `verify` beside the inputs says
//! how the server looks before it takes an answer.

use super::form::{Draft, Form, OBJECT, Outputs};
use crate::additions;
use crate::blocks::reader::{By, Reader};
use crate::near::nearest;
use crate::shape::{self, Shape, did_you_mean};
use crate::text::{Node, alike, looks};
use crate::view::AskedKind;
use crate::view::asked::label;
use kernel::language::Template;
use kernel::plan::{Audience, Expr, Foreign, Gate, Language, Work};
use serde_json::Value;

/// Asks a human.
pub(in crate::blocks) const FORM: Form = Form {
    name: "Prompt",
    outputs: Outputs::Named(&[("response", OBJECT)]),
    readable: &["prompt"],
    named_values: None,
    lower,
};

/// The choices that a question may have.
pub(super) const CHOICES_MAX: usize = 100;

/// Those that a reference may give.
const REFERRED_MAX: usize = 100_000;

const BESIDE: &str = "it belongs beside `inputs`";
const HINT: &str = "write `inputs: {prompt: \"Deploy to production?\", kind: confirm}`";

const INPUTS: Shape = Shape {
    has_no: "Prompt has no input",
    keys: &["prompt", "kind", "choices", "default", "details", "timeout"],
    elsewhere: &[
        ("depends_on", BESIDE),
        ("condition", BESIDE),
        ("gate", BESIDE),
        ("on_overdue", BESIDE),
        ("verify", BESIDE),
        ("message", "did you mean `prompt`?"),
        ("question", "did you mean `prompt`?"),
        ("text", "did you mean `prompt`?"),
        ("type", "did you mean `kind`?"),
        ("options", "did you mean `choices`?"),
    ],
};

fn lower(reader: &mut Reader<'_, '_>, block: usize) -> Draft {
    let node = reader.world.blocks[block].node;
    let gate = node.get("gate").and_then(|gate| additions::gate(&mut reader.mistakes, gate));
    reader.not_done_again(node, &FORM);
    let inputs = reader.asked_inputs(block, "prompt", &INPUTS, HINT);
    let inputs = inputs.map_or_else(Vec::new, |inputs| reader.prompt(inputs, block, gate.as_ref()));
    let verify = node.get("verify").and_then(|verify| reader.verify(verify, block));
    if let (Some(_), Some((key, _))) = (&gate, node.entry("verify")) {
        additions::no_verify_at_a_gate(&mut reader.mistakes, key);
    }
    Draft { verify, ..Draft::new(Work::Action { audience: Audience::Human, inputs, gate, ends: None }) }
}

impl<'n> Reader<'_, 'n> {
    fn prompt(&mut self, inputs: &'n Node, block: usize, gate: Option<&Gate>) -> Vec<(String, Expr)> {
        let by = By::Inputs(block);
        let kind = self.kind(inputs, gate);
        let mut asked = vec![("kind".to_owned(), Expr::Const(kind.as_str().into()))];
        asked.extend(self.words(inputs, "prompt", by).map(|prompt| ("prompt".to_owned(), prompt)));
        let choices = self.choices(inputs, block, kind);
        let mut said = |key: &str| {
            let node = inputs.get(key)?;
            let hint = "write one, or take it away";
            shape::has_value(&mut self.mistakes, node, &format!("`{key}`"), hint).then_some(node)
        };
        let (default, details) = (said("default"), said("details"));
        if let Some(node) = default {
            if gate.is_some() {
                self.mistakes.error(|sheet| {
                    let message = "a gate has no `default`: who says nothing has not said yes";
                    sheet.error("bad-value", node.place(), message).hint("take `default` away, or the `gate`")
                });
            }
            let default = self.value(node, by);
            self.check_default(node, kind, &default, choices.as_ref());
            asked.push(("default".to_owned(), default));
        }
        asked.extend(choices.map(|choices| ("choices".to_owned(), choices)));
        let details = details.map(|details| self.value(details, by));
        asked.extend(details.map(|details| ("details".to_owned(), details)));
        asked
    }

    /// A kind that is not known is taken for the nearest one, so that the rest is still checked.
    fn kind(&mut self, inputs: &'n Node, gate: Option<&Gate>) -> AskedKind {
        let otherwise = if gate.is_some() { AskedKind::Confirm } else { AskedKind::Text };
        let Some(node) = inputs.get("kind") else {
            return if inputs.get("choices").is_some() { AskedKind::Choice } else { otherwise };
        };
        let Some(word) = shape::text(&mut self.mistakes, node, "`kind`") else { return otherwise };
        if let Some(kind) = AskedKind::named(word) {
            return kind;
        }
        let near = nearest(word, AskedKind::WRITTEN.map(AskedKind::as_str));
        self.mistakes.error(|sheet| {
            let message = "`kind` is one of `text`, `confirm` and `choice`";
            let diagnostic = sheet.error("bad-value", node.place(), message);
            match near {
                Some(near) => diagnostic.label(did_you_mean(near)),
                None => diagnostic.hint("it says what kind of answer fits"),
            }
        });
        near.and_then(AskedKind::named).unwrap_or(otherwise)
    }

    /// A list, or one reference to a list.
    fn choices(&mut self, inputs: &'n Node, block: usize, kind: AskedKind) -> Option<Expr> {
        const HINT: &str = "name them: `choices: [staging, production]`";
        let Some((key, node)) = inputs.entry("choices") else {
            if kind == AskedKind::Choice {
                shape::missing(&mut self.mistakes, inputs.place(), "a choice", "choices", HINT);
            }
            return None;
        };
        if kind != AskedKind::Choice {
            let message = format!("`choices` belong to `kind: choice`, and this asks for {}", wanted(kind));
            self.mistakes.error(|sheet| {
                sheet.error("bad-value", key.place(), message).hint("write `kind: choice`, or take them away")
            });
        }
        if let Some(items) = node.as_list() {
            self.check_choices(node, items);
            return Some(self.value(node, By::Inputs(block)));
        }
        match self.value(node, By::Inputs(block)) {
            Expr::Template(template) if template.whole().is_some() => listed(template),
            _ => {
                let what = "`choices`";
                shape::wrong_kind(&mut self.mistakes, node, what, "a list, or one reference to a list", HINT);
                None
            }
        }
    }

    fn check_choices(&mut self, node: &'n Node, items: &'n [Node]) {
        if items.is_empty() || items.len() > CHOICES_MAX {
            let message = format!("there are {} choices, and it takes 1 to {CHOICES_MAX}", items.len());
            self.mistakes.error(|sheet| sheet.error("bad-value", node.place(), message));
        }
        let mut seen = std::collections::BTreeMap::new();
        for item in items.iter().take(CHOICES_MAX) {
            if item.as_scalar().is_none() || item.is_null() {
                shape::wrong_kind(
                    &mut self.mistakes,
                    item,
                    "a choice",
                    "one value",
                    "write a text or a number",
                );
                continue;
            }
            let text = item.as_text().unwrap_or_default();
            let Some((before, first)) = seen.insert(looks(text), (text, item.place())) else { continue };
            let foreign = text.chars().chain(before.chars()).find(|letter| alike(*letter) != *letter);
            self.mistakes.error(|sheet| {
                let message =
                    if before == text { "two choices are the same" } else { "two choices look the same" };
                let diagnostic = sheet.error("bad-value", item.place(), message);
                let diagnostic = diagnostic.label("written again").related(first, "first written here");
                match foreign {
                    Some(letter) if before != text => diagnostic.hint(format!(
                        "`{letter}` is U+{:04X} and looks like `{}`: whoever is asked cannot tell them apart",
                        u32::from(letter),
                        alike(letter)
                    )),
                    _ => diagnostic,
                }
            });
        }
    }

    /// What is known when the file is read must fit.
    fn check_default(&mut self, node: &'n Node, kind: AskedKind, default: &Expr, choices: Option<&Expr>) {
        let Expr::Const(value) = default else { return };
        let hint = match (kind, choices) {
            (AskedKind::Confirm, _) if !value.is_boolean() => "write `true` or `false`".to_owned(),
            (AskedKind::Choice, Some(Expr::Const(Value::Array(all)))) if !all.contains(value) => {
                let all: Vec<String> = all.iter().map(label).collect();
                format!("choices are {}", shape::listed(all.iter().map(String::as_str)))
            }
            (AskedKind::Text, _) if !value.is_string() => "put quotes around it".to_owned(),
            _ => return,
        };
        self.mistakes.error(|sheet| {
            let message = format!("the default does not fit: this asks for {}", wanted(kind));
            sheet.error("bad-value", node.place(), message).hint(hint)
        });
    }
}

const fn wanted(kind: AskedKind) -> &'static str {
    match kind {
        AskedKind::Info | AskedKind::Text | AskedKind::Agent => "a text",
        AskedKind::Confirm => "yes or no",
        AskedKind::Choice => "one of its choices",
    }
}

/// A whole reference must lead to a list with something in it.
fn listed(template: Template) -> Option<Expr> {
    let items = template.whole().map(|path| Expr::Items(path.clone()))?;
    let source = format!("{{{{ choices | choices({REFERRED_MAX}) }}}}");
    let given = vec![("choices".to_owned(), items)];
    Some(Expr::Foreign(Foreign { language: Language::Jinja, source, reads: Vec::new(), given, origin: None }))
}
