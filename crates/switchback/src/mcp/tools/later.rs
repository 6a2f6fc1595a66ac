//! Tools that other versions have: a name is known before its tool is, so that nobody is sent to another one instead.

use crate::settings::Toolset;

/// The names that are known, by group.
const LATER: [(Toolset, &[&str]); 2] =
    [(Toolset::States, &["run_workflow"]), (Toolset::Authoring, &["create_workflow", "get_workflow_schema"])];

/// The group of a tool that is not part of this version.
pub(super) fn toolset(name: &str) -> Option<Toolset> {
    LATER.iter().find(|(_, names)| names.contains(&name)).map(|(toolset, _)| *toolset)
}
