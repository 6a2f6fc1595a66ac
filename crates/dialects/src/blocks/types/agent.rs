//! The inputs of an Agent block: what an agent is to do. It gives `response`, and each member of it where that is an object.
//!
//! | input | what it is |
//! |---|---|
//! | `instructions` | what to do |
//! | `context.NAME` | values to do it with |
//! | `output_schema` | the schema that the result must fit |
//!
//! `verify` beside the inputs says how the server looks before it believes the result (see `verify`).

use super::form::{Draft, Form, OBJECT, Outputs};
use crate::additions;
use crate::blocks::reader::{By, Reader};
use crate::blocks::reference::NAMESPACES;
use crate::shape::{self, Shape};
use crate::text::{Kind, Node};
use kernel::plan::{Audience, Expr, Work};

/// Hands work to the agent.
pub(in crate::blocks) const FORM: Form = Form {
    name: "Agent",
    outputs: Outputs::WithMembers(&[("response", OBJECT)], "output_schema"),
    readable: &["instructions"],
    named_values: Some("context"),
    lower,
};

const BESIDE: &str = "it belongs beside `inputs`";
const HINT: &str = "write `inputs: {instructions: \"Review the diff and name what is wrong.\"}`";

const INPUTS: Shape = Shape {
    has_no: "Agent has no input",
    keys: &["instructions", "context", "output_schema", "timeout"],
    elsewhere: &[
        ("depends_on", BESIDE),
        ("condition", BESIDE),
        ("verify", BESIDE),
        ("on_overdue", BESIDE),
        ("prompt", "did you mean `instructions`?"),
        ("task", "did you mean `instructions`?"),
        ("schema", "did you mean `output_schema`?"),
    ],
};

fn lower(reader: &mut Reader<'_, '_>, block: usize) -> Draft {
    let node = reader.world.blocks[block].node;
    reader.not_done_again(node, &FORM);
    let inputs = reader.asked_inputs(block, "instructions", &INPUTS, HINT);
    let inputs = inputs.map_or_else(Vec::new, |inputs| reader.instructions(inputs, block));
    let verify = node.get("verify").and_then(|verify| reader.verify(verify, block));
    let work = Work::Action { audience: Audience::Agent, inputs, gate: None, ends: None };
    Draft { verify, ..Draft::new(work) }
}

impl<'n> Reader<'_, 'n> {
    fn instructions(&mut self, inputs: &'n Node, block: usize) -> Vec<(String, Expr)> {
        let by = By::Inputs(block);
        let words = self.words(inputs, "instructions", by);
        let mut given: Vec<(String, Expr)> = Vec::new();
        given.extend(words.map(|words| ("instructions".to_owned(), words)));
        given.extend(self.context(inputs, by));
        if let Some(node) = inputs.get("output_schema")
            && self.is_schema(node)
        {
            self.hidden_member(node, block);
            given.push(("output_schema".to_owned(), Expr::Const(node.to_value())));
        }
        given
    }

    fn context(&mut self, inputs: &'n Node, by: By) -> Vec<(String, Expr)> {
        let Some(context) = inputs.get("context") else { return Vec::new() };
        let hint = "name each value: `context: {diff: \"${blocks.diff.outputs.stdout}\"}`";
        if !shape::is_map(&mut self.mistakes, context, "`context`", hint) {
            return Vec::new();
        }
        let mut values = Vec::new();
        for (name, key, value) in shape::unique(context) {
            shape::check_name(&mut self.mistakes, name, key, "the name of a value");
            values.push((format!("context.{name}"), self.value(value, by)));
        }
        values
    }

    /// Warns of a member that has the name of the whole result: under that name only the whole can be read.
    fn hidden_member(&mut self, schema: &'n Node, block: usize) {
        let properties = schema.get("properties");
        let Some((key, _)) = properties.and_then(|members| members.entry("response")) else { return };
        let id = self.world.blocks[block].id.unwrap_or("ID");
        self.mistakes.warn(|sheet| {
            let message = "`response` is the whole result, so this part of it is no output of its own";
            let hint = format!("read it as `${{blocks.{id}.response.response}}`, or give it another name");
            sheet.warning("hidden-output", key.place(), message).hint(hint)
        });
    }

    fn is_schema(&mut self, node: &'n Node) -> bool {
        let hint = "write `output_schema: {type: object, properties: {summary: {type: string}}}`";
        self.is_fixed(node) && additions::schema_is_written(&mut self.mistakes, node, "`output_schema`", hint)
    }

    /// Whether a schema has no reference in it; one is reported.
    pub(super) fn is_fixed(&mut self, schema: &Node) -> bool {
        let Some(text) = reference_in(schema) else { return true };
        let message = "a schema is fixed when the file is read, so no reference can stand in it";
        self.mistakes.error(|sheet| sheet.error("misplaced-reference", text.place(), message));
        false
    }
}

/// The first text that has a reference in it.
fn reference_in(node: &Node) -> Option<&Node> {
    let refers = |text: &str| NAMESPACES.iter().any(|space| text.contains(&format!("${{{space}.")));
    match &node.kind {
        Kind::Scalar(scalar) => refers(&scalar.text).then_some(node),
        Kind::List(items) => items.iter().find_map(reference_in),
        Kind::Map(entries) => entries.iter().find_map(|(_, value)| reference_in(value)),
    }
}
