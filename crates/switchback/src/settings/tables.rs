//! The settings that stand in tables: how runs are carried out, how definitions of `steps` and `reactive` are read, and the two
//! tables of the source of `steps`.
//!
//! ```toml
//! [run]
//! width = 8
//! overdue = "15m"
//! [steps]
//! infer_needs_state = true
//! server_shell = true
//! [reactive]
//! hand_out = ["shell_command", "state_update"]
//! [mcp_server]
//! workflow_definitions = "./workflows/"
//! max_pending_actions = 50
//! [temporal]
//! host = "localhost:7233"
//! ```

use super::file::{Mistake, at_key};
use engine::dialects::HandOut;
use engine::dialects::near::near;
use engine::dialects::steps::PENDING_MAX;
use engine::turn::WIDTH_MAX;
use toml::de::DeValue;

/// The longest time that can be set.
const TIME_MS_MAX: u64 = 365 * 24 * 60 * 60 * 1000;

/// What tables say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Tables {
    /// Most blocks of one run at once.
    pub(super) width: Option<u32>,
    /// How long past its time an action is offered before it is called overdue.
    pub(super) overdue_ms: Option<u64>,
    /// Steps may read what they use, declared or not.
    pub(super) infer_needs_state: Option<bool>,
    /// Commands of steps are carried out by the server.
    pub(super) server_shell: Option<bool>,
    /// Which steps of `reactive` are handed to the agent that the server would carry out.
    pub(super) hand_out: Option<HandOut>,
    /// The folder of the tools of `steps`.
    pub(super) definitions: Option<String>,
    /// Most actions that are shown at once.
    pub(super) pending_max: Option<u32>,
}

/// The keys of each table.
const KEYS: [(&str, &[&str]); 5] = [
    ("run", &["width", "overdue"]),
    ("steps", &["infer_needs_state", "server_shell"]),
    ("reactive", &["hand_out"]),
    ("mcp_server", &["workflow_definitions", "max_pending_actions", "yaml_cache_ttl", "worker_threads"]),
    ("temporal", &["host", "namespace", "task_queue"]),
];

impl Tables {
    /// What holds where another file, with more right, says something too.
    pub(super) fn under(self, over: Tables) -> Tables {
        Tables {
            width: over.width.or(self.width),
            overdue_ms: over.overdue_ms.or(self.overdue_ms),
            infer_needs_state: over.infer_needs_state.or(self.infer_needs_state),
            server_shell: over.server_shell.or(self.server_shell),
            hand_out: over.hand_out.or(self.hand_out),
            definitions: over.definitions.or(self.definitions),
            pending_max: over.pending_max.or(self.pending_max),
        }
    }

    /// Takes a table in.
    pub(super) fn take(&mut self, name: &str, value: &DeValue<'_>) -> Result<(), Mistake> {
        let keys = KEYS.iter().find(|(table, _)| *table == name).map_or(&[][..], |(_, keys)| keys);
        let DeValue::Table(table) = value else {
            let first = keys.first().unwrap_or(&"");
            return Err(format!("`{name}` is a table: [{name}], and `{first} = ...` below it").into());
        };
        for (key, value) in table {
            let word = key.get_ref().as_ref();
            let taken = match keys.contains(&word) {
                true => self.set((name, word), value.get_ref()),
                false => Err(unknown(name, word, keys)),
            };
            taken.map_err(|message| at_key(key, message))?;
        }
        Ok(())
    }

    fn set(&mut self, key: (&str, &str), value: &DeValue<'_>) -> Result<(), String> {
        let name = key.1;
        match key {
            ("run", "width") => self.width = Some(number(name, value, WIDTH_MAX)?),
            ("run", "overdue") => self.overdue_ms = Some(time(name, value)?),
            ("steps", "infer_needs_state") => self.infer_needs_state = Some(flag(name, value)?),
            ("steps", "server_shell") => self.server_shell = Some(flag(name, value)?),
            ("reactive", "hand_out") => self.hand_out = Some(hand_out(name, value)?),
            ("mcp_server", "workflow_definitions") => self.definitions = Some(text(name, value)?),
            ("mcp_server", "max_pending_actions") => {
                self.pending_max = Some(number(name, value, PENDING_MAX)?)
            }
            // Definitions are looked at with every call, and work is shared out by need: what these two of the source say holds
            // whatever they say.
            ("mcp_server", _) => drop(number(name, value, u32::MAX)?),
            // Known by name and checked; nothing uses them until runs can live in Temporal.
            _ => drop(text(name, value)?),
        }
        Ok(())
    }
}

pub(super) fn unknown(table: &str, key: &str, keys: &[&str]) -> String {
    match near(key, keys.iter().copied()).first() {
        Some(near) => format!("there is no setting `{table}.{key}`; did you mean `{table}.{near}`?"),
        None => format!("there is no setting `{table}.{key}`; there are {}", keys.join(", ")),
    }
}

pub(super) fn number(name: &str, value: &DeValue<'_>, max: u32) -> Result<u32, String> {
    let number = match value {
        DeValue::Integer(number) => u32::from_str_radix(number.as_str(), number.radix()).ok(),
        _ => None,
    };
    let good = number.filter(|number| (1..=max).contains(number));
    good.ok_or_else(|| format!("`{name}` is a whole number from 1 to {max}"))
}

pub(super) fn flag(name: &str, value: &DeValue<'_>) -> Result<bool, String> {
    match value {
        DeValue::Boolean(flag) => Ok(*flag),
        _ => Err(format!("`{name}` is true or false")),
    }
}

/// The types of steps that are handed out.
fn hand_out(name: &str, value: &DeValue<'_>) -> Result<HandOut, String> {
    let wrong = || format!("`{name}` is a list of `shell_command` and `state_update`");
    let DeValue::Array(types) = value else { return Err(wrong()) };
    let mut all = HandOut::default();
    for word in types.iter().map(|one| one.get_ref().as_str()) {
        match word {
            Some("shell_command") => all.shell_command = true,
            Some("state_update") => all.state_update = true,
            _ => return Err(wrong()),
        }
    }
    Ok(all)
}

fn text(name: &str, value: &DeValue<'_>) -> Result<String, String> {
    let text = value.as_str().filter(|text| !text.trim().is_empty());
    text.map(str::to_owned).ok_or_else(|| format!("`{name}` is a text"))
}

/// A time with its unit, or a number of seconds.
fn time(name: &str, value: &DeValue<'_>) -> Result<u64, String> {
    const UNITS: [(&str, u64); 5] =
        [("ms", 1), ("s", 1_000), ("m", 60_000), ("h", 3_600_000), ("d", 86_400_000)];
    let wrong =
        || format!("`{name}` is a time with its unit (\"500ms\", \"30s\", \"5m\", \"2h\"), at most a year");
    let ms = match value {
        DeValue::Integer(_) => number(name, value, u32::MAX).ok().map(|seconds| u64::from(seconds) * 1000),
        _ => value.as_str().and_then(|text| {
            let digits = text.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
            let (_, unit) = UNITS.iter().find(|(unit, _)| *unit == &text[digits.len()..])?;
            digits.trim().parse::<u64>().ok()?.checked_mul(*unit)
        }),
    };
    ms.filter(|ms| (1..=TIME_MS_MAX).contains(ms)).ok_or_else(wrong)
}
