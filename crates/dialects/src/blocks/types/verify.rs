//! How the server looks before it believes what an agent says: a command that must succeed, or a file that must be there.
//!
//! A command is one of a Shell block: values reach it as variables. A file is looked at like one that a block reads, inside the
//! allowed folders. Both may depend on what the agent said, as `${result.field}`.

use super::shell::needed;
use crate::additions;
use crate::blocks::reader::{By, Reader};
use crate::shape::{self, Shape};
use crate::text::Node;
use kernel::plan::{Adapter, Deadline, Expr, Verify};

/// How often an agent may say that it is done where the definition does not say.
pub(super) const ATTEMPTS: u32 = 3;

const KEYS: Shape = Shape {
    has_no: "`verify` has no key",
    keys: &["command", "file", "working_dir", "timeout", "attempts"],
    elsewhere: &[],
};

const HINT: &str = "write `verify: cargo test`, or `verify: {file: report.md}`";

impl<'n> Reader<'_, 'n> {
    pub(super) fn verify(&mut self, node: &'n Node, block: usize) -> Option<Verify> {
        let timeout = Deadline::After(super::SHELL_TIMEOUT_MS);
        if node.as_map().is_none() {
            if node.as_scalar().is_none() || node.is_null() {
                shape::wrong_kind(&mut self.mistakes, node, "`verify`", "a command, or a mapping", HINT);
                return None;
            }
            let inputs = self.command(node, By::Check(block));
            return Some(Verify { adapter: Adapter::Process, inputs, attempts_max: ATTEMPTS, timeout });
        }
        let meant = shape::check_keys(&mut self.mistakes, node, &KEYS);
        let (adapter, inputs) = match (node.get("command"), node.get("file")) {
            (Some(command), None) => {
                let mut inputs = self.command(command, By::Check(block));
                inputs.extend(self.working_dir(node, By::Check(block)));
                (Adapter::Process, inputs)
            }
            (None, Some(file)) => (Adapter::File, self.must_be_there(node, file, block)),
            (Some(_), Some(file)) => {
                let message = "`verify` looks at a command or at a file, not at both";
                self.mistakes.error(|sheet| {
                    let diagnostic = sheet.error("bad-value", file.place(), message);
                    diagnostic.hint("let the command look at the file as well")
                });
                (Adapter::Process, Vec::new())
            }
            (None, None) => {
                if !meant.contains("command") && !meant.contains("file") {
                    shape::missing(&mut self.mistakes, node.place(), "`verify`", "command", HINT);
                }
                (Adapter::Process, Vec::new())
            }
        };
        let attempts = node.get("attempts");
        let attempts_max =
            attempts.map_or(ATTEMPTS, |count| additions::attempts(&mut self.mistakes, count, "attempts"));
        let timeout =
            node.get("timeout").map_or(timeout, |time| additions::timeout(&mut self.mistakes, time));
        Some(Verify { adapter, inputs, attempts_max, timeout })
    }

    fn must_be_there(&mut self, node: &'n Node, file: &'n Node, block: usize) -> Vec<(String, Expr)> {
        if let Some((key, _)) = node.entry("working_dir") {
            let message = "`working_dir` belongs to a command";
            self.mistakes.error(|sheet| {
                sheet.error("bad-value", key.place(), message).hint("write the way to the file under `file`")
            });
        }
        if shape::text(&mut self.mistakes, file, "`file`").is_none() {
            return Vec::new();
        }
        let path = needed(self.text(file, By::Check(block)));
        self.known_path(file, &path);
        vec![("operation".to_owned(), Expr::Const("look".into())), ("path".to_owned(), path)]
    }
}
