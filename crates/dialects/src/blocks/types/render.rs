//! The inputs of a RenderTemplate block, and the text it gives.
//!
//! | input | what it is |
//! |---|---|
//! | `template` | the template as it is written in the definition |
//! | `source` | the same for an evaluator: with a variable in place of each reference |
//! | `variables.NAME` | the variables that the definition gives, and those of the references |
//! | `template_path` | the file in which the template lies instead |
//! | `target` | the file to write, with `overwrite` and `permissions` |
//!
//! An evaluator renders it, which may take its time: it is the server's work like any other, begun once that is recorded, and
//! nothing else of the run waits for it. It sees the variables and nothing else of the run.

use super::file::{Given, draft};
use super::form::{Draft, Form, Outputs};
use crate::blocks::jinja::{self, Part, TEMPLATE_BYTES_MAX, Use};
use crate::blocks::reader::{By, Piece, Reader};
use crate::blocks::shell;
use crate::mistakes::Place;
use crate::shape::{self, Shape};
use crate::text::Node;
use kernel::language::{Path, Syntax, Template};
use kernel::plan::{Expr, Work};
use serde_json::Value;

/// Renders a Jinja template.
pub(in crate::blocks) const FORM: Form = Form {
    name: "RenderTemplate",
    outputs: Outputs::Named(&[("rendered", "text")]),
    readable: &["template", "template_path", "target"],
    named_values: Some("variables"),
    lower,
};

/// Renders a Jinja template into a file.
pub(in crate::blocks) const WITH_TARGET: Form = Form {
    outputs: Outputs::Named(&[("rendered", "text"), ("path", "text"), ("size_bytes", "a number")]),
    ..FORM
};

const BESIDE: &str = "it belongs beside `inputs`";

const INPUTS: Shape = Shape {
    has_no: "RenderTemplate has no input",
    keys: &["template", "template_path", "variables", "target", "overwrite", "permissions"],
    elsewhere: &[
        ("depends_on", BESIDE),
        ("condition", BESIDE),
        ("timeout", BESIDE),
        ("retry", BESIDE),
        ("on_interrupt", BESIDE),
        ("path", "the file to write is called `target`, that of the template `template_path`"),
    ],
};

/// Words of Jinja that are no names.
const WORDS: [&str; 15] = [
    "true", "false", "none", "True", "False", "None", "and", "or", "not", "in", "is", "if", "else", "elif",
    "for",
];

/// Reads a RenderTemplate block.
fn lower(reader: &mut Reader<'_, '_>, block: usize) -> Draft {
    let hint = "write `inputs: {template: \"Hello, {{ who }}!\", variables: {who: Ada}}`";
    let Some(mut given) = Given::new(reader, block, "RenderTemplate", &INPUTS, hint) else {
        return Draft::new(nothing());
    };
    let variables = given.inputs.map(|inputs| given.reader.variables(inputs, block)).unwrap_or_default();
    let target = given.get("target");
    let text = match (given.get("template"), given.get("template_path")) {
        (Some(_), Some(path)) => {
            given.reader.two_templates(path);
            return Draft::new(nothing());
        }
        (None, Some(path)) => {
            given.path_at("template_path", path);
            None
        }
        (_, None) => {
            let text = given.must("template", "say what to render: `template: \"Hello, {{ who }}!\"`");
            Some(text.and_then(|text| given.reader.template(text, block)))
        }
    };
    match target {
        Some(target) => {
            given.path_at("target", target);
            given.reader.not_governing(target);
            given.flag("overwrite");
            given.permissions();
        }
        None => given.without_target(),
    }
    let mut lowered = given.lowered;
    match text {
        // It has a mistake, which is told.
        Some(None) => return Draft::new(nothing()),
        Some(Some(Source { text, source, values })) => {
            lowered.push(("template".to_owned(), Expr::Const(Value::String(text))));
            lowered.push(("source".to_owned(), Expr::Const(Value::String(source))));
            lowered.extend(values.into_iter().map(|(name, value)| (field(&name), value)));
        }
        None => {}
    }
    lowered.extend(variables.into_iter().map(|(name, value)| (field(&name), value)));
    draft("render", lowered)
}

/// A template of the definition.
struct Source {
    /// As it is written.
    text: String,
    /// As an evaluator takes it.
    source: String,
    /// The values of its references.
    values: Vec<(String, Expr)>,
}

fn nothing() -> Work {
    Work::Make { inputs: Vec::new(), outputs: Vec::new() }
}

/// The field of the inputs that holds a variable.
fn field(name: &str) -> String {
    format!("variables.{name}")
}

impl Given<'_, '_, '_> {
    /// What is said about a file that is not written.
    fn without_target(&mut self) {
        let said = ["overwrite", "permissions"].map(|key| self.inputs.and_then(|inputs| inputs.entry(key)));
        for (key, _) in said.into_iter().flatten() {
            self.reader.mistakes.error(|sheet| {
                let word = key.as_text().unwrap_or_default();
                let message = format!("`{word}` says how `target` is written, and there is no `target`");
                sheet
                    .error("missing-key", key.place(), message)
                    .hint("name a file, `target: README.md`, or take it away")
            });
        }
    }
}

impl<'n> Reader<'_, 'n> {
    /// Reads a template.
    fn template(&mut self, node: &'n Node, block: usize) -> Option<Source> {
        let text = shape::text(&mut self.mistakes, node, "`template`")?;
        let pieces = self.pieces(node, By::Inputs(block), Syntax::Dollar)?;
        if let [Piece::Reference(_, range)] = pieces.as_slice() {
            self.nothing_to_render(node, range.clone());
        }
        let parts: Vec<Part<'_>> = pieces
            .iter()
            .map(|piece| match piece {
                Piece::Text(text) => Part::Text(text),
                Piece::Reference(_, range) => Part::Reference(&text[range.clone()]),
            })
            .collect();
        let compiled = match jinja::compile(&parts) {
            Ok(compiled) => compiled,
            Err(faults) => {
                faults.into_iter().for_each(|fault| self.bad_template(node, &pieces, fault));
                return None;
            }
        };
        if !self.are_expressions(node, &pieces) {
            return None;
        }
        self.fits(node, compiled.source.len());
        let paths = pieces.iter().filter_map(|piece| match piece {
            Piece::Reference(path, _) => Some(path),
            Piece::Text(_) => None,
        });
        let used = paths.zip(&compiled.uses).zip(0..);
        let values =
            used.filter_map(|((path, used), index)| Some((shell::variable(index), value(path, *used)?)));
        Some(Source { text: text.to_owned(), source: compiled.source, values: values.collect() })
    }

    /// Whether the words of each expression fit together, where no reference stands among them; what does not is told.
    fn are_expressions(&mut self, node: &'n Node, pieces: &[Piece]) -> bool {
        let [Piece::Text(text)] = pieces else { return true };
        let faults = crate::jinja::reads(text).faults;
        let is_right = faults.is_empty();
        for crate::jinja::Fault { at, message, hint } in faults {
            let fault = jinja::Fault { part: 0, at: at.start, length: at.len(), message, hint };
            self.bad_template(node, pieces, fault);
        }
        is_right
    }

    fn two_templates(&mut self, path: &Node) {
        self.mistakes.error(|sheet| {
            let message = "a template is given twice, as `template` and by `template_path`";
            sheet.error("duplicate-key", path.place(), message).hint("keep one of them")
        });
    }

    fn fits(&mut self, node: &Node, bytes: usize) {
        if bytes > TEMPLATE_BYTES_MAX {
            self.mistakes.error(|sheet| {
                let message =
                    format!("this template has {bytes} bytes, and {TEMPLATE_BYTES_MAX} are allowed");
                let diagnostic = sheet.error("too-large", node.place(), message);
                diagnostic.hint("split it into several blocks, or pass the long parts by `variables`")
            });
        }
    }

    fn bad_template(&mut self, node: &'n Node, pieces: &[Piece], fault: jinja::Fault) {
        let text = node.as_text().unwrap_or_default();
        let range = match pieces.get(fault.part) {
            Some(Piece::Reference(_, range)) => range.clone(),
            _ => {
                let from = written(text, starts(pieces, fault.part), fault.at);
                from..(from + fault.length).min(text.len())
            }
        };
        self.mistakes.error(|sheet| {
            let span = sheet.locate(&Place { node, range });
            sheet.error("bad-template", span, fault.message).hint(fault.hint)
        });
    }

    fn nothing_to_render(&mut self, node: &'n Node, range: std::ops::Range<usize>) {
        self.mistakes.warn(|sheet| {
            let message = "a template that is one reference renders nothing: a value is never code";
            let diagnostic =
                sheet.warning("nothing-to-render", sheet.locate(&Place { node, range }), message);
            diagnostic.hint("write the template here, and give the values it needs by `variables`")
        });
    }

    fn variables(&mut self, inputs: &'n Node, block: usize) -> Vec<(String, Expr)> {
        let Some(variables) = inputs.get("variables") else { return Vec::new() };
        let hint = "name each variable: `variables: {who: Ada}`";
        if !shape::is_map(&mut self.mistakes, variables, "`variables`", hint) {
            return Vec::new();
        }
        let mut read = Vec::new();
        for (name, key, value) in shape::unique(variables) {
            self.check_name_of_variable(name, key);
            if value.is_null() {
                self.mistakes.warn(|sheet| {
                    let message =
                        format!("the variable `{name}` has no value: the template shows it as `None`");
                    let hint = "write one, or `\"\"` for an empty text";
                    sheet.warning("no-value", value.place(), message).hint(hint)
                });
            }
            read.push((name.to_owned(), self.value(value, By::Inputs(block))));
        }
        read
    }

    fn check_name_of_variable(&mut self, name: &str, key: &Node) {
        let inner = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
        let begins = name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_');
        let hint = if !begins || !name.bytes().all(inner) {
            "a variable has letters, digits and `_`, and does not begin with a digit"
        } else if shell::is_variable(name) {
            "`SB_1`, `SB_2`, ... carry the values of the references in the template"
        } else if WORDS.contains(&name) {
            "it is a word of Jinja"
        } else {
            return;
        };
        self.mistakes.error(|sheet| {
            let message = format!("`{name}` cannot be the name of a variable");
            sheet.error("bad-name", key.place(), message).hint(hint)
        });
    }
}

/// The value of a reference, as it is used.
fn value(path: &Path, used: Use) -> Option<Expr> {
    let text = |text: &str| kernel::language::Part::Text(text.to_owned());
    match used {
        Use::Nothing => None,
        Use::Value => Some(Expr::Needed(path.clone())),
        // With text beside it, if only none, it becomes text.
        Use::Text => {
            let parts = vec![text(""), kernel::language::Part::Reference(path.clone())];
            Some(Expr::Template(Template { parts }))
        }
    }
}

/// Where a piece of text begins in the text of its scalar.
fn starts(pieces: &[Piece], part: usize) -> usize {
    match part.checked_sub(1).and_then(|before| pieces.get(before)) {
        // The path ends before its blanks and its brace.
        Some(Piece::Reference(_, range)) => range.end,
        _ => 0,
    }
}

/// Where a place of a piece is in the text as it is written: past the brace of the reference before it, and with two
/// dollars where the piece has none.
fn written(text: &str, from: usize, at: usize) -> usize {
    let after =
        if from == 0 { 0 } else { text[from..].find('}').map_or(text.len(), |brace| from + brace + 1) };
    let mut place = after;
    let mut left = at;
    while left > 0 && place < text.len() {
        let rest = &text[place..];
        let (raw, plain) = match rest.starts_with("$${") {
            true => (3, 2),
            false => rest.chars().next().map_or((1, 1), |letter| (letter.len_utf8(), letter.len_utf8())),
        };
        place += raw;
        left = left.saturating_sub(plain);
    }
    place
}
