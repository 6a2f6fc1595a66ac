//! What a block with `for_each` reads of its item, and what others read of such a block.

use super::answer::{Answer, Space, Wrong, name_at, no_parts, unchanged};
use super::block::{elsewhere, long_form, succeeded};
use crate::blocks::reader::By;
use crate::blocks::world::{Outline, World};
use kernel::language::{Path, Segment};

const EACH: [&str; 2] = ["item", "index"];
const OUTPUTS: [&str; 3] = ["results", "count", "failed_count"];
const ROW: [&str; 5] = ["index", "item", "succeeded", "outputs", "error"];

impl World<'_> {
    /// Whether there is an item to be read.
    pub(in crate::blocks) fn sees_each(&self, by: By) -> bool {
        matches!(by, By::Inputs(block) | By::Check(block) if self.blocks[block].has_items())
    }

    /// Resolves a reference to the item that a block is done for.
    pub(in crate::blocks) fn each(&self, path: &Path, by: By) -> Answer {
        if !self.sees_each(by) {
            return Err(Some(self.no_each(by)));
        }
        match name_at(path, 0)? {
            Some("item") => unchanged(path),
            Some("index") => {
                no_parts(path, 1, "a number")?;
                unchanged(path)
            }
            name => {
                let word = name.unwrap_or_default();
                let (part, message) = match word {
                    "" => (0, "`item` or `index` must be named after `each`".to_owned()),
                    word => (1, format!("`each` has no `{word}`")),
                };
                Err(Some(Wrong::new(part, message).among(word, EACH, "there are")))
            }
        }
    }

    fn no_each(&self, by: By) -> Box<Wrong> {
        let name = |block: usize| &self.blocks[block].name;
        let (message, hint) = match by {
            By::Inputs(block) | By::Check(block) => (
                format!("there is no `each` here: {} has no `for_each`", name(block)),
                "give it a list to be done for: `for_each: \"${inputs.names}\"`",
            ),
            By::Condition(block) => (
                format!("the condition of {} is evaluated once, before there is an item", name(block)),
                "give it only the items that it is to be done for, or decide inside the block",
            ),
            By::Items(_) => (
                "the items cannot be read while they are being told".to_owned(),
                "read an input of the workflow, or what another block gave",
            ),
            By::Output => (
                "there is no `each` here: it exists in the inputs of a block with `for_each`".to_owned(),
                "read what the items gave: `${blocks.id.outputs.results}`",
            ),
        };
        Wrong::new(0, message).hint(hint)
    }
}

/// An output of a block with `for_each`; its name stands at `at`.
pub(super) fn output(path: &Path, position: usize, block: &Outline<'_>, at: usize) -> Answer {
    let name = name_at(path, at)?.unwrap_or_default();
    match name {
        "results" => row(path, block, at + 1)?,
        "count" | "failed_count" => no_parts(path, at + 1, "a number")?,
        "success" => return succeeded(path, position, at),
        _ => return Err(Some(no_output(path, block, name, at))),
    }
    long_form(path, Space::Outputs, position, at)
}

fn no_output(path: &Path, block: &Outline<'_>, name: &str, at: usize) -> Box<Wrong> {
    let id = path.key(0).unwrap_or_default();
    if block.is_known_to_give(name) {
        let message = format!("{} gives `{name}` for each item, and none of its own", block.name);
        let hint =
            format!("write `blocks.{id}.outputs.results[0].outputs.{name}`, with the number of the item");
        return Wrong::new(at + 1, message).hint(hint);
    }
    let wrong = Wrong::new(at + 1, format!("{} gives no output `{name}`", block.name));
    match elsewhere(name) {
        Some(form) => wrong.near(format!("blocks.{id}.{form}")),
        None => wrong.among(name, OUTPUTS, "it gives"),
    }
}

/// A part of the results, whose number stands at `at`.
fn row(path: &Path, block: &Outline<'_>, at: usize) -> Result<(), Option<Box<Wrong>>> {
    match path.segments.get(at) {
        None => return Ok(()),
        Some(Segment::Index(_) | Segment::Value(_)) => {}
        Some(Segment::Key(word)) => {
            let wrong = Wrong::new(at + 1, format!("the results are a list and have no `{word}`"));
            return Err(Some(wrong.hint("name one by its number, from 0: `results[0].outputs`")));
        }
    }
    match name_at(path, at + 1)? {
        None | Some("item") => Ok(()),
        Some("outputs") => match name_at(path, at + 2)? {
            Some(name) if !block.may_give(name) => {
                let wrong = Wrong::new(at + 3, format!("{} gives no output `{name}`", block.name));
                Err(Some(wrong.among(name, block.output_names(), "it gives")))
            }
            _ => Ok(()),
        },
        Some(word) if ROW.contains(&word) => no_parts(path, at + 2, "one value"),
        Some(word) => {
            let wrong = Wrong::new(at + 2, format!("a result has no `{word}`"));
            Err(Some(match block.may_give(word) && block.kind.is_some() && block.call.is_none() {
                true => wrong.near(format!("outputs.{word}")),
                false => wrong.among(word, ROW, "it has"),
            }))
        }
    }
}

/// The inputs of a block with `for_each` cannot be read.
pub(super) fn no_input(path: &Path, block: &Outline<'_>) -> Answer {
    let wrong = Wrong::new(2, format!("the inputs of {} differ from item to item", block.name));
    let id = path.key(0).unwrap_or_default();
    Err(Some(wrong.hint(format!("read an item itself: `blocks.{id}.outputs.results[0].item`"))))
}
