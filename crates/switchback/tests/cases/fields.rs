//! Takes known keys out of a map and refuses the rest with the nearest known name.

use crate::yaml::{Flaw, Key, Kind, Node};

/// The keys of one map that have not been read yet.
pub(crate) struct Fields {
    line: usize,
    what: &'static str,
    known: Vec<&'static str>,
    pairs: Vec<(Key, Node)>,
}

impl Fields {
    /// Opens a map; `what` is how messages call it.
    pub(crate) fn open(node: Node, what: &'static str) -> Result<Self, Flaw> {
        match node.kind {
            Kind::Map(pairs) => Ok(Self { line: node.line, what, known: Vec::new(), pairs }),
            _ => Err(Flaw::new(node.line, format!("{what} must be a map"))),
        }
    }

    pub(crate) fn line(&self) -> usize {
        self.line
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.pairs.iter().any(|(key, _)| key.text == name)
    }

    /// Takes a key that may be absent.
    pub(crate) fn take(&mut self, name: &'static str) -> Option<Node> {
        self.known.push(name);
        let index = self.pairs.iter().position(|(key, _)| key.text == name)?;
        Some(self.pairs.remove(index).1)
    }

    /// Takes a key that must be there.
    pub(crate) fn need(&mut self, name: &'static str) -> Result<Node, Flaw> {
        let (line, what) = (self.line, self.what);
        self.take(name).ok_or_else(|| Flaw::new(line, format!("{what} needs the key `{name}`")))
    }

    /// Refuses what nobody took.
    pub(crate) fn close(self) -> Result<(), Flaw> {
        let Some((key, _)) = self.pairs.first() else { return Ok(()) };
        let message = format!("{} has no key `{}`{}", self.what, key.text, hint(&key.text, &self.known));
        Err(Flaw::new(key.line, message))
    }
}

/// Returns `, did you mean ...?`, or the list of what there is when nothing is near.
pub(crate) fn hint(wrong: &str, known: &[&str]) -> String {
    let nearest = known.iter().map(|name| (distance(wrong, name), name)).min();
    match nearest {
        Some((steps, name)) if steps <= 2.max(wrong.len() / 3) => format!(", did you mean `{name}`?"),
        Some(_) => format!(" (there are: {})", known.join(", ")),
        None => String::new(),
    }
}

/// Counts the letters to add, drop or change to make one word of the other.
fn distance(left: &str, right: &str) -> usize {
    let right: Vec<char> = right.chars().collect();
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (i, letter) in left.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, other) in right.iter().enumerate() {
            let changed = diagonal + usize::from(letter != *other);
            diagonal = row[j + 1];
            row[j + 1] = changed.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[right.len()]
}

/// Returns a scalar as it is written.
pub(crate) fn text(node: &Node, what: &str) -> Result<String, Flaw> {
    match &node.kind {
        Kind::Scalar { text, .. } => Ok(text.clone()),
        _ => Err(Flaw::new(node.line, format!("{what} must be text"))),
    }
}

/// Returns a list of scalars as they are written.
pub(crate) fn texts(node: &Node, what: &str) -> Result<Vec<String>, Flaw> {
    match &node.kind {
        Kind::List(items) => items.iter().map(|item| text(item, what)).collect(),
        _ => Err(Flaw::new(node.line, format!("{what} must be a list"))),
    }
}

/// Returns a map of scalars, in order.
pub(crate) fn pairs(node: &Node, what: &str) -> Result<Vec<(String, String)>, Flaw> {
    match &node.kind {
        Kind::Map(pairs) => pairs
            .iter()
            .map(|(key, value)| Ok((key.text.clone(), text(value, &format!("`{}` of {what}", key.text))?)))
            .collect(),
        _ => Err(Flaw::new(node.line, format!("{what} must be a map"))),
    }
}

/// Returns a whole number.
pub(crate) fn number(node: &Node, what: &str) -> Result<u64, Flaw> {
    let wrong = || Flaw::new(node.line, format!("{what} must be a whole number"));
    text(node, what)?.parse().map_err(|_| wrong())
}
