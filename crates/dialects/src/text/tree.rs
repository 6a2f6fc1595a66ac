//! The tree as it grows: open lists and mappings, anchors, and what is left of the limits.
//!
//! There is no recursion. An alias is repeated where it stands, and counted before it is repeated, so that a
//! small text cannot become a large tree.
//!
//! Invariant: no path in the tree is longer than [`DEPTH_MAX`], hence walking or dropping it cannot exhaust
//! the stack.

use super::limits::{DEPTH_MAX, MISTAKES_MAX, NODES_MAX, REPEATED_BYTES_MAX};
use super::{Kind, Node, Scalar, Source, Span, Style, syntax};
use crate::diagnostic::Diagnostic;
use std::collections::BTreeMap;

/// Builds nodes from what the reader saw, in the order it saw it.
pub(crate) struct Tree<'a> {
    source: &'a Source,
    open: Vec<Frame>,
    anchors: BTreeMap<usize, Anchor>,
    root: Option<Node>,
    nodes: usize,
    repeated_bytes: usize,
    mistakes: Vec<Diagnostic>,
}

/// A list or mapping whose end has not come yet.
struct Frame {
    span: Span,
    anchor: usize,
    size: Size,
    body: Body,
}

enum Body {
    List(Vec<Node>),
    Map { entries: Vec<(Node, Node)>, key: Option<Node> },
}

enum Anchor {
    /// Its node is not complete: an alias here would repeat itself without end.
    Open,
    Complete(Node, Size),
}

/// What a node costs when it is repeated.
#[derive(Clone, Copy)]
struct Size {
    depth: usize,
    nodes: usize,
    bytes: usize,
}

impl<'a> Tree<'a> {
    pub(crate) fn new(source: &'a Source) -> Self {
        let (open, anchors, mistakes) = (Vec::new(), BTreeMap::new(), Vec::new());
        Self { source, open, anchors, root: None, nodes: 0, repeated_bytes: 0, mistakes }
    }

    /// Notes a mistake after which reading goes on.
    pub(crate) fn mistake(&mut self, mistake: Diagnostic) {
        self.mistakes.push(mistake);
    }

    pub(crate) fn has_too_many_mistakes(&self) -> bool {
        self.mistakes.len() >= MISTAKES_MAX
    }

    /// Ends the tree after a mistake that cannot be read past.
    pub(crate) fn abandon(mut self, fatal: Diagnostic) -> Vec<Diagnostic> {
        // The parser may stumble over what was already noted.
        if self.mistakes.last() != Some(&fatal) {
            self.mistakes.push(fatal);
        }
        self.mistakes
    }

    pub(crate) fn finish(self) -> Result<Node, Vec<Diagnostic>> {
        if !self.mistakes.is_empty() {
            return Err(self.mistakes);
        }
        self.root.ok_or_else(|| vec![empty(self.source)])
    }

    pub(crate) fn scalar(
        &mut self,
        scalar: Scalar,
        span: Span,
        anchor: usize,
    ) -> Result<(), Box<Diagnostic>> {
        self.count_nodes(1, span)?;
        let size = Size { depth: 0, nodes: 1, bytes: scalar.text.len() };
        let node = Node::new(span, Kind::Scalar(scalar));
        self.keep(anchor, &node, size)?;
        self.place(node, size);
        Ok(())
    }

    pub(crate) fn open_list(&mut self, span: Span, anchor: usize) -> Result<(), Box<Diagnostic>> {
        self.open(span, anchor, Body::List(Vec::new()))
    }

    pub(crate) fn open_map(&mut self, span: Span, anchor: usize) -> Result<(), Box<Diagnostic>> {
        self.open(span, anchor, Body::Map { entries: Vec::new(), key: None })
    }

    fn open(&mut self, span: Span, anchor: usize, body: Body) -> Result<(), Box<Diagnostic>> {
        self.count_nodes(1, span)?;
        if self.open.len() >= DEPTH_MAX {
            return Err(Box::new(too_deep(self.source, span)));
        }
        if anchor != 0 {
            self.anchors.insert(anchor, Anchor::Open);
        }
        self.open.push(Frame { span, anchor, size: Size { depth: 1, nodes: 1, bytes: 0 }, body });
        Ok(())
    }

    pub(crate) fn close(&mut self, end: Span) -> Result<(), Box<Diagnostic>> {
        let frame = self.open.pop().expect("BUG: the parser closed what it had not opened");
        // A bracket ends a list where it stands; without one the list ends with its last item.
        let span = if end.is_empty() { frame.span } else { frame.span.join(end) };
        let kind = match frame.body {
            Body::List(items) => Kind::List(items),
            Body::Map { entries, .. } => Kind::Map(entries),
        };
        let node = Node::new(span, kind);
        self.keep(frame.anchor, &node, frame.size)?;
        self.place(node, frame.size);
        Ok(())
    }

    pub(crate) fn alias(&mut self, span: Span, anchor: usize) -> Result<(), Box<Diagnostic>> {
        let Some(Anchor::Complete(_, size)) = self.anchors.get(&anchor) else {
            let message = format!("`{}` stands inside of what it repeats", self.source.slice(span));
            return Err(Box::new(Diagnostic::error("endless-alias", self.source, span, message)));
        };
        let size = *size;
        if self.open.len() + size.depth > DEPTH_MAX {
            return Err(Box::new(too_deep(self.source, span)));
        }
        self.count_repeated(size, span)?;
        if let Some(Anchor::Complete(node, _)) = self.anchors.get(&anchor) {
            let node = Node { alias: Some(span), ..node.clone() };
            self.place(node, size);
        }
        Ok(())
    }

    fn keep(&mut self, anchor: usize, node: &Node, size: Size) -> Result<(), Box<Diagnostic>> {
        if anchor != 0 {
            self.count_repeated(size, node.span)?;
            self.anchors.insert(anchor, Anchor::Complete(node.clone(), size));
        }
        Ok(())
    }

    /// Puts a complete node where it belongs: into the innermost open list or mapping, or at the root.
    fn place(&mut self, node: Node, size: Size) {
        let Some(frame) = self.open.last_mut() else {
            self.root = Some(node);
            return;
        };
        frame.size.depth = frame.size.depth.max(size.depth + 1);
        frame.size.nodes += size.nodes;
        frame.size.bytes += size.bytes;
        frame.span = frame.span.join(node.place());
        match &mut frame.body {
            Body::List(items) => items.push(node),
            Body::Map { entries, key } => match key.take() {
                Some(key) => entries.push((key, node)),
                None => {
                    let (checked, mistake) = check_key(self.source, frame.span, node);
                    *key = Some(checked);
                    self.mistakes.extend(mistake);
                }
            },
        }
    }

    fn count_repeated(&mut self, size: Size, span: Span) -> Result<(), Box<Diagnostic>> {
        self.count_nodes(size.nodes, span)?;
        self.repeated_bytes += size.bytes;
        if self.repeated_bytes <= REPEATED_BYTES_MAX {
            return Ok(());
        }
        let message = format!("anchors and aliases repeat more than {REPEATED_BYTES_MAX} bytes");
        Err(Box::new(Diagnostic::error("too-much-repeated", self.source, span, message)))
    }

    fn count_nodes(&mut self, nodes: usize, span: Span) -> Result<(), Box<Diagnostic>> {
        self.nodes += nodes;
        if self.nodes <= NODES_MAX {
            return Ok(());
        }
        let message =
            format!("more than {NODES_MAX} values, keys, lists and mappings, aliases counted in full");
        Err(Box::new(Diagnostic::error("too-many-nodes", self.source, span, message)))
    }
}

/// Returns a key that is a scalar, and the mistake if what was written is none.
fn check_key(source: &Source, map: Span, key: Node) -> (Node, Option<Diagnostic>) {
    match &key.kind {
        Kind::Scalar(scalar) if scalar.text == "<<" && scalar.style == Style::Plain => {
            let mistake = merge_key(source, &key);
            (key, Some(mistake))
        }
        Kind::Scalar(_) => (key, None),
        _ => {
            let mistake = syntax::key_not_text(source, map, &key);
            let text = source.slice(key.span).to_owned();
            let kind = Kind::Scalar(Scalar { text, style: Style::Quoted });
            (Node::new(key.span, kind), Some(mistake))
        }
    }
}

fn merge_key(source: &Source, key: &Node) -> Diagnostic {
    let message = "`<<` does not merge: it is not part of YAML 1.2".to_owned();
    Diagnostic::error("merge-key", source, key.span, message)
        .hint("write the keys out, or give the whole mapping by an alias: `env: *name`")
}

/// What is said of a text that is nested too deeply, here or by the parser.
pub(crate) fn too_deep(source: &Source, span: Span) -> Diagnostic {
    let message = format!("more than {DEPTH_MAX} lists and mappings stand inside each other");
    Diagnostic::error("too-deep", source, span, message)
}

fn empty(source: &Source) -> Diagnostic {
    Diagnostic::error("empty", source, Span::default(), "there is nothing in this text".to_owned())
        .hint("a definition begins with its name: `name: hello`")
}
