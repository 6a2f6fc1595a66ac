//! Finds case files, plays them on all cores, prints a line for each and counts.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::thread;
use std::time::{Duration, Instant};

use crate::verdict::{CaseFile, Verdict};

/// How many cases came to which end.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Summary {
    pub(crate) passed: usize,
    pub(crate) failed: usize,
    pub(crate) skipped: usize,
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

/// Judges all files, as many at a time as there are cores, and prints each as it ends.
pub(crate) fn run(files: &[CaseFile], judge: &(dyn Fn(&CaseFile) -> Verdict + Sync)) -> Summary {
    let width = files.iter().map(|file| file.name.len()).max().unwrap_or(0);
    let next = AtomicUsize::new(0);
    let (tell, ended) = channel();
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            let (tell, next) = (tell.clone(), &next);
            scope.spawn(move || {
                while let Some(file) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let start = Instant::now();
                    let verdict = judge(file);
                    // The receiver lives until all senders are gone.
                    let _ = tell.send((file, verdict, start.elapsed()));
                }
            });
        }
        drop(tell);
        let mut summary = Summary::default();
        for (file, verdict, took) in ended {
            summary.count(&verdict);
            print!("{}", line(&file.name, width, &verdict, took));
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
