//! How commands end, and why they do not start.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::time::{SystemTime, UNIX_EPOCH};

use super::super::{Ended, NotStarted, Reason, Stops, run};
use super::Lab;

fn not_started(ended: Ended) -> NotStarted {
    match ended {
        Ended::NotStarted(reason) => reason,
        other => panic!("it was started: {other:?}"),
    }
}

#[tokio::test]
async fn gives_the_exit_code() {
    let lab = Lab::new();
    for code in [0, 1, 42, 255] {
        assert_eq!(lab.sh(&format!("exit {code}")).await.ended, Ended::Exited(code));
    }
    assert_eq!(lab.sh("no-such-command-here").await.ended, Ended::Exited(127));
}

#[tokio::test]
async fn gives_the_signal() {
    let lab = Lab::new();
    assert_eq!(lab.sh("kill -KILL $$").await.ended, Ended::Signalled(9));
    assert_eq!(lab.sh("kill -TERM $$").await.ended, Ended::Signalled(15));
    assert_eq!(lab.sh("kill -PIPE $$").await.ended, Ended::Signalled(13));
}

#[tokio::test]
async fn tells_when_and_how_long() {
    let now = || SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis() as u64;
    let before = now();
    let outcome = Lab::new().sh("sleep 0.05").await;
    assert!((before..=now()).contains(&outcome.started_at_ms));
    assert!((50..=now() - before + 1).contains(&outcome.duration_ms));
}

#[tokio::test]
async fn runs_a_program_with_its_arguments() {
    let lab = Lab::new();
    let outcome = lab.run(lab.program("printf", &["%s|", "a b", "$HOME", "'"])).await;
    assert_eq!((outcome.ended, outcome.stdout.text()), (Ended::Exited(0), "a b|$HOME|'|".into()));
}

#[tokio::test]
async fn finds_a_program_in_the_path_of_the_job_and_beside_it() {
    let lab = Lab::new();
    let tool = lab.path().join("tool");
    fs::write(&tool, "#!/bin/sh\necho \"$0 runs\"\n").unwrap();
    fs::set_permissions(&tool, fs::Permissions::from_mode(0o755)).unwrap();
    let mut job = lab.program("tool", &[]);
    job.env.insert("PATH".into(), format!("/nowhere:{}", lab.path().display()));
    assert_eq!(lab.run(job).await.stdout.text(), format!("{} runs\n", tool.display()));
    assert_eq!(lab.run(lab.program("./tool", &[])).await.stdout.text(), "./tool runs\n");
}

#[tokio::test]
async fn names_the_missing_folder() {
    let lab = Lab::new();
    let mut job = lab.job("true");
    job.dir = lab.path().join("absent");
    let reason = not_started(lab.run(job).await.ended);
    assert_eq!(reason.reason, Reason::FolderMissing);
    let folder = lab.path().join("absent");
    let wanted = format!(
        "folder {} does not exist: create it, or correct the step's working folder",
        folder.display()
    );
    assert_eq!(reason.text, wanted);
}

#[tokio::test]
async fn a_file_is_not_a_folder() {
    let lab = Lab::new();
    fs::write(lab.path().join("file"), "").unwrap();
    let mut job = lab.job("true");
    job.dir = lab.path().join("file");
    let reason = not_started(lab.run(job).await.ended);
    assert_eq!(reason.reason, Reason::FolderMissing);
    assert!(reason.text.ends_with("/file is not a folder: correct the step's working folder"));
}

#[tokio::test]
async fn names_the_missing_program() {
    let lab = Lab::new();
    let mut job = lab.program("frobnicate", &[]);
    job.env.insert("PATH".into(), "/usr/bin:/bin".into());
    let reason = not_started(lab.run(job).await.ended);
    assert_eq!(reason.reason, Reason::ProgramMissing);
    assert_eq!(
        reason.text,
        "program `frobnicate` was not found in PATH (/usr/bin:/bin): install it, add its folder to PATH in \
         the step's env, or name it by its full path"
    );
    let reason = not_started(lab.run(lab.program("/no/such/program", &[])).await.ended);
    assert_eq!(
        reason.text,
        "program /no/such/program does not exist: install it, or correct its path in the step"
    );
}

#[tokio::test]
async fn tells_what_is_wrong_with_a_program() {
    let lab = Lab::new();
    let wrong = async |text: &str, mode: u32| {
        let path = lab.path().join("wrong");
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        not_started(lab.run(lab.program("./wrong", &[])).await.ended).reason
    };
    assert_eq!(wrong("#!/no/such/interpreter\n", 0o755).await, Reason::ProgramMissing);
    assert_eq!(wrong("no first line", 0o755).await, Reason::ProgramInvalid);
    assert_eq!(wrong("#!/bin/sh\n", 0o644).await, Reason::ProgramDenied);
    let mut job = lab.program("wrong", &[]);
    job.env.insert("PATH".into(), lab.path().display().to_string());
    assert_eq!(not_started(lab.run(job).await.ended).reason, Reason::ProgramDenied);
}

#[tokio::test]
async fn tells_what_is_too_long() {
    let lab = Lab::new();
    let mut job = lab.job("true");
    job.env.insert("SECRET".into(), "s3cr3t".repeat(1_000_000));
    let reason = not_started(lab.run(job).await.ended);
    assert_eq!(reason.reason, Reason::TooLong);
    assert_eq!(
        reason.text,
        "the command and its environment are too long for the system: the command has 4 bytes, the \
         environment 6000058; its longest variable is SECRET with 6000000 bytes (Linux takes 131071 bytes in \
         one argument or variable): pass large values through a file"
    );
}

#[tokio::test]
async fn refuses_what_no_process_can_be_given() {
    let lab = Lab::new();
    let reason = not_started(lab.sh("echo \0").await.ended);
    assert_eq!(reason.reason, Reason::Malformed);
    assert_eq!(reason.text, "the script contains a NUL byte, which no process can be given: remove it");
    for name in ["", "A=B"] {
        let mut job = lab.job("true");
        job.env.insert(name.into(), "x".into());
        assert_eq!(not_started(lab.run(job).await.ended).reason, Reason::Malformed);
    }
}

#[tokio::test]
async fn the_same_effect_is_not_started_twice() {
    let lab = Lab::new();
    let job = lab.job("cat ready; echo ran >> log");
    lab.make_ready_pipe();
    let first = run(&job, &lab.notes, Stops::never());
    let second = async {
        // The first is polled before this, and starts its process when it is polled.
        let outcome = run(&job, &lab.notes, Stops::never()).await;
        fs::write(lab.path().join("ready"), "").unwrap();
        outcome
    };
    let (first, second) = tokio::join!(biased; first, second);
    assert_eq!(first.ended, Ended::Exited(0));
    assert_eq!(not_started(second.ended).reason, Reason::AlreadyNoted);
    assert_eq!(fs::read_to_string(lab.path().join("log")).unwrap(), "ran\n");
}
