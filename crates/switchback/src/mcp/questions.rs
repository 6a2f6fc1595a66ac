//! Open questions as an agent sees them: what is asked, by whom it may be answered, and the one call that does.

use super::elicit::unseen;
use engine::asking::{self, Asked, AskedKind};
use engine::dialects::view::asked::label;
use engine::kernel::RunId;
use serde_json::Value;

/// How many questions are told in words; the others are in the list.
const NAMED_MAX: usize = 3;

/// All of them.
pub(super) fn documents(asked: &[Asked]) -> Value {
    asked.iter().map(asking::document).collect()
}

/// What to do about them, if there are any.
pub(super) fn next(run: &RunId, asked: &[Asked]) -> Option<String> {
    let several = asked.len() > 1;
    let told: Vec<String> = asked.iter().take(NAMED_MAX).map(|one| one_next(run, one, several)).collect();
    let more = asked.len().saturating_sub(NAMED_MAX);
    match (told.is_empty(), more) {
        (true, _) => None,
        (false, 0) => Some(told.join(" ")),
        (false, more) => Some(format!("{} `questions` has {more} more.", told.join(" "))),
    }
}

fn one_next(run: &RunId, asked: &Asked, several: bool) -> String {
    let (step, root) = (asked.step(), &asked.root);
    let which = if several { format!(", question_id=\"{}\"", asked.question_id) } else { String::new() };
    let call = |response: &str| format!("resume_workflow(workflow_id=\"{run}\"{which}, response={response})");
    if asked.is_gate() {
        let why = unseen(asked).map(|why| format!("; {why}")).unwrap_or_default();
        return format!(
            "Only a human may answer `{step}`{why}: tell them to type `switchback answer {root}` in a terminal of their own. \
             get_workflow_status(workflow_id=\"{run}\", wait_seconds=45) waits for it."
        );
    }
    match asked.kind {
        AskedKind::Agent => format!(
            "`{step}` is yours: do what its prompt says, then call {}.",
            call(if asked.output_schema.is_some() {
                "{what output_schema asks for}"
            } else {
                "what you found"
            })
        ),
        AskedKind::Confirm => {
            format!("Ask the person what `{step}` asks and relay it: {}.", call("true or false"))
        }
        AskedKind::Choice => {
            let labels: Vec<String> = asked.choices.iter().map(|one| format!("\"{}\"", label(one))).collect();
            format!("Ask the person what `{step}` asks and relay it: {}.", call(&labels.join(" or ")))
        }
        AskedKind::Info => format!("Show the person what `{step}` says, then call {}.", call("true")),
        AskedKind::Text => format!("Ask the person what `{step}` asks and relay it: {}.", call("\"...\"")),
    }
}
