//! The inputs of a RenderTemplate block, and the text it gives.
//!
//! | input | what it is |
//! |---|---|
//! | `template` | the template as it is written in the definition |
//! | `variables.NAME` | the variables that the definition gives |
//!
//! The template itself, with a variable in place of each reference, is an expression for the evaluator. It sees the
//! variables and nothing else of the run.

use super::form::{Draft, Form, Outputs};
use crate::blocks::jinja::{self, Part, TEMPLATE_BYTES_MAX, Use};
use crate::blocks::reader::{By, Piece, Reader};
use crate::blocks::shell;
use crate::mistakes::Place;
use crate::shape::{self, Shape};
use crate::text::Node;
use kernel::language::{Path, Segment, Syntax, Template};
use kernel::plan::{Expr, Foreign, Language, Work};
use serde_json::Value;

/// Renders a Jinja template.
pub(in crate::blocks) const FORM: Form = Form {
    name: "RenderTemplate",
    outputs: Outputs::Named(&[("rendered", "text")]),
    readable: &["template"],
    named_values: Some("variables"),
    lower: |reader, block| Draft::new(lower(reader, block)),
};

const BESIDE: &str = "it belongs beside `inputs`";

const INPUTS: Shape = Shape {
    has_no: "RenderTemplate has no input",
    keys: &["template", "variables"],
    elsewhere: &[
        ("depends_on", BESIDE),
        ("condition", BESIDE),
        ("template_path", "not part of this version: write the text under `template`"),
        ("timeout", "rendering takes no time that could be set"),
    ],
};

/// Words of Jinja that are no names.
const WORDS: [&str; 15] = [
    "true", "false", "none", "True", "False", "None", "and", "or", "not", "in", "is", "if", "else", "elif",
    "for",
];

/// Keys of a block that mean nothing where nothing is carried out.
const WITHOUT_EFFECT: [&str; 3] = ["timeout", "retry", "on_interrupt"];

/// Reads a RenderTemplate block.
fn lower(reader: &mut Reader<'_, '_>, block: usize) -> Work {
    let node = reader.world.blocks[block].node;
    reader.without_effect(node);
    let Some((key, inputs)) = node.entry("inputs") else {
        no_template(reader, block, reader.world.blocks[block].place);
        return nothing();
    };
    let hint = "write `inputs: {template: \"Hello, {{ who }}!\", variables: {who: Ada}}`";
    if !shape::is_map(&mut reader.mistakes, inputs, "`inputs`", hint) {
        return nothing();
    }
    let meant = shape::check_keys(&mut reader.mistakes, inputs, &INPUTS);
    let variables = reader.variables(inputs, block);
    let Some(template) = inputs.get("template") else {
        if !meant.contains("template") {
            no_template(reader, block, key.place());
        }
        return nothing();
    };
    let Some((text, mut foreign)) = reader.template(template, block) else { return nothing() };
    foreign.given.extend(variables.iter().map(|(name, _)| (name.clone(), given(&field(name)))));
    let mut given = vec![("template".to_owned(), Expr::Const(Value::String(text)))];
    given.extend(variables.into_iter().map(|(name, value)| (field(&name), value)));
    Work::Make { inputs: given, outputs: vec![("rendered".to_owned(), Expr::Foreign(foreign))] }
}

fn nothing() -> Work {
    Work::Make { inputs: Vec::new(), outputs: Vec::new() }
}

/// The field of the inputs that holds a variable.
fn field(name: &str) -> String {
    format!("variables.{name}")
}

/// One of the block's own inputs.
fn given(field: &str) -> Expr {
    let path = Path { root: "result".to_owned(), segments: vec![Segment::Key(field.to_owned())] };
    Expr::Template(Template { parts: vec![kernel::language::Part::Reference(path)] })
}

fn no_template(reader: &mut Reader<'_, '_>, block: usize, place: crate::text::Span) {
    let owner = format!("the RenderTemplate block {}", reader.world.blocks[block].name);
    let hint = "say what to render: `template: \"Hello, {{ who }}!\"`";
    shape::missing(&mut reader.mistakes, place, &owner, "template", hint);
}

impl<'n> Reader<'_, 'n> {
    /// Reads a template; gives its text as it is written, and the expression.
    fn template(&mut self, node: &'n Node, block: usize) -> Option<(String, Foreign)> {
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
        self.fits(node, compiled.source.len());
        let paths = pieces.iter().filter_map(|piece| match piece {
            Piece::Reference(path, _) => Some(path),
            Piece::Text(_) => None,
        });
        let used = paths.zip(&compiled.uses).zip(0..);
        let given =
            used.filter_map(|((path, used), index)| Some((shell::variable(index), value(path, *used)?)));
        let foreign = Foreign {
            language: Language::Jinja,
            source: compiled.source,
            reads: Vec::new(),
            given: given.collect(),
        };
        Some((text.to_owned(), foreign))
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

    fn without_effect(&mut self, node: &Node) {
        for (text, key, _) in shape::unique(node).filter(|(text, ..)| WITHOUT_EFFECT.contains(text)) {
            self.mistakes.warn(|sheet| {
                let message = format!("`{text}` has no effect on a RenderTemplate block");
                let diagnostic = sheet.warning("no-effect", key.place(), message).label("take it away");
                diagnostic.hint("a template is rendered at once, and the same values give the same text")
            });
        }
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
