//! `verify`: what the server looks at before it believes what somebody hands in. `result` in it is what was handed in.

use super::code::As;
use super::names::{RESULT, result};
use super::reader::{Gives, Reader};
use crate::additions::{self, Evidence, EvidenceKind};
use crate::js;
use crate::shape;
use crate::text::Node;
use kernel::plan::{Adapter, Expr, Verify};

/// How long one look may take where the definition does not say.
const TIMEOUT_MS: u64 = 120_000;

impl<'n> Reader<'_, 'n> {
    pub(super) fn verify(&mut self, node: &'n Node) -> Option<Verify> {
        let Evidence { kind, attempts_max, timeout } = additions::evidence(self.sheet(), node, TIMEOUT_MS)?;
        let kind = kind?;
        let (adapter, inputs) = self.at(|site| site.gives = Gives::Result, |reader| reader.looks(kind));
        Some(Verify { adapter, inputs, attempts_max, timeout })
    }

    fn looks(&mut self, kind: EvidenceKind<'n>) -> (Adapter, Vec<(String, Expr)>) {
        match kind {
            EvidenceKind::Command(command, folder) => {
                let mut inputs = self.command(command, true);
                inputs.extend(folder.and_then(|folder| self.folder_of_check(folder)));
                (Adapter::Process, inputs)
            }
            EvidenceKind::File(file) => {
                let path = match shape::text(self.sheet(), file, "`file`") {
                    Some(text) if !text.trim().is_empty() => self.text(file, As::Text),
                    Some(_) => {
                        self.sheet().error(|sheet| sheet.error("bad-value", file.place(), "`file` is empty"));
                        Expr::Const("".into())
                    }
                    None => Expr::Const("".into()),
                };
                let look = ("operation".to_owned(), Expr::Const("look".into()));
                (Adapter::File, vec![look, ("path".to_owned(), path)])
            }
            EvidenceKind::Schema(schema) => {
                let schema = ("schema".to_owned(), Expr::Const(schema.to_value()));
                (Adapter::Schema, vec![schema, ("value".to_owned(), result(&[RESULT]))])
            }
        }
    }

    /// The folder of a command that checks. Whoever is checked does not say where.
    fn folder_of_check(&mut self, node: &'n Node) -> Option<(String, Expr)> {
        let reads = |text: &str| {
            let parts = js::parts(text).unwrap_or_default();
            parts.iter().any(|part| matches!(part, js::Part::Code { script, .. } if script.names.iter().any(|name| name.root == RESULT)))
        };
        if node.as_text().is_some_and(reads) {
            let message =
                "the folder of a check cannot depend on `result`: who is checked does not say where";
            self.sheet().error(|sheet| {
                sheet.error("bad-value", node.place(), message).hint("name the folder, or leave it out")
            });
        }
        self.working_dir(node)
    }
}
