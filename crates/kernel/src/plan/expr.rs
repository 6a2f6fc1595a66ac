//! Expressions: values of a plan that are known when the file is read, when the step runs, or only after
//! an evaluator was asked.

use super::InputKind;
use crate::language::{Condition, Path, Template};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A value to be.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Expr {
    /// Known already.
    Const(Value),
    /// References, with or without text around them.
    Template(Template),
    /// One referenced value that must be there: nothing is not enough.
    Needed(Path),
    /// One referenced value that need not be there: nothing is nothing.
    Optional(Path),
    /// One referenced list that must be there, with something in it.
    Items(Path),
    /// True or false.
    Condition(Condition),
    /// A list of expressions.
    List(Vec<Expr>),
    /// An object of expressions, in the order written.
    Object(Vec<(String, Expr)>),
    /// Only an evaluator can tell.
    Foreign(Foreign),
    /// A value that is made only of texts that are whole.
    Whole {
        /// The texts, and where is said how many bytes of each were left out.
        texts: Vec<(String, Path)>,
        /// The value.
        value: Box<Expr>,
    },
    /// Text with `{name}` in it, where names are variables of a machine. What names none stays as it is.
    Braced {
        /// The text.
        text: String,
        /// What it must be where it is nothing but one name.
        kind: InputKind,
    },
    /// A text for somebody to read: blanks say nothing.
    Words {
        /// What the text is called.
        name: String,
        /// The text.
        value: Box<Expr>,
    },
}

/// An expression in a language that the kernel does not evaluate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Foreign {
    /// The language.
    pub language: Language,
    /// The expression.
    pub source: String,
    /// The values it reads; only these are sent along.
    pub reads: Vec<Path>,
    /// Values under names of its own. What has any is asked alone: the same name may mean something else elsewhere.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub given: Vec<(String, Expr)>,
    /// Where it stands in its file, if that can be said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<Origin>,
}

/// Where a source stands in the file it was written in, so that an error can point there. Counted from one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Origin {
    /// The line of its first character.
    pub line: u32,
    /// The column of its first character.
    pub column: u32,
    /// The column at which its later lines begin, where they are the following lines of the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub indent: Option<u32>,
}

/// Languages of evaluators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Language {
    /// Jinja.
    Jinja,
    /// JavaScript.
    JavaScript,
    /// Regular expressions: whether each is found in the values of the scope, with a blank between them.
    Regex,
}

impl Expr {
    /// A text that must say something. What is known already was looked at when the file was read.
    pub fn words(self, name: &str) -> Expr {
        match self {
            Expr::Const(_) => self,
            value => Expr::Words { name: name.to_owned(), value: Box::new(value) },
        }
    }

    /// The foreign expressions in it, in order; not those that another one is given.
    pub(crate) fn foreign<'e>(&'e self, found: &mut Vec<&'e Foreign>) {
        match self {
            Expr::Const(_) | Expr::Template(_) | Expr::Condition(_) => {}
            Expr::Needed(_) | Expr::Optional(_) | Expr::Items(_) | Expr::Braced { .. } => {}
            Expr::List(items) => items.iter().for_each(|item| item.foreign(found)),
            Expr::Object(fields) => fields.iter().for_each(|(_, item)| item.foreign(found)),
            Expr::Foreign(foreign) => found.push(foreign),
            Expr::Whole { value, .. } | Expr::Words { value, .. } => value.foreign(found),
        }
    }

    /// All paths it reads.
    pub fn paths(&self) -> Vec<&Path> {
        match self {
            Expr::Const(_) | Expr::Braced { .. } => Vec::new(),
            Expr::Template(template) => template.paths().collect(),
            Expr::Needed(path) | Expr::Optional(path) | Expr::Items(path) => vec![path],
            Expr::Condition(condition) => condition.paths(),
            Expr::List(items) => items.iter().flat_map(Expr::paths).collect(),
            Expr::Object(fields) => fields.iter().flat_map(|(_, item)| item.paths()).collect(),
            Expr::Whole { texts, value } => texts.iter().map(|(_, path)| path).chain(value.paths()).collect(),
            Expr::Words { value, .. } => value.paths(),
            Expr::Foreign(foreign) => {
                let given = foreign.given.iter().flat_map(|(_, item)| item.paths());
                foreign.reads.iter().chain(given).collect()
            }
        }
    }
}
