//! What a set-up follows from: a person's folders, the project folder, the programs that are found, and this binary.

use super::entry::NAME;
use crate::cli::error::CommandError;
use crate::cli::store;
use std::ffi::{OsStr, OsString};
use std::os::unix::fs::PermissionsExt;
use std::path::{Component, Path, PathBuf};

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
    /// This program as it was called, links and all: a link stays where it is when an update moves what it leads to.
    pub(crate) called: PathBuf,
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
        let path: Vec<PathBuf> = std::env::split_paths(&path).filter(|folder| folder.is_absolute()).collect();
        let binary = binary()?;
        Ok(Here {
            settings,
            codex: folder("CODEX_HOME"),
            claude: folder("CLAUDE_CONFIG_DIR"),
            gemini: folder("GEMINI_CLI_HOME"),
            workspace: store::workspace()?,
            called: as_text(called(std::env::args_os().next(), &path, &binary))?,
            path,
            binary,
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
    std::env::current_exe().and_then(|path| path.canonicalize()).map_err(|error| {
        CommandError::internal("no-binary", format!("failed to find the file of this program: {error}"))
            .hint("it was moved or replaced while it ran: try again")
    })
}

/// The path by which this program was called: the one that was typed, or the first on `$PATH` that leads here, or the
/// file itself.
fn called(word: Option<OsString>, path: &[PathBuf], binary: &Path) -> PathBuf {
    let word = PathBuf::from(word.unwrap_or_default());
    let typed = (word.components().count() > 1).then(|| std::path::absolute(&word).ok()).flatten();
    let name = word.file_name().unwrap_or(OsStr::new(NAME));
    let plain = typed.as_deref().map(without_dots);
    let mut found = plain.into_iter().chain(typed).chain(path.iter().map(|folder| folder.join(name)));
    let leads_here = |path: &PathBuf| path.canonicalize().is_ok_and(|file| file == binary);
    found.find(leads_here).unwrap_or_else(|| binary.to_owned())
}

/// The path without `..`; where a link stands before one it leads elsewhere.
fn without_dots(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(plain.pop()),
            part => plain.push(part),
        }
    }
    plain
}

fn as_text(path: PathBuf) -> Result<PathBuf, CommandError> {
    match path.to_str() {
        Some(_) => Ok(path),
        None => Err(CommandError::internal(
            "no-binary",
            format!("the path of this program is not text: {}", path.display()),
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
            called: PathBuf::from("/opt/switchback/bin/switchback"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::symlink;

    #[test]
    fn the_path_that_was_called_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let (file, link) = (root.join("1.0/switchback"), root.join("bin/switchback"));
        for folder in ["1.0", "bin", "other"] {
            fs::create_dir(root.join(folder)).unwrap();
        }
        fs::write(&file, "").unwrap();
        fs::write(root.join("other/switchback"), "").unwrap();
        symlink("../1.0/switchback", &link).unwrap();
        let path = [root.join("other"), root.join("bin")];
        let of = |word: &str| called(Some(OsString::from(word)), &path, &file);
        assert_eq!(of(link.to_str().unwrap()), link);
        assert_eq!(of(file.to_str().unwrap()), file);
        assert_eq!(of(root.join("other/../bin/switchback").to_str().unwrap()), link);
        // Behind a link `..` is not what it seems.
        symlink("../other", root.join("bin/far")).unwrap();
        let far = root.join("bin/far/../bin/switchback");
        assert_eq!(of(far.to_str().unwrap()), far);
        // A bare word was looked up; what has that name and is something else is passed over.
        assert_eq!(of("switchback"), link);
        // A word that lies is not believed.
        assert_eq!(of("/nowhere/switchback"), link);
        assert_eq!((of("sb"), called(None, &[], &file)), (file.clone(), file.clone()));
    }
}
