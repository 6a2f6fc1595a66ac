//! `verify`: what the server looks at before it believes what somebody hands in. `result` in it is what was handed in.
//!
//! A command is one that the server runs: values reach it as variables. A file is looked at inside the folder of the run. A
//! schema is held against all that was handed in.

use super::output::{RESULT, whole};
use super::reader::{At, Reader};
use crate::additions::{self, Evidence, EvidenceKind};
use crate::jinja;
use crate::shape;
use crate::text::{Kind, Node};
use kernel::language::Path;
use kernel::plan::{Adapter, Expr, Verify};

/// How long one look may take where the definition does not say.
const TIMEOUT_MS: u64 = 120_000;

impl<'n> Reader<'_, 'n> {
    pub(super) fn verify(&mut self, node: &'n Node, at: At) -> Option<Verify> {
        let Evidence { kind, attempts_max, timeout } =
            additions::evidence(&mut self.mistakes, node, TIMEOUT_MS)?;
        self.checks = true;
        let checked = kind.map(|kind| self.looks(kind, at));
        self.checks = false;
        let (adapter, inputs) = checked?;
        Some(Verify { adapter, inputs, attempts_max, timeout })
    }

    fn looks(&mut self, kind: EvidenceKind<'n>, at: At) -> (Adapter, Vec<(String, Expr)>) {
        match kind {
            EvidenceKind::Command(command, folder) => {
                let mut inputs = self.script(command, at);
                inputs.extend(folder.and_then(|folder| self.folder_of_check(folder, at)));
                (Adapter::Process, inputs)
            }
            EvidenceKind::File(file) => {
                let path = self.way(file, at);
                let look = ("operation".to_owned(), Expr::Const("look".into()));
                (Adapter::File, vec![look, ("path".to_owned(), path)])
            }
            EvidenceKind::Schema(schema) => {
                self.is_fixed(schema);
                let schema = ("schema".to_owned(), Expr::Const(schema.to_value()));
                (Adapter::Schema, vec![schema, ("value".to_owned(), handed_in())])
            }
        }
    }

    /// The folder of a command that checks. Whoever is checked does not say where.
    fn folder_of_check(&mut self, node: &'n Node, at: At) -> Option<(String, Expr)> {
        let reads = |text: &str| jinja::reads(text).names.iter().any(|read| read.root == RESULT);
        if node.as_text().is_some_and(reads) {
            let message =
                "the folder of a check cannot depend on `result`: who is checked does not say where";
            self.mistakes.error(|sheet| {
                sheet.error("bad-value", node.place(), message).hint("name the folder, or leave it out")
            });
        }
        self.working_dir(node, at)
    }

    /// The way to a file.
    fn way(&mut self, node: &'n Node, at: At) -> Expr {
        match shape::text(&mut self.mistakes, node, "`file`") {
            Some(text) if !text.trim().is_empty() => self.rendered(node, at),
            Some(_) => {
                self.mistakes.error(|sheet| sheet.error("bad-value", node.place(), "`file` is empty"));
                Expr::Const("".into())
            }
            None => Expr::Const("".into()),
        }
    }

    /// Reports code in a schema.
    fn is_fixed(&mut self, schema: &Node) {
        let Some(text) = code_in(schema) else { return };
        let message = "a schema is fixed when the file is read, so no expression can stand in it";
        self.mistakes.error(|sheet| sheet.error("misplaced-expression", text.place(), message));
    }
}

/// What was handed in.
pub(super) fn handed_in() -> Expr {
    whole(Path::of(RESULT, &[RESULT]))
}

/// The first text in a schema that has an expression in it; patterns may have braces of their own.
fn code_in(node: &Node) -> Option<&Node> {
    match &node.kind {
        Kind::Scalar(_) => {
            let is_code = |text: &str| text.contains("{{ ") && jinja::is_code(text);
            Some(node).filter(|node| node.as_string().is_some_and(is_code))
        }
        Kind::List(items) => items.iter().find_map(code_in),
        Kind::Map(entries) => entries.iter().find_map(|(_, value)| code_in(value)),
    }
}
