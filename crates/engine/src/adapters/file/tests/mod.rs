//! The adapter on a real disk: what it gives, what it refuses, and every way out of the folders that we know.

mod busy;
mod create;
mod escape;
mod guard;
mod read;
mod state;
mod stops;

use super::Gate;
use super::run::Files;
use crate::answers::{Answers, Called, Patience};
use crate::turn::Home;
use kernel::effect::Perform;
use kernel::plan::Adapter;
use kernel::{Answer, Data, Digest, EffectId, Failure, FailureKind, Question, RunId};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Renders templates that are plain text.
struct Plain;

impl Answers for Plain {
    fn answer(&self, _run: &RunId, questions: &[Question], _patience: &Patience) -> Vec<Answer> {
        let rendered = |question: &Question| match question {
            Question::Evaluate { expressions, .. } => {
                let texts = expressions.iter().map(|source| Ok(Data::Inline(source.clone().into())));
                Answer::Evaluated(texts.collect())
            }
            other => panic!("{other:?}"),
        };
        questions.iter().map(rendered).collect()
    }

    fn plan(&self, _home: &Home, workflow: &str, _plan: Option<Digest>) -> Result<Called, String> {
        Err(format!("there is no `{workflow}`"))
    }
}

/// A project folder, a folder beside it, and the data of a server.
struct World {
    dir: tempfile::TempDir,
    home: Home,
    files: Files,
}

impl World {
    fn new() -> World {
        let dir = tempfile::tempdir().unwrap();
        let real = dir.path().canonicalize().unwrap();
        for folder in ["project", "outside", "data"] {
            fs::create_dir(dir.path().join(folder)).unwrap();
        }
        let home = Home { folder: real.join("project"), umask: Some(0o022), ..Home::default() };
        let files = Files::new(dir.path().join("data"), Arc::new(Plain));
        World { dir, home, files }
    }

    fn project(&self, path: &str) -> PathBuf {
        self.home.folder.join(path)
    }

    fn outside(&self, path: &str) -> PathBuf {
        self.dir.path().join("outside").join(path)
    }

    fn put(&self, path: &str, content: impl AsRef<[u8]>) {
        fs::write(self.project(path), content).unwrap();
    }

    fn text(&self, path: &str) -> String {
        fs::read_to_string(self.project(path)).unwrap()
    }

    /// Carries an operation out as the first attempt of a step.
    fn act(&self, operation: &str, inputs: Value) -> Result<Map<String, Value>, Failure> {
        self.attempt(1, operation, inputs)
    }

    fn attempt(&self, attempt: u32, operation: &str, inputs: Value) -> Result<Map<String, Value>, Failure> {
        let (run, perform) = (RunId::new("calm-fox-1"), perform(attempt, operation, inputs));
        let done = self.files.carry_out(&run, &self.home, &perform, &Gate::default());
        let (outputs, _) = done.map_err(super::Trouble::into_failure)?;
        Ok(outputs.into_iter().map(|(name, data)| (name, data.inline().cloned().unwrap())).collect())
    }

    fn create(&self, path: &str, content: &str) -> Result<Map<String, Value>, Failure> {
        self.act("create", json!({"path": path, "content": content}))
    }

    fn read(&self, path: &str) -> Result<Map<String, Value>, Failure> {
        self.act("read", json!({ "path": path }))
    }

    /// What lies in a folder, hidden or not.
    fn names(&self, folder: &Path) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }

    fn rights(&self, path: &str) -> u32 {
        fs::metadata(self.project(path)).unwrap().permissions().mode() & 0o7777
    }
}

fn perform(attempt: u32, operation: &str, inputs: Value) -> Perform {
    let Value::Object(inputs) = inputs else { panic!("{inputs}") };
    let operation = ("operation".to_owned(), json!(operation));
    let inputs = inputs.into_iter().chain([operation]).map(|(name, value)| (name, Data::Inline(value)));
    Perform {
        id: EffectId::new(format!("write#{attempt}")),
        step: "write".to_owned(),
        adapter: Adapter::File,
        inputs: inputs.collect(),
        secrets: BTreeMap::new(),
        timeout_ms: None,
    }
}

/// That something was tried and refused, in these words.
#[track_caller]
fn is_no<T: std::fmt::Debug>(done: Result<T, Failure>, words: &str) {
    let failure = done.expect_err("it is refused");
    assert!(failure.kind == FailureKind::Operation && failure.message.contains(words), "{failure:?}");
}

/// That something could not be tried, in these words.
#[track_caller]
fn is_crash<T: std::fmt::Debug>(done: Result<T, Failure>, words: &str) {
    let failure = done.expect_err("it is refused");
    assert!(failure.kind == FailureKind::Crashed && failure.message.contains(words), "{failure:?}");
}
