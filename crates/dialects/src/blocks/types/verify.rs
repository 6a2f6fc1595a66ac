//! How the server looks before it believes what an agent says: a command that must succeed, a file that must be there, or a
//! schema that the response must fit.
//!
//! A command is one of a Shell block: values reach it as variables. A file is looked at like one that a block reads, inside the
//! allowed folders. Both may depend on what the agent said, as `${result.field}`.

use super::shell::needed;
use crate::additions::{self, Evidence, EvidenceKind};
use crate::blocks::reader::{By, Reader};
use crate::shape;
use crate::text::Node;
use kernel::language::{Part, Path, Template};
use kernel::plan::{Adapter, Expr, Verify};

impl<'n> Reader<'_, 'n> {
    pub(super) fn verify(&mut self, node: &'n Node, block: usize) -> Option<Verify> {
        let Evidence { kind, attempts_max, timeout } =
            additions::evidence(&mut self.mistakes, node, super::SHELL_TIMEOUT_MS)?;
        let (adapter, inputs) = match kind? {
            EvidenceKind::Command(command, folder) => {
                let mut inputs = self.command(command, By::Check(block), &[]);
                if folder.is_some() {
                    // Who is checked does not say where.
                    inputs.extend(self.working_dir(node, By::Inputs(block)));
                }
                (Adapter::Process, inputs)
            }
            EvidenceKind::File(file) => (Adapter::File, self.must_be_there(file, block)),
            EvidenceKind::Schema(schema) => (Adapter::Schema, self.must_fit(schema)?),
        };
        Some(Verify { adapter, inputs, attempts_max, timeout })
    }

    fn must_be_there(&mut self, file: &'n Node, block: usize) -> Vec<(String, Expr)> {
        if shape::text(&mut self.mistakes, file, "`file`").is_none() {
            return Vec::new();
        }
        let path = needed(self.text(file, By::Check(block)));
        self.known_path(file, &path);
        vec![("operation".to_owned(), Expr::Const("look".into())), ("path".to_owned(), path)]
    }

    fn must_fit(&mut self, schema: &'n Node) -> Option<Vec<(String, Expr)>> {
        if !self.is_fixed(schema) {
            return None;
        }
        let said = Template { parts: vec![Part::Reference(Path::of("result", &["response"]))] };
        let schema = ("schema".to_owned(), Expr::Const(schema.to_value()));
        Some(vec![schema, ("value".to_owned(), Expr::Template(said))])
    }
}
