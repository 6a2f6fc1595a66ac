//! The table `[terminal]`: what may be done in terminals.
//!
//! ```toml
//! [terminal]
//! shells = ["bash", "python3"]
//! deny = [{ pattern = "git push.*--force", reason = "history is shared" }]
//! read_only = false
//! sessions_max = 50
//! record = true
//! ```
//! What one file forbids another does not allow: of `shells` only what all of them name is opened, all of `deny` holds, and
//! `read_only` holds wherever it is true.

use super::file::{Mistake, at_key};
use super::tables::{flag, number, unknown};
use engine::terminals::{Deny, Policy, SESSIONS_MAX_MOST};
use toml::de::{DeTable, DeValue};

const KEYS: [&str; 5] = ["shells", "deny", "read_only", "sessions_max", "record"];

/// The most patterns of one file.
const DENY_MAX: usize = 100;

/// What a file says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Terminal {
    shells: Option<Vec<String>>,
    deny: Vec<Deny>,
    read_only: Option<String>,
    sessions_max: Option<u32>,
    record: Option<bool>,
}

impl Terminal {
    /// What holds where another file, with more right, says something too.
    pub(super) fn under(self, over: Terminal) -> Terminal {
        let shells = match (self.shells, over.shells) {
            (Some(one), Some(other)) => Some(one.into_iter().filter(|shell| other.contains(shell)).collect()),
            (one, other) => other.or(one),
        };
        Terminal {
            shells,
            deny: self.deny.into_iter().chain(over.deny).collect(),
            read_only: over.read_only.or(self.read_only),
            sessions_max: over.sessions_max.or(self.sessions_max),
            record: over.record.or(self.record),
        }
    }

    /// What may be done; who says that nothing at all is changed says so of terminals too.
    pub(super) fn policy(self, read_only: Option<String>) -> Policy {
        let usual = Policy::default();
        Policy {
            shells: self.shells,
            deny: self.deny,
            read_only: self.read_only.or(read_only),
            sessions_max: self.sessions_max.unwrap_or(usual.sessions_max),
            records: self.record.unwrap_or(usual.records),
        }
    }

    /// Takes the table in.
    pub(super) fn take(&mut self, value: &DeValue<'_>, place: &str) -> Result<(), Mistake> {
        let DeValue::Table(table) = value else {
            return Err("`terminal` is a table: [terminal], and `shells = ...` below it".to_owned().into());
        };
        for (key, value) in table {
            let taken = self.set(key.get_ref(), value.get_ref(), place);
            taken.map_err(|message| at_key(key, message))?;
        }
        Ok(())
    }

    fn set(&mut self, key: &str, value: &DeValue<'_>, place: &str) -> Result<(), String> {
        match key {
            "shells" => self.shells = Some(shells(value)?),
            "deny" => self.deny = deny(value)?,
            "read_only" => {
                let says = format!(
                    "read_only = true under [terminal] in {}",
                    place.split(':').next().unwrap_or(place)
                );
                self.read_only = flag(key, value)?.then_some(says);
            }
            "sessions_max" => self.sessions_max = Some(number(key, value, SESSIONS_MAX_MOST)?),
            "record" => self.record = Some(flag(key, value)?),
            other => return Err(unknown("terminal", other, &KEYS)),
        }
        Ok(())
    }
}

fn shells(value: &DeValue<'_>) -> Result<Vec<String>, String> {
    let wrong = || "`shells` is a list of programs: shells = [\"bash\", \"python3\"]".to_owned();
    let DeValue::Array(items) = value else { return Err(wrong()) };
    let names = items.iter().map(|item| item.get_ref().as_str().filter(|name| !name.is_empty()));
    names.map(|name| name.map(str::to_owned)).collect::<Option<_>>().ok_or_else(wrong)
}

fn deny(value: &DeValue<'_>) -> Result<Vec<Deny>, String> {
    let wrong = || {
        "`deny` is a list of patterns with reasons: deny = [{ pattern = \"git push\", reason = \"a person does that\" }]"
            .to_owned()
    };
    let DeValue::Array(items) = value else { return Err(wrong()) };
    if items.len() > DENY_MAX {
        return Err(format!("`deny` has {} patterns, and {DENY_MAX} are the most", items.len()));
    }
    let one = |table: &DeTable<'_>| {
        let text =
            |key: &str| Some(table.get(key)?.get_ref().as_str().filter(|text| !text.is_empty())?.to_owned());
        let (Some(pattern), Some(reason), 2) = (text("pattern"), text("reason"), table.len()) else {
            return Err(wrong());
        };
        Deny::new(&pattern, reason)
            .map_err(|error| format!("`deny` has `{}`: {error}", super::choose::cut(&pattern)))
    };
    let each = items.iter().map(|item| match item.get_ref() {
        DeValue::Table(table) => one(table),
        _ => Err(wrong()),
    });
    each.collect()
}
