//! Text to nodes: reads the parser's events and hands them to the tree.
//!
//! This file and `syntax.rs` are the only ones that know the parser, so that it can be exchanged.

use super::limits::{self, FILE_BYTES_MAX};
use super::tree::Tree;
use super::{Node, Scalar, Source, Span, Style, syntax};
use crate::diagnostic::Diagnostic;
use granit_parser::{Event, Parser, ScalarStyle, Tag};

/// Reads one YAML or JSON document.
pub fn load(source: &Source) -> Result<Node, Vec<Diagnostic>> {
    if source.text.len() > FILE_BYTES_MAX {
        return Err(vec![too_large(source)]);
    }
    let options = granit_parser::options! {
        emit_comments: false,
        simple_key_max_lookahead: limits::KEY_CHARS_MAX,
    };
    let mut reader = Reader { source, tree: Tree::new(source), documents: 0 };
    for next in Parser::new_from_str_with_options(&source.text, options) {
        let step = match next {
            Ok((event, span)) => reader.take(event, byte_span(&span)),
            Err(error) => Err(Box::new(syntax::diagnose(source, &error))),
        };
        if let Err(fatal) = step {
            return Err(reader.tree.abandon(*fatal));
        }
        if reader.tree.has_too_many_mistakes() {
            break;
        }
    }
    reader.tree.finish()
}

struct Reader<'a> {
    source: &'a Source,
    tree: Tree<'a>,
    documents: usize,
}

impl Reader<'_> {
    fn take(&mut self, event: Event<'_>, span: Span) -> Result<(), Box<Diagnostic>> {
        match event {
            Event::DocumentStart(..) => self.start_document(span),
            Event::Scalar(text, style, anchor, tag) => {
                let (scalar, span) = self.scalar(&text, style, tag.as_deref(), span);
                self.tree.scalar(scalar, span, anchor)
            }
            Event::SequenceStart(_, anchor, tag) => {
                self.check_tag(tag.as_deref(), "seq", span);
                self.tree.open_list(span, anchor)
            }
            Event::MappingStart(_, anchor, tag) => {
                self.check_tag(tag.as_deref(), "map", span);
                self.tree.open_map(span, anchor)
            }
            Event::SequenceEnd | Event::MappingEnd => self.tree.close(span),
            Event::Alias(anchor) => self.tree.alias(span, anchor),
            _ => Ok(()),
        }
    }

    fn start_document(&mut self, span: Span) -> Result<(), Box<Diagnostic>> {
        self.documents += 1;
        if self.documents == 1 {
            return Ok(());
        }
        let message = "a second document begins here, and a definition is one document".to_owned();
        let diagnostic = Diagnostic::error("many-documents", self.source, span, message);
        Err(Box::new(diagnostic.hint("put the second definition into a file of its own")))
    }

    fn check_tag(&mut self, tag: Option<&Tag>, expected: &str, span: Span) {
        if let Some(tag) = tag
            && !tag.is_yaml_core_schema_tag(expected)
        {
            self.tree.mistake(unknown_tag(self.source, tag, span));
        }
    }

    fn scalar(&mut self, text: &str, style: ScalarStyle, tag: Option<&Tag>, span: Span) -> (Scalar, Span) {
        let (style, span) = match style {
            ScalarStyle::Plain => (Style::Plain, span),
            ScalarStyle::Literal | ScalarStyle::Folded => (Style::Quoted, without_end(self.source, span)),
            _ => (Style::Quoted, span),
        };
        // The parser says `~` where nothing is written.
        let text = if style == Style::Plain && span.is_empty() { "" } else { text };
        let mut scalar = Scalar { text: text.to_owned(), style };
        if let Some(tag) = tag {
            match typed(&scalar, tag) {
                Some(style) => scalar.style = style,
                None => self.tree.mistake(unknown_tag(self.source, tag, span)),
            }
        }
        (scalar, span)
    }
}

/// Returns how a scalar is read under a tag, or nothing if the tag does not fit.
fn typed(scalar: &Scalar, tag: &Tag) -> Option<Style> {
    let name = tag.core_suffix().or_else(|| (tag.original() == "!").then_some("str"))?;
    let value = Scalar { text: scalar.text.clone(), style: Style::Plain }.value();
    let fits = match name {
        "str" => return Some(Style::Quoted),
        "null" => value.is_null(),
        "bool" => value.is_boolean(),
        "int" => value.is_u64() || value.is_i64(),
        "float" => value.is_number(),
        _ => false,
    };
    fits.then_some(Style::Plain)
}

fn unknown_tag(source: &Source, tag: &Tag, span: Span) -> Diagnostic {
    let message = format!("the tag `{}` does not fit here", tag.original());
    Diagnostic::error("unknown-tag", source, span, message)
        .hint("take the tag away; quotes make a text of a number")
}

fn too_large(source: &Source) -> Diagnostic {
    let message = format!("this text has {} bytes, and {FILE_BYTES_MAX} are allowed", source.text.len());
    Diagnostic::error("too-large", source, Span::default(), message)
}

/// A block of text ends before the empty lines that follow it.
fn without_end(source: &Source, span: Span) -> Span {
    Span::new(span.start, span.start + source.slice(span).trim_end().len())
}

fn byte_span(span: &granit_parser::Span) -> Span {
    span.byte_range().map_or_else(Span::default, |range| Span::new(range.start, range.end))
}
