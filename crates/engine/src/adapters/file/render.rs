//! Renders a template that lies in a file: it is read, and an evaluator is asked, as for one that stands in a definition. It sees
//! its variables and nothing else; `${...}` in it is plain text.

use super::bytes::read;
use super::roots::Roots;
use super::trouble::shown;
use super::walk::{Aim, walk};
use super::{Gate, Trouble};
use crate::answers::{Answers, Patience};
use dialects::blocks::TEMPLATE_BYTES_MAX;
use dialects::blocks::file::template;
use kernel::plan::Language;
use kernel::{Answer, Data, Question, RunId};
use serde_json::Value;

/// The text that a template file gives.
pub(super) fn rendered(
    roots: &Roots,
    path: &str,
    variables: Vec<(String, Data)>,
    (answers, run): (&dyn Answers, &RunId),
    gate: &Gate,
) -> Result<String, Trouble> {
    let place = walk(roots, path, Aim::Read)?;
    let bytes = read(&place, TEMPLATE_BYTES_MAX as u64, "a template can have no more: split it", gate)?;
    let shown = shown(path);
    let text = String::from_utf8(bytes)
        .map_err(|_| Trouble::no(format!("{shown} is not UTF-8, and no template")))?;
    let mistake = |words: &str| Trouble::expression(format!("{shown} {words}"));
    let source = template(&text).map_err(|words| mistake(&words))?;
    gate.check()?;
    let question =
        Question::Evaluate { language: Language::Jinja, expressions: vec![source], scope: variables };
    match answers.answer(run, &[question], &Patience::default()).pop() {
        Some(Answer::Evaluated(mut values)) => match values.pop() {
            Some(Ok(Data::Inline(Value::String(text)))) => Ok(text),
            Some(Err(words)) => Err(mistake(&words)),
            _ => Err(mistake("gave something other than text")),
        },
        Some(Answer::Unanswered(reason)) => Err(mistake(&reason)),
        _ => Err(mistake("was not answered")),
    }
}
