//! How the server looks before it believes what an agent says: a command that must succeed, or a file that must be there.
//!
//! A command is one of a Shell block: values reach it as variables. It may read what the agent said, as `${result.field}`.

use super::shell::needed;
use crate::additions;
use crate::blocks::reader::{By, Reader};
use crate::blocks::shell::variable;
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
        let inputs = match (node.get("command"), node.get("file")) {
            (Some(command), None) => {
                let mut inputs = self.command(command, By::Check(block));
                inputs.extend(self.working_dir(node, By::Check(block)));
                inputs
            }
            (None, Some(file)) => self.must_be_there(node, file, block),
            (Some(_), Some(file)) => {
                let message = "`verify` looks at a command or at a file, not at both";
                self.mistakes.error(|sheet| {
                    let diagnostic = sheet.error("bad-value", file.place(), message);
                    diagnostic.hint("let the command look at the file as well")
                });
                Vec::new()
            }
            (None, None) => {
                if !meant.contains("command") && !meant.contains("file") {
                    shape::missing(&mut self.mistakes, node.place(), "`verify`", "command", HINT);
                }
                Vec::new()
            }
        };
        let attempts = node.get("attempts");
        let attempts_max =
            attempts.map_or(ATTEMPTS, |count| additions::attempts(&mut self.mistakes, count, "attempts"));
        let timeout =
            node.get("timeout").map_or(timeout, |time| additions::timeout(&mut self.mistakes, time));
        Some(Verify { adapter: Adapter::Process, inputs, attempts_max, timeout })
    }

    fn must_be_there(&mut self, node: &'n Node, file: &'n Node, block: usize) -> Vec<(String, Expr)> {
        if let Some((key, _)) = node.entry("working_dir") {
            let message = "`working_dir` belongs to a command";
            self.mistakes.error(|sheet| {
                sheet.error("bad-value", key.place(), message).hint("write the way to the file under `file`")
            });
        }
        let Some(text) = shape::text(&mut self.mistakes, file, "`file`") else { return Vec::new() };
        if text.trim().is_empty() {
            self.mistakes.error(|sheet| sheet.error("bad-value", file.place(), "`file` is empty"));
        }
        let name = variable(0);
        let script = format!(
            "[ -f \"${{{name}}}\" ] || {{ printf 'there is no file %s\\n' \"${{{name}}}\" >&2; exit 1; }}"
        );
        let path = needed(self.text(file, By::Check(block)));
        vec![
            ("script".to_owned(), Expr::Const(script.into())),
            ("command".to_owned(), Expr::Const(format!("test -f {text}").into())),
            (format!("env.{name}"), path),
        ]
    }
}
