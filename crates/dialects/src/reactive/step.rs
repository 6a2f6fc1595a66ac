//! One step: its keys, what every step may say, and the step and node of the plan that it becomes.

use super::failure::Unhandled;
use super::reader::Reader;
use super::timing;
use super::types::{Form, Lowered};
use super::world;
use crate::additions;
use crate::shape;
use crate::text::Node as Text;
use kernel::plan::{Deadline, Node, OnInterrupt, OnOverdue, Step, Work};
use std::collections::BTreeSet;

impl<'n> Reader<'_, 'n> {
    /// Reads a step. What cannot be read at all becomes nothing.
    pub(super) fn step(&mut self, node: &'n Text) -> Option<Node> {
        let kind = node.get("type").filter(|kind| !kind.is_null());
        let form = match kind {
            Some(kind) => world::form(self.sheet(), kind),
            None => {
                self.no_type(node);
                None
            }
        }?;
        self.meant = shape::check_keys(self.sheet(), node, &form.shape);
        if let Some(text) = node.get("description").filter(|text| !text.is_null()) {
            shape::text(self.sheet(), text, "`description`");
        }
        let number = u32::try_from(self.steps.len()).expect("BUG: more steps than nodes");
        // Steps that stand in it come after it.
        self.steps.push(Step::new(self.id(node), Work::Make { inputs: Vec::new(), outputs: Vec::new() }));
        let (meant, around) = (self.meant.clone(), self.form.replace(form));
        let Lowered { work, node: made, timeout, retry } = (form.lower)(self, node, number);
        (self.meant, self.form) = (meant, around);
        let mut step = Step::new(self.id(node), work);
        step.kind = form.name.to_owned();
        step.retry = retry.unwrap_or_default();
        if matches!(step.work, Work::Child { .. }) {
            // A run that was cut off goes on; nobody need say what became of it.
            step.on_interrupt = OnInterrupt::Retry;
        }
        self.add(node, form, &mut step, timeout);
        self.steps[number as usize] = step;
        Some(self.within(number, made))
    }

    fn no_type(&mut self, node: &'n Text) {
        let owner = format!("the step `{}`", self.id(node));
        if let Some(near) = node.entries().find(|(key, ..)| crate::near::nearest(key, ["type"]).is_some()) {
            let message = format!("a step has no key `{}`", near.0);
            let place = near.1.place();
            self.sheet()
                .error(|sheet| sheet.error("unknown-key", place, message).label("did you mean `type`?"));
            return;
        }
        shape::missing(
            self.sheet(),
            super::head::start_of(node),
            &owner,
            "type",
            "say what it does: `type: shell_command`",
        );
    }

    /// A node within its step. Where failures are passed by, one that is no step for somebody is tried.
    fn within(&mut self, step: u32, node: Node) -> Node {
        let can_fail = matches!(
            node,
            Node::Set { .. }
                | Node::Branch { .. }
                | Node::While { .. }
                | Node::Foreach { .. }
                | Node::Fork { .. }
        );
        let within = Node::Within { step, when: None, node: Box::new(node) };
        if !can_fail
            || self.unhandled != Unhandled::Continue
            || self.site.task.is_some()
            || self.site.has_error
        {
            return within;
        }
        let body = self.open_body();
        self.bodies[body as usize] = vec![within];
        Node::Try { body, catch: None }
    }

    /// What every step may say that somebody carries out.
    fn add(&mut self, node: &'n Text, form: &Form, step: &mut Step, timeout: Deadline) {
        let said =
            |key: &str| node.get(key).filter(|value| form.shape.keys.contains(&key) && !value.is_null());
        step.timeout = said("timeout").map_or(timeout, |time| timing::deadline(self.sheet(), time));
        if let Some(word) = said("on_interrupt") {
            step.on_interrupt = additions::on_interrupt(self.sheet(), word);
        }
        if let Some((key, verify)) =
            node.entry("verify").filter(|(_, node)| form.shape.keys.contains(&"verify") && !node.is_null())
        {
            match &step.work {
                Work::Action { gate: Some(_), .. } => additions::no_verify_at_a_gate(self.sheet(), key),
                _ => step.verify = self.verify(verify),
            }
        }
        let Work::Action { gate, ends: None, .. } = &step.work else { return };
        if gate.is_none() {
            step.on_overdue = self.head.on_overdue;
        }
        let Some(word) = said("on_overdue") else { return };
        step.on_overdue = additions::on_overdue(self.sheet(), word);
        if gate.is_some() && step.on_overdue == OnOverdue::Offer {
            self.sheet().error(|sheet| {
                let message = "at a gate silence is a no, so that nothing can be offered again";
                let diagnostic = sheet.error("bad-value", word.place(), message);
                diagnostic.hint("take `on_overdue` away; without a `timeout` a gate waits for ever")
            });
        }
        if step.timeout == Deadline::Never {
            self.sheet().warn(|sheet| {
                let message = "`on_overdue` has no effect without a `timeout`";
                sheet.warning("no-effect", word.place(), message).label("take it away, or add a `timeout`")
            });
        }
    }

    /// Forgets what was meant by keys of a step, for what stands in it.
    pub(super) fn afresh(&mut self) {
        self.meant = BTreeSet::new();
    }
}
