//! The runner's own cases: each file in `self/` is played with a stand-in for the product, and the whole text of its
//! verdict must equal the `.txt` beside it. So a wrong expectation is known to fail, and to say so readably.
//!
//! `SWITCHBACK_CASES_BLESS=1` writes the texts anew; read the difference before you commit it.

use std::path::Path;

use crate::driver::CommandLine;
use crate::report::Failure;
use crate::suite::Summary;
use crate::verdict::{CaseFile, Judge, Verdict};

/// Judges the runner by one of its own cases.
pub(crate) fn judge(file: &CaseFile, folder: &Path) -> Verdict {
    let driver = CommandLine { program: folder.join("bin/switchback") };
    let known_id = |id: &str| id.starts_with("D-");
    let verdict = Judge { driver: &driver, known_id: &known_id, keep: false }.judge(file);
    let mut summary = Summary::default();
    summary.count(&verdict);
    let got = format!("{}{summary}\n", text(&verdict));
    let expectation = file.path.with_extension("txt");
    if std::env::var_os("SWITCHBACK_CASES_BLESS").is_some() && std::fs::write(&expectation, &got).is_err() {
        return Verdict::Failed(format!("  failed to write {}\n", expectation.display()));
    }
    compare(file, &std::fs::read_to_string(expectation).unwrap_or_default(), got)
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
