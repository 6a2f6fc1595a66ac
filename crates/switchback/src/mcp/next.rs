//! What to do next, whenever something is left to do.

use super::questions;
use crate::cli::{typable, undecided};
use crate::settings::Toolset;
use engine::dialects::steps::instructions::Reader;
use engine::kernel::plan::Dialect;
use engine::kernel::{Outcome, RunId, Status, Waiting};
use engine::view::{Undecided, View};
use std::collections::BTreeSet;

/// How many steps are named.
const NAMED_MAX: usize = 3;

/// What is said to whoever carried out a run that belongs to another.
pub(super) const OVER: &str = "This run is over: nothing more is to be done in it.";

/// What to do about a run as it stands, from the folder of whoever asks.
pub(super) fn next_from(folder: &str, view: &View, toolsets: &BTreeSet<Toolset>) -> Option<String> {
    if view.workspace == folder { next_with(view, toolsets) } else { Some(elsewhere(view)) }
}

/// What to do about a run as it stands, by tools that are there: a run of `reactive` is driven by its own, if they are.
pub(super) fn next_with(view: &View, toolsets: &BTreeSet<Toolset>) -> Option<String> {
    let own = view.plan.dialect == Dialect::Reactive && toolsets.contains(&Toolset::Reactive);
    let is_over = matches!(view.status, Status::Ended(_) | Status::Closing);
    let has_step = !view.asked.is_empty() || !view.parallel.is_empty() || !view.delegated.is_empty();
    if own && has_step && !is_over && !view.left && cut_off(view).is_none() {
        let run = &view.run;
        return Some(format!("workflow_get_next_step(workflow_id=\"{run}\") gives the step that is due."));
    }
    let next = next(view)?;
    Some(if own { next.replace("start_workflow", "workflow_start") } else { next })
}

/// What can be done about a run from a folder that it does not belong to: look at it, and wait.
fn elsewhere(view: &View) -> String {
    let (run, home) = (&view.run, &view.workspace);
    let here = match &view.status {
        Status::Ended(_) => format!(
            "get_workflow_status(workflow_id=\"{run}\", all=true, detail=\"whole\") shows from here what each step gave"
        ),
        _ => format!(
            "get_workflow_status(workflow_id=\"{run}\", all=true, wait_seconds=45) waits for it from here"
        ),
    };
    format!(
        "This run belongs to {home}. {here}; its resources, cancel_workflow and execute_workflow work only for a client \
         of that folder. A person can use `switchback show {run}` and `switchback cancel {run}` anywhere."
    )
}

/// What to do about a run as it stands; nothing where it has succeeded.
pub(super) fn next(view: &View) -> Option<String> {
    let run = &view.run;
    if view.left {
        return Some(format!(
            "No process carries this run. A person goes on with it by `switchback resume {run}`; \
             cancel_workflow(workflow_id=\"{run}\") ends it."
        ));
    }
    let is_over = matches!(view.status, Status::Ended(_) | Status::Closing);
    let reader = if view.plan.agent.is_some() { Reader::Sub } else { Reader::Main };
    let asks = match view.plan.dialect {
        Dialect::Steps | Dialect::Reactive => view.due().next(run, reader),
        _ => questions::next(run, &view.asked).or_else(|| view.due().next(run, reader)),
    };
    if let Some(next) = asks.filter(|_| !is_over) {
        // What was cut off is told first, to whoever can tell a person.
        let cut = cut_off(view).filter(|_| is_stepwise(view));
        return Some(cut.map_or_else(|| next.clone(), |cut| format!("{cut} {next}")));
    }
    // One item is over with its run: what comes after it is for those above to say.
    if reader == Reader::Sub && is_over {
        return Some(OVER.to_owned());
    }
    let again = if is_stepwise(view) { "start_workflow" } else { "execute_workflow" };
    Some(match &view.status {
        Status::Ended(Outcome::Succeeded { .. }) => return None,
        Status::Ended(Outcome::Failed { .. }) => format!(
            "Read `error` and what failed, mend the cause, then call {again} again, with another request_key if \
             one was given. Everything a step was given and gave: \
             get_workflow_status(workflow_id=\"{run}\", detail=\"whole\")."
        ),
        Status::Ended(Outcome::Cancelled { .. }) => {
            format!(
                "Call {again} if the work is to be done after all, with another request_key if one was given."
            )
        }
        Status::Waiting(waiting) => waits(view, waiting).unwrap_or_else(|| goes_on(run)),
        Status::Queued | Status::Running | Status::Closing => goes_on(run),
    })
}

/// Whether its steps are handed to the agent one by one.
fn is_stepwise(view: &View) -> bool {
    matches!(view.plan.dialect, Dialect::Steps | Dialect::Reactive)
}

/// What is to be done about steps that were cut off, if there are some.
pub(super) fn cut_off(view: &View) -> Option<String> {
    let undecided: Vec<Undecided> = view.all_undecided().collect();
    (!undecided.is_empty()).then(|| undecided_next(view, &undecided))
}

/// What a person does about interrupted steps.
fn undecided_next(view: &View, steps: &[Undecided]) -> String {
    let command = |one| format!("`{}`", undecided::command(one, "--retry"));
    let ways = match steps {
        [one] => {
            let step = typable(&one.step);
            format!("says which: {}, `--done {step}` or `--fail {step}`", command(one))
        }
        _ => {
            let mut commands: Vec<String> = steps.iter().take(undecided::NAMED_MAX).map(command).collect();
            commands.extend(undecided::more(steps.len().saturating_sub(undecided::NAMED_MAX)));
            format!(
                "says of each which, with `--done` or `--fail` in place of `--retry` where that is so: {}",
                commands.join(", ")
            )
        }
    };
    format!("{} may or may not have happened. A person looks, then {ways}.", undecided::list(view, steps))
}

/// What waits for a run again.
fn goes_on(run: &RunId) -> String {
    format!(
        "The run goes on by itself. get_workflow_status(workflow_id=\"{run}\", wait_seconds=45) waits for it; \
         cancel_workflow(workflow_id=\"{run}\") ends it."
    )
}

fn waits(view: &View, waiting: &[Waiting]) -> Option<String> {
    let run = &view.run;
    if let Some(cut) = cut_off(view) {
        return Some(cut);
    }
    let someone =
        |one: &&Waiting| matches!(one, Waiting::Agent(_) | Waiting::Human(_) | Waiting::Decision(_));
    let for_whom: Vec<String> =
        waiting.iter().filter(someone).take(NAMED_MAX).map(ToString::to_string).collect();
    (!for_whom.is_empty()).then(|| {
        format!(
            "It waits for {}. get_workflow_status(workflow_id=\"{run}\", wait_seconds=45) waits with it; \
             cancel_workflow(workflow_id=\"{run}\") ends it.",
            for_whom.join(", ")
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::kernel::Plan;
    use engine::kernel::plan::{Flow, Graph};

    fn told(below: usize) -> String {
        let plan = Plan::new("p", Dialect::Blocks, Flow::Graph(Graph::new(vec![], 1)));
        let mut view = View::new(RunId::new("r"), plan.into(), "/w".to_owned(), 0);
        let of = |at| Undecided { run: RunId::new(format!("r/c[{at}]#1")), step: "a".to_owned() };
        (view.below, view.status) = ((0..below).map(of).collect(), Status::Waiting(Vec::new()));
        next(&view).unwrap()
    }

    #[test]
    fn each_interrupted_step_has_its_command_and_what_is_too_many_is_counted() {
        assert_eq!(
            told(1),
            "`a` of run r/c[0]#1 may or may not have happened. A person looks, then says which: \
             `switchback resume 'r/c[0]#1' --retry a`, `--done a` or `--fail a`."
        );
        let ten = told(undecided::NAMED_MAX);
        assert!(ten.contains("`a` of run r/c[9]#1 may or may not have happened"), "{ten}");
        assert!(ten.ends_with("`switchback resume 'r/c[9]#1' --retry a`."), "{ten}");
        let more = told(undecided::NAMED_MAX + 2);
        assert!(more.contains("`a` of run r/c[9]#1, and 2 more may or may not"), "{more}");
        assert!(more.ends_with("`switchback resume 'r/c[9]#1' --retry a`, and 2 more."), "{more}");
    }
}
