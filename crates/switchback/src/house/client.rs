//! Whoever comes in: the folder they work in, what of their environment is passed on, and what they want to see.

use crate::settings::Settings;
use engine::library::Surroundings;
use engine::turn::{Home, usual_width};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

/// A client of the house.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Client {
    /// The project folder.
    pub(crate) workspace: PathBuf,
    /// What of the environment is passed on to commands, and what says where definitions lie.
    pub(crate) env: BTreeMap<String, String>,
    /// Which rights the files do not get that its commands make.
    #[serde(default)]
    pub(crate) umask: Option<u32>,
    /// What was asked for on the command line that started it.
    #[serde(default)]
    pub(crate) flags: Flags,
}

/// What a client asked for; the settings of its folder are the upper bound.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Flags {
    /// The groups of tools it wants.
    #[serde(default)]
    pub(crate) toolsets: Option<Vec<String>>,
    /// Only tools that change nothing.
    #[serde(default)]
    pub(crate) read_only: bool,
}

/// Names that say where definitions lie and what a client wants; they are read by the house and not passed on to commands.
const READ: [&str; 5] = [
    "WORKFLOWS_TEMPLATE_PATHS",
    "SWITCHBACK_TOOLSETS",
    "SWITCHBACK_READ_ONLY",
    "SWITCHBACK_CALL_SECONDS",
    "SWITCHBACK_SECRETS",
];

/// Where the data lies, so that the product means the same inside a command.
const DATA: &str = "SWITCHBACK_HOME";

impl Client {
    /// This process in a project folder.
    pub(crate) fn here(workspace: PathBuf, flags: Flags) -> Client {
        let readable = std::env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
        let known = readable.filter(|(name, _)| READ.contains(&name.as_str()) || Home::passes(name));
        let env = known
            .map(|(name, value)| if name == DATA { (name, absolute(value)) } else { (name, value) })
            .collect();
        Client { workspace, env, umask: umask(), flags }
    }

    /// What of its environment is passed on to commands.
    pub(crate) fn passed(&self) -> Arc<BTreeMap<String, String>> {
        Home::passed(self.env.iter().map(|(name, value)| (name.clone(), value.clone())))
    }

    /// The folder and environment of the runs it starts, how wide they are, and the other folders that its settings allow.
    pub(crate) fn home(&self, passed: Arc<BTreeMap<String, String>>, settings: &Settings) -> Home {
        let width = Some(settings.width.unwrap_or_else(usual_width));
        let home = Home {
            folder: self.workspace.clone(),
            env: passed,
            umask: self.umask,
            width,
            overdue_ms: settings.overdue_ms,
            ..Home::default()
        };
        home.with_roots(&settings.roots)
    }

    /// Where its definitions lie.
    pub(crate) fn surroundings(&self) -> Surroundings {
        Surroundings::of(self.workspace.clone(), |name| self.env.get(name).cloned())
    }
}

/// A path as it reads from every folder.
fn absolute(path: String) -> String {
    std::path::absolute(&path).ok().and_then(|path| path.into_os_string().into_string().ok()).unwrap_or(path)
}

/// The rights that this process takes from the files it makes. They can only be read by setting them.
fn umask() -> Option<u32> {
    let mask = rustix::process::umask(rustix::fs::Mode::from_raw_mode(0o077));
    rustix::process::umask(mask);
    Some(mask.as_raw_mode())
}
