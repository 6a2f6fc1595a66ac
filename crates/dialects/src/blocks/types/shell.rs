//! The inputs of a Shell block: what the process adapter is given.
//!
//! | input | what it is |
//! |---|---|
//! | `shell` | who reads the script, if it is not `sh` |
//! | `script` | the command with a variable in place of each reference, or the value of a whole reference |
//! | `command` | the command as it is written in the definition, for views |
//! | `working_dir` | the folder, if one is given |
//! | `env.SB_1`, ... | the values of the references |
//! | `env.NAME` | the variables that the definition gives |
//!
//! A variable that is a secret is no input: the step names the secret, and the adapter finds its value.

use super::form::{Draft, Form, Outputs};
use crate::blocks::reader::{By, Piece, Reader};
use crate::blocks::reference::NAMESPACES;
use crate::blocks::shell::{self, Doubt, Reason, Refusal, Script};
use crate::mistakes::Place;
use crate::near::nearest;
use crate::numbers::as_written;
use crate::shape::{self, Shape, did_you_mean};
use crate::text::Node;
use crate::variable;
use kernel::language::{Path, Syntax};
use kernel::plan::{Adapter, Deadline, Expr, Work};
use serde_json::Value;
use std::collections::BTreeMap;

/// How long a Shell block may take where its definition does not say: two minutes.
pub const SHELL_TIMEOUT_MS: u64 = 120_000;

/// Runs a command in a shell or another interpreter.
pub(in crate::blocks) const FORM: Form = Form {
    name: "Shell",
    outputs: Outputs::Named(&[
        ("stdout", "text"),
        ("stderr", "text"),
        ("exit_code", "a number"),
        ("duration_ms", "a number"),
        ("duration", "a number"),
    ]),
    readable: &["command", "working_dir", "shell"],
    named_values: Some("env"),
    lower,
};

const INPUTS: Shape = Shape {
    has_no: "Shell has no input",
    keys: &["command", "working_dir", "env", "timeout", "shell", "continue-on-error"],
    elsewhere: &[
        ("depends_on", "it belongs beside `inputs`"),
        ("condition", "it belongs beside `inputs`"),
        ("retry", "it belongs beside `inputs`"),
        ("on_interrupt", "it belongs beside `inputs`"),
    ],
};

/// The inputs of the adapter, in order.
pub(super) type Inputs = Vec<(String, Expr)>;

/// Variables that are secrets: name of the variable to name of the secret.
type Secrets = BTreeMap<String, String>;

fn lower(reader: &mut Reader<'_, '_>, block: usize) -> Draft {
    let (inputs, secrets) = inputs(reader, block);
    let work = Work::Server { adapter: Adapter::Process, inputs, secrets };
    Draft { timeout: Deadline::After(SHELL_TIMEOUT_MS), ..Draft::new(work) }
}

/// Reads the inputs of a Shell block.
fn inputs(reader: &mut Reader<'_, '_>, block: usize) -> (Inputs, Secrets) {
    let node = reader.world.blocks[block].node;
    let Some((key, inputs)) = node.entry("inputs") else {
        let is_told = node.get("command").is_some();
        no_command(reader, block, reader.world.blocks[block].place, is_told);
        return Default::default();
    };
    let hint = "write `inputs: {command: make test}`";
    if !shape::is_map(&mut reader.mistakes, inputs, "`inputs`", hint) {
        return Default::default();
    }
    let meant = shape::check_keys(&mut reader.mistakes, inputs, &INPUTS);
    let interpreter = reader.interpreter(inputs);
    let other = interpreter.and_then(|(_, known)| Some((known.name, known.reads?)));
    let mut lowered = match (inputs.get("command"), other) {
        (Some(command), Some((name, reads))) => reader.program(command, By::Inputs(block), name, reads),
        (Some(command), None) => reader.command(command, By::Inputs(block), &filled(inputs)),
        (None, _) => {
            let is_told = meant.contains("command") || node.get("command").is_some();
            no_command(reader, block, key.place(), is_told);
            Vec::new()
        }
    };
    lowered.extend(
        interpreter.map(|(name, _)| ("shell".to_owned(), Expr::Const(Value::String(name.to_owned())))),
    );
    lowered.extend(reader.working_dir(inputs, By::Inputs(block)));
    let (variables, secrets) = reader.env(inputs, block);
    lowered.extend(variables);
    reader.old_option(inputs);
    (lowered, secrets)
}

/// The variables that come with a command and whose text is a value, or begins with a builtin that evaluates.
fn filled(inputs: &Node) -> Vec<&str> {
    let all = inputs.get("env").filter(|env| env.as_map().is_some()).into_iter().flat_map(shape::unique);
    let is_filled = |value: &Node| {
        let text = value.as_scalar().map(|scalar| scalar.text.trim_start()).unwrap_or_default();
        text.starts_with("${") || shell::evaluates(text)
    };
    all.filter(|(_, _, value)| is_filled(value)).map(|(name, ..)| name).collect()
}

fn no_command(reader: &mut Reader<'_, '_>, block: usize, place: crate::text::Span, is_told: bool) {
    if !is_told {
        let owner = reader.world.blocks[block].called("Shell");
        shape::missing(
            &mut reader.mistakes,
            place,
            &owner,
            "command",
            "say what to run: `command: make test`",
        );
    }
}

impl<'n> Reader<'_, 'n> {
    /// Reads a command, as it is given to the adapter.
    pub(super) fn command(&mut self, node: &'n Node, by: By, filled: &[&str]) -> Inputs {
        let Some(text) = self.command_text(node) else { return Vec::new() };
        self.doubtful(node, text);
        self.without_item(node, text, by);
        let syntax = Syntax::DollarAmong(by.namespaces());
        let Some(pieces) = self.pieces(node, by, syntax) else { return Vec::new() };
        let (parts, paths) = number(&pieces);
        let shell::Compiled { script, doubts } = shell::compile(&parts, filled);
        doubts.iter().for_each(|(part, doubt)| self.may_become_code(node, &pieces, *part, *doubt));
        if matches!(script, Ok(Script::Value(_))) && text.trim_start().starts_with("${result.") {
            self.judges_itself(node);
        }
        match script {
            Ok(script) => lowered(script, text, &paths),
            Err(refusals) => {
                refusals.iter().for_each(|refusal| self.misplaced(node, &pieces, *refusal));
                Vec::new()
            }
        }
    }

    /// The text of a command, which must have some.
    pub(super) fn command_text(&mut self, node: &'n Node) -> Option<&'n str> {
        if node.as_scalar().is_none() {
            let hint = "write one text; the shell takes it apart";
            shape::wrong_kind(&mut self.mistakes, node, "`command`", "text", hint);
            return None;
        }
        let text = shape::text(&mut self.mistakes, node, "`command`")?;
        self.no_nul(node, "a command");
        if text.trim().is_empty() {
            self.mistakes.error(|sheet| {
                let diagnostic = sheet.error("bad-value", node.place(), "the command is empty");
                diagnostic.hint("say what to run: `command: make test`")
            });
        }
        Some(text)
    }

    fn misplaced(&mut self, node: &'n Node, pieces: &[Piece], Refusal { part, reason }: Refusal) {
        let Some(Piece::Reference(_, range)) = pieces.get(part) else { return };
        let place = Place { node, range: range.clone() };
        self.mistakes.error(|sheet| {
            let diagnostic = sheet.error("misplaced-reference", sheet.locate(&place), reason.message());
            diagnostic.hint(Reason::hint(reason))
        });
    }

    fn may_become_code(&mut self, node: &'n Node, pieces: &[Piece], part: usize, doubt: Doubt) {
        let Some(Piece::Reference(_, range)) = pieces.get(part) else { return };
        let place = Place { node, range: range.clone() };
        self.mistakes.warn(|sheet| {
            let diagnostic = sheet.warning("value-may-become-code", sheet.locate(&place), doubt.message());
            diagnostic.hint(doubt.hint())
        });
    }

    /// Warns of a check that is nothing but what is to be checked.
    fn judges_itself(&mut self, node: &'n Node) {
        self.mistakes.warn(|sheet| {
            let message = "this command is nothing but what is to be checked: whatever that says is run";
            let diagnostic = sheet.warning("value-may-become-code", node.place(), message);
            diagnostic.hint("write the command out, and give it the value: `test -s ${result.path}`")
        });
    }

    /// Warns of what is left to the shell and looks like a reference with a typing error.
    fn doubtful(&mut self, node: &'n Node, text: &str) {
        for (at, _) in text.match_indices("${").filter(|(at, _)| !text[..*at].ends_with('$')) {
            let inside = &text[at + 2..];
            let end = inside.find(|letter: char| !(letter.is_alphanumeric() || letter == '_'));
            let (word, rest) = inside.split_at(end.unwrap_or(inside.len()));
            if NAMESPACES.contains(&word) || !rest.starts_with('.') {
                continue;
            }
            let Some(near) = nearest(word, NAMESPACES) else { continue };
            let place = Place { node, range: at + 2..at + 2 + word.len() };
            self.mistakes.warn(|sheet| {
                let message = format!("`${{{word}...}}` is left to the shell, which cannot read it");
                let diagnostic = sheet.warning("left-to-shell", sheet.locate(&place), message);
                diagnostic.label(did_you_mean(near))
            });
        }
    }

    /// Warns of an item where there is none: a command may have `${each...}` of its own.
    fn without_item(&mut self, node: &'n Node, text: &str, by: By) {
        let Some(at) = text.find("${each.").filter(|_| !self.world.sees_each(by)) else { return };
        let place = Place { node, range: at..at + "${each".len() };
        self.mistakes.warn(|sheet| {
            let message = "`${each...}` is left to the shell, which cannot read it";
            let diagnostic = sheet.warning("left-to-shell", sheet.locate(&place), message);
            diagnostic.hint("give the block a list to be done for: `for_each: \"${inputs.names}\"`")
        });
    }

    /// Reads the folder of a command.
    pub(super) fn working_dir(&mut self, inputs: &'n Node, by: By) -> Option<(String, Expr)> {
        let node = inputs.get("working_dir")?;
        if shape::text(&mut self.mistakes, node, "`working_dir`")?.is_empty() {
            self.mistakes.error(|sheet| {
                let diagnostic = sheet.error("bad-value", node.place(), "`working_dir` is empty");
                diagnostic.hint("leave it out for the folder of the run")
            });
            return None;
        }
        self.no_nul(node, "a path");
        Some(("working_dir".to_owned(), needed(self.text(node, by))))
    }

    /// Reports a NUL byte that is written out where the system takes it for the end of a text.
    pub(super) fn no_nul(&mut self, node: &'n Node, what: &str) {
        let Some(at) = node.as_text().and_then(|text| text.find('\0')) else { return };
        let place = Place { node, range: at..at + 1 };
        self.mistakes.error(|sheet| {
            let message = format!("{what} cannot contain a NUL byte");
            sheet.error("bad-value", sheet.locate(&place), message).hint("remove it")
        });
    }

    fn env(&mut self, inputs: &'n Node, block: usize) -> (Inputs, Secrets) {
        let Some(env) = inputs.get("env") else { return Default::default() };
        if !shape::is_map(&mut self.mistakes, env, "`env`", "name each variable: `env: {STAGE: test}`") {
            return Default::default();
        }
        let (mut variables, mut secrets) = (Vec::new(), Secrets::new());
        for (name, key, value) in shape::unique(env) {
            variable::check(&mut self.mistakes, name, key);
            if let Some(secret) = self.secret(value, By::Inputs(block)) {
                secrets.insert(name.to_owned(), secret);
                continue;
            }
            if !variable::has_value(&mut self.mistakes, name, value) {
                continue;
            }
            self.no_nul(value, "a variable");
            let value = match as_written(value) {
                Some(text) => Expr::Const(text.into()),
                None => needed(self.value(value, By::Inputs(block))),
            };
            if !matches!(value, Expr::Const(_)) {
                variable::doubt(&mut self.mistakes, name, key);
            }
            variables.push((format!("env.{name}"), value));
        }
        (variables, secrets)
    }

    fn old_option(&mut self, inputs: &Node) {
        let Some((key, _)) = inputs.entry("continue-on-error") else { return };
        self.mistakes.warn(|sheet| {
            sheet
                .warning("deprecated", key.place(), "`continue-on-error` has no effect any more")
                .label("take it away")
                .hint("a failed block stops only those that wait for it without a condition")
        });
    }
}

/// Gives each different path a number, in the order of the first place that names it.
fn number(pieces: &[Piece]) -> (Vec<shell::Part<'_>>, Vec<Path>) {
    let mut numbers: BTreeMap<&Path, usize> = BTreeMap::new();
    let mut paths = Vec::new();
    let parts = pieces.iter().map(|piece| match piece {
        Piece::Text(text) => shell::Part::Text(text),
        Piece::Reference(path, _) => shell::Part::Reference(*numbers.entry(path).or_insert_with(|| {
            paths.push(path.clone());
            paths.len() - 1
        })),
    });
    (parts.collect(), paths)
}

/// A whole reference must have a value here: nothing would silently become an empty text.
pub(super) fn needed(value: Expr) -> Expr {
    match value {
        Expr::Template(template) => match template.whole() {
            Some(path) => Expr::Needed(path.clone()),
            None => Expr::Template(template),
        },
        other => other,
    }
}

fn lowered(script: Script, command: &str, paths: &[Path]) -> Inputs {
    let reference = |path: &Path| Expr::Needed(path.clone());
    let text = |text: String| Expr::Const(Value::String(text));
    let (script, values) = match script {
        Script::Text(script) => (text(script), paths),
        Script::Value(index) => (reference(&paths[index]), &[][..]),
    };
    let mut inputs = vec![("script".to_owned(), script), ("command".to_owned(), text(command.to_owned()))];
    let values = values.iter().zip(0..);
    inputs.extend(values.map(|(path, index)| (format!("env.{}", shell::variable(index)), reference(path))));
    inputs
}
