//! Finds and ends what a case left running.
//!
//! The product gives each process it starts a group of its own, so a group is not enough: whatever works in the
//! folder of a case, or has that folder in its environment or its arguments, belongs to the case. This reads `/proc`; where there is
//! none (macOS) only the group of the command itself is ended and nothing is reported.

use std::fs;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process, kill_process_group};

const PATIENCE: Duration = Duration::from_secs(2);

/// A process that belongs to a case.
struct Stray {
    pid: Pid,
    command: String,
}

/// Ends a command's group and all that belongs to the case.
pub(crate) fn end_tree(leader: Pid, root: &Path) {
    end_group(leader);
    end_all(root);
}

/// Ends a command and what is in its group.
pub(crate) fn end_group(leader: Pid) {
    // It may have ended by itself meanwhile: then there is nothing to do.
    let _ = kill_process_group(leader, Signal::KILL);
}

/// Ends all that belongs to the case and returns what it was, one command line each.
///
/// A process that is just going away gets a moment to do so.
pub(crate) fn end_remaining(root: &Path) -> Vec<String> {
    let deadline = Instant::now() + PATIENCE;
    while !living(root).is_empty() && Instant::now() < deadline {
        thread::sleep(Duration::from_millis(20));
    }
    let left = living(root).into_iter().map(|stray| stray.command).collect();
    end_all(root);
    left
}

fn end_all(root: &Path) {
    for stray in living(root) {
        // As above.
        let _ = kill_process(stray.pid, Signal::KILL);
    }
}

fn living(root: &Path) -> Vec<Stray> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    pids.filter_map(|pid: i32| stray(pid, root)).collect()
}

fn stray(number: i32, root: &Path) -> Option<Stray> {
    let folder = Path::new("/proc").join(number.to_string());
    let works_here = fs::read_link(folder.join("cwd")).is_ok_and(|cwd| cwd.starts_with(root));
    let root = root.as_os_str().as_encoded_bytes();
    let names_it = |file: &str| {
        let text = fs::read(folder.join(file)).unwrap_or_default();
        text.windows(root.len()).any(|window| window == root)
    };
    if !works_here && !names_it("environ") && !names_it("cmdline") {
        return None;
    }
    let command = fs::read(folder.join("cmdline")).ok()?;
    let command = String::from_utf8_lossy(&command).trim_end_matches('\0').replace('\0', " ");
    Some(Stray { pid: Pid::from_raw(number)?, command })
}
