//! What holds within a step of a definition: by Python's rules, and text as it says.

use super::{Scope, Stop};
use crate::language::cut;
use crate::plan::{Expr, Foreign};
use serde_json::Value;

/// Texts that say yes, and texts that say no.
const YES: [&str; 3] = ["true", "yes", "1"];
const NO: [&str; 5] = ["false", "no", "0", "none", ""];

impl Scope<'_> {
    /// Whether a condition of a step holds.
    pub(crate) fn truth(&self, expr: &Expr) -> Result<bool, Stop> {
        let data = self.data(expr)?;
        Ok(match self.value_of(&data)? {
            Value::Null => false,
            Value::Bool(truth) => *truth,
            Value::Number(number) => number.as_f64() != Some(0.0),
            Value::Array(items) => !items.is_empty(),
            Value::Object(fields) => !fields.is_empty(),
            Value::String(text) => says(text, expr)?,
        })
    }
}

/// What text says. One that a value is made of is true as any is that is not empty; one that was written around values
/// is most likely a mistake.
fn says(text: &str, expr: &Expr) -> Result<bool, String> {
    let word = text.trim().to_lowercase();
    if YES.contains(&word.as_str()) {
        return Ok(true);
    }
    if NO.contains(&word.as_str()) {
        return Ok(false);
    }
    if is_one_value(expr) {
        return Ok(true);
    }
    let text = cut(&Value::from(text));
    Err(format!(
        "a condition must come out as true or false, and this is the text {text}: write one `{{{{ .. }}}}` around all of it"
    ))
}

/// Whether an expression is one value without text around it.
fn is_one_value(expr: &Expr) -> bool {
    match expr {
        Expr::Foreign(Foreign { source, .. }) => {
            source.starts_with("{{") && source.ends_with("}}") && source.matches("{{").count() == 1
        }
        Expr::Template(template) => template.whole().is_some(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Language;

    fn jinja(source: &str) -> Expr {
        let (source, reads, given) = (source.to_owned(), Vec::new(), Vec::new());
        Expr::Foreign(Foreign { language: Language::Jinja, source, reads, given, origin: None })
    }

    #[test]
    fn text_says_what_it_means() {
        let around = jinja("{{ a }} == {{ b }}");
        for yes in ["true", "True", " yes\n", "1"] {
            assert_eq!(says(yes, &around), Ok(true), "{yes}");
        }
        for no in ["false", "No", "0", "None", "", "  "] {
            assert_eq!(says(no, &around), Ok(false), "{no}");
        }
        let other = says("x == y", &around).unwrap_err();
        assert!(
            other.starts_with("a condition must come out as true or false, and this is the text"),
            "{other}"
        );
        assert_eq!(says("a plan", &jinja("{{ state.plan }}")), Ok(true));
        assert_eq!(says("no", &jinja("{{ state.answer }}")), Ok(false));
        assert!(says("x", &Expr::Const("x".into())).is_err());
    }
}
