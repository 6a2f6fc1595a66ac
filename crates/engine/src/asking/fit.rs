//! Makes what a person or an agent said fit the question, or says what would.
//!
//! | kind | what fits |
//! |---|---|
//! | text | a text |
//! | confirm | true or false; yes, no, y, n |
//! | choice | one of the choices, or its number |
//! | agent | a text or an object; with a schema what fits that |
//!
//! Nothing said counts as the default, where there is one. At a gate there is none: what is not said approves nothing.

use super::{Asked, AskedKind};
use crate::adapters::exact;
pub use dialects::schema::Problem;
use dialects::schema::Schema;
use dialects::steps::fit::Unfit;
use dialects::view::asked::label;
use kernel::data::{DEPTH_MAX, TOO_DEEP, weight};
use kernel::plan::Dialect;
use kernel::{Data, Fields};
use serde_json::{Map, Value};
use std::fmt;

/// The longest answer.
pub const RESPONSE_BYTES_MAX: u64 = 256 * 1024;

/// The largest result of a step of an agent.
const RESULT_BYTES_MAX: u64 = 1024 * 1024;

/// How many choices are named to whoever chose none of them.
const NAMED_MAX: usize = 20;

/// What was said does not fit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misfit {
    /// What is wrong, each with its place.
    pub problems: Vec<Problem>,
    /// What would fit.
    pub fits: String,
}

impl Misfit {
    fn new(message: impl Into<String>, fits: impl Into<String>) -> Self {
        Misfit { problems: vec![Problem { at: String::new(), message: message.into() }], fits: fits.into() }
    }
}

impl Misfit {
    /// Whether it is only too much.
    pub fn is_too_large(&self) -> bool {
        self.problems.iter().any(|problem| problem.message.starts_with(TOO_LARGE))
    }
}

/// How what is too much is told.
const TOO_LARGE: &str = "the answer is too large";

impl fmt::Display for Misfit {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (problem, number) in self.problems.iter().zip(0..) {
            let between = if number == 0 { "" } else { "; " };
            match problem.at.as_str() {
                "" => write!(out, "{between}{}", problem.message)?,
                at => write!(out, "{between}{at}: {}", problem.message)?,
            }
        }
        write!(out, ". What fits: {}", self.fits)
    }
}

/// Makes what was said fit the question: the result that its step gives.
pub fn fit(asked: &Asked, said: Value) -> Result<Fields, Misfit> {
    match asked.dialect {
        Dialect::Steps => return of_step(asked, said, dialects::steps::fit::fit),
        // At a gate it is yes or no, as everywhere.
        Dialect::Reactive if !asked.is_gate() => {
            return of_step(asked, said, dialects::reactive::view::fit::fit);
        }
        _ => {}
    }
    let silent = said.is_null() || said.as_str().is_some_and(|text| text.trim().is_empty());
    let said = match &asked.default {
        Some(default) if silent => default.clone(),
        _ => said,
    };
    fits_in(&said, RESPONSE_BYTES_MAX)?;
    let response = match asked.kind {
        AskedKind::Text if asked.is_gate() && said == Value::Bool(false) => Ok(said),
        AskedKind::Text if asked.is_gate() && silent => {
            Err(Misfit::new("nothing was said, and that passes no gate", "a text"))
        }
        AskedKind::Info | AskedKind::Text => text(said),
        AskedKind::Confirm => confirm(said),
        AskedKind::Choice => choice(&asked.choices, said),
        AskedKind::Agent => return result(asked, said),
    }?;
    Ok(Fields::from([("response".to_owned(), Data::Inline(response))]))
}

/// Makes what was said fit a step of a kind with these parameters.
type Fit = fn(&str, &Map<String, Value>, Value) -> Result<Value, Unfit>;

/// The result of a step of an agent, or of a person it asks: one value.
fn of_step(asked: &Asked, said: Value, fit: Fit) -> Result<Fields, Misfit> {
    fits_in(&said, RESULT_BYTES_MAX)?;
    let result = fit(&asked.word, &asked.parameters, said);
    let result = result.map_err(|unfit| Misfit::new(unfit.message, unfit.fits))?;
    Ok(Fields::from([("result".to_owned(), Data::Inline(result))]))
}

/// Whether what was said is neither too deep nor too large.
fn fits_in(said: &Value, bytes_max: u64) -> Result<(), Misfit> {
    let weight = weight(said);
    if weight == TOO_DEEP {
        let message = format!("the answer nests deeper than {DEPTH_MAX} levels");
        return Err(Misfit::new(message, "an answer that nests less"));
    }
    if weight > bytes_max && said.to_string().len() as u64 > bytes_max {
        let message = format!("{TOO_LARGE}: at most {bytes_max} bytes fit");
        return Err(Misfit::new(message, "a shorter answer; write what is long into a file and name that"));
    }
    Ok(())
}

fn text(said: Value) -> Result<Value, Misfit> {
    match said {
        Value::String(_) => Ok(said),
        Value::Number(_) | Value::Bool(_) => Ok(Value::String(said.to_string())),
        other => Err(Misfit::new(format!("a text is asked for, and this is {}", called(&other)), "a text")),
    }
}

fn confirm(said: Value) -> Result<Value, Misfit> {
    let word = match &said {
        Value::Bool(_) => return Ok(said),
        Value::String(text) => text.trim().to_lowercase(),
        _ => String::new(),
    };
    match word.as_str() {
        "yes" | "y" | "true" => Ok(true.into()),
        "no" | "n" | "false" => Ok(false.into()),
        _ => Err(Misfit::new(format!("{} is neither yes nor no", quoted(&said)), "true or false, yes or no")),
    }
}

fn choice(choices: &[Value], said: Value) -> Result<Value, Misfit> {
    let word = label(&said);
    let word = word.trim();
    let by_value = choices.iter().find(|one| **one == said);
    let by_label = || choices.iter().find(|one| label(one) == word);
    // No two look the same, blanks aside: one that is called so is meant, and no number.
    let by_name = || choices.iter().find(|one| label(one).trim() == word);
    // As it is shown: `01` is no number of a choice.
    let number = word.parse::<usize>().ok().filter(|number| number.to_string() == word);
    let by_number = || choices.get(number?.checked_sub(1)?);
    match by_value.or_else(by_label).or_else(by_name).or_else(by_number) {
        Some(chosen) => Ok(chosen.clone()),
        None => {
            let numbered = choices.iter().zip(1..).map(|(one, number)| format!("{number} {}", label(one)));
            let mut fits = numbered.take(NAMED_MAX).collect::<Vec<_>>().join(", ");
            if choices.len() > NAMED_MAX {
                fits.push_str(&format!(", and {} more", choices.len() - NAMED_MAX));
            }
            Err(Misfit::new(format!("{} is none of the choices", quoted(&said)), fits))
        }
    }
}

/// The result of an agent's work. Text that is JSON counts as that where only so it fits.
fn result(asked: &Asked, said: Value) -> Result<Fields, Misfit> {
    let silent = said.is_null() || said.as_str().is_some_and(|text| text.trim().is_empty());
    if silent {
        return Err(Misfit::new("nothing was said", "the result of the work, a text or an object"));
    }
    match &asked.output_schema {
        Some(schema) => said_by(schema, said).map(members),
        None => Ok(members(said)),
    }
}

fn said_by(schema: &Value, said: Value) -> Result<Value, Misfit> {
    let fits = || format!("a value of the schema {}", shortened(&schema.to_string()));
    let held = Schema::new(schema).map_err(|mistake| {
        let message = format!("the schema of the question cannot be used: {}", mistake.message);
        Misfit::new(message, "nothing; cancel the run and mend its definition")
    })?;
    let mut problems = held.problems(&said);
    if problems.is_empty() {
        return Ok(said);
    }
    if let Some((text, read)) =
        said.as_str().and_then(|text| Some((text, serde_json::from_str::<Value>(text).ok()?)))
    {
        if let Err(why) = exact(text) {
            return Err(Misfit::new(format!("the answer cannot be taken as it stands there: {why}"), fits()));
        }
        let told = held.problems(&read);
        if told.is_empty() {
            return Ok(read);
        }
        problems = if read.is_object() { told } else { problems };
    }
    Err(Misfit { problems, fits: fits() })
}

fn members(said: Value) -> Fields {
    let mut fields = Fields::new();
    if let Value::Object(members) = &said {
        fields.extend(members.iter().map(|(name, value)| (name.clone(), Data::Inline(value.clone()))));
    }
    fields.insert("response".to_owned(), Data::Inline(said));
    fields
}

fn shortened(text: &str) -> String {
    const BYTES_MAX: usize = 2_000;
    let head = &text[..text.floor_char_boundary(BYTES_MAX)];
    if head.len() < text.len() { format!("{head}...") } else { head.to_owned() }
}

/// What was said, in quotes and not too long.
fn quoted(said: &Value) -> String {
    const CHARS_MAX: usize = 60;
    let text = label(said);
    let head: String = text.chars().take(CHARS_MAX).collect();
    let dots = if head.len() < text.len() { "..." } else { "" };
    format!("`{head}{dots}`")
}

fn called(value: &Value) -> &'static str {
    match value {
        Value::Null => "nothing",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

#[cfg(test)]
mod tests;
