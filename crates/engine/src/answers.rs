//! Who knows what a run asks within a turn, and which plan a called workflow has. Evaluators and the library stand
//! behind this trait; stored content is answered by the driver itself.

use kernel::{Answer, Digest, Plan, Question};
use std::sync::Arc;

/// Those who know.
pub trait Answers: Send + Sync + 'static {
    /// Answers a question of a run.
    fn answer(&self, question: &Question) -> Answer;
    /// Finds the plan a child runs, or says why there is none.
    fn plan(&self, workflow: &str, plan: Option<Digest>) -> Result<Arc<Plan>, String>;
}

/// Nobody knows anything: no evaluator, no library.
#[derive(Clone, Copy, Debug)]
pub struct Nobody;

impl Answers for Nobody {
    fn answer(&self, _question: &Question) -> Answer {
        Answer::Unanswered("no evaluator is there to ask".to_owned())
    }

    fn plan(&self, workflow: &str, _plan: Option<Digest>) -> Result<Arc<Plan>, String> {
        Err(format!("Workflow '{workflow}' not found"))
    }
}
