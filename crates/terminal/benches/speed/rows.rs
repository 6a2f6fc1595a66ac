//! The rows of the table.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::time::Duration;

use crate::bare::Bare;
use crate::pairs::{Bound, row, time};
use terminal::{Input, Pattern, Session, Settle, Spec};

/// All rows, by a word to choose them with.
pub(crate) const ALL: [(&str, fn()); 6] = [
    ("flood", flood),
    ("processor", processor_time),
    ("waited", waited_flood),
    ("open", open),
    ("command", command),
    ("idle", idle),
];

const LONG: Duration = Duration::from_secs(600);
/// What floods, in MB; `TERMINAL_BENCH_MB` makes it less on a machine with much to do.
fn log_megabytes() -> usize {
    std::env::var("TERMINAL_BENCH_MB").ok().and_then(|number| number.parse().ok()).unwrap_or(200)
}

fn spec(program: &str, args: &[&str]) -> Spec {
    let mut spec = Spec::new(program, std::env::temp_dir());
    spec.args = args.iter().map(|argument| (*argument).to_owned()).collect();
    let path = std::env::var("PATH").expect("a PATH");
    spec.environment = [("PATH", path.as_str()), ("PS1", "$ "), ("LANG", "C.UTF-8")]
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .into();
    spec
}

fn shell() -> Spec {
    spec("bash", &["--norc", "--noprofile"])
}

/// A log as builds and servers write it: coloured levels, times, paths, now and then a progress bar.
fn log(path: &Path, megabytes: usize) {
    let mut piece = String::new();
    for number in 0..5_000_u32 {
        let (colour, level) =
            [("32", "INFO"), ("33", "WARN"), ("36", "DEBUG"), ("31;1", "ERROR")][number as usize % 4];
        let _ = write!(
            piece,
            "\x1b[2m2026-11-{:02}T10:{:02}:{:02}Z\x1b[0m \x1b[{colour}m{level:<5}\x1b[0m crate::module{}: request {number} took {} ms\r\n",
            number % 28 + 1,
            number / 60 % 60,
            number % 60,
            number % 17,
            number * 7 % 1_000
        );
        if number % 50 == 0 {
            let _ =
                write!(piece, "\r\x1b[K\x1b[1m   Compiling\x1b[0m thing v0.{number}.0 ({number}/5000)\r\n");
        }
    }
    let mut file = std::fs::File::create(path).expect("a file");
    let mut written = 0;
    while written < megabytes * 1024 * 1024 {
        file.write_all(piece.as_bytes()).expect("room on the disk");
        written += piece.len();
    }
}

fn with_log(megabytes: usize, work: impl FnOnce(&Spec)) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("log");
    log(&path, megabytes);
    work(&spec("cat", &[&path.display().to_string()]));
}

fn flood() {
    with_log(log_megabytes(), |spec| {
        let through = || {
            let session = Session::open(spec).expect("a session");
            assert!(session.wait_exit(LONG).is_some());
            session
        };
        let alone = || {
            let mut bare = Bare::open(spec);
            bare.read_all();
            bare
        };
        row(
            &format!("{} MB log through PTY and screen ÷ PTY read alone (speed)", log_megabytes()),
            &Bound::AtLeast(0.5),
            5,
            || time(through),
            || time(alone),
        );
    });
}

fn processor_time() {
    with_log(log_megabytes(), |spec| {
        print_cpu("through PTY and screen", || {
            let session = Session::open(spec).expect("a session");
            assert!(session.wait_exit(LONG).is_some());
        });
        print_cpu("PTY read alone", || Bare::open(spec).read_all());
    });
}

fn waited_flood() {
    let pattern = Pattern::new("never (seen|heard) of").expect("a pattern");
    with_log(log_megabytes() / 10, |spec| {
        let through = || {
            let session = Session::open(spec).expect("a session");
            assert!(session.wait(&pattern, LONG, None).is_ok());
            session
        };
        let alone = || {
            let mut bare = Bare::open(spec);
            bare.read_all();
            bare
        };
        row(
            "a tenth of it, while somebody waits for a pattern (speed)",
            &Bound::AtLeast(0.25),
            11,
            || time(through),
            || time(alone),
        );
    });
}

fn open() {
    let spec = shell();
    let through = || {
        let session = Session::open(&spec).expect("a session");
        assert!(!session.read_output(0, LONG, None).bytes.is_empty());
        session
    };
    let bare = || {
        let mut bare = Bare::open(&spec);
        assert!(!bare.read().is_empty());
        bare
    };
    let bound = Bound::AtMost(1.2, Duration::from_millis(3));
    row("open to the first byte of the prompt ÷ bare PTY", &bound, 200, || time(through), || time(bare));
}

fn command() {
    let session = Session::open(&shell()).expect("a session");
    let prompt = Pattern::new(r"\$ $").expect("a pattern");
    assert!(session.wait(&prompt, LONG, None).is_ok_and(|waited| waited.outcome.matched().is_some()));
    let pattern = Pattern::new(r"^(\d+)\n\$ $").expect("a pattern");
    let through = || {
        session.send(Input::Text("echo $((6*7))\n"), Settle::default()).expect("a shell that reads");
        let waited = session.wait(&pattern, LONG, None).expect("a cheap pattern");
        assert_eq!(waited.outcome.matched().expect("an answer").groups[0].text.as_deref(), Some("42"));
    };
    let mut bare = Bare::open(&shell());
    bare.read_until(b"$ ");
    let mut direct = || {
        bare.write(b"echo $((6*7))\n");
        bare.read_until(b"$ ");
    };
    row(
        "type a command and wait for its answer ÷ bare PTY",
        &Bound::AtMost(2.0, Duration::ZERO),
        1_000,
        || time(through),
        || time(&mut direct),
    );
}

fn idle() {
    let pattern = Pattern::new(r"\$ $").expect("a pattern");
    let open = |_| {
        let session = Session::open(&shell()).expect("a session");
        session.wait(&pattern, LONG, None).expect("a prompt");
        session
    };
    drop(open(0));
    let before = memory();
    let sessions: Vec<Session> = (0..50).map(open).collect();
    let after = memory();
    println!(
        "50 idle shells at their prompts: {} KB more in this process, {} KB each",
        after - before,
        (after - before) / 50
    );
    for session in &sessions {
        session.send(Input::Text("seq 20000\n"), Settle::default()).expect("a shell that reads");
    }
    sessions.iter().for_each(|session| {
        drop(session.wait(&Pattern::new(r"20000\n\$ $").expect("a pattern"), LONG, None))
    });
    let full = memory();
    println!(
        "the same with scrollback full (5,000 lines of 120 columns): {} KB, {} KB each",
        full - before,
        (full - before) / 50
    );
}

/// Prints what a flood costs this process in CPU time, which does not depend on who else is at work: one core reads and shows
/// while another runs the program, so that less than the program's own time costs nothing.
fn print_cpu(name: &str, work: impl FnOnce()) {
    let before = cpu();
    work();
    let after = cpu();
    let each = |index: usize| (after[index] - before[index]) * 10_000 / log_megabytes() as u64;
    println!("{name}: {} µs a MB in this process, {} µs in the program", each(0), each(1));
}

/// Gives the hundredths of a second that this process and those whose end it has seen took.
fn cpu() -> [u64; 2] {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<u64> = stat
        .rsplit(") ")
        .next()
        .unwrap_or_default()
        .split(' ')
        .map(|field| field.parse().unwrap_or(0))
        .collect();
    let sum = |first: usize| fields.iter().skip(first).take(2).sum();
    [sum(11), sum(13)]
}

/// Gives what this process holds in memory, in KB.
fn memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or_default();
    line.split_whitespace().next().and_then(|number| number.parse().ok()).unwrap_or(0)
}
