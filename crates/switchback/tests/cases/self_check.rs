//! The runner's own cases: each file in `self/` is played with a stand-in for the product, and the whole text of its
//! verdict must equal the `.txt` beside it. So a wrong expectation is known to fail, and to say so readably.
//!
//! `SWITCHBACK_CASES_BLESS=1` writes the texts anew; read the difference before you commit it.

use std::path::Path;

use crate::case::{Case, Step};
use crate::doors::{self, Door};
use crate::driver::Driver;
use crate::read;
use crate::report::Failure;
use crate::suite::Summary;
use crate::verdict::{CaseFile, Judge, Verdict};

/// Judges the runner by one of its own cases.
pub(crate) fn judge(file: &CaseFile, folder: &Path) -> Verdict {
    let got = match read::file(file, &|id| id.starts_with("D-")) {
        Ok(case) => play(file, &case, folder),
        Err(report) => format!("{report}0 passed, 1 failed, 0 skipped\n"),
    };
    let expectation = file.path.with_extension("txt");
    if std::env::var_os("SWITCHBACK_CASES_BLESS").is_some() && std::fs::write(&expectation, &got).is_err() {
        return Verdict::Failed(format!("  failed to write {}\n", expectation.display()));
    }
    compare(file, &std::fs::read_to_string(expectation).unwrap_or_default(), got)
}

/// Plays a case and returns what came of it: at all its doors where it speaks MCP or is about doors, else at the first.
fn play(file: &CaseFile, case: &Case, folder: &Path) -> String {
    let about_doors = file.name.starts_with("self/door");
    let speaks_mcp = case.steps().any(Step::is_mcp);
    let mut got = String::new();
    let mut summary = Summary::default();
    for door in Door::ALL {
        let first = Door::ALL.into_iter().find(|door| doors::why_not(case, *door).is_none());
        let wanted = about_doors || speaks_mcp || first == Some(door);
        match doors::why_not(case, door) {
            Some(why) if about_doors => got.push_str(&format!("not {door}: {why}\n")),
            None if wanted => {
                let driver = Driver { program: folder.join("bin/switchback"), door };
                let verdict = Judge { driver: &driver, keep: false }.judge(file, case);
                summary.count(&verdict);
                got.push_str(&text(&verdict));
            }
            _ => {}
        }
    }
    format!("{got}{summary}\n")
}

fn text(verdict: &Verdict) -> String {
    match verdict {
        Verdict::Passed(None) => String::new(),
        Verdict::Passed(Some(points)) => format!("{points} kill points\n"),
        Verdict::Skipped(why) => format!("skipped: {why}\n"),
        Verdict::Failed(report) => report.clone(),
    }
}

fn compare(file: &CaseFile, expected: &str, got: String) -> Verdict {
    if expected == got {
        return Verdict::Passed(None);
    }
    let mismatch = crate::matching::Mismatch { at: "verdict".to_owned(), expected: expected.to_owned(), got };
    let failure = Failure { mismatches: vec![mismatch], ..Failure::default() };
    Verdict::Failed(failure.text("The runner's verdict is not the one in the .txt file.", &file.shown))
}
