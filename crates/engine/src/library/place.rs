//! The places where definitions lie, and what they follow from (design.md, "Where definitions lie").

use super::order::Order;
use dialects::ReadOptions;
use kernel::plan::Dialect;
use std::path::{Path, PathBuf};

/// What the places follow from: a project folder and a person's environment.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Surroundings {
    /// The project folder.
    pub workspace: PathBuf,
    /// The person's own folder.
    pub home: Option<PathBuf>,
    /// The folder of settings, where it is not `~/.config`.
    pub config: Option<PathBuf>,
    /// The value of `WORKFLOWS_TEMPLATE_PATHS`: folders between commas, later ones win.
    pub template_paths: String,
    /// The folder of the tools of `steps`, where the settings name one; else `workflows`.
    pub definitions: Option<PathBuf>,
    /// Further folders that a definition may import from, beside its own workflows folder.
    pub roots: Vec<PathBuf>,
    /// How definitions are read here.
    pub reading: ReadOptions,
}

/// A place of definitions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Who names it.
    pub kind: PlaceKind,
    /// The folder; none for what is in the binary itself.
    pub folder: Option<PathBuf>,
    /// How lists write it: `workflows`, `~/.aromcp/workflows`, `built-in`.
    pub shown: String,
}

/// Who names a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlaceKind {
    /// We do.
    Own,
    /// The source of a dialect does.
    Source(Dialect),
    /// Nobody: the binary brings it along.
    BuiltIn,
}

impl PlaceKind {
    /// Its word in lists.
    pub fn as_str(self) -> &'static str {
        match self {
            PlaceKind::Own => "switchback",
            PlaceKind::Source(dialect) => dialect.as_str(),
            PlaceKind::BuiltIn => "built-in",
        }
    }
}

impl Place {
    /// The folder inside this place that a file of it lies in, if not in the place itself.
    pub(super) fn group_of(&self, file: &Path) -> Option<String> {
        let inside = file.parent()?.strip_prefix(self.folder.as_ref()?).ok()?;
        (!inside.as_os_str().is_empty()).then(|| inside.display().to_string())
    }
}

impl Surroundings {
    /// The surroundings of this process in a project folder.
    pub fn here(workspace: PathBuf) -> Self {
        Surroundings::of(workspace, |name| std::env::var(name).ok())
    }

    /// The surroundings that an environment gives, whosoever it is.
    pub fn of(workspace: PathBuf, env: impl Fn(&str) -> Option<String>) -> Self {
        let folder = |name| env(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        Surroundings {
            workspace,
            home: folder("HOME"),
            config: folder("XDG_CONFIG_HOME").filter(|config| config.is_absolute()),
            template_paths: env("WORKFLOWS_TEMPLATE_PATHS").unwrap_or_default(),
            definitions: None,
            roots: Vec::new(),
            reading: ReadOptions::default(),
        }
    }

    /// The places, those with more right first; what is built in comes last.
    pub fn places(&self, order: Order) -> Vec<Place> {
        let mut folders = self.folders();
        folders.sort_by_key(|(kind, _)| order.rank(*kind));
        let mut places: Vec<Place> = Vec::new();
        for (kind, folder) in folders {
            if places.iter().all(|place| place.folder.as_ref() != Some(&folder)) {
                places.push(Place { kind, shown: self.shown(&folder), folder: Some(folder) });
            }
        }
        let shown = PlaceKind::BuiltIn.as_str().to_owned();
        places.push(Place { kind: PlaceKind::BuiltIn, folder: None, shown });
        places
    }

    /// Every folder with who names it, in the plain order.
    fn folders(&self) -> Vec<(PlaceKind, PathBuf)> {
        let (own, source) = (PlaceKind::Own, PlaceKind::Source);
        let config = self.config.clone().or_else(|| Some(self.home.as_ref()?.join(".config")));
        let home = |path: &str| self.home.as_ref().map(|home| home.join(path));
        let work = |path: &str| Some(self.workspace.join(path));
        let fixed = [
            (own, work(".switchback/workflows")),
            (own, config.map(|config| config.join("switchback/workflows"))),
            (source(Dialect::Reactive), work(".aromcp/workflows")),
            (source(Dialect::Reactive), home(".aromcp/workflows")),
            (source(Dialect::Steps), Some(self.workspace.join(self.steps_folder()))),
            (source(Dialect::States), work(".terminal_control_workflows")),
        ];
        let fixed = fixed.into_iter().filter_map(|(kind, folder)| Some((kind, folder?)));
        fixed.chain(self.template_folders().map(|folder| (source(Dialect::Blocks), folder))).collect()
    }

    fn steps_folder(&self) -> &Path {
        self.definitions.as_deref().unwrap_or(Path::new("workflows"))
    }

    /// The folders of the variable, the last one first.
    fn template_folders(&self) -> impl Iterator<Item = PathBuf> {
        let named = self.template_paths.split(',').map(str::trim).filter(|path| !path.is_empty());
        named.rev().map(|path| match (path.strip_prefix('~'), &self.home) {
            (Some(""), Some(home)) => home.clone(),
            (Some(rest), Some(home)) if rest.starts_with('/') => home.join(rest.trim_start_matches('/')),
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
