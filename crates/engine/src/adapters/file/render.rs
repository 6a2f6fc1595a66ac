//! Renders a template: an evaluator is asked. It sees its variables and nothing else; `${...}` in one that lies in a file is plain
//! text.

use super::bytes::read;
use super::job::{Template, Text};
use super::roots::Roots;
use super::trouble::shown;
use super::walk::{Aim, walk};
use super::{Gate, Trouble};
use crate::answers::Answers;
use dialects::blocks::TEMPLATE_BYTES_MAX;
use dialects::blocks::file::template;
use kernel::plan::Language;
use kernel::{Answer, Data, Question, RunId};
use serde_json::Value;

/// The text that a template gives.
pub(super) fn rendered(
    roots: &Roots,
    Template { text, variables }: Template,
    (answers, run): (&dyn Answers, &RunId),
    gate: &Gate,
) -> Result<String, Trouble> {
    let (source, place) = match text {
        Text::Source(source) => (source, String::new()),
        Text::File(path) => (in_file(roots, &path, gate)?, format!("{} ", shown(&path))),
    };
    let mistake = |words: &str| Trouble::expression(format!("{place}{words}"));
    gate.check()?;
    let question = Question::Evaluate {
        language: Language::Jinja,
        expressions: vec![source],
        scope: variables,
        origins: Vec::new(),
    };
    match answers.answer(run, &[question], &gate.patience).pop() {
        Some(Answer::Evaluated(mut values)) => match values.pop() {
            Some(Ok(Data::Inline(Value::String(text)))) => Ok(text),
            Some(Err(words)) => Err(mistake(&words)),
            _ => Err(mistake("gave something other than text")),
        },
        Some(Answer::Unanswered(reason)) => Err(mistake(&reason)),
        _ => Err(mistake("was not answered")),
    }
}

/// A template that lies in a file, as an evaluator takes it.
fn in_file(roots: &Roots, path: &str, gate: &Gate) -> Result<String, Trouble> {
    let place = walk(roots, path, Aim::Read)?;
    let bytes = read(&place, TEMPLATE_BYTES_MAX as u64, "a template can have no more: split it", gate)?;
    let shown = shown(path);
    let text = String::from_utf8(bytes)
        .map_err(|_| Trouble::no(format!("{shown} is not UTF-8, and no template")))?;
    template(&text).map_err(|words| Trouble::expression(format!("{shown} {words}")))
}
