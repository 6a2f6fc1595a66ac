//! `default_state`: first values of fields, which may read the inputs and the time.

use super::reader::Reader;
use crate::shape::{self, Shape};
use crate::text::Node;
use kernel::plan::Expr;

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
                initial.push((format!("{layer}.{name}"), value));
            }
        }
        initial
    }
}
