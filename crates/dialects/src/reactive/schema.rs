//! The schema of the state: which raw fields there are and of which types, and first values that do not fit them.

use super::path::{FIELD, is_field};
use super::reader::Reader;
use crate::js;
use crate::near::nearest;
use crate::shape::{self, Shape, did_you_mean, listed};
use crate::steps::KINDS;
use crate::text::Node;
use kernel::plan::InputKind;

const SCHEMA: Shape = Shape {
    has_no: "`state_schema` has no part",
    keys: &["raw", "computed", "state"],
    elsewhere: &[("included", "what included workflows compute is declared there")],
};

const FIELD_KEYS: Shape = Shape {
    has_no: "a field has no key",
    keys: &["type", "description"],
    elsewhere: &[("default", "it belongs under `default_state`")],
};

impl<'n> Reader<'_, 'n> {
    /// Checks the raw fields of a schema.
    pub(super) fn schema(&mut self, body: &'n Node) {
        let Some(schema) = body.get("state_schema").filter(|schema| !schema.is_null()) else { return };
        let hint = "write `state_schema: {raw: {files: array}, computed: {...}}`";
        if !shape::is_map(self.sheet(), schema, "`state_schema`", hint) {
            return;
        }
        shape::check_keys(self.sheet(), schema, &SCHEMA);
        for layer in ["raw", "state"] {
            let Some(fields) = schema.get(layer).filter(|fields| !fields.is_null()) else { continue };
            if !shape::is_map(
                self.sheet(),
                fields,
                &format!("`{layer}`"),
                "name each field: `raw: {files: array}`",
            ) {
                continue;
            }
            for (name, key, node) in shape::unique(fields) {
                self.field_name(layer, name, key);
                if let Some(kind) = self.field_kind(name, node) {
                    self.first_value_fits(body, layer, name, kind);
                }
            }
        }
    }

    /// Reports what cannot be the name of a field, and warns of one that cannot be read by it.
    pub(super) fn field_name(&mut self, layer: &str, name: &str, key: &'n Node) {
        const ROOTS: [&str; 11] = [
            "raw", "computed", "state", "included", "inputs", "secrets", "item", "index", "result", "error",
            "input",
        ];
        if !is_field(name) {
            self.sheet().error(|sheet| {
                let shown: String = name.chars().take(shape::NAME_CHARS_MAX).collect();
                let message = format!("`{shown}` cannot be a field of the state");
                sheet.error("bad-name", key.place(), message).hint(FIELD)
            });
        } else if ROOTS.contains(&name) || js::is_global(name) {
            self.sheet().warn(|sheet| {
                let message = format!("`{name}` means something else where values are read");
                let diagnostic = sheet.warning("hidden-field", key.place(), message);
                diagnostic.hint(format!("give it another name, or read it with its layer: `{layer}.{name}`"))
            });
        }
    }

    fn field_kind(&mut self, name: &str, node: &'n Node) -> Option<InputKind> {
        let node = match node.as_map() {
            Some(_) => {
                shape::check_keys(self.sheet(), node, &FIELD_KEYS);
                node.get("type")?
            }
            None => node,
        };
        let word = shape::text(self.sheet(), node, &format!("the type of `{name}`"))?;
        if let Some((_, kind)) = KINDS.into_iter().find(|(known, _)| *known == word) {
            return Some(kind);
        }
        let names = KINDS.map(|(name, _)| name);
        let near = if word == "list" { Some("array") } else { nearest(word, names) };
        self.sheet().error(|sheet| {
            let message = format!("no type of fields is called `{word}`");
            let diagnostic = sheet.error("unknown-type", node.place(), message);
            match near {
                Some(near) => diagnostic.label(did_you_mean(near)),
                None => diagnostic.hint(format!("types are {}", listed(names))),
            }
        });
        None
    }

    /// The type of a field as the first file that declares it has it, with its word.
    pub(super) fn declared_kind(&self, layer: &str, name: &str) -> Option<(&'static str, InputKind)> {
        (0..self.files.len()).find_map(|file| {
            let node = self.files[file].body().get("state_schema")?.get(layer)?.get(name)?;
            let word = node.as_text().or_else(|| node.get("type")?.as_text())?;
            KINDS.into_iter().find(|(known, _)| *known == word)
        })
    }

    fn first_value_fits(&mut self, body: &'n Node, layer: &str, name: &str, kind: InputKind) {
        let first = body.get("default_state").and_then(|all| all.get(layer)).and_then(|all| all.get(name));
        let Some(first) =
            first.filter(|first| !first.is_null() && !first.as_string().is_some_and(js::is_code))
        else {
            return;
        };
        if !kind.accepts(&first.to_value()) {
            let word = KINDS.into_iter().find(|(_, known)| *known == kind).map_or("any", |(word, _)| word);
            let message =
                format!("`{name}` is declared as {word}, and its first value is {}", first.kind_name());
            self.sheet().error(|sheet| sheet.error("wrong-type", first.place(), message));
        }
    }

    /// Warns of names that two layers have.
    pub(super) fn collisions(&mut self) {
        for (name, layers) in self.world.collisions() {
            let [first, others @ ..] = layers.as_slice() else { continue };
            let (Some(winner), Some(loser)) = (
                self.world.fields.get(first).and_then(|all| all.get(&name)).copied(),
                others.first().and_then(|layer| self.world.fields.get(layer)?.get(&name)).copied(),
            ) else {
                continue;
            };
            let hidden = listed(
                others
                    .iter()
                    .map(|layer| format!("{layer}.{name}"))
                    .collect::<Vec<_>>()
                    .iter()
                    .map(String::as_str),
            );
            self.mistakes[loser.file].warn(|sheet| {
                let message =
                    format!("`{name}` by its bare name means `{first}.{name}`, which hides {hidden}");
                let diagnostic = sheet.warning("name-collision", loser.span, message);
                let diagnostic = match winner.file == loser.file {
                    true => diagnostic.related(winner.span, "this one is read"),
                    false => diagnostic,
                };
                diagnostic.hint(
                    "give one of them another name; `computed` comes before `raw`, `raw` before `state`",
                )
            });
        }
    }
}
