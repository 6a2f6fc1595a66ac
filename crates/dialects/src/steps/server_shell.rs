//! Commands that the server runs: each `{{ }}` in one becomes a variable of the shell, so that no value is ever code.
//!
//! | input of the adapter | what it is |
//! |---|---|
//! | `script` | the command with a variable in place of each value, or the value where there is nothing else |
//! | `command` | the command as it is written in the definition, for views |
//! | `env.SB_1`, ... | the values, as the same text that an agent would be shown |
//! | `working_dir`, `env.NAME` | what the definition gives |
//!
//! `{% %}` makes text out of text, which no variable can: it is refused.

use super::reader::{At, Reader};
use crate::blocks::shell::{self, Compiled, Doubt, Refusal, Script};
use crate::jinja::{self, Part};
use crate::mistakes::Place;
use crate::numbers::as_written;
use crate::shape;
use crate::text::Node;
use crate::variable;
use kernel::plan::{Expr, Foreign};
use std::collections::BTreeMap;
use std::ops::Range;

/// The inputs of the adapter, in order.
pub(super) type Inputs = Vec<(String, Expr)>;

/// Variables that are secrets: name of the variable to name of the secret.
pub(super) type Secrets = BTreeMap<String, String>;

/// What makes a text of an expression that would keep its type.
const AS_TEXT: &str = "{# #}";

/// A command as it is taken apart.
struct Command<'t> {
    parts: Vec<shell::Part<'t>>,
    /// Where each part is written.
    places: Vec<Range<usize>>,
    /// The values, each once.
    values: Vec<Range<usize>>,
}

impl<'n> Reader<'_, 'n> {
    /// Reads a command, as it is given to the adapter.
    pub(super) fn script(&mut self, node: &'n Node, at: At) -> Inputs {
        let Some(text) = shape::text(&mut self.mistakes, node, "`command`") else { return Vec::new() };
        if text.trim().is_empty() {
            self.mistakes.error(|sheet| {
                let diagnostic = sheet.error("bad-value", node.place(), "the command is empty");
                diagnostic.hint("say what to run: `command: make test`")
            });
        }
        let errors = self.mistakes.errors();
        let all = match self.text(node, at) {
            Expr::Foreign(all) => all,
            fixed => return vec![("script".to_owned(), fixed.clone()), ("command".to_owned(), fixed)],
        };
        let Some(command) = self.taken_apart(node, text) else { return Vec::new() };
        let Compiled { script, doubts } = shell::compile(&command.parts, &[]);
        doubts.iter().for_each(|(part, doubt)| self.may_become_code(node, &command.places[*part], *doubt));
        let script = match script {
            Ok(script) => script,
            Err(refusals) => {
                refusals.iter().for_each(|refusal| self.misplaced(node, &command.places, *refusal));
                return Vec::new();
            }
        };
        if self.mistakes.errors() > errors {
            return Vec::new();
        }
        let value = |at: &Range<usize>| value(&all, &text[at.clone()]);
        let (script, values) = match script {
            Script::Text(script) => (Expr::Const(script.into()), command.values.as_slice()),
            Script::Value(index) => {
                self.only_a_value(node);
                (value(&command.values[index]), &[][..])
            }
        };
        let mut inputs =
            vec![("script".to_owned(), script), ("command".to_owned(), Expr::Const(text.into()))];
        let values = values.iter().zip(0..);
        inputs.extend(values.map(|(at, index)| (format!("env.{}", shell::variable(index)), value(at))));
        inputs
    }

    fn taken_apart<'t>(&mut self, node: &'n Node, text: &'t str) -> Option<Command<'t>> {
        let (mut parts, mut places, mut values) = (Vec::new(), Vec::new(), Vec::new());
        let mut numbers: BTreeMap<&str, usize> = BTreeMap::new();
        let mut is_whole = true;
        for part in jinja::parts(text) {
            let (part, at) = match part {
                Part::Text(at) => (shell::Part::Text(&text[at.clone()]), at),
                Part::Value { at, inside } => {
                    let number = *numbers.entry(text[inside].trim()).or_insert_with(|| {
                        values.push(at.clone());
                        values.len() - 1
                    });
                    (shell::Part::Reference(number), at)
                }
                Part::Statement(at) => {
                    if is_whole {
                        self.no_statement(node, at);
                    }
                    is_whole = false;
                    continue;
                }
            };
            parts.push(part);
            places.push(at);
        }
        is_whole.then_some(Command { parts, places, values })
    }

    fn no_statement(&mut self, node: &'n Node, at: Range<usize>) {
        let place = Place { node, range: at.start..at.start + 2 };
        self.mistakes.error(|sheet| {
            let message =
                "`{% %}` cannot stand in a command that the server runs: values reach it as variables, never as text";
            sheet.error("misplaced-statement", sheet.locate(&place), message).hint(
                "choose inside of one expression, `{{ 'a' if state.x else 'b' }}`, or let a step of type `set_state` make the \
                 text, and name that",
            )
        });
    }

    fn misplaced(&mut self, node: &'n Node, places: &[Range<usize>], Refusal { part, reason }: Refusal) {
        let place = Place { node, range: places[part].clone() };
        self.mistakes.error(|sheet| {
            let message = reason.message().replace("a reference", "a value");
            let diagnostic = sheet.error("misplaced-reference", sheet.locate(&place), message);
            diagnostic.hint(as_written_here(reason.hint()))
        });
    }

    fn may_become_code(&mut self, node: &'n Node, at: &Range<usize>, doubt: Doubt) {
        let place = Place { node, range: at.clone() };
        self.mistakes.warn(|sheet| {
            let diagnostic = sheet.warning("value-may-become-code", sheet.locate(&place), doubt.message());
            diagnostic.hint(as_written_here(doubt.hint()))
        });
    }

    /// A command that is nothing but a value: what checks a result cannot be that, anything else is doubtful.
    fn only_a_value(&mut self, node: &'n Node) {
        if self.checks {
            self.mistakes.error(|sheet| {
                let message = "what is checked with is a command, and this is nothing but a value";
                let diagnostic = sheet.error("bad-value", node.place(), message);
                diagnostic.hint("write the command out, and give it the value: `test -s {{ result.path }}`")
            });
            return;
        }
        self.mistakes.warn(|sheet| {
            let message = "this command is nothing but a value: whatever that says is run";
            let diagnostic = sheet.warning("value-may-become-code", node.place(), message);
            diagnostic.hint("write the command out, and give it values as its arguments")
        });
    }

    /// Reads the folder of a command.
    pub(super) fn working_dir(&mut self, node: &'n Node, at: At) -> Option<(String, Expr)> {
        let hint = "leave it out for the folder of the run";
        if shape::text(&mut self.mistakes, node, "`working_dir`")?.is_empty() {
            self.mistakes
                .error(|sheet| sheet.error("bad-value", node.place(), "`working_dir` is empty").hint(hint));
            return None;
        }
        Some(("working_dir".to_owned(), self.rendered(node, at)))
    }

    /// Reads the variables that a command is given.
    pub(super) fn env(&mut self, node: &'n Node, at: At) -> (Inputs, Secrets) {
        if !shape::is_map(&mut self.mistakes, node, "`env`", "name each variable: `env: {STAGE: test}`") {
            return Default::default();
        }
        let (mut variables, mut secrets) = (Vec::new(), Secrets::new());
        for (name, key, value) in shape::unique(node) {
            variable::check(&mut self.mistakes, name, key);
            if let Some(secret) = self.secret(value) {
                secrets.insert(name.to_owned(), secret);
                continue;
            }
            if !variable::has_value(&mut self.mistakes, name, value) {
                continue;
            }
            if value.as_scalar().is_none() {
                let what = format!("the value of `{name}`");
                shape::wrong_kind(
                    &mut self.mistakes,
                    value,
                    &what,
                    "text",
                    "write it as JSON: `{{ x | tojson }}`",
                );
                continue;
            }
            let value = match value.as_string() {
                Some(_) => self.rendered(value, at),
                None => Expr::Const(as_written(value).map_or_else(|| value.to_value(), Into::into)),
            };
            if !matches!(value, Expr::Const(_)) {
                variable::doubt(&mut self.mistakes, name, key);
            }
            variables.push((format!("env.{name}"), value));
        }
        (variables, secrets)
    }

    /// Reads a text that stays one, though it is one whole expression.
    pub(super) fn rendered(&mut self, node: &'n Node, at: At) -> Expr {
        match self.text(node, at) {
            Expr::Foreign(mut foreign) => {
                if Self::is_whole(node) {
                    foreign.source.push_str(AS_TEXT);
                }
                Expr::Foreign(foreign)
            }
            fixed => fixed,
        }
    }
}

/// One value of a text, as text: it reads of what all of it reads what it names itself.
fn value(all: &Foreign, written: &str) -> Expr {
    let own = jinja::reads(written);
    let names = |name: &str| own.names.iter().any(|read| read.root == name);
    let is_read = |path: &&kernel::language::Path| {
        own.names.iter().any(|read| {
            let field = path.key(0);
            read.root == path.root && (field.is_none() || field == read.field.as_deref())
        })
    };
    Expr::Foreign(Foreign {
        language: all.language,
        source: format!("{written}{AS_TEXT}"),
        reads: all.reads.iter().filter(is_read).cloned().collect(),
        given: all.given.iter().filter(|(name, _)| names(name)).cloned().collect(),
        origin: None,
    })
}

/// A hint for a template of references, in the words of this dialect.
fn as_written_here(hint: &str) -> String {
    hint.replace("${...}", "{{ ... }}")
}
