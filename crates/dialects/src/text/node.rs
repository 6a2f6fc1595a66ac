//! A piece of a definition and the place where it is written.
//!
//! Mappings keep their entries in order and keep repeated keys: whether a repeated key is a mistake is for
//! the dialect to say. Keys are always scalars, the loader sees to that.

use super::{Span, scalar};
use serde_json::{Map, Value};

/// A scalar, a list or a mapping, with its place.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// Where it is written. For what an alias repeats, that is where the anchor stands.
    pub span: Span,
    /// Where the alias stands that put it here, if one did.
    pub alias: Option<Span>,
    /// What it is.
    pub kind: Kind,
}

/// The three kinds of nodes.
#[derive(Debug, Clone, PartialEq)]
pub enum Kind {
    /// A text, number, truth value or nothing.
    Scalar(Scalar),
    /// Nodes in order.
    List(Vec<Node>),
    /// Keys and values in the order they are written, repeated keys included.
    Map(Vec<(Node, Node)>),
}

/// A scalar's text and whether it was quoted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scalar {
    /// The text after quotes, escapes and folding are taken away.
    pub text: String,
    /// How it was written.
    pub style: Style,
}

/// Whether a scalar may have a type other than text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// Written bare: it may be a number, a truth value or nothing.
    Plain,
    /// Written in quotes or as a block (`|`, `>`): it is text.
    Quoted,
}

impl Scalar {
    /// Returns its value: typed if it was written bare, else text.
    pub fn value(&self) -> Value {
        match self.style {
            Style::Plain => scalar::resolve(&self.text),
            Style::Quoted => Value::String(self.text.clone()),
        }
    }
}

impl Node {
    /// Makes a node that no alias has put in its place.
    pub fn new(span: Span, kind: Kind) -> Self {
        Self { span, alias: None, kind }
    }

    /// Returns the place where a reader meets it: the alias, if one put it here.
    pub fn place(&self) -> Span {
        self.alias.unwrap_or(self.span)
    }

    /// Returns the scalar, if it is one.
    pub fn as_scalar(&self) -> Option<&Scalar> {
        match &self.kind {
            Kind::Scalar(scalar) => Some(scalar),
            _ => None,
        }
    }

    /// Returns the text of a scalar, whatever its type: `5` gives `5`.
    pub fn as_text(&self) -> Option<&str> {
        self.as_scalar().map(|scalar| scalar.text.as_str())
    }

    /// Returns the text of a scalar whose type is text: `5` gives nothing, `"5"` gives `5`.
    pub fn as_string(&self) -> Option<&str> {
        let scalar = self.as_scalar()?;
        let is_text = scalar.style == Style::Quoted || scalar::resolve(&scalar.text).is_string();
        is_text.then_some(scalar.text.as_str())
    }

    /// Returns the truth value, if it is one.
    pub fn as_bool(&self) -> Option<bool> {
        self.as_scalar()?.value().as_bool()
    }

    /// Returns the whole number, if it is one and not negative.
    pub fn as_u64(&self) -> Option<u64> {
        self.as_scalar()?.value().as_u64()
    }

    /// Returns the number, if it is one.
    pub fn as_f64(&self) -> Option<f64> {
        self.as_scalar()?.value().as_f64()
    }

    /// Tells whether it is nothing: empty, `~` or `null`.
    pub fn is_null(&self) -> bool {
        self.as_scalar().is_some_and(|scalar| scalar.value().is_null())
    }

    /// Returns the items of a list.
    pub fn as_list(&self) -> Option<&[Node]> {
        match &self.kind {
            Kind::List(items) => Some(items),
            _ => None,
        }
    }

    /// Returns the entries of a mapping.
    pub fn as_map(&self) -> Option<&[(Node, Node)]> {
        match &self.kind {
            Kind::Map(entries) => Some(entries),
            _ => None,
        }
    }

    /// Returns the items of a list, and none for anything else.
    pub fn items(&self) -> &[Node] {
        self.as_list().unwrap_or_default()
    }

    /// Returns the keys and values of a mapping, and none for anything else.
    pub fn entries(&self) -> impl Iterator<Item = (&str, &Node, &Node)> {
        let entries = self.as_map().unwrap_or_default();
        entries.iter().filter_map(|(key, value)| key.as_text().map(|text| (text, key, value)))
    }

    /// Returns the first entry of a key.
    pub fn entry(&self, key: &str) -> Option<(&Node, &Node)> {
        self.entries().find(|(text, ..)| *text == key).map(|(_, key, value)| (key, value))
    }

    /// Returns the first value of a key.
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.entry(key).map(|(_, value)| value)
    }

    /// Returns every entry of a key, in order.
    pub fn all<'a>(&'a self, key: &'a str) -> impl Iterator<Item = (&'a Node, &'a Node)> {
        self.entries().filter(move |(text, ..)| *text == key).map(|(_, key, value)| (key, value))
    }

    /// Names its kind as a person would: `a list`, `a number`.
    pub fn kind_name(&self) -> &'static str {
        match &self.kind {
            Kind::List(_) => "a list",
            Kind::Map(_) => "a mapping",
            Kind::Scalar(scalar) => match scalar.value() {
                Value::Null => "nothing",
                Value::Bool(_) => "true or false",
                Value::Number(_) => "a number",
                _ if scalar.style != Style::Quoted && scalar::is_beyond(&scalar.text) => {
                    "a number that JSON cannot hold"
                }
                _ => "text",
            },
        }
    }

    /// Says how a number is to be written that was written as text: `010` or `"10"`.
    pub fn number_in_text(&self) -> Option<String> {
        let text = self.as_string()?;
        let digits = text.trim_start_matches('0');
        let is_whole = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let number = if digits.is_empty() { "0" } else { digits };
        let why = match self.as_scalar()?.style {
            Style::Quoted => "in quotes it is text",
            Style::Plain => "with a zero in front it is read as text",
        };
        // One that no number can hold is text without being written as one.
        (is_whole && number.len() <= 20 && number.parse::<u64>().is_ok())
            .then(|| format!("{why}; write {number}"))
    }

    /// Returns it as a JSON value. Of a repeated key the last value counts, as in JSON.
    pub fn to_value(&self) -> Value {
        match &self.kind {
            Kind::Scalar(scalar) => scalar.value(),
            Kind::List(items) => items.iter().map(Node::to_value).collect(),
            Kind::Map(_) => {
                let pairs = self.entries().map(|(text, _, value)| (text.to_owned(), value.to_value()));
                Value::Object(pairs.collect::<Map<_, _>>())
            }
        }
    }
}
