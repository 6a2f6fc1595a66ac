//! Runs the black-box cases of `cases/` against the real binary. cases/README.md describes the format.
//!
//! ```text
//! cargo cases                  all cases
//! cargo cases condition        those with `condition` in their name
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
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};

use crate::driver::CommandLine;
use crate::verdict::{CaseFile, Judge, Verdict};

fn main() -> ExitCode {
    if let Err(error) = heed_signals() {
        eprintln!("failed to heed signals: {error}");
        return ExitCode::FAILURE;
    }
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("failed to run the cases: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Whoever starts the runner in the background may have it ignore SIGINT, and what is ignored stays ignored in every
/// command it starts. What is handled does not: each command begins with signals as a terminal would give them.
fn heed_signals() -> std::io::Result<()> {
    let always = Arc::new(AtomicBool::new(true));
    for (signal, exit) in [(SIGINT, 130), (SIGQUIT, 131), (SIGHUP, 129), (SIGTERM, 143)] {
        signal_hook::flag::register_conditional_shutdown(signal, exit, Arc::clone(&always))?;
    }
    Ok(())
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
