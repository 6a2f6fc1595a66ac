//! The places where definitions lie, in the order of their right (design.md, "Where definitions lie").

use std::path::{Path, PathBuf};

/// What the order of places follows from.
#[derive(Clone, Debug, Default)]
pub struct Surroundings {
    /// The project folder.
    pub workspace: PathBuf,
    /// The person's own folder.
    pub home: Option<PathBuf>,
    /// The folder of settings, where it is not `~/.config`.
    pub config: Option<PathBuf>,
    /// The value of `WORKFLOWS_TEMPLATE_PATHS`: folders between commas, later ones win.
    pub template_paths: String,
}

/// A folder of definitions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The folder.
    pub folder: PathBuf,
    /// How lists write it: `./workflows`, `~/.aromcp/workflows`.
    pub shown: String,
}

impl Surroundings {
    /// The surroundings of this process in a project folder.
    pub fn here(workspace: PathBuf) -> Self {
        let folder = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        Surroundings {
            workspace,
            home: folder("HOME"),
            config: folder("XDG_CONFIG_HOME").filter(|config| config.is_absolute()),
            template_paths: std::env::var("WORKFLOWS_TEMPLATE_PATHS").unwrap_or_default(),
        }
    }

    /// The places, those with more right first.
    pub fn places(&self) -> Vec<Place> {
        let config = self.config.clone().or_else(|| Some(self.home.as_ref()?.join(".config")));
        let home = |path: &str| self.home.as_ref().map(|home| home.join(path));
        let folders = [
            Some(self.workspace.join(".switchback/workflows")),
            config.map(|config| config.join("switchback/workflows")),
            Some(self.workspace.join(".aromcp/workflows")),
            home(".aromcp/workflows"),
            Some(self.workspace.join("workflows")),
            Some(self.workspace.join(".terminal_control_workflows")),
        ];
        let mut places: Vec<Place> = Vec::new();
        for folder in folders.into_iter().flatten().chain(self.template_folders()) {
            if places.iter().all(|place| place.folder != folder) {
                places.push(Place { shown: self.shown(&folder), folder });
            }
        }
        places
    }

    /// The folders of the variable, the last one first.
    fn template_folders(&self) -> impl Iterator<Item = PathBuf> {
        let named = self.template_paths.split(',').map(str::trim).filter(|path| !path.is_empty());
        named.rev().map(|path| match (path.strip_prefix("~/"), &self.home) {
            (Some(rest), Some(home)) => home.join(rest),
            _ => self.workspace.join(path),
        })
    }

    /// A path as a person would write it.
    pub fn shown(&self, path: &Path) -> String {
        if let Ok(inside) = path.strip_prefix(&self.workspace) {
            return inside.display().to_string();
        }
        match self.home.as_ref().and_then(|home| path.strip_prefix(home).ok()) {
            Some(inside) => format!("~/{}", inside.display()),
            None => path.display().to_string(),
        }
    }
}
