//! When to look for questions again: only where a plan can ask, and only after a turn that may have opened or closed one.

use super::Asked;
use crate::backend::{Backend, Error, Progress};
use kernel::plan::Work;
use kernel::{News, OpenKind, Plan, RunId, Status};

/// Whether a plan has steps that ask, or calls workflows that may.
pub fn can_ask(plan: &Plan) -> bool {
    plan.steps.iter().any(|step| asks(&step.work))
}

/// Whether a turn of a run, or of one below it, may have opened or closed a question.
pub async fn touches(
    backend: &dyn Backend,
    (run, plan): (&RunId, &Plan),
    known: &[Asked],
    turn: &Progress,
) -> Result<bool, Error> {
    if turn.run == *run {
        return Ok(turn.news.iter().any(|news| is_of_a_question(plan, news)));
    }
    if known.iter().any(|asked| asked.run.is_within(&turn.run)) {
        return Ok(true);
    }
    if matches!(turn.status, Status::Ended(_)) {
        return Ok(false);
    }
    let standing = backend.query(&turn.run).await?;
    Ok(standing.open.iter().any(|open| open.kind == OpenKind::Action))
}

fn asks(work: &Work) -> bool {
    matches!(work, Work::Action { .. } | Work::Child { .. })
}

fn is_of_a_question(plan: &Plan, news: &News) -> bool {
    match news {
        News::Began { step, .. } | News::Ended { step, .. } => {
            plan.steps.get(*step as usize).is_some_and(|step| asks(&step.work))
        }
        News::Skipped { .. } | News::Closing { .. } | News::Over { .. } => false,
        _ => can_ask(plan),
    }
}
