//! `default_state`: first values of fields, which may read the inputs and the time.

use super::reader::Reader;
use crate::shape::{self, Shape};
use crate::text::Node;
use kernel::plan::{Expr, Foreign, Origin};

const KEYS: Shape = Shape {
    has_no: "`default_state` has no part",
    keys: &["raw", "state"],
    elsewhere: &[
        ("computed", "what is computed follows from other fields, and has no first value"),
        ("included", "what included workflows compute has no first value"),
    ],
};

impl<'n> Reader<'_, 'n> {
    /// Reads the first values of all files; the same field in a later file is left alone.
    pub(super) fn defaults(&mut self) -> Vec<(String, Expr)> {
        let mut initial: Vec<(String, Expr)> = Vec::new();
        for file in 0..self.files.len() {
            let body = self.files[file].body();
            for (name, value) in self.in_file(file, |reader| reader.first_values(body)) {
                if initial.iter().all(|(known, _)| *known != name) {
                    initial.push((name, value));
                }
            }
        }
        initial
    }

    fn first_values(&mut self, body: &'n Node) -> Vec<(String, Expr)> {
        let Some(all) = body.get("default_state").filter(|all| !all.is_null()) else { return Vec::new() };
        let hint = "write `default_state: {raw: {count: 0}}`";
        if !shape::is_map(self.sheet(), all, "`default_state`", hint) {
            return Vec::new();
        }
        shape::check_keys(self.sheet(), all, &KEYS);
        let mut initial = Vec::new();
        for layer in ["raw", "state"] {
            let Some(fields) = all.get(layer) else { continue };
            if !shape::is_map(self.sheet(), fields, &format!("`{layer}`"), hint) {
                continue;
            }
            for (name, key, node) in shape::unique(fields) {
                self.field_name(layer, name, key);
                let value = self.at(|site| site.is_first = true, |reader| reader.value(node));
                let declared = self.declared_kind(layer, name);
                let value = declared.map_or(value.clone(), |(word, _)| of_type(value, name, word));
                initial.push((format!("{layer}.{name}"), value));
            }
        }
        initial
    }
}

/// An expression that fails where its value is not of the declared type; nothing fits each of them.
fn of_type(value: Expr, name: &str, word: &str) -> Expr {
    let fits = match word {
        "string" => "typeof value === 'string'",
        "number" => "typeof value === 'number'",
        "integer" => "Number.isInteger(value)",
        "boolean" => "typeof value === 'boolean'",
        "array" => "Array.isArray(value)",
        "object" => "typeof value === 'object' && !Array.isArray(value)",
        _ => return value,
    };
    let Expr::Foreign(foreign) = value else { return value };
    let message = format!("`{name}` is declared as {word}, and its first value is ");
    let message = serde_json::Value::from(message).to_string();
    let source = format!(
        "((value) => {{ if (value === null || value === undefined || {fits}) return value; \
         throw new TypeError({message} + JSON.stringify(value).slice(0, 80)); }})({}\n)",
        foreign.source
    );
    let origin = foreign.origin.map(|origin| Origin { indent: None, ..origin });
    Expr::Foreign(Foreign { source, origin, ..foreign })
}
