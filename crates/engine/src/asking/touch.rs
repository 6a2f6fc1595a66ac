//! When to look for questions again: only where a plan can ask, and only after a turn that may have opened or closed one.

use crate::backend::{Backend, Error, Progress};
use crate::view::View;
use kernel::plan::{Dialect, Work};
use kernel::{News, OpenKind, Plan, Status};

/// Whether a plan has steps that ask, or calls workflows that may.
pub fn can_ask(plan: &Plan) -> bool {
    plan.steps.iter().any(|step| asks(&step.work))
}

/// Whether a turn of a run that is looked at, or of one below it, may have opened or closed a question, or given a sub-agent
/// something to do.
pub async fn touches(backend: &dyn Backend, view: &View, turn: &Progress) -> Result<bool, Error> {
    let is_over = matches!(turn.status, Status::Ended(_));
    if turn.run == view.run {
        let is_known = !view.asked.is_empty() || !view.delegated.is_empty() || view.coming > 0;
        return Ok(turn.news.iter().any(|news| is_of_a_question(&view.plan, is_known, news)));
    }
    // What a sub-agent does is nobody's news above it until it is done.
    let mut delegated = view.delegated.iter().flat_map(|one| &one.open);
    if let Some((child, _)) = delegated.find(|(child, _)| turn.run.is_within(child)) {
        return Ok(is_over && turn.run == *child);
    }
    if view.asked.iter().any(|asked| asked.run.is_within(&turn.run)) {
        return Ok(true);
    }
    if is_over {
        return Ok(false);
    }
    if turn.seq == 1 && view.coming > 0 {
        return Ok(true);
    }
    let standing = backend.query(&turn.run).await?;
    Ok(standing.open.iter().any(|open| open.kind == OpenKind::Action))
}

fn asks(work: &Work) -> bool {
    matches!(work, Work::Action { .. } | Work::Child { .. })
}

fn is_of_a_question(plan: &Plan, is_known: bool, news: &News) -> bool {
    match news {
        News::Began { step, .. } => {
            work_of(plan, *step).is_some_and(|work| matches!(work, Work::Action { .. }))
        }
        // Of a called run only an open question ends with it: what it asks, its own turns say.
        News::Ended { step, .. } => work_of(plan, *step).is_some_and(|work| match work {
            Work::Child { .. } => is_known,
            work => asks(work),
        }),
        News::Item { .. } => false,
        // The children of a list may be for sub-agents.
        News::Nested { .. } => plan.dialect == Dialect::Steps,
        News::Skipped { .. } | News::Closing { .. } | News::Over { .. } => false,
        News::Changed { .. } | News::Computed { .. } | News::Warned { .. } | News::Marked { .. } => false,
        _ => can_ask(plan),
    }
}

fn work_of(plan: &Plan, step: u32) -> Option<&Work> {
    plan.steps.get(step as usize).map(|step| &step.work)
}

#[cfg(test)]
mod tests {
    use super::*;
    use kernel::plan::{Audience, Flow, Graph, Step, Workflow};
    use kernel::{Fields, RunId};

    fn plan() -> Plan {
        let mut plan = Plan::new("test", Dialect::Blocks, Flow::Graph(Graph::new(vec![], 1)));
        let child = Work::Child {
            workflow: Workflow::Pinned { name: "w".into(), plan: kernel::Digest::of_json(&1) },
            inputs: vec![],
        };
        let asks = Work::Action { audience: Audience::Human, gate: None, inputs: vec![], ends: None };
        plan.steps = vec![Step::new("calls", child), Step::new("asks", asks)];
        plan
    }

    fn news(step: u32) -> [News; 2] {
        let key = "k".to_owned();
        let began = News::Began { key: key.clone(), step, attempt: 1, inputs: Fields::new() };
        [began, News::Ended { key, step, failure: None, outputs: Fields::new(), since: 0 }]
    }

    #[test]
    fn a_called_run_that_begins_and_ends_is_no_reason_to_look() {
        let plan = plan();
        let looks = |news: &News| is_of_a_question(&plan, false, news);
        assert_eq!(news(0).each_ref().map(looks), [false, false]);
        assert_eq!(news(1).each_ref().map(looks), [true, true]);
        let nested = News::Nested { key: "k".into(), child: RunId::new("r/c"), workflow: "w".into() };
        let item = News::Item { key: "k".into(), step: 0, index: 0, item: kernel::Data::Inline(1.into()) };
        assert_eq!([nested, item].each_ref().map(looks), [false, false]);
        assert!(looks(&News::Offered { key: "k".into() }));
    }
}
