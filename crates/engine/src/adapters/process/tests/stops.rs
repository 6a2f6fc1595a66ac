//! What is ended, when and how gently.

use std::time::{Duration, Instant};

use tokio::sync::watch;

use super::super::{Ended, Stops, run};
use super::{Lab, is_alive, pids, until};

#[tokio::test]
async fn a_time_out_ends_the_group() {
    let lab = Lab::new();
    let mut job = lab.job("sleep 1000 & echo $!; wait");
    job.timeout = Some(Duration::from_secs(1));
    let outcome = lab.run(job).await;
    assert_eq!(outcome.ended, Ended::TimedOut);
    assert!((1000..3000).contains(&outcome.duration_ms));
    assert!(!is_alive(pids(&outcome.stdout.text())[0]));
}

#[tokio::test]
async fn a_cancel_ends_the_group() {
    let lab = Lab::new();
    let job = lab.job("sleep 1000 & echo $!; sh -c 'echo $$; echo > ready; sleep 1000' & wait");
    let outcome = lab.cancel_when_ready(job).await;
    assert_eq!(outcome.ended, Ended::Cancelled);
    let sleepers = pids(&outcome.stdout.text());
    assert_eq!(sleepers.len(), 2);
    assert!(!sleepers.into_iter().any(is_alive));
}

#[tokio::test]
async fn a_cancel_before_the_start_starts_nothing() {
    let lab = Lab::new();
    let stops = Stops::new(watch::channel(true).1, watch::channel(false).1);
    assert_eq!(run(&lab.job("touch started"), &lab.notes, stops).await.ended, Ended::Cancelled);
    assert!(!lab.path().join("started").exists());
}

#[tokio::test]
async fn a_shutdown_is_told_apart() {
    let lab = Lab::new();
    let (shutdown, shut_down) = watch::channel(false);
    let ready = lab.wait_for_ready();
    let job = lab.job("echo $$; echo > ready; exec sleep 1000");
    let (outcome, ()) =
        tokio::join!(run(&job, &lab.notes, Stops::new(watch::channel(false).1, shut_down)), async {
            ready.await;
            shutdown.send(true).unwrap();
        });
    assert_eq!(outcome.ended, Ended::Interrupted);
    assert!(!is_alive(pids(&outcome.stdout.text())[0]));
}

#[tokio::test]
async fn sigterm_comes_first_and_its_last_words_are_kept() {
    let lab = Lab::new();
    let script =
        "trap 'head -c 1000000 /dev/zero; echo bye; exit 0' TERM; echo > ready; while :; do sleep 0.01; done";
    let mut job = lab.job(script);
    job.grace = Duration::from_secs(20);
    let outcome = lab.cancel_when_ready(job).await;
    assert_eq!((outcome.ended, outcome.stdout.total), (Ended::Cancelled, 1_000_004));
    assert!(outcome.stdout.text().ends_with("bye\n"));
}

#[tokio::test]
async fn sigkill_follows_the_grace() {
    let lab = Lab::new();
    let mut job = lab.job("trap '' TERM; echo $$; echo > ready; while :; do sleep 1; done");
    job.grace = Duration::from_millis(100);
    let outcome = lab.cancel_when_ready(job).await;
    assert_eq!(outcome.ended, Ended::Cancelled);
    assert!(!is_alive(pids(&outcome.stdout.text())[0]));
}

#[tokio::test]
async fn a_stopped_process_is_ended_gently_too() {
    let lab = Lab::new();
    let mut job = lab.job("trap 'echo bye; exit' TERM; (echo > ready) & kill -STOP $$; sleep 1");
    job.grace = Duration::from_secs(20);
    assert_eq!(lab.cancel_when_ready(job).await.stdout.text(), "bye\n");
}

#[tokio::test]
async fn background_processes_end_with_their_command() {
    let lab = Lab::new();
    for script in ["sleep 1000 & echo $!", "sleep 1000 >/dev/null 2>&1 & echo $!"] {
        let begin = Instant::now();
        let outcome = lab.sh(script).await;
        assert_eq!(outcome.ended, Ended::Exited(0));
        assert!(!is_alive(pids(&outcome.stdout.text())[0]), "{script}");
        assert!(begin.elapsed() < Duration::from_secs(2));
    }
}

#[tokio::test]
async fn what_a_background_process_soon_says_is_kept() {
    let outcome = Lab::new().sh("(sleep 0.02; echo late) & echo early").await;
    assert_eq!(outcome.stdout.text(), "early\nlate\n");
}

#[tokio::test]
async fn a_dropped_job_is_killed() {
    let lab = Lab::new();
    let job = lab.job("echo $$ > pid; echo > ready; exec sleep 1000");
    let ready = lab.wait_for_ready();
    tokio::select! {
        outcome = run(&job, &lab.notes, Stops::never()) => panic!("ended by itself: {outcome:?}"),
        () = ready => {}
    }
    let pid = pids(&std::fs::read_to_string(lab.path().join("pid")).unwrap())[0];
    until("the process is dead and its note is gone", || !is_alive(pid) && lab.live_notes().is_empty()).await;
}
