//! One step: its keys, what every step may say, and the step and node of the plan that it becomes.

use super::reader::{At, Reader};
use super::types::{Form, Lowered};
use crate::additions;
use crate::shape;
use kernel::plan::{Access, Deadline, Node, OnOverdue, Step, Work};
use std::collections::BTreeSet;

impl<'n> Reader<'_, 'n> {
    /// Reads a step.
    pub(super) fn step(&mut self, at: At) -> (Step, Node) {
        (self.inferred, self.told, self.earlier) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
        let (node, id, form) = (self.node(at), self.outline(at).id, self.outline(at).form);
        self.keys(at, form);
        let may_pass = form.is_none_or(|form| form.shape.keys.contains(&"when"));
        let when = node.get("when").filter(|when| may_pass && !when.is_null());
        let when = when.map(|when| self.condition(when, "when", at));
        let Lowered { work, node, timeout } = match form {
            Some(form) => (form.lower)(self, at),
            None => Lowered::nothing(),
        };
        let mut step = Step::new(id.unwrap_or_default(), work);
        step.kind = form.map_or("", |form| form.name).to_owned();
        if let Some(form) = form {
            self.add(at, form, &mut step, timeout);
        }
        let mut fields = std::mem::take(&mut self.inferred);
        fields.extend(self.outline(at).needs.keys().map(|field| (*field).to_owned()));
        step.access = Access::Fields(fields);
        (step, Node::Within { step: at.step(), when, node: Box::new(node) })
    }

    fn keys(&mut self, at: At, form: Option<&'static Form>) {
        let node = self.node(at);
        let meant =
            form.map(|form| shape::check_keys(&mut self.mistakes, node, &form.shape)).unwrap_or_default();
        self.meant.clone_from(&meant);
        let outline = &self.world.units[at.unit].steps[at.step];
        let has = |key: &str| node.get(key).is_some_and(|value| !value.is_null()) || meant.contains(key);
        if !has("id") {
            let hint = "name it, so that it can be told apart: `id: build`";
            shape::missing(&mut self.mistakes, super::head::start_of(node), &outline.name, "id", hint);
        }
        if !has("type") {
            let owner = format!("step {}", outline.name.trim_start_matches("step "));
            shape::missing(
                &mut self.mistakes,
                outline.place,
                &owner,
                "type",
                "say what it does: `type: shell`",
            );
        }
        if let Some(text) = node.get("description").filter(|text| !text.is_null()) {
            shape::text(&mut self.mistakes, text, "`description`");
        }
    }

    /// What every step may say that somebody carries out.
    fn add(&mut self, at: At, form: &Form, step: &mut Step, timeout: Deadline) {
        let node = self.node(at);
        let said =
            |key: &str| node.get(key).filter(|value| form.shape.keys.contains(&key) && !value.is_null());
        step.timeout = said("timeout").map_or(timeout, |time| additions::timeout(&mut self.mistakes, time));
        if let Some(retry) = said("retry") {
            step.retry = additions::retry(&mut self.mistakes, retry);
        }
        if let Some(word) = said("on_interrupt") {
            step.on_interrupt = additions::on_interrupt(&mut self.mistakes, word);
        }
        if let Some(verify) = said("verify") {
            step.verify = self.verify(verify, at);
        }
        let Work::Action { gate, ends: None, .. } = &step.work else { return };
        if gate.is_none() {
            step.on_overdue = self.head.on_overdue;
        }
        let Some(word) = said("on_overdue") else { return };
        step.on_overdue = additions::on_overdue(&mut self.mistakes, word);
        if gate.is_some() && step.on_overdue == OnOverdue::Offer {
            self.mistakes.error(|sheet| {
                let message = "at a gate silence is a no, so that nothing can be offered again";
                let diagnostic = sheet.error("bad-value", word.place(), message);
                diagnostic.hint("take `on_overdue` away; without a `timeout` a gate waits for ever")
            });
        }
        if step.timeout == Deadline::Never {
            self.mistakes.warn(|sheet| {
                let message = "`on_overdue` has no effect without a `timeout`";
                sheet.warning("no-effect", word.place(), message).label("take it away, or add a `timeout`")
            });
        }
    }
}
