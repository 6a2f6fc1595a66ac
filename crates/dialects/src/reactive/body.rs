//! Lists of steps, wherever they stand.

use super::reader::Reader;
use crate::shape;
use crate::text::Node as Text;
use kernel::plan::Body;

impl<'n> Reader<'_, 'n> {
    /// Reads a list of steps into the nodes of a body.
    pub(super) fn list(&mut self, node: &'n Text, key: &str) -> Body {
        if node.as_list().is_none() && !node.is_null() {
            let hint = format!("write `{key}:` and the steps below it, each with a `-`");
            shape::wrong_kind(self.sheet(), node, &format!("`{key}`"), "a list of steps", &hint);
        }
        let mut body = Body::new();
        for item in node.items() {
            if item.as_map().is_none() {
                let hint = "write `{type: user_message, message: hello}`";
                shape::wrong_kind(self.sheet(), item, "a step", "a mapping", hint);
                continue;
            }
            body.extend(self.step(item));
        }
        body
    }

    /// Reads the steps under a key of a step as a body of their own; none where it is not there.
    pub(super) fn below(&mut self, step: &'n Text, key: &str) -> Option<u32> {
        let node = step.get(key).filter(|node| !node.is_null())?;
        let body = self.open_body();
        let nodes = self.list(node, key);
        self.bodies[body as usize] = nodes;
        Some(body)
    }

    /// Reads the steps that a step must have.
    pub(super) fn must_below(&mut self, step: &'n Text, key: &'static str) -> u32 {
        let hint = format!("write `{key}:` and the steps below it, each with a `-`");
        if let Some(node) = self.must(step, key, &hint)
            && node.as_list().is_some_and(<[Text]>::is_empty)
        {
            let message = format!("`{key}` has no steps");
            self.sheet().error(|sheet| sheet.error("no-steps", node.place(), message).hint(&hint));
        }
        self.below(step, key).unwrap_or_else(|| self.open_body())
    }
}
