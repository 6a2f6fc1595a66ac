//! What a set-up follows from: a person's folders, the project folder, the programs that are found, and this binary.

use crate::cli::error::CommandError;
use crate::cli::store;
use std::ffi::OsStr;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// The surroundings of one command.
#[derive(Clone, Debug)]
pub(crate) struct Here {
    /// The person's own folder.
    pub(crate) home: PathBuf,
    /// Where programs keep their settings: `$XDG_CONFIG_HOME`, else `~/.config`; on a Mac `~/Library/Application Support`.
    pub(crate) settings: PathBuf,
    /// `$CODEX_HOME`.
    pub(crate) codex: Option<PathBuf>,
    /// `$CLAUDE_CONFIG_DIR`.
    pub(crate) claude: Option<PathBuf>,
    /// `$GEMINI_CLI_HOME`.
    pub(crate) gemini: Option<PathBuf>,
    /// The project folder.
    pub(crate) workspace: PathBuf,
    /// The folders of `$PATH`.
    pub(crate) path: Vec<PathBuf>,
    /// This program, with every link followed.
    pub(crate) binary: PathBuf,
}

impl Here {
    /// What this process finds around itself.
    pub(crate) fn look() -> Result<Here, CommandError> {
        let folder = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let whole = |name: &str| folder(name).filter(|path| path.is_absolute());
        let home = whole("HOME").ok_or_else(|| {
            CommandError::internal("no-home", "HOME does not say where your own folder is")
                .hint("set it to an absolute path: HOME=/home/you switchback ...")
        })?;
        let settings = match cfg!(target_os = "macos") {
            true => home.join("Library/Application Support"),
            false => whole("XDG_CONFIG_HOME").unwrap_or_else(|| home.join(".config")),
        };
        let path = std::env::var_os("PATH").unwrap_or_default();
        Ok(Here {
            settings,
            codex: folder("CODEX_HOME"),
            claude: folder("CLAUDE_CONFIG_DIR"),
            gemini: folder("GEMINI_CLI_HOME"),
            workspace: store::workspace()?,
            path: std::env::split_paths(&path).filter(|folder| folder.is_absolute()).collect(),
            binary: binary()?,
            home,
        })
    }

    /// A path as people read it.
    pub(crate) fn shown(&self, path: &Path) -> String {
        if let Ok(rest) = path.strip_prefix(&self.workspace)
            && self.workspace != self.home
        {
            return rest.display().to_string();
        }
        match path.strip_prefix(&self.home) {
            Ok(rest) => format!("~/{}", rest.display()),
            Err(_) => path.display().to_string(),
        }
    }

    /// Where `$PATH` leads for the name of a program.
    pub(crate) fn program(&self, name: &str) -> Option<PathBuf> {
        self.path.iter().map(|folder| folder.join(name)).find(|path| is_program(path))
    }

    /// Whether a command starts this binary, by whatever way it leads there.
    pub(crate) fn is_this(&self, command: &str) -> bool {
        let found = self.resolve(command);
        found.and_then(|path| path.canonicalize().ok()).is_some_and(|path| path == self.binary)
    }

    /// The program that a command starts, if there is one.
    pub(crate) fn resolve(&self, command: &str) -> Option<PathBuf> {
        match command.contains('/') {
            true => Some(self.workspace.join(command)).filter(|path| is_program(path)),
            false => self.program(command),
        }
    }

    /// Whether this binary lies where a build puts it, and the next `cargo clean` takes it away.
    pub(crate) fn is_in_a_build(&self) -> bool {
        let mut above = self.binary.ancestors().skip(1);
        above.any(|folder| {
            folder.file_name() == Some(OsStr::new("target")) || folder.join("CACHEDIR.TAG").exists()
        })
    }
}

fn is_program(path: &Path) -> bool {
    path.metadata().is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

fn binary() -> Result<PathBuf, CommandError> {
    let found = std::env::current_exe().and_then(|path| path.canonicalize());
    let found = found.map_err(|error| {
        CommandError::internal("no-binary", format!("failed to find the file of this program: {error}"))
            .hint("it was moved or replaced while it ran: try again")
    })?;
    match found.to_str() {
        Some(_) => Ok(found),
        None => Err(CommandError::internal(
            "no-binary",
            format!("the path of this program is not text: {}", found.display()),
        )
        .hint("move it to a folder whose name every client can write")),
    }
}

#[cfg(test)]
impl Here {
    /// Surroundings for tests, all inside one folder.
    pub(crate) fn within(home: &Path) -> Here {
        Here {
            home: home.to_owned(),
            settings: home.join(".config"),
            codex: None,
            claude: None,
            gemini: None,
            workspace: home.join("project"),
            path: vec![home.join("bin")],
            binary: PathBuf::from("/opt/switchback/bin/switchback"),
        }
    }
}
