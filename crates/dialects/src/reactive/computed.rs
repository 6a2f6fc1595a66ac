//! Computed fields: what they follow from, how they are computed, and what holds when that fails.

use super::graph::{self, Field};
use super::names::Taken;
use super::reader::Reader;
use crate::shape::{self, Shape, did_you_mean};
use crate::text::Node;
use kernel::language::{Path, Segment};
use kernel::plan::{Computed, Expr, OnError, Transform};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// The computed fields that a workflow may have.
pub const COMPUTED_MAX: usize = 1_000;

const KEYS: Shape = Shape {
    has_no: "a computed field has no key",
    keys: &["from", "transform", "on_error", "fallback", "validate", "description"],
    elsewhere: &[
        ("depends_on", "did you mean `from`?"),
        ("inputs", "did you mean `from`?"),
        ("value", "did you mean `transform`?"),
        ("expression", "did you mean `transform`?"),
        ("default", "did you mean `fallback`?"),
    ],
};

const HINT: &str = "write `name: {from: raw.files, transform: \"input.length\"}`";
const FROM: &str = "name the fields that it follows from: `from: raw.files`, or `from: [raw.a, computed.b]`";

/// A computed field that was read.
struct Draft {
    computed: Computed,
    /// What it reads beside what it follows from.
    beside: BTreeSet<String>,
}

/// What a field follows from.
#[derive(Default)]
struct From {
    fields: BTreeSet<String>,
    paths: Vec<Path>,
    single: bool,
}

impl<'n> Reader<'_, 'n> {
    /// Reads the computed fields of all files, each after those it follows from.
    pub(super) fn computed(&mut self) -> Vec<Computed> {
        if self.too_many() {
            return Vec::new();
        }
        let (mut drafts, mut places) = (Vec::new(), Vec::new());
        let mut seen = BTreeMap::new();
        for file in 0..self.files.len() {
            let all = self.files[file].body().get("state_schema").and_then(|schema| schema.get("computed"));
            let Some(all) = all.filter(|all| !all.is_null()) else { continue };
            self.in_file(file, |reader| {
                if !shape::is_map(reader.sheet(), all, "`computed`", HINT) {
                    return;
                }
                for (name, key, node) in shape::unique(all) {
                    if let Some(other) = seen.insert(name, file).filter(|other| *other != file) {
                        reader.hidden(name, key, other);
                        continue;
                    }
                    let draft = reader.field_of_schema(name, key, node);
                    places.push((file, key.place()));
                    drafts.push(draft);
                }
            });
        }
        self.in_order(drafts, &places)
    }

    /// Whether there are more of them than there may be.
    fn too_many(&mut self) -> bool {
        let all = |file: &super::files::File| {
            file.body().get("state_schema")?.get("computed")?.as_map().map(<[_]>::len)
        };
        let count: usize = self.files.iter().filter_map(all).sum();
        let section = self.files[0].body().entry("state_schema");
        let place = section.map_or(super::head::start_of(self.files[0].body()), |(key, _)| key.place());
        if count > COMPUTED_MAX {
            let message = format!("there are {count} computed fields, and {COMPUTED_MAX} are allowed");
            self.mistakes[0].error(|sheet| {
                let diagnostic = sheet.error("too-many-fields", place, message);
                diagnostic.hint("let one field hold what several do now, or split the workflow")
            });
        }
        count > COMPUTED_MAX
    }

    fn hidden(&mut self, name: &str, key: &Node, other: usize) {
        let other = self.files[other].source.name.clone();
        self.sheet().warn(|sheet| {
            let message =
                format!("the computed field `{name}` is hidden by one of the same name in `{other}`");
            sheet.warning("hidden-import", key.place(), message).hint("give one of them another name")
        });
    }

    fn field_of_schema(&mut self, name: &str, key: &'n Node, node: &'n Node) -> Draft {
        self.field_name("computed", name, key);
        let computed = Computed {
            name: format!("computed.{name}"),
            from: BTreeSet::new(),
            value: Expr::Const(Value::Null),
            on_error: OnError::Null,
            transform: None,
        };
        let mut draft = Draft { computed, beside: BTreeSet::new() };
        if node.as_map().is_none() {
            shape::wrong_kind(self.sheet(), node, &format!("the computed field `{name}`"), "a mapping", HINT);
            return draft;
        }
        let meant = shape::check_keys(self.sheet(), node, &KEYS);
        let is_said = |key: &str| {
            KEYS.elsewhere.iter().any(|(word, label)| label.contains(key) && node.get(word).is_some())
        };
        let from = match node.get("from").filter(|from| !from.is_null()) {
            Some(from) => self.from(from),
            None => {
                if !meant.contains("from") && !is_said("from") {
                    shape::missing(
                        self.sheet(),
                        key.place(),
                        &format!("the computed field `{name}`"),
                        "from",
                        FROM,
                    );
                }
                From::default()
            }
        };
        if node.get("transform").is_none_or(Node::is_null)
            && !meant.contains("transform")
            && !is_said("transform")
        {
            let owner = format!("the computed field `{name}`");
            shape::missing(
                self.sheet(),
                key.place(),
                &owner,
                "transform",
                "say how: `transform: \"input.length\"`",
            );
        }
        draft.computed.on_error = self.on_error(node);
        draft.computed.from.clone_from(&from.fields);
        self.transform(name, node, from, &mut draft);
        draft
    }

    /// Reads what a field follows from.
    fn from(&mut self, node: &'n Node) -> From {
        let mut from = From { single: node.as_list().is_none(), ..From::default() };
        let items = node.as_list().unwrap_or(std::slice::from_ref(node));
        if items.is_empty() {
            self.sheet()
                .error(|sheet| sheet.error("bad-value", node.place(), "`from` names no field").hint(FROM));
        }
        for item in items {
            let Some(text) = shape::text(self.sheet(), item, "what a field follows from") else { continue };
            let Some(path) = self.source_path(item, text) else { continue };
            if let (layer, Some(Segment::Key(name))) = (path.root.as_str(), path.segments.first()) {
                from.fields.insert(format!("{layer}.{name}"));
            }
            from.paths.push(path);
        }
        from
    }

    fn source_path(&mut self, node: &'n Node, text: &str) -> Option<Path> {
        let path = match Path::parse(text.trim(), 0) {
            Ok(path) => path,
            Err(error) => {
                let message = format!("`{text}` is no path: {}", error.message);
                self.sheet().error(|sheet| sheet.error("bad-path", node.place(), message).hint(FROM));
                return None;
            }
        };
        let layer = super::LAYERS.into_iter().find(|layer| *layer == path.root);
        let name = path.key(0);
        let (Some(layer), Some(name)) = (layer, name) else {
            let layers = self.world.layers_of(&path.root);
            self.sheet().error(|sheet| {
                let message = format!("`{text}` does not say which field is meant");
                let diagnostic = sheet.error("bad-path", node.place(), message);
                match layers.first() {
                    Some(layer) => diagnostic.label(did_you_mean(&format!("{layer}.{text}"))),
                    None => diagnostic.hint(FROM),
                }
            });
            return None;
        };
        let is_open = self.world.is_open || layer == "included" && self.has_open_include;
        if !self.world.has(layer, name) && !is_open {
            self.unknown_source(node, layer, name);
        }
        Some(path)
    }

    fn unknown_source(&mut self, node: &'n Node, layer: &str, name: &str) {
        let elsewhere = self.world.layers_of(name).first().copied();
        let near = self.guesses.nearest(name, self.world.names(layer)).map(str::to_owned);
        self.sheet().error(|sheet| {
            let message = format!("`from` names `{layer}.{name}`, and there is no such field");
            let diagnostic = sheet.error("unknown-field", node.place(), message);
            match (elsewhere, near) {
                (Some(layer), _) => diagnostic.label(did_you_mean(&format!("{layer}.{name}"))),
                (None, Some(near)) => diagnostic.label(did_you_mean(&format!("{layer}.{near}"))),
                (None, None) => {
                    diagnostic.hint(format!("declare it: `state_schema: {{{layer}: {{{name}: ...}}}}`"))
                }
            }
        });
    }

    fn on_error(&mut self, node: &'n Node) -> OnError {
        #[derive(Clone, Copy, PartialEq)]
        enum Rule {
            Fallback,
            Propagate,
            Ignore,
        }
        const WORDS: [(&str, Rule); 3] =
            [("use_fallback", Rule::Fallback), ("propagate", Rule::Propagate), ("ignore", Rule::Ignore)];
        let fallback = node.entry("fallback");
        let said = node.get("on_error").filter(|word| !word.is_null());
        let otherwise = if fallback.is_some() { Rule::Fallback } else { Rule::Propagate };
        let rule = said.map_or(otherwise, |word| self.word(word, "on_error", &WORDS).unwrap_or(otherwise));
        if let Some((key, _)) = fallback.filter(|_| rule != Rule::Fallback) {
            self.sheet().warn(|sheet| {
                let message = "`fallback` has no effect without `on_error: use_fallback`";
                sheet.warning("no-effect", key.place(), message).label("take it away, or change `on_error`")
            });
        }
        match rule {
            Rule::Propagate => OnError::Null,
            Rule::Ignore => OnError::Ignore,
            Rule::Fallback => {
                let value = fallback.filter(|(_, value)| self.is_fixed(value, "a fallback"));
                OnError::Fallback(value.map_or(Value::Null, |(_, value)| value.to_value()))
            }
        }
    }

    fn transform(&mut self, name: &str, node: &'n Node, from: From, draft: &mut Draft) {
        const TRANSFORM: &str = "write JavaScript over `input`: `transform: \"input.filter(f => f.ok)\"`";
        const VALIDATE: &str = "write an expression over `output`: `validate: \"output >= 0\"`";
        let before = self.site.clone();
        self.site.is_transform = true;
        self.site.from.clone_from(&from.fields);
        self.site.field = Some(name.to_owned());
        let written = |key: &str| node.get(key).filter(|node| !node.is_null());
        let transform = written("transform").and_then(|node| self.script(node, "transform", TRANSFORM));
        self.site.is_validation = true;
        let validate = written("validate").and_then(|node| self.script(node, "validate", VALIDATE));
        self.site = before;
        let Some((source, mut taken, origin)) = transform else { return };
        let (validate, validate_origin) = match validate {
            Some((source, more, origin)) => {
                taken.join(more);
                (Some(source), origin)
            }
            None => (None, None),
        };
        let Taken { reads, .. } = taken;
        draft.beside = reads.iter().flat_map(|path| self.fields_of(path)).collect();
        draft.computed.transform = Some(Transform {
            source,
            inputs: from.paths,
            single: from.single,
            reads,
            validate,
            origin,
            file: self.imported_file(),
            validate_origin,
        });
    }

    /// The file that is read, where it is one that is imported: its name, and no folder of this machine.
    fn imported_file(&self) -> Option<String> {
        let name = self.files[self.file].source.name.as_str();
        let own = if name.starts_with('/') { name.rsplit('/').next().unwrap_or(name) } else { name };
        (self.file > 0).then(|| own.to_owned())
    }

    /// The fields that a path of an expression may read.
    fn fields_of(&self, path: &Path) -> Vec<String> {
        match (super::LAYERS.contains(&path.root.as_str()), path.key(0)) {
            (true, Some(name)) => vec![format!("{}.{name}", path.root)],
            (true, None) => Vec::new(),
            _ => self
                .world
                .layers_of(&path.root)
                .first()
                .map(|layer| format!("{layer}.{}", path.root))
                .into_iter()
                .collect(),
        }
    }

    /// Puts fields after those they follow from; a circle is reported.
    fn in_order(&mut self, drafts: Vec<Draft>, places: &[(usize, crate::text::Span)]) -> Vec<Computed> {
        let fields: Vec<Field<'_>> = drafts
            .iter()
            .map(|draft| Field {
                name: &draft.computed.name,
                from: &draft.computed.from,
                beside: &draft.beside,
            })
            .collect();
        match graph::order(&fields) {
            Ok(order) => {
                let mut drafts: Vec<Option<Computed>> =
                    drafts.into_iter().map(|draft| Some(draft.computed)).collect();
                order.into_iter().filter_map(|at| drafts[at].take()).collect()
            }
            Err(circle) => {
                let names: Vec<&str> = circle.iter().map(|at| fields[*at].name).collect();
                let names =
                    names.iter().chain(names.first()).map(|name| format!("`{name}`")).collect::<Vec<_>>();
                let message =
                    format!("computed fields follow from each other in a circle: {}", names.join(" -> "));
                let (file, span) = places[circle[0]];
                let related: Vec<_> =
                    circle[1..].iter().filter(|at| places[**at].0 == file).map(|at| places[*at].1).collect();
                self.mistakes[file].error(|sheet| {
                    let diagnostic = sheet.error("computed-cycle", span, message);
                    let diagnostic = related
                        .into_iter()
                        .fold(diagnostic, |all, span| all.related(span, "and this one is part of it"));
                    diagnostic.hint("let one of them follow from `raw.` fields only")
                });
                Vec::new()
            }
        }
    }
}
