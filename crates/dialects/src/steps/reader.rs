//! Reads values: texts with code become expressions that say what they read, all else is a constant.

use super::head::{self, Head};
use super::output::RESULT;
use super::types;
use super::uses::Use;
use super::verify::handed_in;
use super::world::{Outline, Unit, World};
use crate::constant::{VALUE_DEPTH_MAX, depth, list, object};
use crate::jinja::{self, TEMPLATE_BYTES_MAX};
use crate::mistakes::{Mistakes, Place};
use crate::secrets::Secrets;
use crate::shape;
use crate::text::{Kind, Node};
use kernel::plan::{Expr, Foreign, Language};
use serde_json::Value;
use std::collections::BTreeSet;

/// Which step is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct At {
    /// Its unit.
    pub(super) unit: usize,
    /// Its number in there.
    pub(super) step: usize,
}

impl At {
    /// The step as a plan names it.
    pub(super) fn step(self) -> u32 {
        u32::try_from(self.step).expect("BUG: more steps than nodes")
    }
}

/// Reads the values of one definition.
#[derive(Debug)]
pub(super) struct Reader<'s, 'n> {
    /// What is wrong so far.
    pub(super) mistakes: Mistakes<'s>,
    /// What there is.
    pub(super) world: World<'n>,
    /// What holds for all steps.
    pub(super) head: Head,
    /// The tasks that steps use so far.
    pub(super) uses: Vec<Use<'n>>,
    /// Fields that the step that is read may read as well, though it does not say so.
    pub(super) inferred: BTreeSet<String>,
    /// Names that the step that is read has told about already.
    pub(super) told: BTreeSet<String>,
    /// Keys that the step that is read does not have, though others were probably meant to be them.
    pub(super) meant: BTreeSet<&'static str>,
    /// Names that the step that is read has given values to, in the order written.
    pub(super) earlier: BTreeSet<&'n str>,
    /// Whether what is read checks a result, which is there as `result`.
    pub(super) checks: bool,
    /// The secrets that commands may be given.
    pub(super) secrets: Secrets<'n>,
}

impl<'s, 'n> Reader<'s, 'n> {
    /// Starts to read.
    pub(super) fn new(mut mistakes: Mistakes<'s>, workflow: &'n Node, head: Head) -> Self {
        let mut world = World::read(&mut mistakes, workflow);
        let secrets = head::secrets(&mut mistakes, workflow, &head);
        if head.server_shell {
            for outline in world.units.iter_mut().flat_map(|unit| &mut unit.steps) {
                outline.form = outline.form.map(types::of_server);
            }
        }
        Reader {
            mistakes,
            world,
            head,
            uses: Vec::new(),
            inferred: BTreeSet::new(),
            told: BTreeSet::new(),
            meant: BTreeSet::new(),
            earlier: BTreeSet::new(),
            checks: false,
            secrets,
        }
    }

    pub(super) fn unit(&self, at: At) -> &Unit<'n> {
        &self.world.units[at.unit]
    }

    pub(super) fn outline(&self, at: At) -> &Outline<'n> {
        &self.unit(at).steps[at.step]
    }

    pub(super) fn node(&self, at: At) -> &'n Node {
        self.outline(at).node
    }

    /// The value of a key that the step that is read must have, or a report that it is missing, unless another key was
    /// meant to be it.
    pub(super) fn must(&mut self, at: At, key: &'static str, hint: &str) -> Option<&'n Node> {
        let node = self.node(at);
        if let Some(value) = node.get(key).filter(|value| !value.is_null()) {
            return Some(value);
        }
        let Outline { id, form, place, ref name, .. } = *self.outline(at);
        let form = form?;
        let synonym = |(word, label): &(&str, &str)| label.contains(key) && node.entry(word).is_some();
        if !self.meant.contains(key) && !form.shape.elsewhere.iter().any(synonym) {
            let owner = match id {
                Some(_) => format!("the {} step {name}", form.name),
                None => format!("{name} ({})", form.name),
            };
            shape::missing(&mut self.mistakes, place, &owner, key, hint);
        }
        None
    }

    /// Reads a value of any kind. What cannot be read is reported, and nothing stands in for it.
    pub(super) fn value(&mut self, node: &'n Node, at: At) -> Expr {
        if depth(node) <= VALUE_DEPTH_MAX {
            return self.part(node, at);
        }
        self.mistakes.error(|sheet| {
            let message = format!(
                "more than {VALUE_DEPTH_MAX} lists and mappings of this value stand inside each other"
            );
            sheet.error("too-deep", node.place(), message).hint("give it as text, e.g. as JSON")
        });
        Expr::Const(Value::Null)
    }

    fn part(&mut self, node: &'n Node, at: At) -> Expr {
        match &node.kind {
            Kind::Scalar(scalar) => match scalar.value() {
                Value::String(_) => self.text(node, at),
                other => Expr::Const(other),
            },
            Kind::List(items) => list(items.iter().map(|item| self.part(item, at)).collect()),
            Kind::Map(_) => {
                let mut fields = Vec::new();
                for (name, key, item) in shape::unique(node) {
                    self.written_out(name, key);
                    fields.push((name.to_owned(), self.part(item, at)));
                }
                object(fields)
            }
        }
    }

    /// Reports code in a key.
    pub(super) fn written_out(&mut self, name: &str, key: &'n Node) {
        if jinja::is_code(name) {
            self.mistakes.error(|sheet| {
                let message = "a key is written out, so no expression can stand in it";
                sheet
                    .error("misplaced-expression", key.place(), message)
                    .hint("write the key itself, and a value for it")
            });
        }
    }

    /// Reads a text: a constant, or an expression with what it reads.
    pub(super) fn text(&mut self, node: &'n Node, at: At) -> Expr {
        let text = node.as_text().unwrap_or_default();
        if !jinja::is_code(text) {
            return Expr::Const(text.into());
        }
        if text.len() > TEMPLATE_BYTES_MAX {
            self.mistakes.error(|sheet| {
                let message =
                    format!("this text has {} bytes, and {TEMPLATE_BYTES_MAX} are allowed where something is evaluated", text.len());
                let diagnostic = sheet.error("too-large", node.place(), message);
                diagnostic.hint("put its long parts into the state, and let it name them")
            });
            return Expr::Const(Value::Null);
        }
        if self.mistakes.is_full() {
            return Expr::Const(Value::Null);
        }
        let found = jinja::reads(text);
        for fault in &found.faults {
            self.mistakes.error(|sheet| {
                let span = sheet.locate(&Place { node, range: fault.at.clone() });
                sheet.error("bad-template", span, &fault.message).hint(&fault.hint)
            });
        }
        let reads = self.names(&found, node, at);
        let checked = self.checks && found.names.iter().any(|read| read.root == RESULT);
        let given = checked.then(|| (RESULT.to_owned(), handed_in())).into_iter().collect();
        Expr::Foreign(Foreign {
            language: Language::Jinja,
            source: text.to_owned(),
            reads,
            given,
            origin: None,
        })
    }

    /// Whether a text is one whole expression, whose value keeps its type.
    pub(super) fn is_whole(node: &Node) -> bool {
        let text = node.as_string().filter(|text| text.len() <= TEMPLATE_BYTES_MAX);
        text.is_some_and(|text| jinja::is_code(text) && jinja::reads(text).whole.is_some())
    }

    /// Reads a text that says something, whatever its expressions give.
    pub(super) fn words(&mut self, node: &'n Node, key: &str, at: At) -> Option<Expr> {
        self.remark(node, key, at).map(|words| words.words(key))
    }

    /// Reads a text that may come to nothing where it is not written out.
    pub(super) fn remark(&mut self, node: &'n Node, key: &str, at: At) -> Option<Expr> {
        let text = shape::text(&mut self.mistakes, node, &format!("`{key}`"))?;
        if text.trim().is_empty() {
            self.mistakes.error(|sheet| sheet.error("bad-value", node.place(), format!("`{key}` is empty")));
        }
        Some(self.rendered(node, at))
    }

    /// Reads whether something holds.
    pub(super) fn condition(&mut self, node: &'n Node, key: &str, at: At) -> Expr {
        if let Some(truth) = node.as_bool() {
            return Expr::Const(truth.into());
        }
        let hint =
            format!("write one expression: `{key}: \"{{{{ state.count > 3 }}}}\"`, or `true` or `false`");
        let Some(text) = node.as_string() else {
            shape::wrong_kind(&mut self.mistakes, node, &format!("`{key}`"), "an expression", &hint);
            return Expr::Const(Value::Null);
        };
        if !jinja::is_code(text) {
            self.mistakes.error(|sheet| {
                let message =
                    format!("`{key}` is a text that says the same each time: it has no `{{{{ }}}}`");
                sheet.error("bad-condition", node.place(), message).hint(&hint)
            });
            return Expr::Const(Value::Null);
        }
        if !Self::is_whole(node) && !text.contains("{%") {
            self.mistakes.warn(|sheet| {
                let message =
                    format!("`{key}` is text around expressions, and must come out as `true` or `false`");
                sheet.warning("text-condition", node.place(), message).hint(&hint)
            });
        }
        self.text(node, at)
    }
}
