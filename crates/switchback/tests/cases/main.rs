//! Runs the black-box cases of `cases/` against the real binary. cases/README.md describes the format.
//!
//! ```text
//! cargo cases                  all cases, each at every door at which it can be held
//! cargo cases condition        those with `condition` in their name
//! cargo cases --door=mcp       only those doors
//! cargo cases --doors          which case is played where, and why not elsewhere
//! ```
//!
//! The runner's own cases in `self/` come along, so that the runner is known to fail what it must fail. It knows
//! nothing of the product but its command line, its tools and the environment variables of its kill points.

mod answer;
mod case;
mod clients;
mod conversation;
mod daemons;
mod doors;
mod doors_list;
mod driver;
mod examine;
mod fields;
mod kills;
mod matching;
mod mcp;
mod names;
mod pattern;
mod process;
mod read;
mod read_check;
mod report;
mod requirements;
mod said;
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
use std::time::Instant;

use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};

use crate::doors::Door;
use crate::driver::Driver;
use crate::suite::{Job, Work};
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
    let self_folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases/self");
    let mut files = suite::find(&suite::project().join("cases"), "cases", "")?;
    files.extend(suite::find(&self_folder, "self", "self/")?);
    files.retain(|file| filters.is_empty() || filters.iter().any(|filter| file.name.contains(filter)));
    let ids = requirements::ids(&suite::project().join("docs/requirements"))?;
    let mut jobs: Vec<Job> = files.iter().flat_map(|file| jobs(file, &|id| ids.contains(id))).collect();
    // What takes longest begins first.
    jobs.sort_by_key(|job| !job.is_long());
    if let Some(wanted) = flags.iter().find_map(|flag| flag.strip_prefix("--door=")) {
        jobs.retain(|job| job.name().contains(&format!("  {wanted}")));
    }
    if flags.iter().any(|flag| flag == "--list") {
        jobs.iter().for_each(|job| println!("{}: test", job.name()));
        return Ok(true);
    }
    if flags.iter().any(|flag| flag == "--doors") {
        print!("{}", doors_list::text(&files, &|id| ids.contains(id)));
        return Ok(true);
    }
    let started = Instant::now();
    let summary = suite::run(&jobs, &|job| judge(job, &self_folder));
    summary.doors().iter().for_each(|doors| println!("{doors}"));
    println!("{summary} in {:.1} s", started.elapsed().as_secs_f64());
    Ok(summary.failed == 0)
}

/// Returns what is to be done with a file.
fn jobs(file: &CaseFile, known_id: &dyn Fn(&str) -> bool) -> Vec<Job> {
    let job = |work: Work| Job { file: file.clone(), work };
    if file.name.starts_with("self/") {
        return vec![job(Work::JudgeRunner)];
    }
    match read::file(file, known_id).map(Arc::new) {
        Err(report) => vec![job(Work::Refuse(report))],
        Ok(case) => {
            let doors = Door::ALL.into_iter().filter(|door| doors::why_not(&case, *door).is_none());
            doors.map(|door| job(Work::Play(Arc::clone(&case), door))).collect()
        }
    }
}

fn judge(job: &Job, self_folder: &Path) -> Verdict {
    match &job.work {
        Work::JudgeRunner => self_check::judge(&job.file, self_folder),
        Work::Refuse(report) => Verdict::Failed(report.clone()),
        Work::Play(case, door) => {
            let driver = Driver { program: PathBuf::from(env!("CARGO_BIN_EXE_switchback")), door: *door };
            let keep = std::env::var_os("SWITCHBACK_CASES_KEEP").is_some();
            Judge { driver: &driver, keep }.judge(&job.file, case)
        }
    }
}
