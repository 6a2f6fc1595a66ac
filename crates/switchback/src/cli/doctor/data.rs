//! The data directory: whose it is, where it lies, what is in it, and whether its store opens.

use super::finding::Finding;
use crate::cli::error::CommandError;
use crate::cli::install::Here;
use engine::store::{self, Filter, OpenError, Owner, Reader};
use rustix::fs::{Access, access, statvfs};
use rustix::io::Errno;
use std::fs::{self, Metadata};
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

const SUBJECT: &str = "data directory";

/// What helps where a folder is no use.
const ELSEWHERE: &str = "name a folder of your own: SWITCHBACK_HOME=/some/folder";

/// Below so many free bytes a run soon cannot be recorded.
const FREE_WARN: u64 = 512 << 20;

/// Below so many free bytes nothing should be started.
const FREE_FAIL: u64 = 16 << 20;

/// How deep the directory is looked into for its size.
const DEPTH_MAX: usize = 8;

pub(super) fn look(dir: &Path, here: &Here) -> Vec<Finding> {
    let shown = here.shown(dir);
    let found = match fs::metadata(dir) {
        Ok(found) if found.is_dir() => found,
        Ok(_) => {
            let finding = Finding::fail(SUBJECT, format!("{shown} is no folder"));
            return vec![finding.mend("move it away, or name another one: SWITCHBACK_HOME=/some/folder")];
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => return absent(dir, &shown),
        Err(error) => return vec![Finding::fail(SUBJECT, format!("failed to look at {shown}: {error}"))],
    };
    let mut findings = rights(dir, &found, &shown);
    findings.extend(network(dir, &shown));
    let (runs, store) = store_of(dir);
    if findings.is_empty() {
        let runs = match runs {
            Some(1) => ", 1 run".to_owned(),
            Some(runs) => format!(", {runs} runs"),
            None => String::new(),
        };
        findings.push(Finding::ok(SUBJECT, format!("{shown} ({}{runs})", size(bytes(dir, 0)))));
    }
    findings.push(store);
    findings.extend(space(dir));
    findings.push(left(dir));
    findings
}

/// Nothing is there yet: what counts is whether it can be made.
fn absent(dir: &Path, shown: &str) -> Vec<Finding> {
    let above = dir.ancestors().skip(1).find(|folder| folder.exists()).unwrap_or(Path::new("/"));
    let made = match access(above, Access::WRITE_OK) {
        Ok(()) => Finding::ok(SUBJECT, format!("{shown} is not there yet; the first run makes it")),
        Err(error) => {
            let detail = format!("{shown} cannot be made in {}: {}", above.display(), why(error));
            Finding::fail(SUBJECT, detail).mend(ELSEWHERE)
        }
    };
    [Some(made), network(above, shown), space(above)].into_iter().flatten().collect()
}

fn rights(dir: &Path, found: &Metadata, shown: &str) -> Vec<Finding> {
    let us = rustix::process::geteuid().as_raw();
    let mut findings = Vec::new();
    if found.uid() != us {
        let detail = format!("{shown} belongs to user {}, and you are {us}", found.uid());
        findings.push(Finding::fail(SUBJECT, detail).mend(ELSEWHERE));
    } else if let Err(error) = access(dir, Access::WRITE_OK | Access::EXEC_OK) {
        let finding = Finding::fail(SUBJECT, format!("{shown} cannot be written: {}", why(error)));
        findings.push(match error {
            Errno::ROFS => finding.mend(ELSEWHERE),
            _ => finding.mend(format!("mend with: chmod 700 '{}'", dir.display())),
        });
    } else if found.mode() & 0o077 != 0 {
        let detail = format!("{shown} is open to other users (mode {:o})", found.mode() & 0o777);
        // What they may write is not used.
        let finding = match store::written_by_owner_alone(dir) {
            Ok(()) => Finding::warn(SUBJECT, detail),
            Err(_) => Finding::fail(SUBJECT, detail),
        };
        findings.push(finding.mend(format!("mend with: chmod 700 '{}'", dir.display())));
    }
    findings
}

/// Why a folder cannot be written, in words.
fn why(error: Errno) -> String {
    match error {
        Errno::ROFS => "the file system is read-only".to_owned(),
        Errno::ACCESS => "you have no right to".to_owned(),
        error => error.to_string(),
    }
}

fn network(dir: &Path, shown: &str) -> Option<Finding> {
    let system = store::network_file_system(dir).ok()??;
    let detail = format!("{shown} lies on {system}, a network file system, where a store is not safe");
    Some(Finding::fail(SUBJECT, detail).mend("name a local folder: SWITCHBACK_HOME=/some/folder"))
}

/// How many runs there are, and whether the store opens.
fn store_of(dir: &Path) -> (Option<usize>, Finding) {
    let counted = match Reader::open(dir) {
        Ok(reader) => reader.runs(&Filter::default()).map(|runs| runs.len()).map_err(CommandError::from),
        Err(OpenError::Absent(_)) if let Some(owner) = Owner::of(dir) => {
            let who = owner.pid.map_or_else(|| "a process".to_owned(), |pid| format!("process {pid}"));
            let detail =
                format!("it was removed while {who} had it open, and the runs recorded in it with it");
            return (None, Finding::warn("store", detail).mend("the next run makes a new one"));
        }
        Err(OpenError::Absent(_)) => return (None, Finding::ok("store", "none yet; the first run makes it")),
        Err(error @ OpenError::Older { .. }) => {
            let finding = Finding::warn("store", error.to_string());
            return (None, finding.mend("the next run brings it up to date, too"));
        }
        Err(error) => Err(error.into()),
    };
    match counted {
        Ok(runs) => (Some(runs), Finding::ok("store", format!("opens, version {}", store::VERSION))),
        Err(error) => {
            let finding = Finding::fail("store", error.message);
            (None, error.hints.into_iter().fold(finding, Finding::mend))
        }
    }
}

fn space(dir: &Path) -> Option<Finding> {
    let disk = statvfs(dir).ok()?;
    let free = disk.f_bavail.saturating_mul(disk.f_frsize);
    Some(judge(free))
}

fn judge(free: u64) -> Finding {
    let detail = format!("{} free", size(free));
    match free {
        0..FREE_FAIL => Finding::fail("disk", detail)
            .mend("free some space: a run that cannot be recorded does not start"),
        FREE_FAIL..FREE_WARN => Finding::warn("disk", detail).mend("free some space soon"),
        _ => Finding::ok("disk", detail),
    }
}

/// Notes of processes whose server is gone. A lock file that nobody holds is as it should be.
fn left(dir: &Path) -> Finding {
    let is_note = |path: &Path| {
        let mut first = [0];
        // Whoever opens a pipe waits for somebody to write.
        let is_file = fs::symlink_metadata(path).is_ok_and(|found| found.is_file());
        is_file
            && fs::File::open(path).and_then(|mut file| file.read_exact(&mut first)).is_ok()
            && first == *b"{"
    };
    let entries = fs::read_dir(dir.join("processes")).into_iter().flatten().flatten();
    let notes = entries.filter(|entry| is_note(&entry.path())).count();
    match notes {
        count if count > 0 && Owner::of(dir).is_none() => {
            let detail = format!(
                "{count} process{} noted by a server that is gone",
                if count == 1 { "" } else { "es" }
            );
            Finding::warn("left behind", detail)
                .mend("whatever of it still runs is ended when a daemon starts: switchback restart")
        }
        _ => Finding::ok("left behind", "nothing"),
    }
}

fn bytes(dir: &Path, depth: usize) -> u64 {
    let Ok(entries) = fs::read_dir(dir) else { return 0 };
    let of = |entry: fs::DirEntry| match entry.metadata() {
        Ok(found) if found.is_dir() && depth < DEPTH_MAX => bytes(&entry.path(), depth + 1),
        Ok(found) => found.len(),
        Err(_) => 0,
    };
    entries.flatten().map(of).sum()
}

/// A size as people say it.
fn size(bytes: u64) -> String {
    let units = [(1 << 30, "GB"), (1 << 20, "MB"), (1 << 10, "KB")];
    match units.into_iter().find(|(unit, _)| bytes >= *unit) {
        Some((unit, name)) if bytes < 10 * unit => {
            format!("{}.{} {name}", bytes / unit, bytes % unit * 10 / unit)
        }
        Some((unit, name)) => format!("{} {name}", bytes / unit),
        None => format!("{bytes} bytes"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::finding::Level;
    use super::*;

    #[test]
    fn little_space_is_told_at_its_edges() {
        let levels = [FREE_FAIL - 1, FREE_FAIL, FREE_WARN - 1, FREE_WARN].map(|free| judge(free).level);
        assert_eq!(levels, [Level::Fail, Level::Warn, Level::Warn, Level::Ok]);
    }

    #[test]
    fn sizes_read_as_people_say_them() {
        let said = [0, 1023, 1024, 1536, 312 << 20, 10 << 30].map(size);
        assert_eq!(said, ["0 bytes", "1023 bytes", "1.0 KB", "1.5 KB", "312 MB", "10 GB"].map(str::to_owned));
    }
}
