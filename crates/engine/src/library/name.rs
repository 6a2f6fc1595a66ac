//! The names that are looked up. Each dialect has a rule of its own for the names it gives; a lookup takes the union
//! of them, and nothing that could be a path.

pub use dialects::known::NAME_BYTES_MAX;

use dialects::known::is_callable;
use std::fmt;

/// No definition has this name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotFound {
    /// The name.
    pub name: String,
    /// Whether nothing can have this name, so that nobody looked.
    pub malformed: bool,
    /// Names that are near.
    pub near: Vec<String>,
    /// The places that were looked into.
    pub places: Vec<String>,
}

/// Refuses what cannot be the name of a workflow.
pub fn check_name(name: &str) -> Result<(), NotFound> {
    if is_callable(name) {
        return Ok(());
    }
    Err(NotFound { name: name.to_owned(), malformed: true, near: Vec::new(), places: Vec::new() })
}

impl std::error::Error for NotFound {}

impl fmt::Display for NotFound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.malformed {
            return write!(f, "no workflow is called `{}`", self.name);
        }
        let shown: String = self.name.chars().take(NAME_BYTES_MAX).collect();
        let rest = if shown.len() < self.name.len() { "..." } else { "" };
        write!(
            f,
            "no workflow can be called `{shown}{rest}`: a name begins with a letter or a digit and goes on with \
             letters, digits, `_`, `:`, `.` and `-`, at most {NAME_BYTES_MAX} in all"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_never_a_path() {
        let long = "x".repeat(NAME_BYTES_MAX);
        for good in ["a", "9", "build", "Run_Tests", "test:env-vars", "v1.2", "git-checkout-branch", &long] {
            assert_eq!(check_name(good), Ok(()), "{good}");
        }
        let longer = "x".repeat(NAME_BYTES_MAX + 1);
        for bad in [
            "", ".", "..", ".a", "-a", "_a", ":a", "a/b", "a\\b", "../a", "a..b", "a b", "a\n", "é", "a\0",
            &longer,
        ] {
            assert!(check_name(bad).is_err_and(|error| error.malformed), "{bad:?}");
        }
    }

    #[test]
    fn a_refused_name_is_told_in_short() {
        let said = check_name(&"/".repeat(5000)).unwrap_err().to_string();
        assert!(said.starts_with("no workflow can be called `///") && said.len() < 400, "{said}");
    }
}
