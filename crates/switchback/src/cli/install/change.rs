//! What a client's file says, and the change that it needs: worked out, checked, and not yet made.
//!
//! Invariant: a change adds or mends our entry and nothing else. The new text is read again and compared before
//! anybody may write it.

use super::client::{Client, Form};
use super::entry::{self, NAME, Standing};
use super::here::Here;
use super::jsonc::{self, Mistake};
use super::{json_edit, toml_form};
use serde_json::{Map, Value};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// A client's file as it was found.
#[derive(Clone, Debug)]
pub(crate) struct File {
    /// Where the client looks for it.
    pub(crate) path: PathBuf,
    /// Its text; none if there is no file.
    pub(crate) text: Option<String>,
    /// Our entry in it.
    pub(crate) entry: Option<Value>,
    /// How our entry stands.
    pub(crate) standing: Standing,
    /// How an entry for the project folder stands that the same file holds beside it, and that counts for more.
    pub(crate) nearer: Standing,
}

/// Why a file was left alone.
#[derive(Debug)]
pub(crate) enum Trouble {
    /// It could not be read.
    Io(io::Error),
    /// It is not text.
    NotText,
    /// It cannot be understood; the line and the column begin with one.
    Mistake { line: usize, column: usize, message: String },
    /// The change would change something else as well: ours to mend.
    Unsafe,
}

impl File {
    /// Reads a client's file. One that is not there has no entry.
    pub(crate) fn read(client: Client, path: &Path, here: &Here) -> Result<File, Trouble> {
        // What is no file is not waited for.
        if fs::metadata(path).is_ok_and(|found| !found.is_file()) {
            return Err(Trouble::Io(io::Error::other("it is no regular file")));
        }
        let text = match fs::read(path) {
            Ok(bytes) => Some(String::from_utf8(bytes).map_err(|_| Trouble::NotText)?),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(Trouble::Io(error)),
        };
        let whole = values(client, text.as_deref().unwrap_or_default())?;
        let entry = whole.get(client.key()).and_then(|servers| servers.get(NAME)).cloned();
        let standing = entry::judge(entry.as_ref(), here);
        let nearer = entry::judge(of_project(&whole, client, here), here);
        Ok(File { path: path.to_owned(), text, entry, standing, nearer })
    }

    /// The text that the file should have.
    pub(crate) fn changed(&self, client: Client, here: &Here) -> Result<String, Trouble> {
        self.holding(client, &entry::wanted(self.entry.as_ref(), client, here))
    }

    /// The text of the file with this entry in it.
    pub(super) fn holding(&self, client: Client, entry: &Value) -> Result<String, Trouble> {
        let old = self.text.as_deref().unwrap_or_default();
        let members = entry.as_object().cloned().unwrap_or_default();
        let made = match client.form() {
            Form::Json => json_edit::set(old, client.key(), NAME, &members),
            Form::Toml => toml_form::set(old, client.key(), NAME, &members),
        };
        let new = made.map_err(|mistake| placed(old, mistake))?;
        let meant = with(values(client, old)?, client.key(), entry.clone());
        match values(client, &new) {
            Ok(values) if values == meant => Ok(new),
            _ => Err(Trouble::Unsafe),
        }
    }
}

/// Claude Code keeps what was added for one folder (`claude mcp add` without a scope) in the file of the person.
fn of_project<'a>(whole: &'a Value, client: Client, here: &Here) -> Option<&'a Value> {
    let project = (client == Client::ClaudeCode).then(|| here.workspace.to_str())??;
    whole.get("projects")?.get(project)?.get(client.key())?.get(NAME)
}

/// The values of a text; those of an empty one are none.
fn values(client: Client, text: &str) -> Result<Value, Trouble> {
    let read = match client.form() {
        Form::Toml => toml_form::read(text),
        Form::Json => jsonc::read(text).and_then(|node| {
            let Some(node) = node else { return Ok(Value::Object(Map::new())) };
            let root = json_edit::object_of(&node, "the document")?;
            if let Some(servers) = root.get(client.key()) {
                json_edit::object_of(servers, &format!("`{}`", client.key()))?;
            }
            Ok(node.value())
        }),
    };
    read.map_err(|mistake| placed(text, mistake))
}

/// The same values with our entry in them.
fn with(mut whole: Value, key: &str, entry: Value) -> Value {
    if let Value::Object(root) = &mut whole {
        let servers = root.entry(key).or_insert_with(|| Value::Object(Map::new()));
        if let Value::Object(servers) = servers {
            servers.insert(NAME.to_owned(), entry);
        }
    }
    whole
}

fn placed(text: &str, mistake: Mistake) -> Trouble {
    let before = text.get(..mistake.at).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    Trouble::Mistake { line, column, message: mistake.message }
}
