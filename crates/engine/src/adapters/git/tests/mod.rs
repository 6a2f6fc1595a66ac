//! Worktrees of real repositories, made and removed by the real git.

mod create;
mod half;
mod inside;
mod remove;
mod repositories;

use super::{Queue, perform};
use crate::adapters::process::{Notes, Stops};
use crate::turn::Home;
use kernel::effect::Perform;
use kernel::event::Report;
use kernel::plan::Adapter;
use kernel::{Data, EffectId, FailureKind, Fields, RunId};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// A folder with a repository in it, and hands that work there.
struct Lab {
    folder: TempDir,
    notes: Notes,
    queue: Queue,
    home: Home,
    timeout_ms: Option<u64>,
}

impl Lab {
    /// A folder without a repository.
    fn empty() -> Lab {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        fs::create_dir(root.join("project")).unwrap();
        fs::create_dir(root.join("home")).unwrap();
        fs::create_dir(root.join("data")).unwrap();
        let path = std::env::var("PATH").unwrap();
        let home = root.join("home").display().to_string();
        let env = [("PATH", path.as_str()), ("HOME", &home), ("LANG", "de_DE.UTF-8")];
        let env = env.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let home = Home {
            env: std::sync::Arc::new(env.into()),
            ..Home::new(root.join("project"), std::iter::empty())
        };
        Lab {
            notes: Notes::open(&root.join("data")).unwrap(),
            queue: Queue::default(),
            folder,
            home,
            timeout_ms: Some(60_000),
        }
    }

    /// A repository on `main` with one commit.
    fn new() -> Lab {
        let lab = Lab::empty();
        lab.git(&["init", "--quiet", "--initial-branch=main"]);
        lab.write("a.txt", "one\n");
        lab.commit("first");
        lab
    }

    /// The run's folder.
    fn root(&self) -> PathBuf {
        self.home.folder.canonicalize().unwrap()
    }

    fn write(&self, path: &str, text: &str) {
        let file = self.root().join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }

    fn read(&self, path: &str) -> Option<String> {
        fs::read_to_string(self.root().join(path)).ok()
    }

    fn commit(&self, message: &str) {
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--message", message]);
    }

    /// A hook of the repository.
    fn hook(&self, name: &str, script: &str) {
        program(&self.root().join(".git/hooks").join(name), script);
    }

    /// What happens before and after git makes a worktree.
    fn around_adding(&mut self, before: &str, after: &str) {
        let bin = self.root().parent().unwrap().join("bin");
        let path = self.home.env["PATH"].clone();
        let script = format!(
            "PATH={path}\ncase \" $* \" in *' worktree add '*) {before}\ngit \"$@\"; code=$?\n{after}\nexit $code;; esac\n\
             exec git \"$@\""
        );
        program(&bin.join("git"), &script);
        std::sync::Arc::make_mut(&mut self.home.env)
            .insert("PATH".to_owned(), format!("{}:{path}", bin.display()));
    }

    fn git(&self, arguments: &[&str]) -> String {
        self.git_in(&self.root(), arguments)
    }

    fn git_in(&self, folder: &Path, arguments: &[&str]) -> String {
        let identity =
            ["-c", "user.name=A", "-c", "user.email=a@example.com", "-c", "protocol.file.allow=always"];
        let output = Command::new("git")
            .args(identity)
            .args(arguments)
            .current_dir(folder)
            .env_clear()
            .envs(&*self.home.env)
            .output()
            .unwrap();
        assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap().trim_end().to_owned()
    }

    /// What git lists, without what holds for every repository.
    fn worktrees(&self) -> usize {
        self.git(&["worktree", "list", "--porcelain"]).matches("worktree ").count()
    }

    async fn perform(&self, run: &str, inputs: Value, stops: Stops) -> Option<Report> {
        let inputs = inputs.as_object().unwrap().clone().into_iter();
        let inputs: Fields = inputs.map(|(name, value)| (name, Data::Inline(value))).collect();
        let effect = Perform {
            id: EffectId::new(format!(
                "step#{}",
                inputs.get("path").map_or(String::new(), |path| format!("{path:?}"))
            )),
            step: "step".to_owned(),
            adapter: Adapter::Git,
            inputs,
            secrets: Default::default(),
            timeout_ms: self.timeout_ms,
        };
        perform(&RunId::new(run), &self.home, &effect, &self.notes, (&self.queue, stops)).await
    }

    async fn create(&self, path: &str, branch: &str) -> Result<Value, (FailureKind, String)> {
        self.ask("run", json!({"operation": "create_worktree", "path": path, "branch": branch})).await
    }

    async fn remove(&self, path: &str) -> Result<Value, (FailureKind, String)> {
        self.ask("run", json!({"operation": "remove_worktree", "path": path})).await
    }

    async fn ask(&self, run: &str, inputs: Value) -> Result<Value, (FailureKind, String)> {
        outcome(self.perform(run, inputs, Stops::never()).await.expect("it was not interrupted"))
    }
}

fn program(file: &Path, script: &str) {
    use std::os::unix::fs::PermissionsExt;
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(file, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(file, fs::Permissions::from_mode(0o755)).unwrap();
}

fn outcome(report: Report) -> Result<Value, (FailureKind, String)> {
    match report {
        Report::Done { outputs } => {
            let fields = outputs.into_iter().map(|(name, data)| (name, data.inline().unwrap().clone()));
            Ok(Value::Object(fields.collect()))
        }
        Report::Failed { failure, .. } => Err((failure.kind, failure.message)),
    }
}

/// The words of a failed operation.
fn refused(outcome: Result<Value, (FailureKind, String)>) -> String {
    match outcome {
        Err((FailureKind::Operation, words)) => words,
        other => panic!("{other:?}"),
    }
}

/// The words of what could not be carried out.
fn crashed(outcome: Result<Value, (FailureKind, String)>) -> String {
    match outcome {
        Err((FailureKind::Crashed, words)) => words,
        other => panic!("{other:?}"),
    }
}
