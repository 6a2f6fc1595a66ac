//! The desk beside the workflow: it answers what a run asks within a turn. Its activities are local ones, so
//! that an answer is a marker in the history and a replay asks nobody.

use kernel::{Answer, Digest, Plan, Question};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;
use temporalio_macros::activities;
use temporalio_sdk::activities::{ActivityContext, ActivityError};

/// How long an answer may take before it counts as not given.
pub(super) const PATIENCE: Duration = Duration::from_secs(15);

/// Who knows the answers: the evaluator, the content store, the library.
pub trait Answers: Send + Sync + 'static {
    /// Answers a question of a run.
    fn answer(&self, question: &Question) -> Answer;
    /// Finds the plan a child runs, or says why there is none.
    fn plan(&self, workflow: &str, plan: Option<Digest>) -> Result<Arc<Plan>, String>;
}

/// A workflow that a run calls.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Called {
    pub(super) workflow: String,
    pub(super) plan: Option<Digest>,
}

/// An answer as the history keeps it. Loaded content goes along, for a replay has no content store.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Kept {
    answer: Answer,
    content: Option<Value>,
}

impl Kept {
    fn of(answer: Answer) -> Self {
        let content = match &answer {
            Answer::Loaded { value, .. } => Some((**value).clone()),
            Answer::Evaluated(_) | Answer::Computed(_) | Answer::Unanswered(_) => None,
        };
        Kept { answer, content }
    }

    pub(super) fn answer(self) -> Answer {
        match (self.answer, self.content) {
            (Answer::Loaded { digest, .. }, Some(value)) => Answer::Loaded { digest, value: value.into() },
            (answer, _) => answer,
        }
    }
}

/// The activities of the desk.
pub struct Desk {
    answers: Box<dyn Answers>,
}

impl Desk {
    /// A desk with those who know.
    pub fn new(answers: impl Answers) -> Self {
        Desk { answers: Box::new(answers) }
    }
}

#[activities]
impl Desk {
    /// Answers a question of a run.
    #[activity(name = "answer")]
    pub(crate) async fn answer(
        self: Arc<Self>,
        _ctx: ActivityContext,
        asked: Question,
    ) -> Result<Kept, ActivityError> {
        Ok(Kept::of(self.answers.answer(&asked)))
    }

    /// Finds the plan of a child.
    #[activity(name = "plan")]
    pub(crate) async fn plan(
        self: Arc<Self>,
        _ctx: ActivityContext,
        called: Called,
    ) -> Result<Result<Arc<Plan>, String>, ActivityError> {
        Ok(self.answers.plan(&called.workflow, called.plan))
    }
}
