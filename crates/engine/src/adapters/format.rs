//! What a command wrote to stdout, read as its step says: as lines, as JSON, as text, or as keys with values. What cannot be
//! read so is an error with its place, never half a value.

use super::process::Captured;
use kernel::data::{DEPTH_MAX, TOO_DEEP, weight};
use serde_json::{Map, Value};

/// How an output is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    Lines,
    Json,
    Text,
    KeyValue,
}

impl Format {
    /// The format of a name.
    pub(crate) fn named(name: &str) -> Result<Self, String> {
        Ok(match name {
            "lines" => Format::Lines,
            "json" => Format::Json,
            "text" => Format::Text,
            "key_value" => Format::KeyValue,
            other => {
                return Err(format!("`{other}` is no `output_format`: write lines, json, text or key_value"));
            }
        })
    }

    /// Reads an output.
    pub(crate) fn read(self, output: &Captured) -> Result<Value, String> {
        match self {
            Format::Lines => Ok(lines(output)),
            Format::Text => Ok(without_line_break(&output.text()).into()),
            Format::Json => json(&whole(output, "JSON")?),
            Format::KeyValue => key_value(&whole(output, "keys with values")?),
        }
    }
}

/// All of an output, where a part of it would say something else.
fn whole(output: &Captured, what: &str) -> Result<String, String> {
    if output.dropped == 0 {
        return Ok(output.text());
    }
    Err(format!(
        "output is too long to be read as {what}: {} of its {} bytes were left out; let the command write less, or write \
         to a file",
        output.dropped, output.total
    ))
}

/// The lines, without their ends. Where a part was left out, the lines that it may have begun or ended are left out too.
fn lines(output: &Captured) -> Value {
    if output.dropped == 0 {
        return output.text().lines().map(Value::from).collect();
    }
    let part = |bytes: &[u8]| Captured { head: bytes.to_vec(), ..Captured::default() }.text();
    let (head, tail) = (part(&output.head), part(&output.tail));
    let head = head.rsplit_once('\n').map_or("", |(head, _)| head);
    let tail = tail.split_once('\n').map_or("", |(_, tail)| tail);
    head.lines().chain(tail.lines()).map(Value::from).collect()
}

fn without_line_break(text: &str) -> &str {
    let text = text.strip_suffix('\n').unwrap_or(text);
    text.strip_suffix('\r').unwrap_or(text)
}

fn json(text: &str) -> Result<Value, String> {
    let text = text.trim_start_matches('\u{feff}');
    if text.trim().is_empty() {
        return Err("output is not JSON: it is empty (line 1, column 1)".to_owned());
    }
    let value: Value = serde_json::from_str(text).map_err(|error| {
        let (line, column) = (error.line(), error.column());
        let words = error.to_string();
        let words = words.strip_suffix(&format!(" at line {line} column {column}")).unwrap_or(&words);
        format!("output is not JSON: {words} (line {line}, column {column})")
    })?;
    if weight(&value) == TOO_DEEP {
        return Err(format!("output nests deeper than {DEPTH_MAX} levels: nest less"));
    }
    Ok(value)
}

/// `KEY=VALUE` and `KEY: VALUE`, one a line; blank lines say nothing, and the last of two equal keys counts.
fn key_value(text: &str) -> Result<Value, String> {
    let mut pairs = Map::new();
    for (line, number) in text.lines().zip(1_u32..).filter(|(line, _)| !line.trim().is_empty()) {
        let (key, value) = pair(line).ok_or_else(|| {
            format!("output line {number} is neither `KEY=VALUE` nor `KEY: VALUE`: `{}`", shown(line))
        })?;
        pairs.insert(key.to_owned(), value.into());
    }
    Ok(Value::Object(pairs))
}

/// The two parts of a line, whichever sign comes first.
fn pair(line: &str) -> Option<(&str, &str)> {
    let equals = line.find('=');
    let colon = line.find(": ").or_else(|| line.trim_end().strip_suffix(':').map(str::len));
    let (key, value) = match (equals, colon) {
        (Some(equals), colon) if colon.is_none_or(|colon| equals < colon) => line.split_at(equals),
        (_, Some(colon)) => line.split_at(colon),
        (_, None) => return None,
    };
    let key = key.trim();
    (!key.is_empty()).then_some((key, value[1..].trim()))
}

fn shown(line: &str) -> String {
    let end = line.char_indices().nth(80).map_or(line.len(), |(place, _)| place);
    if end < line.len() { format!("{}…", &line[..end]) } else { line.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn output(text: &str) -> Captured {
        Captured { head: text.into(), total: text.len() as u64, ..Captured::default() }
    }

    fn read(name: &str, text: &str) -> Result<Value, String> {
        Format::named(name).unwrap().read(&output(text))
    }

    #[test]
    fn lines_are_without_their_ends() {
        assert_eq!(read("lines", "a\n\n b \r\nc"), Ok(json!(["a", "", " b ", "c"])));
        assert_eq!(read("lines", "a\n"), Ok(json!(["a"])));
        assert_eq!(read("lines", "a\n\n"), Ok(json!(["a", ""])));
        assert_eq!(read("lines", ""), Ok(json!([])));
    }

    #[test]
    fn text_is_without_its_last_line_break() {
        assert_eq!(read("text", "a\nb\n"), Ok(json!("a\nb")));
        assert_eq!(read("text", "a\r\n"), Ok(json!("a")));
        assert_eq!(read("text", "a\n\n"), Ok(json!("a\n")));
        assert_eq!(read("text", ""), Ok(json!("")));
    }

    #[test]
    fn json_is_read_or_its_mistake_has_a_place() {
        assert_eq!(read("json", " {\"a\": [1, null]}\n"), Ok(json!({"a": [1, null]})));
        assert_eq!(read("json", "\u{feff}1"), Ok(json!(1)));
        let words = |text: &str| read("json", text).unwrap_err();
        assert_eq!(words("{\n  \"a\": x}"), "output is not JSON: expected value (line 2, column 8)");
        assert_eq!(words("1 2"), "output is not JSON: trailing characters (line 1, column 3)");
        assert_eq!(words(" \n"), "output is not JSON: it is empty (line 1, column 1)");
        assert!(words(&"[".repeat(1_000)).starts_with("output is not JSON: recursion limit exceeded"));
        let deep = format!("{}{}", "[".repeat(100), "]".repeat(100));
        assert_eq!(words(&deep), "output nests deeper than 64 levels: nest less");
    }

    #[test]
    fn keys_have_values() {
        let text = "A=1\nB: two words \n\nurl=http://x: y\r\ntime: a=b\nempty=\nnone:\nA=3\n";
        let wanted = json!({
            "A": "3", "B": "two words", "url": "http://x: y", "time": "a=b", "empty": "", "none": ""
        });
        assert_eq!(read("key_value", text), Ok(wanted));
        assert_eq!(read("key_value", ""), Ok(json!({})));
        let words = |text: &str| read("key_value", text).unwrap_err();
        assert_eq!(words("A=1\n12:30\n"), "output line 2 is neither `KEY=VALUE` nor `KEY: VALUE`: `12:30`");
        assert_eq!(words("=1"), "output line 1 is neither `KEY=VALUE` nor `KEY: VALUE`: `=1`");
        assert!(words(&"x".repeat(200)).ends_with("x…`"));
    }

    #[test]
    fn half_an_output_is_no_value() {
        let cut = |head: &str, tail: &str| Captured {
            head: head.into(),
            tail: tail.into(),
            dropped: 5,
            total: 20,
            lossy: false,
        };
        let read = |name, output: &Captured| Format::named(name).unwrap().read(output);
        assert_eq!(read("lines", &cut("a\nb\nc", "d\ne\n")), Ok(json!(["a", "b", "e"])));
        assert_eq!(read("lines", &cut("a", "d")), Ok(json!([])));
        assert_eq!(read("text", &cut("a", "d\n")), Ok(json!("a\n... 5 bytes left out ...\nd")));
        for name in ["json", "key_value"] {
            let words = read(name, &cut("1", "2")).unwrap_err();
            assert!(words.contains("5 of its 20 bytes were left out"), "{words}");
        }
        assert!(Format::named("xml").unwrap_err().contains("write lines, json, text or key_value"));
    }
}
