//! Open questions as an agent sees them: what is asked, by whom it may be answered, and the one call that does.

use super::elicit::unseen;
use super::resources::uri;
use engine::asking::{self, Asked, AskedKind};
use engine::dialects::view::asked::{label, step};
use engine::kernel::RunId;
use serde_json::Value;

/// How many questions are told in words; the others are in the list.
const NAMED_MAX: usize = 3;

/// How many choices of a question are told in words, and in how many bytes.
const CHOICES_MAX: usize = 10;
const CHOICES_BYTES_MAX: usize = 300;

/// The member that names the resource.
const ALL_OF_IT: &str = "all_of_it";

/// All of them, each with the resource that has all of it, where that can be read; `seen` takes it away again where nothing is
/// missing.
pub(super) fn documents(asked: &[Asked], is_here: bool) -> Value {
    let named = |one: &Asked| {
        let mut document = asking::document(one);
        if is_here {
            document["left_out"][ALL_OF_IT] = address(one).into();
        }
        document
    };
    asked.iter().map(named).collect()
}

/// One of them, with the resource that has all of it if something is missing.
pub(super) fn document(asked: &Asked) -> Value {
    let mut document = asking::document(asked);
    if document.get("left_out").is_some() {
        document["left_out"][ALL_OF_IT] = address(asked).into();
    }
    document
}

/// The resource that has all of a question.
fn address(asked: &Asked) -> String {
    uri::step(&asked.run, step(&asked.effect))
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
            format!("Ask the person what `{step}` asks and relay it: {}.", call(&choices(&asked.choices)))
        }
        AskedKind::Info => format!("Show the person what `{step}` says, then call {}.", call("true")),
        AskedKind::Text => format!("Ask the person what `{step}` asks and relay it: {}.", call("\"...\"")),
    }
}

/// The choices of a question in words; of many only how many there are.
fn choices(choices: &[Value]) -> String {
    let quoted = choices.iter().take(CHOICES_MAX + 1).map(|one| format!("\"{}\"", label(one)));
    let told = quoted.collect::<Vec<_>>().join(" or ");
    if choices.len() <= CHOICES_MAX && told.len() <= CHOICES_BYTES_MAX {
        return told;
    }
    format!("one of its {} choices or the number of one, see `questions`", choices.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn few_choices_are_told_and_many_are_counted() {
        let many = |count: usize| (0..count).map(|number| json!(format!("b{number}"))).collect::<Vec<_>>();
        assert_eq!(choices(&many(2)), r#""b0" or "b1""#);
        assert!(choices(&many(CHOICES_MAX)).ends_with(r#"or "b9""#));
        assert_eq!(
            choices(&many(CHOICES_MAX + 1)),
            "one of its 11 choices or the number of one, see `questions`"
        );
        let long = |bytes: usize| choices(&[json!("x".repeat(bytes))]);
        assert_eq!(long(CHOICES_BYTES_MAX - 2).len(), CHOICES_BYTES_MAX);
        assert!(long(CHOICES_BYTES_MAX - 1).starts_with("one of its 1 choices"));
    }
}
