//! Finds case files, plays each at all its doors on all cores, prints a line for each play and counts.

use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::thread;
use std::time::{Duration, Instant};

use crate::case::{Action, Case};
use crate::doors::Door;
use crate::verdict::{CaseFile, Verdict};

/// A play mostly waits: for the disk, for processes to come and go.
const PLAYS_PER_CORE: usize = 2;

/// How many plays came to which end.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Summary {
    pub(crate) passed: usize,
    pub(crate) failed: usize,
    pub(crate) skipped: usize,
    doors: BTreeMap<Door, usize>,
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} passed, {} failed, {} skipped", self.passed, self.failed, self.skipped)
    }
}

impl Summary {
    pub(crate) fn count(&mut self, verdict: &Verdict) {
        match verdict {
            Verdict::Passed(_) => self.passed += 1,
            Verdict::Failed(_) => self.failed += 1,
            Verdict::Skipped(_) => self.skipped += 1,
        }
    }

    /// Returns how many were played at each door, or nothing where doors do not matter.
    pub(crate) fn doors(&self) -> Option<String> {
        let counts: Vec<String> = self.doors.iter().map(|(door, count)| format!("{door} {count}")).collect();
        (!counts.is_empty()).then(|| format!("played: {}", counts.join(", ")))
    }
}

/// One thing to do.
pub(crate) struct Job {
    pub(crate) file: CaseFile,
    pub(crate) work: Work,
}

/// What is done with a file.
pub(crate) enum Work {
    /// It is played at a door.
    Play(Arc<Case>, Door),
    /// It is no case, and this is why.
    Refuse(String),
    /// The runner is judged by it.
    JudgeRunner,
}

impl Job {
    fn door(&self) -> Option<Door> {
        match self.work {
            Work::Play(_, door) => Some(door),
            _ => None,
        }
    }

    /// Returns whether it is played more than once.
    pub(crate) fn is_long(&self) -> bool {
        let Work::Play(case, _) = &self.work else { return false };
        case.conversation.iter().any(|step| matches!(step.action, Action::ForEachKillPoint(_)))
    }

    /// Returns what it is called in lists.
    pub(crate) fn name(&self) -> String {
        match self.door() {
            Some(door) => format!("{}  {door}", self.file.name),
            None => self.file.name.clone(),
        }
    }
}

/// Returns the `.yaml` files below a folder, by name, with the folder's own name in front.
pub(crate) fn find(folder: &Path, shown: &str, prefix: &str) -> io::Result<Vec<CaseFile>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() {
            found.extend(find(&path, &format!("{shown}/{name}"), &format!("{prefix}{name}/"))?);
        } else if path.extension().is_some_and(|ending| ending == "yaml") {
            found.push(CaseFile { name: format!("{prefix}{stem}"), shown: format!("{shown}/{name}"), path });
        }
    }
    found.sort_by(|left, right| left.name.cmp(&right.name));
    Ok(found)
}

/// Does all jobs, some for each core at a time, and prints each as it ends.
pub(crate) fn run(jobs: &[Job], judge: &(dyn Fn(&Job) -> Verdict + Sync)) -> Summary {
    let width = jobs.iter().map(|job| job.name().len()).max().unwrap_or(0);
    let next = AtomicUsize::new(0);
    let (tell, ended) = channel();
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) * PLAYS_PER_CORE {
            let (tell, next) = (tell.clone(), &next);
            scope.spawn(move || {
                while let Some(job) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let start = Instant::now();
                    let verdict = judge(job);
                    // The receiver lives until all senders are gone.
                    let _ = tell.send((job, verdict, start.elapsed()));
                }
            });
        }
        drop(tell);
        let mut summary = Summary::default();
        for (job, verdict, took) in ended {
            summary.count(&verdict);
            if let Some(door) = job.door() {
                *summary.doors.entry(door).or_default() += 1;
            }
            print!("{}", line(&job.name(), width, &verdict, took));
        }
        summary
    })
}

fn line(name: &str, width: usize, verdict: &Verdict, took: Duration) -> String {
    let seconds = took.as_secs_f64();
    match verdict {
        Verdict::Passed(None) => format!("ok       {name:width$}  {seconds:6.2} s\n"),
        Verdict::Passed(Some(points)) => {
            format!("ok       {name:width$}  {seconds:6.2} s  at each of {points} kill points\n")
        }
        Verdict::Skipped(why) => format!("skipped  {name:width$}  {why}\n"),
        Verdict::Failed(report) => format!("FAILED   {name:width$}  {seconds:6.2} s\n{report}"),
    }
}

/// Returns the folder two above the crate: the root of the project.
pub(crate) fn project() -> PathBuf {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    manifest.ancestors().nth(2).unwrap_or(manifest).to_owned()
}
