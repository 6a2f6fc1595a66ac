//! The daemon: whether one runs, and whether it is of this version. None is started.

use super::finding::Finding;
use crate::cli::daemon::{line, report};
use crate::cli::desk::block_on;
use engine::store::Owner;
use std::path::Path;

const SUBJECT: &str = "daemon";

pub(super) fn look(dir: &Path) -> Vec<Finding> {
    vec![state(dir)]
}

fn state(dir: &Path) -> Finding {
    // Whoever carries runs owns the store: where nobody does there is nobody to ask.
    let Some(owner) = Owner::of(dir) else {
        return Finding::ok(SUBJECT, "not running; it starts when it is needed");
    };
    match block_on(report(dir)).and_then(|report| report) {
        Ok(Some(report)) if report.version != env!("CARGO_PKG_VERSION") => {
            let detail = format!("{}; this binary is {}", line(&report), env!("CARGO_PKG_VERSION"));
            Finding::warn(SUBJECT, detail).mend("mend with: switchback restart")
        }
        Ok(Some(report)) => Finding::ok(SUBJECT, line(&report)),
        // It had lost its store, and has said so.
        Ok(None) if Owner::of(dir).is_none() => {
            Finding::ok(SUBJECT, "has just ended; it starts when it is needed")
        }
        Ok(None) => {
            let who = owner.pid.map_or_else(|| "another process".to_owned(), |pid| format!("process {pid}"));
            Finding::ok(SUBJECT, format!("not running; {who} works in the data directory by itself"))
        }
        Err(error) => {
            let finding = Finding::fail(SUBJECT, error.message);
            error.hints.into_iter().fold(finding, Finding::mend)
        }
    }
}
