//! A fresh place for one play of a case: a project folder, a data folder, and an environment that holds
//! nothing of the machine but where its programs lie.

use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Component, Path, PathBuf};

use tempfile::TempDir;

/// The folders of one play. They vanish with it unless they are kept.
pub(crate) struct Workspace {
    root: TempDir,
}

impl Workspace {
    pub(crate) fn create(files: &[(String, String)]) -> io::Result<Self> {
        let root = tempfile::Builder::new().prefix("case-").tempdir()?;
        let workspace = Self { root };
        for name in ["work", "data", "home", "tmp", "capture"] {
            fs::create_dir(workspace.root().join(name))?;
        }
        workspace.write(files)?;
        Ok(workspace)
    }

    /// Writes files into the project folder. One that begins with `#!` can be executed.
    pub(crate) fn write(&self, files: &[(String, String)]) -> io::Result<()> {
        for (path, content) in files {
            let path = self.file(path)?;
            if let Some(folder) = path.parent() {
                fs::create_dir_all(folder)?;
            }
            fs::write(&path, content)?;
            if content.starts_with("#!") {
                fs::set_permissions(&path, fs::Permissions::from_mode(0o755))?;
            }
        }
        Ok(())
    }

    /// Returns a file's content, or nothing if there is no such file.
    pub(crate) fn read(&self, path: &str) -> io::Result<Option<String>> {
        match fs::read(self.file(path)?) {
            Ok(bytes) => Ok(Some(String::from_utf8_lossy(&bytes).into_owned())),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    pub(crate) fn root(&self) -> &Path {
        self.root.path()
    }

    /// Returns the project folder, in which commands run.
    pub(crate) fn folder(&self) -> PathBuf {
        self.root().join("work")
    }

    /// Returns a folder inside the project folder, making it where it is not there.
    pub(crate) fn subfolder(&self, path: &str) -> io::Result<PathBuf> {
        let folder = self.file(path)?;
        fs::create_dir_all(&folder)?;
        Ok(folder)
    }

    pub(crate) fn capture(&self, name: &str) -> PathBuf {
        self.root().join("capture").join(name)
    }

    /// Returns the whole environment of a command, before a case adds its own.
    pub(crate) fn env(&self, program: &Path) -> Vec<(String, String)> {
        let folder = |name: &str| self.root().join(name).display().to_string();
        let programs = program.parent().unwrap_or(Path::new("/")).display();
        vec![
            ("HOME".to_owned(), folder("home")),
            ("PATH".to_owned(), format!("{programs}:/usr/local/bin:/usr/bin:/bin")),
            ("LANG".to_owned(), "C.UTF-8".to_owned()),
            ("TZ".to_owned(), "UTC".to_owned()),
            ("NO_COLOR".to_owned(), "1".to_owned()),
            ("TMPDIR".to_owned(), folder("tmp")),
            ("SWITCHBACK_HOME".to_owned(), folder("data")),
        ]
    }

    /// Leaves the folders where they are and returns their place.
    pub(crate) fn keep(self) -> PathBuf {
        self.root.keep()
    }

    fn file(&self, path: &str) -> io::Result<PathBuf> {
        let inside = Path::new(path).components().all(|part| matches!(part, Component::Normal(_)));
        if !inside {
            let message = format!("`{path}` does not lie in the workspace");
            return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
        }
        Ok(self.folder().join(path))
    }
}
