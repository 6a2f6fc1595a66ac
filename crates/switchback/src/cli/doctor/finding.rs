//! One thing that was looked at, and how it is shown.
//!
//! ```text
//! warn    claude-code       starts another binary: /old/switchback serve
//!         mend with: switchback install claude-code --yes
//! ```

use crate::cli::look::{Look, clean};
use serde_json::{Value, json};

/// How good or bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Level {
    /// As it should be.
    Ok,
    /// It works, or may; someone should look at it.
    Warn,
    /// It does not work.
    Fail,
}

impl Level {
    fn as_str(self) -> &'static str {
        match self {
            Level::Ok => "ok",
            Level::Warn => "warn",
            Level::Fail => "fail",
        }
    }
}

/// One thing that was looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Finding {
    pub(super) level: Level,
    /// What was looked at.
    pub(super) subject: String,
    /// What was found.
    pub(super) detail: String,
    /// What helps, one line each.
    pub(super) mend: Vec<String>,
}

impl Finding {
    pub(super) fn ok(subject: impl Into<String>, detail: impl Into<String>) -> Finding {
        Finding { level: Level::Ok, subject: subject.into(), detail: detail.into(), mend: Vec::new() }
    }

    pub(super) fn warn(subject: impl Into<String>, detail: impl Into<String>) -> Finding {
        Finding { level: Level::Warn, ..Finding::ok(subject, detail) }
    }

    pub(super) fn fail(subject: impl Into<String>, detail: impl Into<String>) -> Finding {
        Finding { level: Level::Fail, ..Finding::ok(subject, detail) }
    }

    /// Adds what helps.
    pub(super) fn mend(mut self, line: impl Into<String>) -> Finding {
        self.mend.push(line.into());
        self
    }

    pub(super) fn document(&self) -> Value {
        json!({ "level": self.level.as_str(), "subject": self.subject, "detail": self.detail, "mend": self.mend })
    }
}

/// The findings as lines.
pub(super) fn text(findings: &[Finding], look: Look) -> String {
    let width = findings.iter().map(|finding| finding.subject.chars().count()).max().unwrap_or(0);
    let mut text = String::new();
    for finding in findings {
        let padded = format!("{:<4}", finding.level.as_str());
        let level = match finding.level {
            Level::Ok => look.green(&padded),
            Level::Warn => look.yellow(&padded),
            Level::Fail => look.red(&padded),
        };
        text.push_str(&format!("{level}    {:<width$}    {}\n", finding.subject, one_line(&finding.detail)));
        finding.mend.iter().for_each(|line| text.push_str(&format!("        {}\n", one_line(line))));
    }
    text
}

fn one_line(text: &str) -> String {
    clean(&text.split_whitespace().collect::<Vec<_>>().join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_mends_stands_under_what_is_wrong() {
        let findings =
            [Finding::ok("git", "found"), Finding::fail("codex", "two\nlines").mend("mend with: x")];
        let lines = "ok      git      found\nfail    codex    two lines\n        mend with: x\n";
        assert_eq!(text(&findings, Look::PLAIN), lines);
    }
}
