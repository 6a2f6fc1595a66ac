//! `{% for .. in .. %}`: the engine does not know how long a text is when it loops over it, so that `loop.last` would never be
//! true there. What is looped over goes through a call, by letters that are added around it:
//!
//! ```text
//!  for x in name | upper if x != '-'            what is written
//!  for x in  _each((name | upper)) if x != '-'   what the engine gets
//! ```

use super::order::{is_of_word, literal};
use minijinja::value::ValueKind;
use minijinja::{Environment, Value};

/// What the call is called; a name that nobody else takes.
const EACH: &str = "_each";

/// Adds it.
pub(super) fn add(environment: &mut Environment<'static>) {
    environment.add_function(EACH, each);
}

/// The letters of a text, which are counted; anything else is looped over as it is.
fn each(value: Value) -> Value {
    if value.kind() != ValueKind::String {
        return value;
    }
    let count = value.len().unwrap_or_default();
    Value::make_object_iterable(value, move |text| {
        let mut letters = text.as_str().unwrap_or_default().chars();
        Box::new((0..count).map(move |_| letters.next().map_or(Value::UNDEFINED, Value::from)))
    })
}

/// What is added to the code of a statement, by place, if it begins a loop.
pub(super) fn around(code: &str) -> Vec<(usize, String)> {
    let Some((begins, ends)) = looped_over(code) else { return Vec::new() };
    vec![(begins, format!(" {EACH}((")), (ends, "))".to_owned())]
}

/// Where that stands which is looped over. What is no whole loop is left to the engine, which says so.
fn looped_over(code: &str) -> Option<(usize, usize)> {
    let (mut at, mut depth, mut begins, mut ends) = (0, 0_usize, None, None);
    let mut is_first = true;
    while at < code.len() && ends.is_none() {
        let rest = &code[at..];
        let first = rest.chars().next()?;
        let length = match first {
            '\'' | '"' => literal(rest, first),
            _ if is_of_word(first) => rest.find(|letter| !is_of_word(letter)).unwrap_or(rest.len()),
            _ => first.len_utf8(),
        };
        match &rest[..length] {
            word if word.trim().is_empty() => {}
            word if is_first && word != "for" => return None,
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth = depth.checked_sub(1)?,
            "in" if depth == 0 && begins.is_none() => begins = Some(at + length),
            "if" | "recursive" if depth == 0 && begins.is_some() => ends = Some(at),
            "," if depth == 0 && begins.is_some() => return None,
            _ => {}
        }
        is_first &= rest[..length].trim().is_empty();
        at += length;
    }
    let (begins, ends) = (begins?, ends.unwrap_or(code.len()));
    let inside = &code[begins..ends];
    let blanks = inside.len() - inside.trim_start().len();
    (depth == 0 && !inside.trim().is_empty()).then_some((begins + blanks, begins + inside.trim_end().len()))
}
