//! What only Linux lets the adapter do, or a test see.

use std::fs::File;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::super::Ended;
use super::{Lab, is_alive, pids};

/// Starts four sleepers in four places and says their pids: in the group, in a session of its own, adopted by
/// init, and without an environment.
const FOUR_SLEEPERS: &str = "
    sleep 1000 & echo $!
    setsid sleep 1000 & echo $!
    (setsid sh -c 'echo $$; exec sleep 1000' &)
    env -i /usr/bin/setsid sleep 1000 & echo $!
";

#[tokio::test]
async fn a_time_out_ends_every_descendant() {
    let lab = Lab::new();
    let mut job = lab.job(&format!("{FOUR_SLEEPERS} wait"));
    job.timeout = Some(Duration::from_secs(2));
    let outcome = lab.run(job).await;
    assert_eq!(outcome.ended, Ended::TimedOut);
    assert!((2000..4000).contains(&outcome.duration_ms));
    let sleepers = pids(&outcome.stdout.text());
    assert_eq!(sleepers.len(), 4);
    assert_eq!(sleepers.into_iter().filter(|pid| is_alive(*pid)).count(), 0);
}

/// Without the mark, and deaf: their parents end at the first signal, and one starts another before it ends itself.
const DEAF: &str = r#"
    env -i timeout 5000 sh -c 'trap "" TERM; echo $$; sleep 1000; true' &
    env -i setsid -w sh -c 'trap "" TERM; echo $$; sleep 1000' &
    env -i setsid -w sh -c 'trap "" TERM; sleep 1000 & trap "sleep 1000 & echo \$!; exit" TERM; echo $!; wait' &
"#;

#[tokio::test]
async fn those_whose_parents_end_before_them_are_ended_too() {
    let lab = Lab::new();
    let mut job = lab.job(&format!("{DEAF} wait"));
    job.timeout = Some(Duration::from_secs(2));
    let outcome = lab.run(job).await;
    assert_eq!(outcome.ended, Ended::TimedOut);
    let all = pids(&outcome.stdout.text());
    assert!(all.len() >= 4, "{}", outcome.stdout.text());
    assert_eq!(all.into_iter().filter(|pid| is_alive(*pid)).count(), 0);
}

/// Three that are somebody else every few milliseconds, each in a session of its own.
const HOPPING: &str = "
import os, time
if os.fork(): time.sleep(600)
os.setsid()
end = time.time() + 20
while time.time() < end:
    time.sleep(0.002)
    if os.fork(): os._exit(0)
";

#[tokio::test]
async fn a_process_that_forks_and_exits_all_the_time_is_ended() {
    let lab = Lab::new();
    let name = format!("hopping-{}", std::process::id());
    let mut job = lab.job(&format!("for i in 1 2 3; do python3 -c '{HOPPING}' {name} & done; wait"));
    job.timeout = Some(Duration::from_secs(2));
    assert_eq!(lab.run(job).await.ended, Ended::TimedOut);
    let lives = |pid: &std::ffi::OsStr| {
        let line = std::fs::read(std::path::Path::new("/proc").join(pid).join("cmdline")).unwrap_or_default();
        line.split(|byte| *byte == 0).any(|word| word == name.as_bytes())
    };
    for _ in 0..20 {
        let left =
            std::fs::read_dir("/proc").unwrap().filter(|entry| lives(&entry.as_ref().unwrap().file_name()));
        assert_eq!(left.count(), 0);
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

/// The thread it began with has ended, so that it looks as if it had; another one lives.
const HEADLESS: &str = "
import ctypes, os, sys, threading, time
if sys.argv[1:]: os.setsid()
threading.Thread(target=time.sleep, args=(600,)).start()
print(os.getpid(), flush=True)
ctypes.CDLL(None).syscall(60 if os.uname().machine == \"x86_64\" else 93, 0)
";

#[tokio::test]
async fn a_process_lives_as_long_as_one_of_its_threads() {
    let lab = Lab::new();
    let python = format!("python3 -c '{HEADLESS}'");
    let commands = [
        format!("exec {python}"),
        format!("{python} & wait"),
        format!("{{ env -u PATH {python} away & }}; wait"),
    ];
    for command in commands {
        let mut job = lab.job(&command);
        job.timeout = Some(Duration::from_secs(2));
        let outcome = lab.run(job).await;
        assert_eq!(outcome.ended, Ended::TimedOut, "{command}");
        let [pid] = pids(&outcome.stdout.text())[..] else { panic!("{}", outcome.stdout.text()) };
        assert!(!has_threads(pid), "{command}");
    }
    let mut job = lab.job(&format!("mkfifo said; {python} > said & read pid < said; echo $pid"));
    job.timeout = Some(Duration::from_secs(20));
    let outcome = lab.run(job).await;
    assert_eq!(outcome.ended, Ended::Exited(0));
    assert!(!has_threads(pids(&outcome.stdout.text())[0]), "what it leaves in its group is ended");
}

fn has_threads(pid: u32) -> bool {
    std::fs::read_dir(format!("/proc/{pid}/task")).is_ok_and(|threads| threads.count() > 1)
}

#[tokio::test]
async fn a_daemon_outlives_a_command_that_exited() {
    let lab = Lab::new();
    lab.make_ready_pipe();
    let begin = Instant::now();
    let outcome =
        lab.sh("setsid sh -c 'echo $$; echo > ready; exec sleep 1000' & cat ready >/dev/null").await;
    assert_eq!(outcome.ended, Ended::Exited(0));
    assert!(begin.elapsed() < Duration::from_secs(10), "the open pipe was waited for");
    let daemon = pids(&outcome.stdout.text())[0];
    assert!(is_alive(daemon));
    assert!(Command::new("kill").arg(daemon.to_string()).status().unwrap().success());
}

#[tokio::test]
async fn a_daemon_has_time_to_leave() {
    let lab = Lab::new();
    for command in ["setsid -f sleep 1000", "setsid sleep 1000 & echo", "(exec setsid sleep 1000) & :"] {
        for _ in 0..10 {
            let name = format!("daemon-{}", std::process::id());
            let command =
                command.replace("sleep 1000", &format!("sh -c 'echo $$ > {name}; exec sleep 1000'"));
            let outcome =
                lab.sh(&format!("rm -f {name}; {{ {command}; }} > /dev/null 2>&1 < /dev/null")).await;
            assert_eq!(outcome.ended, Ended::Exited(0));
            let file = lab.path().join(&name);
            super::until("the daemon says its number", || {
                std::fs::read_to_string(&file).is_ok_and(|text| text.ends_with('\n'))
            })
            .await;
            let daemon: u32 = std::fs::read_to_string(&file).unwrap().trim().parse().unwrap();
            assert!(is_alive(daemon), "{command}");
            assert!(Command::new("kill").arg(daemon.to_string()).status().unwrap().success());
        }
    }
}

#[tokio::test]
async fn inherits_no_descriptor() {
    let inherited = File::open("/dev/null").unwrap();
    rustix::io::fcntl_setfd(&inherited, rustix::io::FdFlags::empty()).unwrap();
    let lab = Lab::new();
    let text = lab.run(lab.program("ls", &["/proc/self/fd"])).await.stdout.text();
    assert_eq!(text, "0\n1\n2\n3\n", "3 is the folder that ls reads");
    let text = lab.run(lab.program("readlink", &["/proc/self/fd/0"])).await.stdout.text();
    assert_eq!(text, "/dev/null\n");
}

#[tokio::test]
async fn signals_are_neither_blocked_nor_ignored() {
    // The server ignores SIGPIPE, as every Rust program does, and catches SIGCHLD.
    let lab = Lab::new();
    let text = lab.run(lab.program("cat", &["/proc/self/status"])).await.stdout.text();
    let set = |name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(name)).unwrap();
        u64::from_str_radix(line.trim(), 16).unwrap()
    };
    // The two above 31 are the C library's own, which it hands down ignored.
    assert_eq!((set("SigBlk:"), set("SigIgn:") & 0x7FFF_FFFF, set("SigCgt:")), (0, 0, 0));
}

/// Runs a command that asks the terminal, if it is started by the test below.
#[tokio::test]
async fn ask_the_terminal() {
    if std::env::var_os("SWITCHBACK_TEST_TERMINAL").is_none() {
        return;
    }
    assert!(File::open("/dev/tty").is_ok(), "the test gave no terminal");
    let lab = Lab::new();
    let mut job = lab.job("read answer </dev/tty; echo $?");
    job.timeout = Some(Duration::from_secs(10));
    let outcome = lab.run(job).await;
    assert_eq!((outcome.ended, outcome.stdout.text()), (Ended::Exited(0), "2\n".into()));
    assert!(outcome.stderr.text().contains("No such device"), "{}", outcome.stderr.text());
}

/// A command of a server in the foreground must not stop and wait for a terminal it may not read.
#[tokio::test]
async fn has_no_terminal_even_if_the_server_has_one() {
    let module = module_path!().split_once("::").unwrap().1;
    let again = format!("{} --exact {module}::ask_the_terminal", std::env::current_exe().unwrap().display());
    let mut in_terminal = Command::new("script");
    in_terminal.args(["-qec", &again, "/dev/null"]).env("SWITCHBACK_TEST_TERMINAL", "1");
    let output = in_terminal.stdin(Stdio::null()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}
