//! Bodies: which steps stand in which, and where a `goto` may lead.

use super::reader::{At, Reader};
use crate::shape;
use crate::text::Node;
use kernel::plan::Place;

impl<'n> Reader<'_, 'n> {
    /// The body under a key of a step: its list of steps, which may be empty.
    pub(super) fn body(&mut self, at: At, key: &str, which: usize) -> Option<u32> {
        let node = self.node(at).get(key).filter(|node| !node.is_null())?;
        if node.as_list().is_none() {
            let hint = format!("write `{key}:` and the steps below it, each with a `-`");
            shape::wrong_kind(&mut self.mistakes, node, &format!("`{key}`"), "a list of steps", &hint);
        }
        self.outline(at).below[which]
    }

    /// Where a `goto` leads: a step of its own body, or of one around it.
    pub(super) fn target(&mut self, at: At, node: &'n Node) -> Option<Place> {
        let word = shape::text(&mut self.mistakes, node, "`target`")?;
        let unit = &self.world.units[at.unit];
        let Some(found) = unit.names.get(word) else {
            if unit.is_complete {
                let guesses = &self.world.guesses;
                self.mistakes.error(|sheet| {
                    let message = format!("no step of {} is called `{word}`", unit.called());
                    let diagnostic = sheet.error("unknown-step", node.place(), message);
                    match guesses.nearest(word, unit.names.keys().copied()) {
                        Some(near) => {
                            let line = sheet.line(unit.steps[unit.names[near]].place);
                            diagnostic.label(format!("did you mean `{near}` (line {line})?"))
                        }
                        None => diagnostic,
                    }
                });
            }
            return None;
        };
        let to = unit.steps[*found].at;
        let around =
            std::iter::successors(Some(unit.steps[at.step].at.body), |body| unit.bodies[*body as usize].1);
        if around.into_iter().any(|body| body == to.body) {
            return Some(to);
        }
        let place = unit.steps[*found].place;
        self.mistakes.error(|sheet| {
            let message = format!("`{word}` stands inside a condition, and no `goto` leads into one");
            let diagnostic = sheet.error("bad-target", node.place(), message).related(place, "it is here");
            diagnostic.hint("go to the condition, or to a step before it")
        });
        None
    }
}
