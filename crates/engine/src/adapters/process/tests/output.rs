//! What is kept of the output.

use super::super::{Ended, OutputLimit};
use super::Lab;

#[tokio::test]
async fn keeps_both_streams_apart() {
    let outcome = Lab::new().sh("echo out; echo err >&2; echo more").await;
    assert_eq!((outcome.stdout.text(), outcome.stderr.text()), ("out\nmore\n".into(), "err\n".into()));
}

#[tokio::test]
async fn a_hundred_megabytes_are_counted_and_not_kept() {
    let lab = Lab::new();
    let outcome = lab.sh("echo first; head -c 104857600 /dev/zero; echo; echo last").await;
    let (stdout, limit) = (outcome.stdout, OutputLimit::default());
    assert_eq!(outcome.ended, Ended::Exited(0));
    assert_eq!(stdout.total, 104_857_600 + 12);
    assert_eq!((stdout.head.len(), stdout.tail.len()), (limit.head_bytes_max, limit.tail_bytes_max));
    assert_eq!(stdout.dropped, stdout.total - 1024 * 1024);
    assert!(stdout.head.capacity() + stdout.tail.capacity() <= 2 * 1024 * 1024);
    let text = stdout.text();
    assert!(text.starts_with("first\n") && text.ends_with("\nlast\n"));
    assert!(text.contains("\n... 103809036 bytes left out ...\n"));
}

#[tokio::test]
async fn two_full_streams_do_not_block_each_other() {
    let lab = Lab::new();
    let outcome = lab.sh("head -c 3000000 /dev/zero >&2 & head -c 3000000 /dev/zero; wait").await;
    assert_eq!((outcome.stdout.total, outcome.stderr.total), (3_000_000, 3_000_000));
}

#[tokio::test]
async fn shows_and_keeps_what_is_not_utf8() {
    let outcome = Lab::new().sh(r"printf 'caf\351 \377\n'").await;
    assert_eq!(outcome.stdout.text(), "caf\\xe9 \\xff\n");
    assert_eq!(outcome.stdout.raw(), b"caf\xe9 \xff\n");
    assert!(outcome.stdout.lossy && !outcome.stderr.lossy);
}

#[tokio::test]
async fn cuts_between_characters() {
    let lab = Lab::new();
    let mut job = lab.job("printf 'aä€😀aä€😀aä€😀'");
    job.output = OutputLimit { head_bytes_max: 5, tail_bytes_max: 6 };
    let stdout = lab.run(job).await.stdout;
    assert_eq!(stdout.text(), "aä\n... 23 bytes left out ...\n😀");
    assert_eq!((stdout.total, stdout.lossy), (30, false));
}
