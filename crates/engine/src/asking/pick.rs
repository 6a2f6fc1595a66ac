//! Which question is meant: the one that is named, or the only one there is.

use super::Asked;
use std::fmt;

/// Why no question was picked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unpicked {
    /// Nothing is asked.
    NothingAsked,
    /// Several are open, and none was named; these are.
    Several(Vec<String>),
    /// None that is open is called so; these are.
    Unknown {
        /// What was named.
        named: String,
        /// The ids of those that are open.
        open: Vec<String>,
    },
}

impl fmt::Display for Unpicked {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unpicked::NothingAsked => write!(out, "the run asks nothing"),
            Unpicked::Several(open) => {
                write!(out, "{} questions are open; name one: {}", open.len(), all(open))
            }
            Unpicked::Unknown { named, open } if open.is_empty() => {
                write!(out, "no question is called `{named}`, and none is open")
            }
            Unpicked::Unknown { named, open } => {
                write!(out, "no open question is called `{named}`; open: {}", all(open))
            }
        }
    }
}

fn all(ids: &[String]) -> String {
    ids.iter().map(|id| format!("`{id}`")).collect::<Vec<_>>().join(", ")
}

/// Picks the question of an id or of a step, or the only one there is.
pub fn pick<'a>(asked: &'a [Asked], named: Option<&str>) -> Result<&'a Asked, Unpicked> {
    let open = || asked.iter().map(|one| one.question_id.clone()).collect();
    let Some(named) = named else {
        return match asked {
            [] => Err(Unpicked::NothingAsked),
            [only] => Ok(only),
            _ => Err(Unpicked::Several(open())),
        };
    };
    if let Some(found) = asked.iter().find(|one| one.question_id == named) {
        return Ok(found);
    }
    let mut steps = asked.iter().filter(|one| one.path.join("/") == named || one.step() == named);
    match (steps.next(), steps.next()) {
        (Some(only), None) => Ok(only),
        _ => Err(Unpicked::Unknown { named: named.to_owned(), open: open() }),
    }
}
