//! Gives an answer to a run: made to fit, submitted, and what became of it.

use super::call::Call;
use super::elicit::{self, Said};
use super::problem::Problem;
use super::questions;
use super::runs;
use engine::asking::{self, Asked, Misfit};
use engine::backend::Backend;
use engine::kernel::command::Caller;
use engine::kernel::{Command, Refusal};
use serde_json::{Value, json};

/// What became of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Taken {
    /// It was taken, now, as this entry, or before.
    Recorded(Option<u64>),
    /// There was none: the question stays open, for this reason.
    Open(String),
    /// It does not fit, for this reason: whoever gave it is asked again.
    Unfit(String),
    /// Another answer was there first, or the question is gone.
    Late(String),
}

/// Why a gate is not asked in a form.
pub(super) const NOT_SHOWN: &str = "this client was started by a workflow or by another client, so it is shown no gate; only a human answers one";

/// Takes what someone did with a form.
pub(super) async fn take(call: &Call, asked: &Asked, said: Said) -> Result<Taken, Problem> {
    if asked.is_gate() && !call.visit.shows_gates {
        return Ok(Taken::Open(NOT_SHOWN.to_owned()));
    }
    let command = match meant(asked, said, elicit::human(call)) {
        Ok(command) => command,
        Err(taken) => return Ok(taken),
    };
    match submit(call, asked, command).await {
        Ok(seq) => Ok(Taken::Recorded(seq)),
        Err(engine::Error::Refused(refusal)) => Ok(Taken::Late(refusal.to_string())),
        Err(error) => Err(runs::refused(error)),
    }
}

/// What is to be submitted, or why the question stays open.
fn meant(asked: &Asked, said: Said, by: Caller) -> Result<Command, Taken> {
    let open = |why: String| Err(Taken::Open(why));
    match said {
        Said::This(value) => {
            // A form that was sealed before this was looked at may have left something out.
            if let Some(why) = elicit::unseen(asked) {
                let root = &asked.root;
                return open(format!("the answer was not taken: {why}. `switchback answer {root}` shows it"));
            }
            let why = match asking::fit(asked, value) {
                Ok(result) => return Ok(asking::answer(asked, result, by)),
                Err(misfit) => format!("the answer does not fit: {misfit}"),
            };
            // At a gate an answer that is none is a no, and not asked for once more.
            Err(if asked.is_gate() { Taken::Open(why) } else { Taken::Unfit(why) })
        }
        Said::Declined => match asking::decline(asked, by) {
            Some(no) => Ok(no),
            None => open("the person was asked and would not answer".to_owned()),
        },
        Said::Cancelled => open("the person was asked and closed the question without an answer".to_owned()),
        Said::Garbled(why) => open(format!("the person could not be asked: {why}")),
    }
}

/// Submits an answer and gives its entry; the same one again is taken as it was before.
pub(super) async fn submit(
    call: &Call,
    asked: &Asked,
    command: Command,
) -> Result<Option<u64>, engine::Error> {
    let house = call.visit.house().map_err(|problem| engine::Error::Stopped(problem.to_string()))?;
    match house.local.submit(&asked.run, command).await {
        Err(engine::Error::Refused(refusal)) if asking::is_taken(&refusal) => Ok(None),
        other => other.map(|accepted| Some(accepted.seq)),
    }
}

/// Gives a run what an agent says, for itself or for whom it speaks.
pub(super) async fn relay(call: &Call, asked: &Asked, response: Value) -> Result<Taken, Problem> {
    if asked.is_gate() {
        return Err(humans_only(asked));
    }
    let result = asking::fit(asked, response).map_err(|misfit| wrong(asked, &misfit))?;
    let by: Caller = call.caller();
    match submit(call, asked, asking::answer(asked, result, by)).await {
        Ok(seq) => Ok(Taken::Recorded(seq)),
        Err(engine::Error::Refused(Refusal::AlreadyAnswered { .. })) => Err(answered(asked)),
        Err(error) => Err(runs::refused(error)),
    }
}

/// That only a human may answer, and how.
pub(super) fn humans_only(asked: &Asked) -> Problem {
    let root = &asked.root;
    Problem::new("humans-only", format!("only a human may answer `{}`", asked.question_id))
        .with("question", questions::document(asked))
        .help("Nothing was changed. This is a gate: an answer through an agent does not count")
        .next(format!(
            "Tell the person that the run waits for them: they type `switchback answer {root}` in a terminal of their own, \
             not in one of yours. get_workflow_status(workflow_id=\"{root}\", wait_seconds=45) waits for it."
        ))
}

fn wrong(asked: &Asked, misfit: &Misfit) -> Problem {
    let problems: Vec<Value> =
        misfit.problems.iter().map(|one| json!({ "at": one.at, "message": one.message })).collect();
    Problem::new("wrong-answer", format!("the answer does not fit `{}`: {misfit}", asked.question_id))
        .with("problems", problems.into())
        .with("fits", json!(misfit.fits))
        .with("question", questions::document(asked))
        .help("Nothing was changed. Call resume_workflow again with a response that fits")
}

fn answered(asked: &Asked) -> Problem {
    let root = &asked.root;
    Problem::new("already-answered", format!("`{}` has another answer already", asked.question_id))
        .help("Nothing was changed: the first answer counts")
        .next(format!(
            "get_workflow_status(workflow_id=\"{root}\") shows how the run stands and what is due."
        ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mcp::elicit::gate;

    #[test]
    fn what_was_not_shown_whole_can_only_be_declined() {
        let by = || Caller::Human { door: "elicitation".to_owned(), proven: false };
        let approved = |asked: &Asked, said| match meant(asked, said, by()) {
            Ok(Command::Answer { approved, .. }) => Ok(approved),
            Ok(other) => panic!("{other:?}"),
            Err(Taken::Open(why)) => Err(why),
            Err(other) => panic!("{other:?}"),
        };
        let (short, long) = (gate("x", &[]), gate(&"x\n".repeat(400), &[]));
        assert_eq!(approved(&short, Said::This(true.into())), Ok(true));
        let told = approved(&long, Said::This(true.into())).unwrap_err();
        assert!(told.contains("more than a form holds. `switchback answer mossy-otter-41`"), "{told}");
        assert_eq!(approved(&long, Said::Declined), Ok(false));
    }
}
