//! Changes a JSON text at the one place that is meant, and leaves every other byte as it is: comments, order, indentation,
//! line ends.
//!
//! ```text
//!  { // mine                         { // mine
//!    "mcpServers": {                   "mcpServers": {
//!      "a": {} // first        →         "a": {}, // first
//!    }                                   "switchback": { .. }
//!  }                                   }
//!                                    }
//! ```

use super::jsonc::{Kind, Mistake, Node, Object, read};
use serde_json::{Map, Value};
use std::ops::Range;

/// Puts an entry under `key`, `name`. Members of an entry that is there are changed one by one.
pub(super) fn set(text: &str, key: &str, name: &str, entry: &Map<String, Value>) -> Result<String, Mistake> {
    let style = Style::of(text);
    let Some(root) = read(text)? else {
        let servers = within(key, within(name, Value::Object(entry.clone())));
        return Ok(format!("{}{}{}", text.trim_end(), style.pretty(&servers, ""), style.line));
    };
    let mut edits = Vec::new();
    let object = object_of(&root, "the document")?;
    match object.get(key) {
        None => style.insert(text, &root, key, &within(name, Value::Object(entry.clone())), &mut edits),
        Some(servers) => match object_of(servers, &format!("`{key}`"))?.get(name) {
            None => style.insert(text, servers, name, &Value::Object(entry.clone()), &mut edits),
            Some(old) => style.change(text, old, entry, &mut edits),
        },
    }
    Ok(applied(text, edits))
}

fn within(key: &str, value: Value) -> Value {
    Value::Object(Map::from_iter([(key.to_owned(), value)]))
}

/// The object that must stand there.
pub(super) fn object_of<'a>(node: &'a Node, what: &str) -> Result<&'a Object, Mistake> {
    node.object().ok_or_else(|| Mistake { at: node.span.start, message: format!("{what} is no object") })
}

/// A stretch of the text and what takes its place.
type Edit = (Range<usize>, String);

fn applied(text: &str, mut edits: Vec<Edit>) -> String {
    edits.sort_by_key(|(range, _)| range.start);
    let (mut new, mut at) = (String::with_capacity(text.len() + 256), 0);
    for (range, replacement) in edits {
        new.push_str(&text[at..range.start]);
        new.push_str(&replacement);
        at = range.end;
    }
    new.push_str(&text[at..]);
    new
}

/// How a text is laid out.
struct Style {
    /// What a line ends with.
    line: &'static str,
    /// One step of indentation.
    step: String,
}

impl Style {
    fn of(text: &str) -> Style {
        let line = if text.contains("\r\n") { "\r\n" } else { "\n" };
        let indented = text.lines().find_map(|line| {
            let width = line.len() - line.trim_start_matches([' ', '\t']).len();
            (width > 0 && line[width..].starts_with('"')).then(|| line[..width].to_owned())
        });
        Style { line, step: indented.unwrap_or_else(|| "  ".to_owned()) }
    }

    /// Adds a member behind the last one.
    fn insert(&self, text: &str, node: &Node, key: &str, value: &Value, edits: &mut Vec<Edit>) {
        let Kind::Object(object) = &node.kind else { return };
        let close = node.span.end - 1;
        let (end, key) = (object.end_inside, Value::from(key));
        let on_lines = text[node.span.clone()].contains('\n') || text.trim() == "{}";
        let Some(last) = object.members.last() else {
            // Where all the rest is on lines, so is this.
            let new = if on_lines || text.trim_end().contains('\n') {
                let base = indent(text, node.span.start);
                let inner = format!("{base}{}", self.step);
                format!("{0}{inner}{key}: {1}{0}{base}", self.line, self.pretty(value, &inner))
            } else {
                format!("{key}:{value}")
            };
            edits.push((end..close, new));
            return;
        };
        if !object.comma_last {
            edits.push((last.value.span.end..last.value.span.end, ",".to_owned()));
        }
        let comma = if object.comma_last { "," } else { "" };
        let new = if on_lines {
            let inner = match starts_line(text, object.members[0].key_at) {
                true => indent(text, object.members[0].key_at),
                false => format!("{}{}", indent(text, node.span.start), self.step),
            };
            format!("{}{inner}{key}: {}{comma}", self.line, self.pretty(value, &inner))
        } else if text[node.span.clone()].contains("\": ") {
            format!(" {key}: {value}{comma}")
        } else {
            format!("{key}:{value}{comma}")
        };
        edits.push((end..end, new));
    }

    /// Changes the members of an entry that differ.
    fn change(&self, text: &str, old: &Node, entry: &Map<String, Value>, edits: &mut Vec<Edit>) {
        let Kind::Object(object) = &old.kind else {
            let value = Value::Object(entry.clone());
            edits.push((old.span.clone(), self.pretty(&value, &indent(text, old.span.start))));
            return;
        };
        for (key, value) in entry {
            match object.get(key) {
                Some(node) if node.value() == *value => {}
                Some(node) => {
                    edits.push((node.span.clone(), self.pretty(value, &indent(text, node.span.start))));
                }
                None => self.insert(text, old, key, value, edits),
            }
        }
    }

    /// A value on lines of its own: objects are opened, lists stay on one line.
    fn pretty(&self, value: &Value, indent: &str) -> String {
        let Value::Object(members) = value else { return spaced(value) };
        let inner = format!("{indent}{}", self.step);
        let line = |(key, value): (&String, &Value)| {
            format!("{inner}{}: {}", Value::from(key.as_str()), self.pretty(value, &inner))
        };
        let lines: Vec<String> = members.iter().map(line).collect();
        match lines.is_empty() {
            true => "{}".to_owned(),
            false => format!("{{{0}{1}{0}{indent}}}", self.line, lines.join(&format!(",{}", self.line))),
        }
    }
}

fn spaced(value: &Value) -> String {
    match value {
        Value::Array(items) => format!("[{}]", items.iter().map(spaced).collect::<Vec<_>>().join(", ")),
        plain => plain.to_string(),
    }
}

/// The white space with which the line of a place begins.
fn indent(text: &str, at: usize) -> String {
    let start = text[..at].rfind('\n').map_or(0, |end| end + 1);
    text[start..at].chars().take_while(|letter| [' ', '\t'].contains(letter)).collect()
}

fn starts_line(text: &str, at: usize) -> bool {
    let start = text[..at].rfind('\n').map_or(0, |end| end + 1);
    text[start..at].trim().is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn edited(text: &str) -> String {
        let entry = json!({ "command": "/b/switchback", "args": ["serve"] });
        let new = set(text, "mcpServers", "switchback", entry.as_object().unwrap()).unwrap();
        // A second time there is nothing to do.
        assert_eq!(set(&new, "mcpServers", "switchback", entry.as_object().unwrap()).unwrap(), new);
        new
    }

    /// Our entry, as it stands in a file.
    const ENTRY: &str = r#"    "switchback": {
      "command": "/b/switchback",
      "args": ["serve"]
    }"#;

    #[test]
    fn from_nothing() {
        let whole = format!("{{\n  \"mcpServers\": {{\n{ENTRY}\n  }}\n}}");
        assert_eq!(edited(""), format!("{whole}\n"));
        assert_eq!(edited("{}"), whole);
        assert_eq!(edited("{\n}\n"), format!("{whole}\n"));
        assert_eq!(edited("{\n  \"mcpServers\": {}\n}\n"), format!("{whole}\n"));
    }

    #[test]
    fn comments_stay_where_they_were() {
        let text = "// top\n{\n  \"mcpServers\": {\n    \"a\": {} // first\n    // last\n  }, // after\n}\n";
        let new = format!(
            "// top\n{{\n  \"mcpServers\": {{\n    \"a\": {{}}, // first\n    // last\n{ENTRY}\n  }}, // after\n}}\n"
        );
        assert_eq!(edited(text), new);
        let empty = "{\n  \"mcpServers\": { // none yet\n  }\n}\n";
        assert_eq!(edited(empty), format!("{{\n  \"mcpServers\": {{ // none yet\n{ENTRY}\n  }}\n}}\n"));
    }

    #[test]
    fn a_last_comma_stays_the_style() {
        let text = "{\n  \"mcpServers\": {\n    \"a\": {},\n  },\n}\n";
        assert_eq!(
            edited(text),
            format!("{{\n  \"mcpServers\": {{\n    \"a\": {{}},\n{ENTRY},\n  }},\n}}\n")
        );
    }

    #[test]
    fn one_line_stays_one_line() {
        let entry = r#""switchback":{"command":"/b/switchback","args":["serve"]}"#;
        assert_eq!(
            edited(r#"{"a":1,"mcpServers":{"b":{}}}"#),
            format!(r#"{{"a":1,"mcpServers":{{"b":{{}},{entry}}}}}"#)
        );
        assert_eq!(edited(r#"{"a":1,"mcpServers":{}}"#), format!(r#"{{"a":1,"mcpServers":{{{entry}}}}}"#));
        let spaced = r#"{"a": 1}"#;
        assert!(edited(spaced).starts_with(r#"{"a": 1, "mcpServers": {"#), "{}", edited(spaced));
    }

    #[test]
    fn tabs_and_line_ends_stay_the_style() {
        let text = "{\r\n\t\"a\": 1\r\n}\r\n";
        let new = "{\r\n\t\"a\": 1,\r\n\t\"mcpServers\": {\r\n\t\t\"switchback\": {\r\n\t\t\t\"command\": \"/b/switchback\",\r\n\t\t\t\
                   \"args\": [\"serve\"]\r\n\t\t}\r\n\t}\r\n}\r\n";
        assert_eq!(edited(text), new);
    }

    #[test]
    fn of_an_older_entry_only_what_differs_is_changed() {
        let text = "{\"mcpServers\": {\"switchback\": {\"command\": /* here */ \"/old\", \"args\": [ \"serve\" ], \"env\": {\"A\":\"b\"}}}}";
        assert_eq!(edited(text), text.replace("/old", "/b/switchback"));
        let bare = "{\n  \"mcpServers\": {\n    \"switchback\": {\n      \"command\": \"/b/switchback\"\n    }\n  }\n}\n";
        assert_eq!(edited(bare), format!("{{\n  \"mcpServers\": {{\n{ENTRY}\n  }}\n}}\n"));
    }

    #[test]
    fn what_is_no_object_is_refused_with_its_place() {
        let refused = |text: &str| set(text, "mcpServers", "switchback", &Map::new()).unwrap_err();
        assert_eq!(refused("[]"), Mistake { at: 0, message: "the document is no object".to_owned() });
        let list = refused("{\"mcpServers\": []}");
        assert_eq!((list.at, list.message.as_str()), (15, "`mcpServers` is no object"));
    }
}
