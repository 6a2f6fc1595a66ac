//! Reads a case file into nodes that know their line.
//!
//! Scalars follow YAML 1.2: `on`, `yes` and `no` are text. Anchors, aliases and a key written twice are refused,
//! because a case must mean what it looks like. What the keys mean is not known here.

use granit_parser::{Event, Parser, ScalarStyle, Span};
use serde_json::{Map, Number, Value};

/// A place in a case file and what is wrong there.
#[derive(Debug)]
pub(crate) struct Flaw {
    pub(crate) line: usize,
    pub(crate) message: String,
}

impl Flaw {
    pub(crate) fn new(line: usize, message: impl Into<String>) -> Self {
        Self { line, message: message.into() }
    }
}

/// A piece of YAML and the line it begins on.
#[derive(Debug, Clone)]
pub(crate) struct Node {
    pub(crate) line: usize,
    pub(crate) kind: Kind,
}

#[derive(Debug, Clone)]
pub(crate) enum Kind {
    Scalar { text: String, plain: bool },
    List(Vec<Node>),
    Map(Vec<(Key, Node)>),
}

#[derive(Debug, Clone)]
pub(crate) struct Key {
    pub(crate) line: usize,
    pub(crate) text: String,
}

impl Node {
    /// Returns the same data without its lines, with the types that YAML 1.2 gives to plain scalars.
    pub(crate) fn to_json(&self) -> Value {
        match &self.kind {
            Kind::Scalar { text, plain: true } => plain_scalar(text),
            Kind::Scalar { text, .. } => Value::String(text.clone()),
            Kind::List(items) => items.iter().map(Node::to_json).collect(),
            Kind::Map(pairs) => {
                let map: Map<String, Value> =
                    pairs.iter().map(|(key, node)| (key.text.clone(), node.to_json())).collect();
                Value::Object(map)
            }
        }
    }
}

fn plain_scalar(text: &str) -> Value {
    match text {
        "" | "~" | "null" => return Value::Null,
        "true" => return Value::Bool(true),
        "false" => return Value::Bool(false),
        _ => {}
    }
    if let Ok(number) = text.parse::<i64>() {
        return Value::Number(number.into());
    }
    let looks_numeric = text.starts_with(|c: char| c.is_ascii_digit() || c == '-');
    match text.parse::<f64>().ok().filter(|_| looks_numeric).and_then(Number::from_f64) {
        Some(number) => Value::Number(number),
        None => Value::String(text.to_owned()),
    }
}

/// Reads the one document of a file.
pub(crate) fn read(text: &str) -> Result<Node, Flaw> {
    let mut loader = Loader { events: Parser::new_from_str(text) };
    loop {
        let (event, span) = loader.next()?;
        match event {
            Event::StreamStart | Event::DocumentStart(..) => {}
            Event::StreamEnd => return Err(Flaw::new(1, "the file is empty")),
            event => return loader.node(event, span),
        }
    }
}

struct Loader<'a> {
    events: Parser<'a, granit_parser::StrInput<'a>>,
}

impl<'a> Loader<'a> {
    fn next(&mut self) -> Result<(Event<'a>, Span), Flaw> {
        loop {
            match self.events.next() {
                None => return Err(Flaw::new(1, "the file ends too early")),
                Some(Err(error)) => return Err(Flaw::new(error.marker().line(), error.info())),
                Some(Ok((Event::Comment(..), _))) => {}
                Some(Ok(pair)) => return Ok(pair),
            }
        }
    }

    fn node(&mut self, event: Event<'a>, span: Span) -> Result<Node, Flaw> {
        let line = span.start.line();
        if event.anchor_id().is_some() {
            return Err(Flaw::new(line, "a case has no anchors: write it out"));
        }
        let kind = match event {
            Event::Scalar(text, style, ..) => {
                Kind::Scalar { text: text.into_owned(), plain: style == ScalarStyle::Plain }
            }
            Event::SequenceStart(..) => Kind::List(self.list()?),
            Event::MappingStart(..) => Kind::Map(self.map()?),
            _ => return Err(Flaw::new(line, "expected a value, a list or a map")),
        };
        Ok(Node { line, kind })
    }

    fn list(&mut self) -> Result<Vec<Node>, Flaw> {
        let mut items = Vec::new();
        loop {
            match self.next()? {
                (Event::SequenceEnd, _) => return Ok(items),
                (event, span) => items.push(self.node(event, span)?),
            }
        }
    }

    fn map(&mut self) -> Result<Vec<(Key, Node)>, Flaw> {
        let mut pairs: Vec<(Key, Node)> = Vec::new();
        loop {
            let key = match self.next()? {
                (Event::MappingEnd, _) => return Ok(pairs),
                (Event::Scalar(text, ..), span) => Key { line: span.start.line(), text: text.into_owned() },
                (_, span) => return Err(Flaw::new(span.start.line(), "a key must be plain text")),
            };
            if pairs.iter().any(|(known, _)| known.text == key.text) {
                return Err(Flaw::new(key.line, format!("key `{}` is written twice", key.text)));
            }
            let (event, span) = self.next()?;
            pairs.push((key, self.node(event, span)?));
        }
    }
}
