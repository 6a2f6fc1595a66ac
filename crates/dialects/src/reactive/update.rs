//! Changes of the state: `{path, operation, value}`, where a step has them and what they are when nothing is said.

use super::path::Target;
use super::reader::{Gives, Reader};
use crate::js::{self, Part};
use crate::shape::{self, Shape};
use crate::text::Node;
use kernel::plan::{Expr, Write, WriteKind};

const KEYS: Shape = Shape {
    has_no: "a state update has no key",
    keys: &["path", "operation", "value"],
    elsewhere: &[
        ("field", "did you mean `path`?"),
        ("key", "did you mean `path`?"),
        ("op", "did you mean `operation`?"),
        ("set", "did you mean `value`?"),
        ("result", "did you mean `value`?"),
    ],
};

const OPERATIONS: [(&str, WriteKind); 4] = [
    ("set", WriteKind::Set),
    ("append", WriteKind::Append),
    ("increment", WriteKind::Increment),
    ("merge", WriteKind::Merge),
];

/// The words for an operation.
pub(super) fn operation(kind: WriteKind) -> &'static str {
    OPERATIONS.iter().find(|(_, known)| *known == kind).map_or("set", |(word, _)| word)
}

/// A change, and how somebody is told of it.
pub(super) struct Update {
    pub(super) write: Write,
    /// `{path, operation, value}`: the path made, the value as it is written.
    pub(super) shown: Expr,
    /// The path made.
    pub(super) path: Expr,
    /// The first expression of its value, as it is written.
    pub(super) expression: Option<String>,
}

impl<'n> Reader<'_, 'n> {
    /// Reads the change under a key of a step. Where it says no value, that is `otherwise`.
    pub(super) fn update(&mut self, step: &'n Node, key: &str, otherwise: &str) -> Option<Update> {
        let node = step.get(key).filter(|node| !node.is_null())?;
        let hint = format!("write `{key}: {{path: raw.name}}`");
        if node.as_map().is_none() {
            shape::wrong_kind(self.sheet(), node, &format!("`{key}`"), "a mapping", &hint);
            return None;
        }
        let meant = shape::check_keys(self.sheet(), node, &KEYS);
        let Some(path) = node.get("path").filter(|path| !path.is_null()) else {
            if !meant.contains("path") && !["field", "key"].iter().any(|word| node.get(word).is_some()) {
                shape::missing(self.sheet(), node.place(), &format!("`{key}`"), "path", &hint);
            }
            return None;
        };
        self.change(node, path, otherwise)
    }

    /// Reads a change whose path is known to be there.
    pub(super) fn change(&mut self, node: &'n Node, path: &'n Node, otherwise: &str) -> Option<Update> {
        let kind = node.get("operation").filter(|word| !word.is_null());
        let kind = kind.map_or(Some(WriteKind::Set), |word| self.word(word, "operation", &OPERATIONS));
        let given = node.get("value");
        let value = match given {
            Some(value) => self.value(value),
            None => self.otherwise(otherwise),
        };
        let target = self.at(|site| site.gives = Gives::Nothing, |reader| reader.target(path));
        let (Some(kind), Some(Target { path, keys, shown })) = (kind, target) else { return None };
        self.fits(kind, given, &value);
        let mut fields = vec![("path".to_owned(), shown.clone())];
        if kind != WriteKind::Set {
            fields.push(("operation".to_owned(), Expr::Const(operation(kind).into())));
        }
        fields.extend(given.map(|given| ("value".to_owned(), Expr::Const(given.to_value()))));
        let expression = given.and_then(first_expression);
        let write = Write { path, keys, kind, value };
        Some(Update { write, shown: Expr::Object(fields), path: shown, expression })
    }

    /// What a change writes where it says no value: what the step gave, or what is named.
    fn otherwise(&mut self, name: &str) -> Expr {
        use super::names::{RESULT, result};
        match (name, self.site.gives) {
            (RESULT, Gives::Outputs) => result(&[]),
            (RESULT, _) => result(&[RESULT]),
            ("1", _) => Expr::Const(1.into()),
            ("true", _) => Expr::Const(true.into()),
            ("applied_count", _) => self.applied(),
            _ => Expr::Optional(kernel::language::Path::of("error", &["message"])),
        }
    }

    /// A constant that the operation cannot do anything with is told.
    fn fits(&mut self, kind: WriteKind, node: Option<&Node>, value: &Expr) {
        let (Some(node), Expr::Const(value)) = (node, value) else { return };
        let wanted = match kind {
            WriteKind::Increment if !value.is_number() => "a number",
            WriteKind::Merge if !value.is_object() => "an object",
            _ => return,
        };
        let message = format!("`{}` takes {wanted}, and this is {}", operation(kind), node.kind_name());
        self.sheet().error(|sheet| sheet.error("wrong-type", node.place(), message));
    }
}

/// The first expression of a text, without its braces.
fn first_expression(node: &Node) -> Option<String> {
    let text = node.as_string().filter(|text| js::is_code(text))?;
    js::parts(text).ok()?.into_iter().find_map(|part| match part {
        Part::Code { inside, .. } => Some(text[inside].to_owned()),
        Part::Text(_) => None,
    })
}
