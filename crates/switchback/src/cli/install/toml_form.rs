//! Changes a TOML text at the one place that is meant; comments, order and layout stay.

use super::jsonc::Mistake;
use serde_json::{Map, Value};
use toml_edit::{Array, DocumentMut, InlineTable, Item, Table, TableLike, value};

/// The mark that some editors begin a file with.
const MARK: &str = "\u{feff}";

/// The values of a text.
pub(super) fn read(text: &str) -> Result<Value, Mistake> {
    let failed = |error: toml::de::Error| Mistake {
        at: error.span().map_or(0, |span| span.start),
        message: error.message().to_owned(),
    };
    toml::from_str::<Value>(text).map_err(failed)
}

/// Puts an entry under `key`, `name`. Members of an entry that is there are changed one by one.
pub(super) fn set(text: &str, key: &str, name: &str, entry: &Map<String, Value>) -> Result<String, Mistake> {
    let failed = |error: toml_edit::TomlError| Mistake {
        at: error.span().map_or(0, |span| span.start),
        message: error.message().to_owned(),
    };
    let mut document: DocumentMut = text.parse().map_err(failed)?;
    let servers = document.entry(key).or_insert_with(|| {
        let mut table = Table::new();
        table.set_implicit(true);
        Item::Table(table)
    });
    let is_inline = servers.is_inline_table();
    let no_table = |what: &str| Mistake { at: 0, message: format!("`{what}` is no table") };
    let servers = servers.as_table_like_mut().ok_or_else(|| no_table(key))?;
    match servers.get_mut(name) {
        Some(old) => {
            let old = old.as_table_like_mut().ok_or_else(|| no_table(&format!("{key}.{name}")))?;
            change(old, entry);
        }
        None if is_inline => {
            let mut table = InlineTable::new();
            change(&mut table, entry);
            servers.insert(name, value(table));
        }
        None => {
            let mut table = Table::new();
            change(&mut table, entry);
            servers.insert(name, Item::Table(table));
        }
    }
    // The mark at the beginning is read over, and would be lost.
    let mark = if text.starts_with(MARK) { MARK } else { "" };
    let new = format!("{mark}{document}");
    Ok(if text.contains("\r\n") { new.replace("\r\n", "\n").replace('\n', "\r\n") } else { new })
}

fn change(table: &mut dyn TableLike, entry: &Map<String, Value>) {
    for (key, wanted) in entry {
        let Some(mut new) = plain(wanted) else { continue };
        match table.get_mut(key) {
            Some(Item::Value(old)) => {
                if !is_same(old, &new) {
                    *new.decor_mut() = old.decor().clone();
                    *old = new;
                }
            }
            _ => {
                table.insert(key, value(new));
            }
        }
    }
}

/// Whether two say the same, however each is written.
fn is_same(one: &toml_edit::Value, other: &toml_edit::Value) -> bool {
    match (one.as_array(), other.as_array()) {
        (Some(one), Some(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| is_same(one, other))
        }
        (None, None) => one.as_str().is_some() && one.as_str() == other.as_str(),
        _ => false,
    }
}

/// A text or a list of texts. Nothing else is ever changed in an entry.
fn plain(value: &Value) -> Option<toml_edit::Value> {
    match value {
        Value::String(text) => Some(text.as_str().into()),
        Value::Array(items) => {
            let items: Option<Array> = items.iter().map(Value::as_str).collect();
            Some(items?.into())
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn edited(text: &str) -> String {
        let entry = json!({ "command": "/b/switchback", "args": ["serve"] });
        let new = set(text, "mcp_servers", "switchback", entry.as_object().unwrap()).unwrap();
        assert_eq!(set(&new, "mcp_servers", "switchback", entry.as_object().unwrap()).unwrap(), new);
        assert_eq!(read(&new).unwrap()["mcp_servers"]["switchback"]["command"], "/b/switchback");
        new
    }

    const ENTRY: &str = "[mcp_servers.switchback]\ncommand = \"/b/switchback\"\nargs = [\"serve\"]\n";

    #[test]
    fn a_table_comes_behind_what_is_there() {
        assert_eq!(edited(""), ENTRY);
        let text = "# mine\nmodel = \"x\"   # fast\n\n[mcp_servers.docs]\ncommand = 'npx' # odd\n";
        assert_eq!(edited(text), format!("{text}\n{ENTRY}"));
        let others = "[mcp_servers.docs]\ncommand = 'npx'\n\n[profiles.a]\nmodel = 'x'\n";
        assert_eq!(
            edited(others),
            format!("[mcp_servers.docs]\ncommand = 'npx'\n\n{ENTRY}\n[profiles.a]\nmodel = 'x'\n")
        );
    }

    #[test]
    fn inline_and_dotted_tables_are_kept() {
        let inline = "mcp_servers = { docs = { command = \"npx\" } } # all\n";
        assert!(
            edited(inline).starts_with("mcp_servers = { docs = { command = \"npx\" }"),
            "{}",
            edited(inline)
        );
        let dotted = "mcp_servers.docs.command = \"npx\"\n";
        assert!(edited(dotted).starts_with(dotted), "{}", edited(dotted));
    }

    #[test]
    fn of_an_older_entry_only_what_differs_is_changed() {
        let text = "[mcp_servers.switchback]\n# which\ncommand = \"/old\" # path\nargs = [ 'serve' ]\nenabled = true\n";
        let new = edited(text);
        assert!(
            new.contains("# which\ncommand = \"/b/switchback\" # path\n") && new.contains("enabled = true"),
            "{new}"
        );
        assert!(new.contains("args = [ 'serve' ]\n"), "{new}");
    }

    #[test]
    fn a_list_that_says_the_same_stays_as_it_is_written() {
        let entry = json!({ "command": "/b/switchback", "args": ["serve", "--read-only"] });
        let written = "args = [\"serve\",\"--read-only\"] # mine\n";
        let old = format!("[mcp_servers.switchback]\ncommand = \"/old\"\n{written}");
        let new = set(&old, "mcp_servers", "switchback", entry.as_object().unwrap()).unwrap();
        assert_eq!(new, old.replace("/old", "/b/switchback"));
    }

    #[test]
    fn the_mark_at_the_beginning_stays() {
        assert_eq!(edited("\u{feff}a = 1\n"), format!("\u{feff}a = 1\n\n{ENTRY}"));
        assert_eq!(edited("\u{feff}"), format!("\u{feff}{ENTRY}"));
    }

    #[test]
    fn line_ends_stay() {
        assert_eq!(edited("a = 1\r\n"), format!("a = 1\n\n{ENTRY}").replace('\n', "\r\n"));
    }

    #[test]
    fn mistakes_have_their_place() {
        assert_eq!(read("a = 1\nb = = 2\n").unwrap_err().at, 10);
        let refused = set("mcp_servers = 1\n", "mcp_servers", "switchback", &Map::new()).unwrap_err();
        assert_eq!(refused.message, "`mcp_servers` is no table");
    }
}
