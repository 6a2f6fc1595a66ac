//! `include_workflow`: another workflow runs with a state of its own; what it computed can be read afterwards.

use super::form::{Form, Lowered};
use crate::js;
use crate::reactive::code::As;
use crate::reactive::failure::Failing;
use crate::reactive::include::{Given, Meant};
use crate::reactive::names::{RESULT, result};
use crate::reactive::reader::{Gives, Reader};
use crate::shape::{self, Shape};
use crate::text::Node as Text;
use kernel::plan::{Deadline, Expr, Node, Work, Workflow, Write, WriteKind};

const HINT: &str = "say which: `workflow: \"shared:check-standards\"`";

pub(super) const FORM: Form = Form {
    name: "include_workflow",
    shape: Shape {
        has_no: "an include_workflow step has no key",
        keys: &[
            "id",
            "type",
            "description",
            "workflow",
            "inputs",
            "state_update",
            "on_error",
            "retry_count",
            "retry_delay",
            "fallback_value",
            "error_state_update",
            "timeout",
            "retry",
        ],
        elsewhere: &[
            ("name", "did you mean `workflow`?"),
            ("file", "did you mean `workflow`? a file is imported, and its workflow included by name"),
            ("params", "did you mean `inputs`?"),
            ("with", "did you mean `inputs`?"),
        ],
    },
    lower,
};

fn lower<'n>(reader: &mut Reader<'_, 'n>, node: &'n Text, step: u32) -> Lowered {
    let named = reader.must(node, "workflow", HINT);
    let given = reader.call_inputs(node);
    let meant = named.and_then(|named| reader.included_workflow(node, named));
    let change = |site: &mut crate::reactive::reader::Site| site.gives = Gives::Outputs;
    let update = reader.at(change, |reader| reader.update(node, "state_update", RESULT));
    let Failing { retry, on_failure, otherwise } = reader.failing(node, update.as_ref());
    let (Some(meant), Some(named)) = (meant, named) else { return Lowered::nothing() };
    let mut writes = Vec::new();
    if let Some(plan) = &meant.plan {
        let place = node.entry("inputs").map_or(named.place(), |(key, _)| key.place());
        reader.check_given(plan, named.as_text().unwrap_or_default(), &given, place);
        writes.extend(plan.outputs.iter().map(|(name, _)| kept(name, result(&[name]))));
    }
    writes.push(kept(&reader.id(node), result(&[])));
    writes.extend(update.map(|update| update.write));
    let inputs = given.into_iter().map(|(name, _, _, value)| (name.to_owned(), value)).collect();
    let work = Work::Child { workflow: meant.workflow, inputs };
    let made = Node::Do { step, writes, on_failure, otherwise };
    Lowered { work, node: made, timeout: Deadline::Never, retry }
}

/// What was computed, where it is read afterwards.
fn kept(name: &str, value: Expr) -> Write {
    Write { path: vec![format!("included.{name}")], keys: Vec::new(), kind: WriteKind::Set, value }
}

impl<'n> Reader<'_, 'n> {
    fn included_workflow(&mut self, step: &'n Text, named: &'n Text) -> Option<Meant> {
        let name = shape::text(self.sheet(), named, "`workflow`")?;
        if js::is_code(name) {
            let name = self.text(named, As::Text).words("workflow");
            return Some(Meant { workflow: Workflow::Named(name), plan: None });
        }
        match self.includes.get(&std::ptr::from_ref(step)) {
            Some(meant) => meant.clone(),
            None => self.meant_workflow(named, name),
        }
    }

    /// What the workflow is given.
    fn call_inputs(&mut self, node: &'n Text) -> Given<'n> {
        let Some(inputs) = node.get("inputs").filter(|inputs| !inputs.is_null()) else { return Vec::new() };
        let hint = "name each input of the workflow: `inputs: {files: \"{{ changed_files }}\"}`";
        if !shape::is_map(self.sheet(), inputs, "`inputs`", hint) {
            return Vec::new();
        }
        let mut given = Vec::new();
        for (name, key, value) in shape::unique(inputs) {
            self.written_out(name, key);
            given.push((name, key, value, self.value(value)));
        }
        given
    }
}
