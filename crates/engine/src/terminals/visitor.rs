//! Whoever asks something of terminals: whose workspace, with what environment, and what they may do.

use super::policy::Policy;
use crate::turn::Home;

/// A caller.
#[derive(Debug, Clone)]
pub struct Visitor {
    /// The workspace and what of its environment is passed on. Sessions belong to its folder.
    pub home: Home,
    /// A name for people: the client, or the workflow.
    pub by: String,
    /// The run, if one asks.
    pub run: Option<String>,
    /// What may be done.
    pub policy: Policy,
}

impl Visitor {
    pub(super) fn workspace(&self) -> String {
        self.home.folder.to_string_lossy().into_owned()
    }
}
