//! What a command gets from the server, and what it does not.

use std::fs;
use std::process::Command;

use super::super::{Ended, MARKER, Stops, run};
use super::Lab;

#[tokio::test]
async fn stdin_is_at_its_end() {
    let outcome = Lab::new().sh("cat; read line; echo $?").await;
    assert_eq!((outcome.ended, outcome.stdout.text()), (Ended::Exited(0), "1\n".into()));
}

#[tokio::test]
async fn starts_in_its_folder() {
    let lab = Lab::new();
    let folder = fs::canonicalize(lab.path()).unwrap();
    assert_eq!(lab.sh("pwd -P").await.stdout.text(), format!("{}\n", folder.display()));
}

#[tokio::test]
async fn the_environment_is_the_given_one_and_the_marker() {
    let lab = Lab::new();
    let mut job = lab.program("/usr/bin/env", &[]);
    job.env.clear();
    job.env.insert("GREETING".into(), "two\nlines = ok".into());
    job.env.insert(MARKER.into(), "not the caller's to say".into());
    let text = lab.run(job).await.stdout.text();
    let (given, marker) = text.split_once(&format!("{MARKER}=")).unwrap();
    assert_eq!(given, "GREETING=two\nlines = ok\n");
    assert!(marker.starts_with("run/effect/0/") && marker.lines().count() == 1, "{marker}");
}

#[tokio::test]
async fn leads_a_process_group_of_its_own() {
    let text = Lab::new().sh("echo $$; ps -o pgid= -p $$").await.stdout.text();
    let numbers = super::pids(&text);
    assert_eq!(numbers[0], numbers[1]);
}

#[tokio::test]
async fn keeps_the_umask() {
    let own = Command::new("sh").args(["-c", "umask"]).output().unwrap().stdout;
    assert_eq!(Lab::new().sh("umask").await.stdout.raw(), own);
}

#[tokio::test]
async fn other_children_of_the_server_keep_their_status() {
    let mut other = Command::new("sh").args(["-c", "exit 7"]).spawn().unwrap();
    assert_eq!(Lab::new().sh("exit 3").await.ended, Ended::Exited(3));
    assert_eq!(other.wait().unwrap().code(), Some(7));
}

#[tokio::test(flavor = "multi_thread")]
async fn many_run_at_once() {
    let lab = Lab::new();
    let mut tasks = tokio::task::JoinSet::new();
    for number in 0..64 {
        let (job, notes) = (lab.job(&format!("echo {number}; exit {number}")), lab.notes.clone());
        tasks.spawn(async move { (number, run(&job, &notes, Stops::never()).await) });
    }
    for (number, outcome) in tasks.join_all().await {
        assert_eq!((outcome.ended, outcome.stdout.text()), (Ended::Exited(number), format!("{number}\n")));
    }
    assert!(lab.live_notes().is_empty());
}
