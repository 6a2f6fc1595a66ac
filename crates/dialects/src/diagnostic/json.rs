//! Diagnostics for programs: one object each, with lines and columns in place of bytes.

use super::{Diagnostic, Diagnostics};
use crate::text::{Lines, Source, Span};
use serde_json::{Value, json};
use std::collections::BTreeMap;

impl Diagnostics {
    /// Returns them as a list of objects. A place in a source that is not given has no line.
    pub fn to_json(&self, sources: &[Source]) -> Value {
        let lines: BTreeMap<&str, Lines<'_>> = self
            .texts()
            .iter()
            .chain(sources)
            .map(|source| (source.name.as_str(), Lines::new(&source.text)))
            .collect();
        self.iter().map(|diagnostic| object(diagnostic, lines.get(diagnostic.file.as_str()))).collect()
    }
}

fn object(diagnostic: &Diagnostic, lines: Option<&Lines<'_>>) -> Value {
    let related = diagnostic.related.iter().map(|(span, text)| {
        let mut value = place(*span, lines);
        value["message"] = json!(text);
        value
    });
    let mut value = json!({
        "code": diagnostic.code,
        "severity": diagnostic.severity.word(),
        "message": diagnostic.message,
        "file": diagnostic.file,
    });
    merge(&mut value, place(diagnostic.span, lines));
    merge(
        &mut value,
        json!({
            "label": diagnostic.label,
            "hint": diagnostic.hint,
            "related": related.collect::<Value>(),
        }),
    );
    value
}

fn place(span: Span, lines: Option<&Lines<'_>>) -> Value {
    let Some(lines) = lines else { return json!({ "line": null, "column": null }) };
    let (start, end) = (lines.position(span.start), lines.position(span.end));
    json!({ "line": start.line, "column": start.column, "end_line": end.line, "end_column": end.column })
}

fn merge(value: &mut Value, more: Value) {
    if let (Some(value), Value::Object(more)) = (value.as_object_mut(), more) {
        value.extend(more);
    }
}
