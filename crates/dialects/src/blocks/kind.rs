//! The types of blocks: what each is called, takes and gives.
//!
//! This version has `Shell` and `RenderTemplate`. A type is known here by its words alone; how its inputs are read is in a
//! file of its own.

/// A type of blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BlockType {
    /// Runs a command in a POSIX shell.
    Shell,
    /// Renders a Jinja template.
    RenderTemplate,
}

/// Types of the dialect that this version does not have.
const LATER: [&str; 8] = [
    "ExecuteWorkflow",
    "CreateFile",
    "ReadFile",
    "Prompt",
    "CreateWorktree",
    "ReadJSONState",
    "WriteJSONState",
    "MergeJSONState",
];

/// What a Shell block gives, each with its kind as a person says it.
const SHELL_OUTPUTS: [(&str, &str); 4] =
    [("stdout", "text"), ("stderr", "text"), ("exit_code", "a number"), ("duration_ms", "a number")];

/// What a RenderTemplate block gives.
const RENDER_OUTPUTS: [(&str, &str); 1] = [("rendered", "text")];

impl BlockType {
    /// Every type.
    pub(super) const ALL: [Self; 2] = [Self::Shell, Self::RenderTemplate];

    /// Returns the type of a name.
    pub(super) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// Tells whether a type is part of the dialect and not of this version.
    pub(super) fn comes_later(name: &str) -> bool {
        LATER.contains(&name)
    }

    /// Returns its name.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Shell => "Shell",
            Self::RenderTemplate => "RenderTemplate",
        }
    }

    /// Returns what it gives, each with its kind.
    pub(super) const fn outputs(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::Shell => &SHELL_OUTPUTS,
            Self::RenderTemplate => &RENDER_OUTPUTS,
        }
    }

    /// Returns the inputs that are text and can be read by others.
    pub(super) const fn texts(self) -> &'static [&'static str] {
        match self {
            Self::Shell => &["command", "working_dir"],
            Self::RenderTemplate => &["template"],
        }
    }

    /// Returns the input that names values, each of which can be read by others.
    pub(super) const fn named_values(self) -> &'static str {
        match self {
            Self::Shell => "env",
            Self::RenderTemplate => "variables",
        }
    }

    /// Returns the names of what it gives.
    pub(super) fn output_names(self) -> impl Iterator<Item = &'static str> {
        self.outputs().iter().map(|(name, _)| *name)
    }
}
