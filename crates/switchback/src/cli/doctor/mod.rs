//! `switchback doctor`: says what is wrong with the set-up, and how to mend it. It starts nothing and changes nothing.
//!
//! ```text
//!  data ── daemon ── clients ── programs ── project ──> findings ──> lines | one document
//! ```
//! Each file looks at one thing and gives findings; none of them knows how they are shown.

mod clients;
mod daemon;
mod data;
mod finding;
mod programs;
mod project;
mod secrets;

use super::arguments::DoctorArguments;
use super::error::CommandError;
use super::exit::Exit;
use super::install::Here;
use super::look::{Look, print, print_json, talk};
use super::store::directory;
use finding::{Finding, Level};
use serde_json::{Value, json};

/// Carries the command out.
pub(crate) fn doctor(arguments: &DoctorArguments) -> Result<Exit, CommandError> {
    let here = Here::look()?;
    let dir = directory()?;
    let looks = [
        data::look(&dir, &here),
        daemon::look(&dir),
        clients::look(&here),
        programs::look(&here),
        project::look(&here),
        secrets::look(&dir, &here),
    ];
    let findings: Vec<Finding> = looks.into_iter().flatten().collect();
    let count = |level: Level| findings.iter().filter(|finding| finding.level == level).count();
    let (fails, warnings) = (count(Level::Fail), count(Level::Warn));
    if arguments.json {
        let all: Vec<Value> = findings.iter().map(Finding::document).collect();
        print_json(&json!({ "findings": all, "fails": fails, "warnings": warnings }))?;
    } else {
        print(&finding::text(&findings, Look::of_stdout()))?;
        talk(&summary(fails, warnings));
    }
    Ok(if fails == 0 { Exit::Succeeded } else { Exit::Internal })
}

fn summary(fails: usize, warnings: usize) -> String {
    let told = |count: usize, one: &str, many: &str| match count {
        0 => None,
        1 => Some(format!("1 {one}")),
        count => Some(format!("{count} {many}")),
    };
    let parts = [
        told(fails, "thing does not work", "things do not work"),
        told(warnings, "thing to look at", "things to look at"),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    if parts.is_empty() { "nothing is wrong".to_owned() } else { parts.join(", ") }
}
