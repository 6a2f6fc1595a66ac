//! The names an expression can read. Values come by path, `inputs.name` or `state.list[3]`, and become what an
//! expression expects: objects in objects. A value is never code.

use super::declared::{Declared, Denied};
use super::time;
use kernel::language::{Path, Segment};
use kernel::question::DECLARED;
use minijinja::Value;
use std::collections::{BTreeMap, BTreeSet};

/// The namespaces that are there even if nothing was found in them: `state.x | default(1)` is no mistake. Where one is
/// read as a whole, it must have been sent.
pub(super) const NAMESPACES: [&str; 2] = ["inputs", STATE];

const STATE: &str = "state";

/// The names and their values.
#[derive(Debug, Default)]
pub(crate) struct Scope {
    roots: BTreeMap<String, Tree>,
    /// The fields of the state that may be read, where that is not known beforehand.
    declared: Option<BTreeSet<String>>,
}

#[derive(Debug)]
enum Tree {
    Whole(Value),
    Parts(BTreeMap<Value, Tree>),
}

impl Scope {
    /// Puts a value at a path. What is no path is a name as it stands.
    pub(crate) fn set(&mut self, path: &str, value: Value) {
        if path == DECLARED {
            let names = value.try_iter().into_iter().flatten();
            self.declared = Some(names.filter_map(|name| name.as_str().map(str::to_owned)).collect());
            return;
        }
        if path == time::NOW
            && let Ok(seconds) = i64::try_from(value.clone())
        {
            self.roots.insert(path.to_owned(), Tree::Whole(time::now(seconds)));
            return;
        }
        let parsed =
            Path::parse(path, 0).unwrap_or_else(|_| Path { root: path.to_owned(), segments: Vec::new() });
        let mut tree = self.roots.entry(parsed.root).or_insert_with(|| Tree::Parts(BTreeMap::new()));
        for segment in parsed.segments {
            // The whole is known, and its parts with it.
            let Tree::Parts(parts) = tree else { return };
            let key = match segment {
                Segment::Key(key) => Value::from(key),
                Segment::Index(index) => Value::from(index),
                Segment::Value(path) => Value::from(path.to_string()),
            };
            tree = parts.entry(key).or_insert_with(|| Tree::Parts(BTreeMap::new()));
        }
        *tree = Tree::Whole(value);
    }

    /// All of it, as an expression is given it, with the namespaces of which it reads parts. Who asks for what may not be
    /// read is noted.
    pub(super) fn value(&self, namespaces: &[&'static str], denied: &Denied) -> Value {
        let is_absent = |name: &&&'static str| !self.roots.contains_key(**name);
        let absent = namespaces.iter().filter(is_absent).map(|name| ((*name).to_owned(), empty()));
        let present = self.roots.iter().map(|(name, tree)| (name.clone(), tree.value()));
        let mut all: BTreeMap<String, Value> = present.chain(absent).collect();
        if let Some(names) = &self.declared {
            let (fields, names) = (all.remove(STATE).unwrap_or_else(empty), names.clone());
            let state = Declared { fields, names, denied: denied.clone() };
            all.insert(STATE.to_owned(), Value::from_object(state));
        }
        Value::from_pairs(all)
    }

    /// The names at the end of a path, if there are any: `inputs.user` may give `name` and `age`.
    pub(super) fn names(&self, path: &[&str]) -> Option<Vec<String>> {
        let found = path.iter().try_fold(self.value(&NAMESPACES, &Denied::default()), |value, key| {
            value.get_attr(key).ok().filter(|value| !value.is_undefined())
        })?;
        let names = found.try_iter().ok()?;
        Some(names.filter_map(|name| name.as_str().map(str::to_owned)).collect())
    }
}

fn empty() -> Value {
    Value::from_pairs(std::iter::empty::<(String, Value)>())
}

impl Tree {
    fn value(&self) -> Value {
        match self {
            Tree::Whole(value) => value.clone(),
            Tree::Parts(parts) => {
                Value::from_pairs(parts.iter().map(|(key, tree)| (key.clone(), tree.value())))
            }
        }
    }
}
