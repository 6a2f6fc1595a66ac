//! Runs the black-box cases of `cases/` against the real binary. cases/README.md describes the format.
//!
//! ```text
//! cargo test -p switchback --test cases                                  all cases
//! cargo test -p switchback --test cases -- condition                     those with `condition` in their name
//! cargo test -p switchback --test cases --features kill-points           with a binary that can be killed at points
//! ```
//!
//! The runner's own cases in `self/` come along, so that the runner is known to fail what it must fail. It knows
//! nothing of the product but its command line and the environment variables of its kill points.

mod case;
mod conversation;
mod driver;
mod examine;
mod fields;
mod matching;
mod names;
mod pattern;
mod process;
mod read;
mod report;
mod requirements;
mod self_check;
mod strays;
mod suite;
mod verdict;
mod workspace;
mod yaml;

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use crate::driver::CommandLine;
use crate::verdict::{CaseFile, Judge, Verdict};

fn main() -> ExitCode {
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("failed to run the cases: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Returns whether every case passed or was skipped.
fn run() -> Result<bool, Box<dyn Error>> {
    // Other arguments with a dash are meant for the built-in harness of other test binaries.
    let (flags, filters): (Vec<String>, Vec<String>) =
        std::env::args().skip(1).partition(|arg| arg.starts_with('-'));
    let project = suite::project();
    let self_folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases/self");
    let mut files = suite::find(&project.join("cases"), "cases", "")?;
    files.extend(suite::find(&self_folder, "self", "self/")?);
    files.retain(|file| filters.is_empty() || filters.iter().any(|filter| file.name.contains(filter)));
    if flags.iter().any(|flag| flag == "--list") {
        files.iter().for_each(|file| println!("{}: test", file.name));
        return Ok(true);
    }
    let ids = requirements::ids(&project.join("docs/requirements"))?;
    let summary = suite::run(&files, &|file| {
        if file.name.starts_with("self/") {
            return self_check::judge(file, &self_folder);
        }
        judge(file, &|id| ids.contains(id))
    });
    println!("{summary}");
    Ok(summary.failed == 0)
}

fn judge(file: &CaseFile, known_id: &dyn Fn(&str) -> bool) -> Verdict {
    let driver = CommandLine { program: PathBuf::from(env!("CARGO_BIN_EXE_switchback")) };
    let keep = std::env::var_os("SWITCHBACK_CASES_KEEP").is_some();
    Judge { driver: &driver, known_id, keep }.judge(file)
}
