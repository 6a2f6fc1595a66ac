//! One block: its keys, and the step it becomes.

use super::reader::{By, Reader};
use super::types::Draft;
use super::world::Outline;
use super::world::start_of;
use crate::additions;
use crate::shape::{self, Shape};
use crate::text::Node;
use kernel::plan::{Deadline, Expr, Step, Work};

const IN_INPUTS: &str = "it belongs under `inputs`";

const BLOCK: Shape = Shape {
    has_no: "a block has no key",
    keys: &[
        "id",
        "type",
        "inputs",
        "depends_on",
        "condition",
        "for_each",
        "timeout",
        "retry",
        "on_interrupt",
        "on_overdue",
        "verify",
        "gate",
        "description",
    ],
    elsewhere: &[
        ("command", IN_INPUTS),
        ("working_dir", IN_INPUTS),
        ("env", IN_INPUTS),
        ("secrets", "it belongs beside `blocks`"),
    ],
};

impl<'n> Reader<'_, 'n> {
    /// Reads a block into its step and its condition.
    pub(super) fn block(&mut self, block: usize) -> (Step, Option<Expr>) {
        let Outline { node, id, kind, .. } = self.world.blocks[block];
        self.block_keys(block, node);
        kind.into_iter().for_each(|kind| self.words_of_others(node, kind));
        let inputs = node.get("inputs");
        let draft = match kind {
            Some(form) => (form.lower)(self, block),
            None => {
                inputs.into_iter().for_each(|inputs| self.survey(inputs, By::Inputs(block)));
                Draft::new(Work::Make { inputs: Vec::new(), outputs: Vec::new() })
            }
        };
        let condition = node.get("condition").and_then(|condition| self.condition(condition, block));
        (self.step(node, id.unwrap_or_default(), draft), condition)
    }

    /// The step of a draft, with what every block may say.
    fn step(&mut self, node: &Node, id: &str, draft: Draft) -> Step {
        let is_carried_out = draft.is_carried_out();
        let mut step = Step::new(id, draft.work);
        (step.on_interrupt, step.verify) = (draft.on_interrupt, draft.verify);
        if !is_carried_out {
            return step;
        }
        step.timeout = self.timeout(node, node.get("inputs"), draft.timeout);
        if let Some(retry) = node.get("retry") {
            step.retry = additions::retry(&mut self.mistakes, retry);
        }
        if let Some(word) = node.get("on_interrupt") {
            step.on_interrupt = additions::on_interrupt(&mut self.mistakes, word);
        }
        self.overdue(node, &mut step);
        step
    }

    fn block_keys(&mut self, block: usize, node: &Node) {
        let meant = shape::check_keys(&mut self.mistakes, node, &BLOCK);
        let name = self.world.blocks[block].name.clone();
        let place = self.world.blocks[block].place;
        let has = |key: &str| node.get(key).is_some_and(|value| !value.is_null()) || meant.contains(key);
        if !has("id") {
            let hint = "name it, so that others can wait for it: `id: build`";
            shape::missing(&mut self.mistakes, start_of(node), &name, "id", hint);
        }
        if !has("type") {
            shape::missing(&mut self.mistakes, place, &name, "type", "say what it does: `type: Shell`");
        }
        if let Some(text) = node.get("description").filter(|text| !text.is_null()) {
            shape::text(&mut self.mistakes, text, "`description`");
        }
    }

    /// The time-out may stand beside the inputs or among them.
    fn timeout(&mut self, node: &Node, inputs: Option<&Node>, otherwise: Deadline) -> Deadline {
        let among = inputs.and_then(|inputs| inputs.entry("timeout"));
        let beside = node.entry("timeout");
        let read = [beside, among].map(|entry| {
            entry.map(|(key, value)| (key.place(), additions::timeout(&mut self.mistakes, value)))
        });
        if let [Some((first, one)), Some((second, other))] = read
            && one != other
        {
            self.mistakes.error(|sheet| {
                sheet
                    .error("duplicate-key", first.max(second), "two different values of `timeout`")
                    .label("written again")
                    .related(first.min(second), "first written here")
                    .hint("keep one of them")
            });
        }
        let [beside, among] = read;
        beside.or(among).map_or(otherwise, |(_, deadline)| deadline)
    }
}
