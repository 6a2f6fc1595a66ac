//! Paths into the state: `raw.file_results.{{ item | path_to_key }}.hints`, `raw.results['a.b']`.
//!
//! Layer and field are written out. Below them each segment is written out, or made when it is written; what is made is one
//! segment, whatever signs it has.

use super::code::{Apart, As};
use super::reader::Reader;
use crate::js::Part;
use crate::mistakes::Place;
use crate::near::nearest;
use crate::shape;
use crate::text::Node;
use kernel::plan::{Expr, Key, Origin};
use std::ops::Range;

/// The segments that a path may have.
const SEGMENTS_MAX: usize = 32;

/// A path that can be written.
#[derive(Debug)]
pub(super) struct Target {
    /// The field with its layer, and the keys below it that are known.
    pub(super) path: Vec<String>,
    /// Further keys.
    pub(super) keys: Vec<Key>,
    /// The path as text, as an agent is told it.
    pub(super) shown: Expr,
}

/// One segment: parts of the text of the path.
#[derive(Debug, Default)]
struct Segment {
    /// Text, or the number of a part.
    pieces: Vec<Piece>,
}

#[derive(Debug, Clone)]
enum Piece {
    Text(Range<usize>),
    Code(usize),
}

impl<'n> Reader<'_, 'n> {
    /// Reads a path that is written to.
    pub(super) fn target(&mut self, node: &'n Node) -> Option<Target> {
        let text = shape::text(self.sheet(), node, "a path")?;
        let apart = self.apart(node)?;
        let segments = match segments(&apart) {
            Ok(segments) => segments,
            Err((at, message)) => {
                self.bad(node, at, message, "write `raw.results.key` or `raw.results['a.b']`");
                return None;
            }
        };
        let plain = |segment: &Segment| match segment.pieces.as_slice() {
            [Piece::Text(at)] => Some(text[at.clone()].to_owned()),
            _ => None,
        };
        let names: Vec<Option<String>> = segments.iter().map(plain).collect();
        let (layer, field) = self.field_of(node, text, &names)?;
        let known = names[2..].iter().take_while(|name| name.is_some()).count();
        let path =
            std::iter::once(format!("{layer}.{field}")).chain(names[2..2 + known].iter().flatten().cloned());
        let path: Vec<String> = path.collect();
        let keys: Vec<Key> = segments[2 + known..].iter().map(|segment| self.key(&apart, segment)).collect();
        let shown = match shown(&path, &keys) {
            Some(shown) => shown,
            None => self.joined(&apart, 0..apart.parts.len(), As::Text),
        };
        Some(Target { path, keys, shown })
    }

    /// The layer and the field, which are written out.
    fn field_of(&mut self, node: &'n Node, text: &str, names: &[Option<String>]) -> Option<(String, String)> {
        let whole = 0..text.len();
        let Some(Some(layer)) = names.first() else {
            self.bad(node, whole, "a path begins with `raw.` or `state.`, written out".to_owned(), "");
            return None;
        };
        match layer.as_str() {
            "raw" | "state" => {}
            "computed" => {
                let message = "what is computed follows from other fields, and nobody writes it".to_owned();
                self.bad(node, whole, message, "write the `raw.` field that it is computed from");
                return None;
            }
            other => {
                let near = nearest(other, ["raw", "state"]).filter(|_| names.len() > 1);
                let rest = text.split_once('.').map_or("", |(_, rest)| rest);
                let meant = match near {
                    Some(near) => format!("{near}.{rest}"),
                    None => format!("raw.{}", text.trim()),
                };
                let message = format!("`{}` does not say where it is written", text.trim());
                self.bad(
                    node,
                    whole,
                    message,
                    &format!("a path begins with `raw.` or `state.`: write `{meant}`"),
                );
                return None;
            }
        }
        match names.get(1) {
            Some(Some(field)) if is_field(field) => Some((layer.clone(), field.clone())),
            Some(Some(field)) => {
                let message = format!("`{field}` cannot be a field of the state");
                self.bad(node, whole, message, FIELD);
                None
            }
            Some(None) => {
                let message = "the field itself is written out; what is made stands below it".to_owned();
                self.bad(node, whole, message, &format!("write `{layer}.results.{{{{ ... }}}}`"));
                None
            }
            None => {
                self.bad(
                    node,
                    whole,
                    format!("`{layer}` is no field, and has them"),
                    &format!("write `{layer}.name`"),
                );
                None
            }
        }
    }

    fn key(&mut self, apart: &Apart<'n>, segment: &Segment) -> Key {
        match segment.pieces.as_slice() {
            [Piece::Text(at)] => Key::Name(apart.text[at.clone()].to_owned()),
            [Piece::Code(part)] => Key::Made(self.joined(apart, *part..*part + 1, As::Value)),
            pieces => {
                // Text and code that touch each other make one segment.
                let parts = pieces.iter().map(|piece| match piece {
                    Piece::Text(at) => Part::Text(at.clone()),
                    Piece::Code(part) => apart.parts[*part].clone(),
                });
                let apart = Apart { node: apart.node, text: apart.text, parts: parts.collect() };
                Key::Made(self.joined(&apart, 0..apart.parts.len(), As::Text))
            }
        }
    }

    fn bad(&mut self, node: &'n Node, at: Range<usize>, message: String, hint: &str) {
        let place = Place { node, range: at };
        self.sheet()
            .error(|sheet| shape::hinted(sheet.error("bad-path", sheet.locate(&place), message), hint));
    }

    /// Reads the path of a field whose keys are all written out.
    pub(super) fn fixed_target(&mut self, node: &'n Node, key: &str) -> Option<Vec<String>> {
        let Target { path, keys, .. } = self.target(node)?;
        if keys.is_empty() {
            return Some(path);
        }
        self.bad(
            node,
            0..node.as_text().unwrap_or_default().len(),
            format!("`{key}` is written out, without expressions"),
            "",
        );
        None
    }
}

/// The path as an agent is told it, where keys of it are made: one that can be written back, whatever signs a key has.
fn shown(path: &[String], keys: &[Key]) -> Option<Expr> {
    let mut made = keys.iter().filter_map(|key| match key {
        Key::Made(Expr::Foreign(foreign)) => Some(foreign),
        _ => None,
    });
    let mut whole = made.next()?.clone();
    for more in made {
        whole.reads.extend(
            more.reads.iter().filter(|path| !whole.reads.contains(path)).cloned().collect::<Vec<_>>(),
        );
        whole.given.extend(more.given.iter().cloned());
    }
    let mut source = path.first()?.clone();
    let plain = |name: &String| Expr::Const(name.as_str().into());
    let names = path[1..].iter().map(plain).chain(keys.iter().map(|key| match key {
        Key::Name(name) => plain(name),
        Key::Made(made) => made.clone(),
    }));
    for name in names {
        let code = match name {
            Expr::Const(name) => name.to_string(),
            Expr::Foreign(foreign) => foreign.source,
            _ => return None,
        };
        source.push_str(&format!("${{in_path({code})}}"));
    }
    whole.source = format!("`{source}`");
    whole.origin = whole.origin.map(|origin| Origin { indent: None, ..origin });
    Some(Expr::Foreign(whole))
}

/// What can be a field.
pub(super) const FIELD: &str =
    "a field begins with a letter or `_` and goes on with letters, digits, `_` and `-`, up to 64";

/// Whether a text can be the name of a field.
pub(super) fn is_field(field: &str) -> bool {
    let inner = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    let begins = field.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_');
    begins && field.bytes().all(inner) && field.len() <= shape::NAME_CHARS_MAX
}

/// Why a path is none, and where.
type Wrong = (Range<usize>, String);

/// Takes a path apart into its segments.
fn segments(apart: &Apart<'_>) -> Result<Vec<Segment>, Wrong> {
    let (mut all, mut current, mut bracket) = (Vec::new(), Segment::default(), None);
    for (number, part) in apart.parts.iter().enumerate() {
        match part {
            Part::Code { .. } => current.pieces.push(Piece::Code(number)),
            Part::Text(at) => literal(apart.text, at.clone(), &mut all, &mut current, &mut bracket)?,
        }
    }
    if let Some(open) = bracket {
        return Err((open..open + 1, "`]` is missing".to_owned()));
    }
    if current.pieces.is_empty() && (all.is_empty() || apart.text.trim_end().ends_with('.')) {
        let end = apart.text.len();
        return Err((end.saturating_sub(1)..end, "a path does not end with a dot".to_owned()));
    }
    if !current.pieces.is_empty() {
        all.push(current);
    }
    if all.len() > SEGMENTS_MAX {
        return Err((0..apart.text.len(), format!("a path has at most {SEGMENTS_MAX} segments")));
    }
    Ok(all)
}

/// Takes a part of a path that is written out.
fn literal(
    text: &str,
    at: Range<usize>,
    all: &mut Vec<Segment>,
    current: &mut Segment,
    bracket: &mut Option<usize>,
) -> Result<(), Wrong> {
    let mut from = at.start;
    let letters = text[at.clone()].char_indices().map(|(offset, letter)| (at.start + offset, letter));
    let add = |current: &mut Segment, range: Range<usize>| {
        if !text[range.clone()].trim().is_empty() {
            current.pieces.push(Piece::Text(range));
        }
    };
    for (here, letter) in letters {
        match (letter, *bracket) {
            ('.', None) => {
                add(current, from..here);
                let after_bracket = text[..here].ends_with(']');
                if current.pieces.is_empty() && !after_bracket {
                    return Err((here..here + 1, "a name stands before each dot".to_owned()));
                }
                close(all, current);
                from = here + 1;
            }
            ('[', None) => {
                add(current, from..here);
                close(all, current);
                *bracket = Some(here);
                from = here + 1;
            }
            (']', Some(_)) => {
                let inside = from..here;
                let bare = text[inside.clone()].trim();
                let quoted =
                    ['\'', '"'].iter().find_map(|quote| bare.strip_prefix(*quote)?.strip_suffix(*quote));
                match quoted {
                    Some(quoted) => {
                        let start = inside.start + text[inside.clone()].find(quoted).unwrap_or_default();
                        current.pieces.push(Piece::Text(start..start + quoted.len()));
                    }
                    None => add(current, inside),
                }
                if current.pieces.is_empty() {
                    return Err((here..here + 1, "a key stands between `[` and `]`".to_owned()));
                }
                close(all, current);
                *bracket = None;
                from = here + 1;
            }
            _ => {}
        }
    }
    add(current, from..at.end);
    Ok(())
}

fn close(all: &mut Vec<Segment>, current: &mut Segment) {
    if !current.pieces.is_empty() {
        all.push(std::mem::take(current));
    }
}
