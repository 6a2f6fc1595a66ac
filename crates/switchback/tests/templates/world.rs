//! A project folder, a person's folder and a data directory of a test's own, and runs in them.

use crate::bounded;
use crate::client::{Client, Era};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

/// How long one command may take.
const PATIENCE: Duration = Duration::from_secs(180);

pub(crate) struct World {
    root: tempfile::TempDir,
    env: Vec<(String, String)>,
}

/// A run that has ended or waits.
#[derive(Debug)]
pub(crate) struct Ran {
    /// The exit code of the command.
    pub(crate) code: Option<i32>,
    /// What it printed.
    pub(crate) document: Value,
    /// What it said to people.
    pub(crate) said: String,
}

impl World {
    /// A world with an empty project in it, and a person that git knows.
    pub(crate) fn new() -> World {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir(root.path().join("project")).unwrap();
        let person = "[user]\n\tname = Ada\n\temail = ada@example.org\n[init]\n\tdefaultBranch = main\n";
        fs::write(root.path().join(".gitconfig"), person).unwrap();
        World { root, env: Vec::new() }
    }

    /// The same with one more variable.
    pub(crate) fn with(mut self, name: &str, value: impl AsRef<Path>) -> World {
        self.env.push((name.to_owned(), value.as_ref().display().to_string()));
        self
    }

    /// A file or folder of the project.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.root.path().join("project").join(name)
    }

    /// A file or folder beside the project.
    pub(crate) fn beside(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    /// Runs a workflow with inputs to its end.
    pub(crate) fn run(&self, workflow: &str, inputs: &[(&str, &str)]) -> Ran {
        let given = inputs.iter().flat_map(|(name, value)| ["-i".to_owned(), format!("{name}={value}")]);
        let mut arguments = vec!["run".to_owned(), workflow.to_owned(), "--json".to_owned()];
        arguments.extend(given);
        self.switchback(&arguments)
    }

    /// One command, all of it in one process, and the document it printed.
    pub(crate) fn switchback(&self, arguments: &[String]) -> Ran {
        let mut command = self.command(env!("CARGO_BIN_EXE_switchback"));
        let ended = bounded::run(command.args(arguments), PATIENCE).unwrap();
        let document = serde_json::from_str(&ended.stdout)
            .unwrap_or_else(|error| panic!("{arguments:?}: {error}: {}{}", ended.stdout, ended.stderr));
        Ran { code: ended.code(), document, said: ended.stderr }
    }

    /// A connection to its server, all of it in one process.
    pub(crate) fn client(&self) -> Client {
        let mut command = self.command(env!("CARGO_BIN_EXE_switchback"));
        command.args(["serve", "--no-daemon"]).stderr(Stdio::null());
        Client::connect(command, Era::Handshake)
    }

    /// What a program says in the project; it must succeed.
    pub(crate) fn shell(&self, script: &str) -> String {
        let ended = bounded::run(self.command("sh").args(["-ec", script]), PATIENCE).unwrap();
        assert_eq!(ended.code(), Some(0), "{script}: {}{}", ended.stdout, ended.stderr);
        ended.stdout.trim_end().to_owned()
    }

    /// A program that is run in the project, with nothing of the machine but where its programs lie.
    pub(crate) fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.current_dir(self.path("")).env_clear();
        command.env("HOME", self.root.path()).env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.env("SWITCHBACK_HOME", self.beside("data")).env("SWITCHBACK_NO_DAEMON", "1");
        command.env("LANG", "C.UTF-8").env("TZ", "UTC").env("NO_COLOR", "1");
        command.envs(self.env.iter().map(|(name, value)| (name, value)));
        command
    }
}

impl Ran {
    /// Its outputs; the run must have succeeded.
    #[track_caller]
    pub(crate) fn outputs(&self) -> &Value {
        assert_eq!(self.code, Some(0), "{}\n{:#}", self.said, self.document);
        assert_eq!(self.document["status"], "succeeded", "{}", self.said);
        &self.document["outputs"]
    }

    /// Why it failed; it must have.
    #[track_caller]
    pub(crate) fn error(&self) -> &str {
        assert_eq!(self.code, Some(100), "{}\n{:#}", self.said, self.document);
        assert_eq!(self.document["status"], "failed", "{}", self.said);
        self.document["error"].as_str().unwrap()
    }

    /// How a block ended: its outcome, or `skipped`.
    #[track_caller]
    pub(crate) fn block(&self, id: &str) -> &str {
        let steps = self.document["steps"].as_array().unwrap();
        let step = steps.iter().find(|step| step["id"] == id).unwrap_or_else(|| panic!("no block {id}"));
        match step["status"].as_str().unwrap() {
            "skipped" => "skipped",
            _ => step["outcome"].as_str().unwrap(),
        }
    }
}
