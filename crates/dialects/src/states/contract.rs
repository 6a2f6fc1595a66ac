//! The contract of a definition: environment variables that must be set before it runs and after it has.

use super::head::bounded;
use crate::mistakes::Mistakes;
use crate::shape::{self, Shape, wrong_kind};
use crate::text::Node;
use serde::{Serialize, Serializer};

const VARIABLE: Shape =
    Shape { has_no: "a variable has no key", keys: &["name", "description", "required"], elsewhere: &[] };

/// The most variables of a kind.
const VARIABLES_MAX: usize = 20;

/// The longest name of a variable.
const NAME_CHARS_MAX: usize = 64;

/// The longest description of a variable.
const DESCRIPTION_CHARS_MAX: usize = 200;

/// What is agreed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Contract {
    /// Variables that must be set before, in the order written.
    #[serde(serialize_with = "by_name")]
    pub arguments: Vec<Variable>,
    /// Variables that must be set after, in the order written.
    #[serde(serialize_with = "by_name")]
    pub return_values: Vec<Variable>,
    /// What the workflow is for.
    pub description: String,
}

/// One variable.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// What it is for.
    pub description: String,
    /// Whether it must be set.
    pub required: bool,
}

impl Contract {
    /// Whether nothing is agreed.
    pub fn is_empty(&self) -> bool {
        self.arguments.is_empty() && self.return_values.is_empty()
    }
}

/// Variables by their names.
fn by_name<S: Serializer>(variables: &[Variable], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(variables.iter().map(|variable| (&variable.name, variable)))
}

/// Reads the contract.
pub(super) fn read(mistakes: &mut Mistakes<'_>, workflow: &Node, description: &str) -> Contract {
    let arguments = variables(mistakes, workflow, "arguments");
    let return_values = variables(mistakes, workflow, "return_values");
    let is_returned = |name: &str| return_values.iter().any(|variable| variable.name == name);
    let both: Vec<&str> =
        arguments.iter().map(|variable| variable.name.as_str()).filter(|name| is_returned(name)).collect();
    if let (false, Some((key, _))) = (both.is_empty(), workflow.entry("return_values")) {
        let message =
            format!("Environment variables cannot be both arguments and return values: {}", both.join(", "));
        mistakes.error(|sheet| sheet.error("both-ways", key.place(), message));
    }
    Contract { arguments, return_values, description: description.to_owned() }
}

fn variables(mistakes: &mut Mistakes<'_>, workflow: &Node, key: &str) -> Vec<Variable> {
    let Some(node) = workflow.get(key).filter(|node| !node.is_null()) else { return Vec::new() };
    let hint = "name each variable: `{PROJECT_ROOT: \"the folder of the project\"}`";
    if !shape::is_map(mistakes, node, &format!("`{key}`"), hint) {
        return Vec::new();
    }
    let all: Vec<Variable> =
        shape::unique(node).map(|(name, key, value)| variable(mistakes, name, key, value)).collect();
    if all.len() > VARIABLES_MAX {
        mistakes.error(|sheet| {
            let message = format!("`{key}` has {} variables; at most {VARIABLES_MAX} are allowed", all.len());
            sheet.error("too-many", node.place(), message)
        });
    }
    all
}

fn variable(mistakes: &mut Mistakes<'_>, name: &str, key: &Node, node: &Node) -> Variable {
    check_name(mistakes, key, name);
    let mut variable = Variable { name: name.to_owned(), description: String::new(), required: true };
    if let Some(text) = node.as_string() {
        bounded(mistakes, node, text, (1, DESCRIPTION_CHARS_MAX));
        variable.description = text.to_owned();
        return variable;
    }
    if node.as_map().is_none() {
        wrong_kind(mistakes, node, &format!("`{name}`"), "a description or a mapping", "");
        return variable;
    }
    shape::check_keys(mistakes, node, &VARIABLE);
    if let Some(inner) = node.get("name") {
        same_name(mistakes, inner, name);
    }
    match node.get("description") {
        Some(given) => {
            if let Some(text) = shape::text(mistakes, given, "`description`") {
                bounded(mistakes, given, text, (1, DESCRIPTION_CHARS_MAX));
                variable.description = text.to_owned();
            }
        }
        None => shape::missing(
            mistakes,
            key.place(),
            &format!("variable `{name}`"),
            "description",
            "say what it is for",
        ),
    }
    if let Some(required) = node.get("required") {
        match required.as_bool() {
            Some(truth) => variable.required = truth,
            None => wrong_kind(mistakes, required, "`required`", "true or false", ""),
        }
    }
    variable
}

fn check_name(mistakes: &mut Mistakes<'_>, node: &Node, name: &str) {
    let inner = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_';
    if name.starts_with(|first: char| first.is_ascii_uppercase())
        && name.bytes().all(inner)
        && name.len() <= NAME_CHARS_MAX
    {
        return;
    }
    let shown: String = name.chars().take(NAME_CHARS_MAX).collect();
    mistakes.error(|sheet| {
        let message = format!(
            "Environment variable '{shown}' must be uppercase, start with letter, contain only letters, numbers, and \
             underscores"
        );
        sheet.error("bad-variable", node.place(), message).hint(format!("up to {NAME_CHARS_MAX} characters"))
    });
}

fn same_name(mistakes: &mut Mistakes<'_>, node: &Node, key: &str) {
    let name = node.as_text().unwrap_or_default();
    if name != key {
        mistakes.error(|sheet| {
            let message = format!("the variable is called `{key}` by its key and `{name}` by its `name`");
            sheet.error("two-names", node.place(), message).hint("leave `name` out, or make both the same")
        });
    }
}
