//! The names an evaluation can read. Values come by path, `inputs.branch` or `raw.files`, and become what an expression
//! expects: objects in objects. Only what the source names is made, and made anew each time, so that it may be changed.

use super::functions::FUNCTIONS;
use super::given;
use kernel::language::{Path, Segment};
use kernel::question::ABSENT;
use rquickjs::{Ctx, Error, Object, Undefined, Value};
use std::borrow::Cow;
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// The namespaces that are there even if nothing was found in them: `inputs.branch || 'main'` is no mistake.
const NAMESPACES: [&str; 6] = ["inputs", "raw", "computed", "state", "included", "metadata"];

/// Names of the language that nobody can set.
const FIXED: [&str; 3] = ["undefined", "NaN", "Infinity"];

/// The recorded time in milliseconds.
pub(super) const NOW: &str = "now";

/// What made-up ids are made from.
pub(super) const SEED: &str = "seed";

/// The names and their values in the form of JSON.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scope<'j> {
    roots: BTreeMap<String, Tree<'j>>,
    /// Names that are read and have no value.
    absent: BTreeSet<String>,
    /// How many ids were made up.
    pub(super) made_up: Rc<Cell<u64>>,
}

/// A value, and what stands in it by other ways.
#[derive(Clone, Debug, Default)]
struct Tree<'j> {
    whole: Option<Cow<'j, str>>,
    parts: BTreeMap<String, Tree<'j>>,
}

impl<'j> Scope<'j> {
    /// Puts a value at a path. Where the whole is known, its parts are.
    pub(crate) fn set(&mut self, path: &str, json: Cow<'j, str>) -> Result<(), String> {
        if path == ABSENT {
            let paths: Vec<String> = serde_json::from_str(&json)
                .map_err(|error| format!("bad names of what is absent: {error}"))?;
            paths.iter().for_each(|path| self.lacks(path));
            return Ok(());
        }
        let mut names = names(path).into_iter();
        let Some(root) = names.next() else { return Ok(()) };
        let mut tree = self.roots.entry(root).or_default();
        for name in names {
            if tree.whole.is_some() {
                return Ok(());
            }
            tree = tree.parts.entry(name).or_default();
        }
        *tree = Tree::of(json);
        Ok(())
    }

    /// Puts a value at a path, over whatever is there.
    pub(crate) fn replace(&mut self, path: &str, json: Cow<'j, str>) {
        let mut names = names(path).into_iter();
        let Some(root) = names.next() else { return };
        let root = self.roots.entry(root).or_default();
        let tree = names.fold(root, |tree: &mut Tree<'j>, name| tree.parts.entry(name).or_default());
        *tree = Tree::of(json);
    }

    /// Takes away what stands at a path.
    pub(crate) fn remove(&mut self, path: &str) {
        let names = names(path);
        let Some((last, above)) = names.split_last() else { return };
        let Some((root, between)) = above.split_first() else {
            self.roots.remove(last);
            return;
        };
        let tree = self.roots.get_mut(root);
        let tree = between.iter().fold(tree, |tree, name| tree.and_then(|tree| tree.parts.get_mut(name)));
        if let Some(tree) = tree {
            tree.parts.remove(last);
        }
    }

    /// Notes that a path is read and has no value.
    pub(crate) fn lacks(&mut self, path: &str) {
        self.absent.extend(names(path).into_iter().next());
    }

    /// The names to be read.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        let internal = |name: &&str| ![NOW, SEED].contains(name);
        self.roots.keys().map(String::as_str).filter(internal).chain(FUNCTIONS)
    }

    /// A value that stands at a root, in the form of JSON.
    pub(super) fn whole(&self, root: &str) -> Option<&str> {
        self.roots.get(root)?.whole.as_deref()
    }

    /// Whether a name is the function of that name: it is called, or means nothing else.
    pub(super) fn is_function(&self, name: &str, source: &str) -> bool {
        name == NOW || !self.roots.contains_key(name) || is_called(name, source)
    }

    /// Gives an engine the values that a source names.
    pub(super) fn give(&self, ctx: &Ctx<'_>, source: &str) -> Result<(), Error> {
        let globals = ctx.globals();
        let is_named = |name: &str| source.contains(name) && !FIXED.contains(&name);
        let is_free = |name: &str| !FUNCTIONS.contains(&name) || !self.is_function(name, source);
        for name in self.absent.iter().filter(|name| is_named(name) && is_free(name)) {
            globals.set(name.as_str(), Undefined)?;
        }
        for name in NAMESPACES.into_iter().filter(|name| is_named(name)) {
            globals.set(name, Object::new(ctx.clone())?)?;
        }
        for (name, tree) in self.roots.iter().filter(|(name, _)| is_named(name) && is_free(name)) {
            globals.set(name.as_str(), tree.value(ctx)?)?;
        }
        Ok(())
    }
}

impl<'j> Tree<'j> {
    fn of(json: Cow<'j, str>) -> Self {
        Tree { whole: Some(json), parts: BTreeMap::new() }
    }

    fn value<'js>(&self, ctx: &Ctx<'js>) -> Result<Value<'js>, Error> {
        let whole = match &self.whole {
            Some(json) => given::value(ctx, json)?,
            None => Object::new(ctx.clone())?.into_value(),
        };
        if let Some(object) = whole.as_object() {
            for (name, part) in &self.parts {
                given::set(object, name, part.value(ctx)?)?;
            }
        }
        Ok(whole)
    }
}

/// The names of a path, from its root on. What is no path is a name as it stands.
pub(super) fn names(path: &str) -> Vec<String> {
    let Ok(Path { root, segments }) = Path::parse(path, 0) else {
        let (root, rest) = path.split_once('.').unwrap_or((path, ""));
        return [root, rest].into_iter().filter(|name| !name.is_empty()).map(str::to_owned).collect();
    };
    let rest = segments.into_iter().map(|segment| match segment {
        Segment::Key(key) => key,
        Segment::Index(index) => index.to_string(),
        Segment::Value(path) => path.to_string(),
    });
    std::iter::once(root).chain(rest).collect()
}

/// Whether a name is called somewhere in a source.
fn is_called(name: &str, source: &str) -> bool {
    source.match_indices(name).any(|(at, _)| {
        let before = &source[..at];
        let is_part = before.ends_with(|letter: char| letter.is_alphanumeric() || "_$.".contains(letter));
        (!is_part || before.ends_with("...")) && source[at + name.len()..].trim_start().starts_with('(')
    })
}
