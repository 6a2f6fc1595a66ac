//! Killed at every numbered point: a process that dies is replaced and the answers are the same; a parent that dies
//! leaves no process behind.

use crate::world::{program, until};
use crate::{Test, faces};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, Output};

pub(crate) const ALL: &[Test] = &[
    ("killed_at_every_point_it_is_replaced", process_is_killed),
    ("a_parent_killed_at_any_point_leaves_nothing", parent_is_killed),
];

/// Asks in a process of its own, of which one role is killed at a point.
fn asked(folder: &Path, who: &str, at: usize) -> (Output, usize) {
    let (program, log) = (program(faces::ASKS), folder.join(format!("{who}{at}")));
    let output = Command::new(program.path)
        .args(program.args)
        .env("SWITCHBACK_KILL_WHO", who)
        .env("SWITCHBACK_KILL_LOG", &log)
        .env("SWITCHBACK_KILL_AT", at.to_string())
        .output()
        .unwrap();
    let points = std::fs::read_to_string(log).unwrap_or_default().lines().count();
    (output, points)
}

fn process_is_killed() {
    let folder = tempfile::tempdir().unwrap();
    let (whole, points) = asked(folder.path(), "evaluator", 0);
    // Read and answered, three rounds.
    assert_eq!(points, 6);
    assert!(whole.status.success());
    for at in 1..=points {
        let (output, _) = asked(folder.path(), "evaluator", at);
        assert!(output.status.success(), "{at}: {output:?}");
        assert_eq!(output.stdout, whole.stdout, "{at}");
    }
}

fn parent_is_killed() {
    let folder = tempfile::tempdir().unwrap();
    let (_, points) = asked(folder.path(), "command", 0);
    assert_eq!(points, 6);
    for at in 1..=points {
        let (output, _) = asked(folder.path(), "command", at);
        assert_eq!(output.status.signal(), Some(9), "{at}");
        until("the end of its processes", || evaluators() == 0);
    }
}

/// Living processes of this program that are evaluators.
fn evaluators() -> usize {
    let own = std::env::current_exe().unwrap();
    let processes = std::fs::read_dir("/proc").unwrap().filter_map(|entry| Some(entry.ok()?.path()));
    let is_ours = |folder: &std::path::PathBuf| {
        let line = std::fs::read(folder.join("cmdline")).unwrap_or_default();
        std::fs::read_link(folder.join("exe")).is_ok_and(|exe| exe == own)
            && line.split(|byte| *byte == 0).any(|word| word == faces::REAL.as_bytes())
    };
    processes.filter(is_ours).count()
}
