//! What may be done in the terminals of a workspace: which programs are opened, what is never typed, and how many there are.
//!
//! A denied pattern keeps a careless agent from a mistake. It keeps nobody out: whoever has a shell can say the same thing in
//! other words, or write it into a file. Who must be kept out is not given a shell.

use serde::{Deserialize, Serialize};
use terminal::Pattern;

use super::refused::Refused;

/// Sessions that live at once in a workspace, where nothing else is said.
pub const SESSIONS_MAX: u32 = 50;

/// The most that can be set.
pub const SESSIONS_MAX_MOST: u32 = 500;

/// What may be done. A run that is to go on without its client keeps it with its home.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Policy {
    /// The only programs that are opened, by name or path; without it, any.
    pub shells: Option<Vec<String>>,
    /// What is never typed, nor given to a program as an argument.
    pub deny: Vec<Deny>,
    /// Who says that terminals are only looked at, if someone does.
    pub read_only: Option<String>,
    /// How many sessions may live at once.
    pub sessions_max: u32,
    /// Whether sessions are recorded.
    pub records: bool,
}

impl Default for Policy {
    fn default() -> Policy {
        Policy { shells: None, deny: Vec::new(), read_only: None, sessions_max: SESSIONS_MAX, records: true }
    }
}

/// A pattern that is denied, and why.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(try_from = "Written", into = "Written")]
pub struct Deny {
    pattern: Pattern,
    reason: String,
}

/// The same as it is written down.
#[derive(Serialize, Deserialize)]
struct Written {
    pattern: String,
    reason: String,
}

impl TryFrom<Written> for Deny {
    type Error = String;

    fn try_from(written: Written) -> Result<Deny, String> {
        Deny::new(&written.pattern, written.reason)
    }
}

impl From<Deny> for Written {
    fn from(deny: Deny) -> Written {
        Written { pattern: deny.pattern.as_str().to_owned(), reason: deny.reason }
    }
}

impl PartialEq for Deny {
    fn eq(&self, other: &Deny) -> bool {
        (self.pattern.as_str(), &self.reason) == (other.pattern.as_str(), &other.reason)
    }
}

impl Eq for Deny {}

impl Deny {
    /// Denies a regular expression; an error says what is wrong with it.
    pub fn new(pattern: &str, reason: impl Into<String>) -> Result<Deny, String> {
        let pattern = Pattern::new(pattern).map_err(|error| error.to_string())?;
        Ok(Deny { pattern, reason: reason.into() })
    }
}

impl Policy {
    /// Whether anything may be changed.
    pub(super) fn changes(&self, what: &str) -> Result<(), Refused> {
        match &self.read_only {
            None => Ok(()),
            Some(who) => Err(Refused::new(
                "read-only",
                format!("{what} is refused: terminals may only be looked at, because of {who}"),
                "Look with get_screen_content(session_id) or await_output(session_id, pattern); only the person at this \
                 machine can change the setting.",
            )),
        }
    }

    /// Whether a program may be opened.
    pub(super) fn opens(&self, program: &str, arguments: &[String]) -> Result<(), Refused> {
        self.changes("opening a terminal")?;
        let name = program.rsplit('/').next().unwrap_or(program);
        // A name allows the program that the PATH finds under it; a path allows that file.
        let fits = |allowed: &String| allowed == program || (!program.contains('/') && allowed == name);
        if let Some(shells) = self.shells.as_ref().filter(|shells| !shells.iter().any(fits)) {
            let allowed = if shells.is_empty() {
                "none may".to_owned()
            } else {
                format!("only {} may", shells.join(", "))
            };
            return Err(Refused::new(
                "shell-not-allowed",
                format!(
                    "`{program}` may not be opened: {allowed}, by `shells` under [terminal] in switchback.toml"
                ),
                "Open one that is allowed; only the person at this machine can change the setting.",
            ));
        }
        let line = std::iter::once(program).chain(arguments.iter().map(String::as_str));
        self.says(&line.collect::<Vec<_>>().join(" "))
    }

    /// Whether a text may be typed.
    pub(super) fn says(&self, text: &str) -> Result<(), Refused> {
        for deny in &self.deny {
            // What takes too long to be looked at is not let through.
            if deny.pattern.is_in(text).unwrap_or(true) {
                let (pattern, reason) = (deny.pattern.as_str(), &deny.reason);
                return Err(Refused::new(
                    "denied",
                    format!(
                        "this may not be typed: {reason} (`{pattern}` under [terminal] in switchback.toml)"
                    ),
                    "Nothing was typed. Find another way that the reason leaves open, or ask the person at this machine.",
                ));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_allowed_is_opened() {
        let policy =
            Policy { shells: Some(vec!["bash".to_owned(), "/opt/tool".to_owned()]), ..Policy::default() };
        let opens = |program: &str| policy.opens(program, &[]).is_ok();
        assert!(opens("bash") && opens("/opt/tool"));
        assert!(!opens("zsh") && !opens("/tmp/bash") && !opens("tool") && !opens("/opt/bash"));
        assert!(Policy::default().opens("anything", &[]).is_ok());
        let none = Policy { shells: Some(Vec::new()), ..Policy::default() };
        assert!(none.opens("bash", &[]).unwrap_err().error.contains("none may"));
    }

    #[test]
    fn what_is_denied_says_why() {
        let deny = Deny::new(r"rm\s+-rf\s+/", "it deletes everything").unwrap();
        let policy = Policy { deny: vec![deny], ..Policy::default() };
        let error = policy.says("sudo rm  -rf /\n").unwrap_err().error;
        assert!(error.contains("it deletes everything") && error.contains("switchback.toml"), "{error}");
        assert!(policy.says("ls /").is_ok());
        let arguments = ["-c".to_owned(), "rm -rf /".to_owned()];
        assert!(policy.opens("bash", &arguments).is_err());
        let written = serde_json::to_string(&policy).unwrap();
        assert_eq!(serde_json::from_str::<Policy>(&written).unwrap(), policy);
        assert!(Deny::new("(", "x").unwrap_err().contains("not a regular expression"));
    }

    #[test]
    fn who_only_looks_changes_nothing() {
        let policy = Policy { read_only: Some("read_only = true".to_owned()), ..Policy::default() };
        assert_eq!(policy.opens("bash", &[]).unwrap_err().code, "read-only");
    }
}
