//! What blocks that ask someone have in common: their words, and where the words belong that only they have.

use super::form::Form;
use super::shell::needed;
use crate::additions;
use crate::blocks::reader::{By, Reader};
use crate::shape::{self, Shape, listed};
use crate::text::Node;
use kernel::plan::{Deadline, Expr, OnOverdue, Step, Work};

/// Words beside `inputs` that only some types have.
const WORDS: [(&str, &[&str]); 3] =
    [("verify", &["Prompt", "Agent"]), ("gate", &["Prompt"]), ("on_overdue", &["Prompt", "Agent"])];

impl<'n> Reader<'_, 'n> {
    /// Reports words that belong to blocks of other types.
    pub(in crate::blocks) fn words_of_others(&mut self, node: &Node, form: &Form) {
        for (word, types) in WORDS.into_iter().filter(|(_, types)| !types.contains(&form.name)) {
            let Some((key, _)) = node.entry(word) else { continue };
            self.mistakes.error(|sheet| {
                let message = format!("{} has no key `{word}`", form.a_block());
                let diagnostic = sheet.error("unknown-key", key.place(), message);
                diagnostic.label(format!("it belongs to blocks of type {}", listed(types.iter().copied())))
            });
        }
    }

    /// What becomes of a question that nobody answers in time.
    pub(in crate::blocks) fn overdue(&mut self, node: &Node, step: &mut Step) {
        let Work::Action { gate, .. } = &step.work else { return };
        let Some((key, word)) = node.entry("on_overdue") else { return };
        step.on_overdue = additions::on_overdue(&mut self.mistakes, word);
        if gate.is_some() && step.on_overdue == OnOverdue::Offer {
            self.mistakes.error(|sheet| {
                let message = "at a gate silence is a no, so that nothing can be offered again";
                let diagnostic = sheet.error("bad-value", key.place(), message);
                diagnostic.hint("take `on_overdue` away; without a `timeout` a gate waits for ever")
            });
        }
        if step.timeout == Deadline::Never {
            self.mistakes.warn(|sheet| {
                let message = "`on_overdue` has no effect without a `timeout`";
                sheet.warning("no-effect", key.place(), message).label("take it away, or add a `timeout`")
            });
        }
    }

    /// Warns of what has no effect where someone is asked: nothing is tried again, and nothing can be cut off.
    pub(super) fn not_done_again(&mut self, node: &Node, form: &Form) {
        for (word, key, _) in
            shape::unique(node).filter(|(word, ..)| ["retry", "on_interrupt"].contains(word))
        {
            self.mistakes.warn(|sheet| {
                let message = format!("`{word}` has no effect on {}", form.a_block());
                let diagnostic = sheet.warning("no-effect", key.place(), message).label("take it away");
                diagnostic.hint("it waits for someone, and goes on waiting after every restart")
            });
        }
    }

    /// The inputs of a block, if they can be read and have the one that says what is asked.
    pub(super) fn asked_inputs(
        &mut self,
        block: usize,
        words: &'static str,
        shape: &Shape,
        hint: &str,
    ) -> Option<&'n Node> {
        let outline = &self.world.blocks[block];
        let (node, place, kind) = (outline.node, outline.place, outline.kind?);
        let owner = outline.called(kind.name);
        let Some((key, inputs)) = node.entry("inputs") else {
            shape::missing(&mut self.mistakes, place, &owner, words, hint);
            return None;
        };
        if !shape::is_map(&mut self.mistakes, inputs, "`inputs`", hint) {
            return None;
        }
        let meant = shape::check_keys(&mut self.mistakes, inputs, shape);
        let synonym =
            |word: &str| shape.elsewhere.iter().any(|(known, label)| *known == word && label.contains(words));
        let is_told = meant.contains(words) || inputs.entries().any(|(word, ..)| synonym(word));
        if inputs.get(words).is_none() && !is_told {
            shape::missing(&mut self.mistakes, key.place(), &owner, words, hint);
        }
        Some(inputs)
    }

    /// What is said to whoever is asked.
    pub(super) fn words(&mut self, inputs: &'n Node, key: &str, by: By) -> Option<Expr> {
        let node = inputs.get(key)?;
        let text = shape::text(&mut self.mistakes, node, &format!("`{key}`"))?;
        if text.trim().is_empty() {
            self.mistakes.error(|sheet| {
                sheet.error("bad-value", node.place(), format!("`{key}` is empty")).hint("say what is asked")
            });
        }
        Some(needed(self.text(node, by)).words(key))
    }
}
