//! A fresh home folder with a project in it, and the binary run there.

use serde_json::Value;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// The binary that entries should name.
pub(crate) fn binary() -> String {
    let path = Path::new(env!("CARGO_BIN_EXE_switchback")).canonicalize().unwrap();
    path.to_str().unwrap().to_owned()
}

/// A person's folder, and nothing of the machine around it but `sh` and `git`.
pub(crate) struct Home {
    folder: TempDir,
}

/// What came of a command.
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Home {
    pub(crate) fn new() -> Home {
        let home = Home { folder: tempfile::tempdir().unwrap() };
        fs::create_dir_all(home.path("project")).unwrap();
        fs::create_dir_all(home.path("bin")).unwrap();
        home
    }

    pub(crate) fn path(&self, inside: &str) -> PathBuf {
        // On a Mac the folder of temporary files is a link.
        self.folder.path().canonicalize().unwrap().join(inside)
    }

    pub(crate) fn read(&self, inside: &str) -> String {
        fs::read_to_string(self.path(inside)).unwrap()
    }

    pub(crate) fn write(&self, inside: &str, text: &str) {
        let path = self.path(inside);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Puts a program on the path.
    pub(crate) fn program(&self, name: &str, script: &str) {
        let path = format!("bin/{name}");
        self.write(&path, script);
        fs::set_permissions(self.path(&path), fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// The command, ready to be changed.
    pub(crate) fn command(&self, line: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_switchback"));
        let path = format!("{}:/usr/bin:/bin", self.path("bin").display());
        command.args(line.split_whitespace()).current_dir(self.path("project")).env_clear();
        command.env("HOME", self.path("")).env("PATH", path).env("NO_COLOR", "1");
        command
    }

    pub(crate) fn run(&self, line: &str) -> Ran {
        ran(&mut self.command(line))
    }

    /// Runs a command that must succeed.
    pub(crate) fn good(&self, line: &str) -> Ran {
        let ran = self.run(line);
        assert_eq!(ran.code, 0, "{line}: {}{}", ran.stdout, ran.stderr);
        ran
    }

    /// The one document of a command that must succeed.
    pub(crate) fn json(&self, line: &str) -> Value {
        serde_json::from_str(&self.good(&format!("{line} --json")).stdout).unwrap()
    }

    /// Every file below the home folder, with its text; a link is shown as one.
    pub(crate) fn all(&self) -> Vec<(String, String)> {
        let mut found = Vec::new();
        collect(&self.path(""), &self.path(""), &mut found);
        found.sort();
        found
    }

    /// The copies that were laid beside a file.
    pub(crate) fn backups(&self, inside: &str) -> Vec<String> {
        let start = format!("{inside}.switchback-");
        let names = self.all().into_iter().map(|(name, _)| name);
        names.filter(|name| name.starts_with(&start)).collect()
    }
}

pub(crate) fn ran(command: &mut Command) -> Ran {
    let output = command.output().unwrap();
    Ran {
        code: output.status.code().unwrap(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

fn collect(root: &Path, folder: &Path, found: &mut Vec<(String, String)>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.strip_prefix(root).unwrap().display().to_string();
        let kind = fs::symlink_metadata(&path).unwrap().file_type();
        if kind.is_dir() {
            collect(root, &path, found);
        } else if kind.is_symlink() {
            found.push((name, format!("-> {}", fs::read_link(&path).unwrap().display())));
        } else {
            found.push((name, String::from_utf8_lossy(&fs::read(&path).unwrap()).into_owned()));
        }
    }
}
