//! Our entry in a client's file: what it should say, and what one that is there says.

use super::client::Client;
use super::here::Here;
use serde_json::{Map, Value, json};
use std::path::Path;

/// The name under which clients know this server.
pub(crate) const NAME: &str = "switchback";

/// The command of this binary that a client starts.
const VERB: &str = "serve";

/// How an entry stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    /// There is none.
    Absent,
    /// It starts this binary.
    Current,
    /// It is ours, and starts something else; in words.
    Outdated(String),
    /// It has our name and is somebody else's; in words.
    Foreign(String),
}

/// Says how an entry stands.
pub(crate) fn judge(entry: Option<&Value>, here: &Here) -> Standing {
    let Some(entry) = entry else { return Standing::Absent };
    let Some(command) = entry.get("command").and_then(Value::as_str) else {
        let url = ["url", "httpUrl", "serverUrl"].iter().find_map(|key| entry.get(key)?.as_str());
        let what = url.map_or_else(|| "it has no command".to_owned(), |url| format!("it speaks to {url}"));
        return Standing::Foreign(what);
    };
    let line = command_words(entry).join(" ");
    let named_so = Path::new(command).file_name().and_then(|name| name.to_str());
    match here.is_this(command) {
        true if serves(entry) => Standing::Current,
        true => Standing::Outdated(line),
        false if named_so.is_some_and(|name| name.starts_with(NAME)) => Standing::Outdated(line),
        false => Standing::Foreign(format!("it starts {line}")),
    }
}

/// The command of an entry and its arguments.
pub(crate) fn command_words(entry: &Value) -> Vec<String> {
    let given = entry.get("args").and_then(Value::as_array).into_iter().flatten();
    let words = entry.get("command").into_iter().chain(given);
    words.map(|word| word.as_str().map_or_else(|| word.to_string(), str::to_owned)).collect()
}

/// Whether the arguments begin as ours do. Flags behind that are the person's.
fn serves(entry: &Value) -> bool {
    entry.get("args").and_then(|args| args.get(0)) == Some(&json!(VERB))
}

/// The entry that is wanted: a new one, or the one that is there with the right command. All else in it stays.
pub(crate) fn wanted(old: Option<&Value>, client: Client, here: &Here) -> Value {
    let command = json!(here.called.to_str());
    let Some(Value::Object(old)) = old else {
        let mut entry = Map::new();
        if client.names_the_way() {
            entry.insert("type".to_owned(), json!("stdio"));
        }
        entry.insert("command".to_owned(), command);
        entry.insert("args".to_owned(), json!([VERB]));
        return Value::Object(entry);
    };
    let mut entry = old.clone();
    entry.insert("command".to_owned(), command);
    if !serves(&Value::Object(old.clone())) {
        entry.insert("args".to_owned(), json!([VERB]));
    }
    Value::Object(entry)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn here() -> Here {
        Here::within(Path::new("/nowhere"))
    }

    #[test]
    fn entries_are_told_apart() {
        let judged = |entry: Value| judge(Some(&entry), &here());
        let old = json!({ "command": "/old/switchback", "args": ["serve"] });
        assert_eq!(judged(old), Standing::Outdated("/old/switchback serve".to_owned()));
        let foreign = json!({ "command": "npx", "args": ["-y", "switchback"] });
        assert_eq!(judged(foreign), Standing::Foreign("it starts npx -y switchback".to_owned()));
        let remote = json!({ "type": "http", "url": "http://127.0.0.1/mcp" });
        assert_eq!(judged(remote), Standing::Foreign("it speaks to http://127.0.0.1/mcp".to_owned()));
        assert_eq!(judged(json!("text")), Standing::Foreign("it has no command".to_owned()));
        assert_eq!(judge(None, &here()), Standing::Absent);
    }

    #[test]
    fn what_a_person_added_stays() {
        let old =
            json!({ "command": "/old/switchback", "args": ["serve", "--read-only"], "env": { "A": "b" } });
        let new = wanted(Some(&old), Client::Cursor, &here());
        let same = json!({
            "command": "/opt/switchback/bin/switchback", "args": ["serve", "--read-only"], "env": { "A": "b" },
        });
        assert_eq!(new, same);
        let other = json!({ "command": "/old/switchback", "args": ["mcp"] });
        assert_eq!(wanted(Some(&other), Client::Cursor, &here())["args"], json!(["serve"]));
    }
}
