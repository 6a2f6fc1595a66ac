//! Commands that the server runs: each `{{ }}` in one becomes a variable of the shell, so that no value is ever code.
//!
//! | input of the adapter | what it is |
//! |---|---|
//! | `script` | the command with a variable in place of each value, or the value where there is nothing else |
//! | `command` | the command as it is written in the definition, for views |
//! | `env.SB_1`, ... | the values as text |
//! | `working_dir`, `env.NAME` | what the definition gives |
//!
//! One that is handed out is a text with the same variables set before it: `SB_1='a b'; cat "$SB_1"`.

use super::code::{Apart, As};
use super::reader::Reader;
use crate::blocks::shell::{self, Compiled, Doubt, Refusal, Script};
use crate::js::{self, Part};
use crate::mistakes::Place;
use crate::shape;
use crate::text::Node;
use crate::variable;
use kernel::plan::{Expr, Foreign, Language, Origin};
use serde_json::Value;
use std::collections::BTreeMap;
use std::ops::Range;

/// The inputs of the adapter, in order.
pub(super) type Inputs = Vec<(String, Expr)>;

/// Variables that are secrets: name of the variable to name of the secret.
pub(super) type Secrets = BTreeMap<String, String>;

impl<'n> Reader<'_, 'n> {
    /// Reads a command, as it is given to the adapter. `checks` says that it checks what somebody handed in.
    pub(super) fn command(&mut self, node: &'n Node, checks: bool) -> Inputs {
        let Some(text) = shape::text(self.sheet(), node, "`command`") else { return Vec::new() };
        if text.trim().is_empty() {
            self.sheet().error(|sheet| {
                let diagnostic = sheet.error("bad-value", node.place(), "the command is empty");
                diagnostic.hint("say what to run: `command: git status --short`")
            });
        }
        if !js::is_code(text) {
            let fixed = Expr::Const(text.into());
            return vec![("script".to_owned(), fixed.clone()), ("command".to_owned(), fixed)];
        }
        let Some(apart) = self.apart(node) else { return Vec::new() };
        let (parts, values) = taken_apart(&apart);
        let places: Vec<Range<usize>> = apart.parts.iter().map(|part| place(part).clone()).collect();
        let Compiled { script, doubts } = shell::compile(&parts, &[]);
        doubts.iter().for_each(|(part, doubt)| self.may_become_code(node, &places[*part], *doubt));
        let made: Vec<Expr> =
            values.iter().map(|part| self.joined(&apart, *part..*part + 1, As::Text)).collect();
        let (script, made) = match script {
            Ok(Script::Text(script)) => (Expr::Const(script.into()), made),
            Ok(Script::Value(index)) => {
                self.only_a_value(node, checks);
                (made.into_iter().nth(index).unwrap_or(Expr::Const("".into())), Vec::new())
            }
            Err(refusals) => {
                refusals.iter().for_each(|refusal| self.misplaced(node, &places, *refusal));
                return Vec::new();
            }
        };
        let mut inputs =
            vec![("script".to_owned(), script), ("command".to_owned(), Expr::Const(text.into()))];
        inputs.extend(
            made.into_iter()
                .zip(0..)
                .map(|(value, index)| (format!("env.{}", shell::variable(index)), value)),
        );
        inputs
    }

    /// Reads a command as a text that can be run as it stands: its values are set as variables first, quoted for a shell.
    pub(super) fn quoted(&mut self, node: &'n Node) -> Expr {
        let inputs = self.command(node, false);
        let script = inputs.iter().find(|(name, _)| name == "script").map(|(_, script)| script.clone());
        let values = inputs.into_iter().filter(|(name, _)| name.starts_with("env.")).map(|(_, value)| value);
        let values: Vec<Foreign> = values
            .filter_map(|value| match value {
                Expr::Foreign(value) => Some(value),
                _ => None,
            })
            .collect();
        match script {
            Some(Expr::Const(Value::String(script))) if !values.is_empty() => {
                let plain = self.text(node, As::Text);
                as_it_stands(&script, &plain, values)
            }
            Some(script) => script,
            None => Expr::Const(Value::Null),
        }
    }

    fn misplaced(&mut self, node: &'n Node, places: &[Range<usize>], Refusal { part, reason }: Refusal) {
        let place = Place { node, range: places[part].clone() };
        self.sheet().error(|sheet| {
            let message = reason.message().replace("a reference", "a value");
            let diagnostic = sheet.error("misplaced-reference", sheet.locate(&place), message);
            diagnostic.hint(as_written_here(reason.hint()))
        });
    }

    fn may_become_code(&mut self, node: &'n Node, at: &Range<usize>, doubt: Doubt) {
        let place = Place { node, range: at.clone() };
        self.sheet().warn(|sheet| {
            let diagnostic = sheet.warning("value-may-become-code", sheet.locate(&place), doubt.message());
            diagnostic.hint(as_written_here(doubt.hint()))
        });
    }

    /// A command that is nothing but a value: what checks a result cannot be that, anything else is doubtful.
    fn only_a_value(&mut self, node: &'n Node, checks: bool) {
        if checks {
            self.sheet().error(|sheet| {
                let message = "what is checked with is a command, and this is nothing but a value";
                let diagnostic = sheet.error("bad-value", node.place(), message);
                diagnostic.hint("write the command out, and give it the value: `test -s {{ result.path }}`")
            });
            return;
        }
        self.sheet().warn(|sheet| {
            let message = "this command is nothing but a value: whatever that says is run";
            let diagnostic = sheet.warning("value-may-become-code", node.place(), message);
            diagnostic.hint("write the command out, and give it values as its arguments")
        });
    }

    /// Reads the folder of a command.
    pub(super) fn working_dir(&mut self, node: &'n Node) -> Option<(String, Expr)> {
        if shape::text(self.sheet(), node, "`working_dir`")?.is_empty() {
            self.sheet().error(|sheet| {
                let diagnostic = sheet.error("bad-value", node.place(), "`working_dir` is empty");
                diagnostic.hint("leave it out for the folder of the run")
            });
            return None;
        }
        Some(("working_dir".to_owned(), self.text(node, As::Text)))
    }

    /// Reads the variables that a command is given.
    pub(super) fn env(&mut self, node: &'n Node) -> (Inputs, Secrets) {
        if !shape::is_map(self.sheet(), node, "`env`", "name each variable: `env: {STAGE: test}`") {
            return Default::default();
        }
        let (mut variables, mut secrets) = (Vec::new(), Secrets::new());
        for (name, key, value) in shape::unique(node) {
            variable::check(self.sheet(), name, key);
            if let Some(secret) = self.secret(value) {
                secrets.insert(name.to_owned(), secret);
                continue;
            }
            if !variable::has_value(self.sheet(), name, value) {
                continue;
            }
            if value.as_scalar().is_none() {
                let what = format!("the value of `{name}`");
                shape::wrong_kind(
                    self.sheet(),
                    value,
                    &what,
                    "text",
                    "write it as JSON: `\"{{ JSON.stringify(x) }}\"`",
                );
                continue;
            }
            let value = match value.as_string() {
                Some(_) => self.text(value, As::Text),
                None => Expr::Const(value.to_value()),
            };
            if !matches!(value, Expr::Const(_)) {
                variable::doubt(self.sheet(), name, key);
            }
            variables.push((format!("env.{name}"), value));
        }
        (variables, secrets)
    }
}

/// The text of a script with the variables that it reads before it; or as it is written, where its values have no sign that
/// a shell reads as anything but itself.
fn as_it_stands(script: &str, plain: &Expr, values: Vec<Foreign>) -> Expr {
    let names: Vec<String> = (0..values.len()).map(shell::variable).collect();
    let (names, script) = (Value::from(names).to_string(), Value::from(script).to_string());
    let sources: Vec<&str> = values.iter().map(|value| value.source.as_str()).collect();
    let plain = match plain {
        Expr::Foreign(plain) => plain.source.as_str(),
        _ => "null",
    };
    let source = format!(
        "((names, values, plain) => values.every(value => /^[A-Za-z0-9_.\\/:@%+-]+$/.test(value)) ? plain : \
         values.map((value, at) => `${{names[at]}}='${{value.replaceAll(\"'\", \"'\\\\''\")}}'; `).join('') + {script})({names}, \
         [{}\n], {plain}\n)",
        sources.join(", ")
    );
    let origin = values.iter().find_map(|value| value.origin).map(|origin| Origin { indent: None, ..origin });
    let mut made =
        Foreign { language: Language::JavaScript, source, reads: Vec::new(), given: Vec::new(), origin };
    for value in values {
        let new = value.reads.into_iter().filter(|path| !made.reads.contains(path)).collect::<Vec<_>>();
        made.reads.extend(new);
        made.given.extend(value.given);
    }
    Expr::Foreign(made)
}

/// The parts of a command, and which of them are its values, each once.
fn taken_apart<'t>(apart: &Apart<'t>) -> (Vec<shell::Part<'t>>, Vec<usize>) {
    let (mut parts, mut values) = (Vec::new(), Vec::new());
    let mut numbers: BTreeMap<&str, usize> = BTreeMap::new();
    for (number, part) in apart.parts.iter().enumerate() {
        parts.push(match part {
            Part::Text(at) => shell::Part::Text(&apart.text[at.clone()]),
            Part::Code { inside, .. } => {
                let index = *numbers.entry(&apart.text[inside.clone()]).or_insert_with(|| {
                    values.push(number);
                    values.len() - 1
                });
                shell::Part::Reference(index)
            }
        });
    }
    (parts, values)
}

fn place(part: &Part) -> &Range<usize> {
    match part {
        Part::Text(at) | Part::Code { at, .. } => at,
    }
}

/// A hint for a template of references, in the words of this dialect.
fn as_written_here(hint: &str) -> String {
    hint.replace("${...}", "{{ ... }}")
}
