//! One settings file: its keys, and a place for every mistake.

use super::tables::Tables;
use super::terminal::Terminal;
use super::{CALL_SECONDS_MAX, Toolset, Trouble};
use engine::dialects::near::near;
use engine::secrets::is_name;
use rustix::fs::OFlags;
use std::fs::OpenOptions;
use std::io::{ErrorKind, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// The largest file that is read.
const BYTES_MAX: u64 = 64 * 1024;

/// The longest name of a server.
const NAME_CHARS_MAX: usize = 32;

const KEYS: [&str; 12] = [
    "call_seconds",
    "files",
    "mcp_server",
    "name",
    "read_only",
    "run",
    "secrets",
    "steps",
    "reactive",
    "temporal",
    "terminal",
    "toolsets",
];

/// The most folders that file blocks may use beside that of their run.
const ROOTS_MAX: usize = 32;

/// What a file says. Places are there for what people are told later.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct File {
    pub(super) name: Option<String>,
    pub(super) call_seconds: Option<u64>,
    pub(super) read_only: Option<String>,
    pub(super) toolsets: Option<(Vec<Toolset>, String)>,
    /// Folders beside that of a run in which file blocks may read and write.
    pub(super) roots: Option<Vec<String>>,
    pub(super) lends: Option<Vec<String>>,
    /// What its tables say.
    pub(super) tables: Tables,
    /// What it says of terminals.
    pub(super) terminal: Terminal,
}

impl File {
    /// What holds where another file, with more right, says something too.
    pub(super) fn under(self, over: File) -> File {
        File {
            name: over.name.or(self.name),
            call_seconds: over.call_seconds.or(self.call_seconds),
            read_only: over.read_only.or(self.read_only),
            toolsets: over.toolsets.or(self.toolsets),
            roots: over.roots.or(self.roots),
            lends: over.lends.or(self.lends),
            tables: self.tables.under(over.tables),
            terminal: self.terminal.under(over.terminal),
        }
    }
}

/// Reads a file; one that is not there says nothing.
pub(super) fn read(path: &Path, shown: &str) -> Result<File, Vec<Trouble>> {
    let trouble = |message: String| vec![Trouble { place: shown.to_owned(), message }];
    // What is no file is not waited for.
    let flags = OFlags::NONBLOCK.bits().cast_signed();
    let file = match OpenOptions::new().read(true).custom_flags(flags).open(path) {
        Ok(file) => file,
        // A file where a folder was expected holds no settings either.
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return match path.symlink_metadata() {
                Ok(_) => Err(trouble("it is a link to a file that is not there".to_owned())),
                Err(_) => Ok(File::default()),
            };
        }
        Err(error) => return Err(trouble(format!("it cannot be read: {error}"))),
    };
    if !file.metadata().is_ok_and(|meta| meta.is_file()) {
        return Err(trouble("it is not a file".to_owned()));
    }
    let mut bytes = Vec::new();
    if let Err(error) = file.take(BYTES_MAX + 1).read_to_end(&mut bytes) {
        return Err(trouble(format!("it cannot be read: {error}")));
    }
    if bytes.len() as u64 > BYTES_MAX {
        return Err(trouble(format!("it is larger than {BYTES_MAX} bytes")));
    }
    match String::from_utf8(bytes) {
        Ok(text) => parse(&text, shown),
        Err(_) => Err(trouble("it is not UTF-8 text".to_owned())),
    }
}

/// Reads a text.
pub(super) fn parse(text: &str, shown: &str) -> Result<File, Vec<Trouble>> {
    let at = |offset: usize| {
        let line = text.as_bytes()[..offset.min(text.len())].iter().filter(|byte| **byte == b'\n').count();
        format!("{shown}:{}", line + 1)
    };
    let table = DeTable::parse(text).map_err(|error| {
        let place = error.span().map_or_else(|| shown.to_owned(), |span| at(span.start));
        vec![Trouble { place, message: error.message().lines().collect::<Vec<_>>().join("; ") }]
    })?;
    let (mut file, mut troubles) = (File::default(), Vec::new());
    for (key, value) in table.get_ref() {
        let start = key.span().start;
        if let Err(mistake) = take(&mut file, key.get_ref(), value.get_ref(), &at(start)) {
            troubles.push((mistake.start.unwrap_or(start), mistake.message));
        }
    }
    troubles.sort();
    let troubles = troubles.into_iter().map(|(start, message)| Trouble { place: at(start), message });
    let troubles: Vec<Trouble> = troubles.collect();
    if troubles.is_empty() { Ok(file) } else { Err(troubles) }
}

/// What is wrong with a setting.
pub(super) struct Mistake {
    message: String,
    /// Where, if that is not where the setting begins: in a table, at one of its keys.
    start: Option<usize>,
}

impl From<String> for Mistake {
    fn from(message: String) -> Self {
        Mistake { message, start: None }
    }
}

/// A mistake at a key of a table.
pub(super) fn at_key<K>(key: &Spanned<K>, message: String) -> Mistake {
    Mistake { message, start: Some(key.span().start) }
}

fn take(file: &mut File, key: &str, value: &DeValue<'_>, place: &str) -> Result<(), Mistake> {
    match key {
        "name" => file.name = Some(name(value)?),
        "call_seconds" => file.call_seconds = Some(seconds(value)?),
        "read_only" => match value {
            DeValue::Boolean(true) => file.read_only = Some(place.to_owned()),
            DeValue::Boolean(false) => {}
            _ => return Err("`read_only` is true or false".to_owned().into()),
        },
        "toolsets" => file.toolsets = Some((toolsets(value)?, place.to_owned())),
        "files" => files(file, value)?,
        "run" | "steps" | "reactive" | "mcp_server" | "temporal" => file.tables.take(key, value)?,
        "terminal" => file.terminal.take(value, place)?,
        "secrets" => file.lends = Some(lends(value)?),
        key => return Err(unknown(key).into()),
    }
    Ok(())
}

/// The variables of a client's environment that may be used as secrets: `[secrets] env = ["TOKEN"]`.
fn lends(value: &DeValue<'_>) -> Result<Vec<String>, Mistake> {
    let wrong = || "`secrets` is a table with one list of names: [secrets] env = [\"TOKEN\"]".to_owned();
    let DeValue::Table(table) = value else { return Err(wrong().into()) };
    let mut lent = Vec::new();
    for (key, value) in table {
        let DeValue::Array(items) = value.get_ref() else { return Err(at_key(key, wrong())) };
        let names = items.iter().map(|item| item.get_ref().as_str().map(str::to_owned));
        let names: Option<Vec<String>> = names.collect();
        lent = names.filter(|_| key.get_ref() == "env").ok_or_else(|| at_key(key, wrong()))?;
        if let Some(name) = lent.iter().find(|name| !is_name(name)) {
            let message = format!("`{}` cannot be the name of a secret", super::choose::cut(name));
            return Err(at_key(key, message));
        }
    }
    Ok(lent)
}

fn name(value: &DeValue<'_>) -> Result<String, String> {
    let inner = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-');
    let good = |name: &str| {
        name.starts_with(|first: char| first.is_ascii_alphabetic())
            && name.chars().all(inner)
            && name.len() <= NAME_CHARS_MAX
    };
    match value.as_str().filter(|name| good(name)) {
        Some(name) => Ok(name.to_owned()),
        None => Err(format!(
            "`name` is a text that begins with a letter and goes on with letters, digits, `_` and `-`, at most \
             {NAME_CHARS_MAX} in all"
        )),
    }
}

fn seconds(value: &DeValue<'_>) -> Result<u64, String> {
    let number = match value {
        DeValue::Integer(number) => u64::from_str_radix(number.as_str(), number.radix()).ok(),
        _ => None,
    };
    let good = number.filter(|number| (1..=CALL_SECONDS_MAX).contains(number));
    good.ok_or_else(|| format!("`call_seconds` is a whole number from 1 to {CALL_SECONDS_MAX}"))
}

fn toolsets(value: &DeValue<'_>) -> Result<Vec<Toolset>, String> {
    let wrong = || "`toolsets` is a list of names: toolsets = [\"blocks\", \"terminal\"]".to_owned();
    let DeValue::Array(items) = value else { return Err(wrong()) };
    let names: Option<Vec<&str>> = items.iter().map(|item| item.get_ref().as_str()).collect();
    let (found, unknown) = Toolset::named(names.ok_or_else(wrong)?.into_iter());
    if unknown.is_empty() { Ok(found) } else { Err(unknown.join("; ")) }
}

fn files(file: &mut File, value: &DeValue<'_>) -> Result<(), Mistake> {
    let DeValue::Table(table) = value else {
        return Err("`files` is a table: [files], and `roots = [...]` below it".to_owned().into());
    };
    for (key, value) in table {
        let roots = match key.get_ref().as_ref() {
            "roots" => roots(value.get_ref()),
            other => Err(format!("there is no setting `files.{other}`; there is `files.roots`")),
        };
        file.roots = Some(roots.map_err(|message| at_key(key, message))?);
    }
    Ok(())
}

fn roots(value: &DeValue<'_>) -> Result<Vec<String>, String> {
    let wrong = || "`roots` is a list of folders: roots = [\"../shared\", \"~/notes\"]".to_owned();
    let DeValue::Array(items) = value else { return Err(wrong()) };
    let named: Option<Vec<&str>> = items.iter().map(|item| item.get_ref().as_str()).collect();
    let named = named.filter(|all| all.iter().all(|one| !one.trim().is_empty())).ok_or_else(wrong)?;
    if let Some(one) = named.iter().find(|one| one.contains('\0')) {
        return Err(format!("`roots` names {one:?}: no folder has a NUL byte in its name"));
    }
    if named.len() > ROOTS_MAX {
        return Err(format!("`roots` names {} folders, and {ROOTS_MAX} are the most", named.len()));
    }
    Ok(named.into_iter().map(str::to_owned).collect())
}

fn unknown(key: &str) -> String {
    match near(key, KEYS).first() {
        Some(near) => format!("there is no setting `{key}`; did you mean `{near}`?"),
        None => format!("there is no setting `{key}`; there are {}", KEYS.join(", ")),
    }
}
