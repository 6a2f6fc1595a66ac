//! Settings: what the files of a project and of its user allow, and what a client asked for within that.
//!
//! ```text
//!  ~/.config/switchback/switchback.toml ─┐
//!  ./.switchback/switchback.toml ────────┼── key by key, the later one wins ── Settings ── flags, environment: only less
//!  ./switchback.toml ────────────────────┘
//! ```
//! `read_only` holds if any file says so: a project cannot lift what its user has set. A file that cannot be read as
//! settings is told, and whoever asks decides what may go on without it; nothing here ends a process.

mod choose;
mod file;
mod seen;
mod tables;
mod terminal;
mod toolset;

#[cfg(test)]
mod tests;

pub(crate) use toolset::Toolset;

use crate::house::Client;
use engine::dialects::ReadOptions;
use engine::library::Surroundings;
use engine::terminals::Policy;
use file::File;
use seen::Seen;
use std::collections::BTreeSet;
use std::fmt;
use std::path::PathBuf;

/// The longest a call waits without a progress token, in seconds.
pub(crate) const CALL_SECONDS_MAX: u64 = 45;

/// The name of the server where nothing else is set.
const NAME: &str = "switchback";

/// The file in each of its places.
const FILE: &str = "switchback.toml";

/// What holds for one client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Settings {
    /// The name of the server.
    pub(crate) name: String,
    /// The longest a call waits without a progress token, in seconds.
    pub(crate) call_seconds: u64,
    /// Who says that only tools that change nothing are offered, if someone does.
    pub(crate) read_only: Option<String>,
    /// Folders beside that of a run in which its file blocks may read and write.
    pub(crate) roots: Vec<PathBuf>,
    /// Most blocks of one run that are carried out at once, if a file says so.
    pub(crate) width: Option<u32>,
    /// How long past its time an action is offered before it is called overdue, if a file says so.
    pub(crate) overdue_ms: Option<u64>,
    /// Most actions that are shown at once, if a file says so.
    pub(crate) pending_max: Option<u32>,
    /// The folder of the tools of `steps`, if a file names one.
    definitions: Option<PathBuf>,
    /// How definitions are read.
    reading: ReadOptions,
    /// What may be done in terminals.
    pub(crate) terminals: Policy,
    /// The groups of tools that are on.
    pub(crate) toolsets: BTreeSet<Toolset>,
    /// The variables of the client's environment that it lends as secrets.
    pub(crate) lends: BTreeSet<String>,
    /// The groups that a file allows, and the place where it says so.
    allowed: Option<(BTreeSet<Toolset>, String)>,
    /// What is wrong with files; what they were to forbid is not known.
    pub(crate) broken: Vec<Trouble>,
    /// What a client asked for and nobody understands.
    pub(crate) doubts: Vec<String>,
    /// What the files looked like.
    seen: Seen,
}

/// Something wrong with a settings file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Trouble {
    /// The file, and the line where one is known.
    pub(crate) place: String,
    /// What is wrong.
    pub(crate) message: String,
}

impl fmt::Display for Trouble {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}: {}", self.place, self.message)
    }
}

impl Settings {
    /// Reads what holds for a client. It waits for the disk.
    pub(crate) fn read(client: &Client) -> Settings {
        let mut all = File::default();
        let mut broken = Vec::new();
        let places = places(client);
        // First: a file that changes while it is read has changed since.
        let seen = Seen::of(places.iter().map(|(path, _)| path.clone()));
        for (path, shown) in &places {
            match file::read(path, shown) {
                Ok(file) => all = all.under(file),
                Err(troubles) => broken.extend(troubles),
            }
        }
        Settings { seen, ..choose::settings(all, broken, client) }
    }

    /// Where the definitions of a client lie, and how they are read.
    pub(crate) fn around(&self, client: &Client) -> Surroundings {
        let (definitions, reading, roots) = (self.definitions.clone(), self.reading, self.roots.clone());
        Surroundings { definitions, reading, roots, ..client.surroundings() }
    }

    /// Whether they still are what the files say. It waits for the disk.
    pub(crate) fn hold(&self) -> bool {
        // What could not be read may be readable by now without looking different.
        self.broken.is_empty() && self.seen.is_current()
    }

    /// What is wrong or doubtful, one sentence each.
    pub(crate) fn troubles(&self) -> Vec<String> {
        self.broken.iter().map(ToString::to_string).chain(self.doubts.iter().cloned()).collect()
    }

    /// The folders for files that cannot be used as things stand, one sentence each.
    pub(crate) fn absent_roots(&self) -> impl Iterator<Item = String> {
        self.roots.iter().filter(|root| !root.is_dir()).map(|root| {
            let why = if root.exists() { "which is no folder" } else { "and no folder is there" };
            format!("`roots` names {}, {why}", root.display())
        })
    }

    /// Why nothing may be changed, if a file is broken: what it was to forbid is not known until it is mended.
    pub(crate) fn refuse(&self) -> Option<String> {
        self.broken.first().map(|first| format!("the settings cannot be read: {first}"))
    }

    /// Why a group of tools is off, and what turns it on.
    pub(crate) fn why_off(&self, toolset: Toolset) -> String {
        let name = toolset.as_str();
        match &self.allowed {
            Some((allowed, place)) if !allowed.contains(&toolset) => {
                format!("{place} allows {}; add \"{name}\" there to turn it on", words(allowed))
            }
            _ => format!(
                "turn it on with `switchback serve --toolsets {name}`, SWITCHBACK_TOOLSETS={name}, or \
                 toolsets = [\"{name}\"] in {FILE}"
            ),
        }
    }
}

/// The files, those with less right first, each with its name for people.
fn places(client: &Client) -> Vec<(PathBuf, String)> {
    let around = client.surroundings();
    let config = around.config.clone().or_else(|| Some(around.home.as_ref()?.join(".config")));
    let user = config.map(|config| config.join("switchback").join(FILE));
    let project = [client.workspace.join(".switchback").join(FILE), client.workspace.join(FILE)];
    let shown = |path: PathBuf| (around.shown(&path), path);
    user.into_iter().chain(project).map(shown).map(|(shown, path)| (path, shown)).collect()
}

fn words(toolsets: &BTreeSet<Toolset>) -> String {
    match toolsets.is_empty() {
        true => "no group of tools".to_owned(),
        false => {
            let names: Vec<&str> = toolsets.iter().map(|one| one.as_str()).collect();
            format!("only {}", names.join(", "))
        }
    }
}
