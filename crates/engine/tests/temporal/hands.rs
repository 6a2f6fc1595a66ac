//! The hands and the desk of the worker process: they do little, slowly where they are asked to, and note what
//! they did, so that a test can count it.

use crate::plans;
use engine::temporal::{Answers, Hands, Key, Stop};
use futures::FutureExt;
use futures::future::BoxFuture;
use kernel::effect::Perform;
use kernel::event::Report;
use kernel::{Answer, Data, Digest, Failure, FailureKind, Plan, Question};
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// Notes in one file, a line each.
#[derive(Clone)]
pub(crate) struct Notes(PathBuf);

impl Notes {
    pub(crate) fn in_folder(folder: &Path) -> Self {
        Notes(folder.join("notes"))
    }

    fn add(&self, line: &str) {
        let mut file = File::options().create(true).append(true).open(&self.0).unwrap();
        file.write_all(format!("{line}\n").as_bytes()).unwrap();
    }

    pub(crate) fn lines(&self) -> Vec<String> {
        std::fs::read_to_string(&self.0).unwrap_or_default().lines().map(str::to_owned).collect()
    }
}

/// Gives back what it was given, after `hold_ms`.
pub(crate) struct Holding(pub(crate) Notes);

impl Hands for Holding {
    fn perform(&self, key: &Key, work: Perform, mut stop: Stop) -> BoxFuture<'static, Report> {
        let (notes, name) = (self.0.clone(), format!("{} {}", key.run, key.effect));
        async move {
            notes.add(&format!("begin {name}"));
            let hold_ms = work.inputs.get("hold_ms").and_then(Data::inline).and_then(|ms| ms.as_u64());
            tokio::select! {
                () = tokio::time::sleep(Duration::from_millis(hold_ms.unwrap_or(0))) => {
                    notes.add(&format!("end {name}"));
                    Report::Done { outputs: work.inputs }
                }
                _ = stop.wait_for(|stop| *stop) => {
                    notes.add(&format!("stopped {name}"));
                    let failure = Failure::new(FailureKind::Cancelled, "stopped");
                    Report::Failed { failure, outputs: work.inputs }
                }
            }
        }
        .boxed()
    }
}

/// Answers every expression with its own text, and knows the plans of the proof.
pub(crate) struct Echo(pub(crate) Notes);

impl Answers for Echo {
    fn answer(&self, question: &Question) -> Answer {
        match question {
            Question::Evaluate { expressions, .. } => {
                expressions.iter().for_each(|expression| self.0.add(&format!("answer {expression}")));
                Answer::Evaluated(
                    expressions.iter().map(|text| Ok(Data::Inline(text.clone().into()))).collect(),
                )
            }
            Question::Load { digest } => Answer::Unanswered(format!("{digest} is not stored")),
            Question::Compute { .. } => Answer::Unanswered("nothing is computed here".to_owned()),
            Question::Gather { .. } => Answer::Unanswered("nothing is stored".to_owned()),
        }
    }

    fn plan(&self, workflow: &str, plan: Option<Digest>) -> Result<Arc<Plan>, String> {
        let known = plans::library().into_iter();
        let mut fitting =
            known.filter(|known| plan.map_or(known.name == workflow, |digest| known.digest() == digest));
        fitting.next().ok_or_else(|| format!("there is no workflow `{workflow}`"))
    }
}
