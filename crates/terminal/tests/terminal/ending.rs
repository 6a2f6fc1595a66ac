//! The end of sessions, and sessions that cannot begin.

use std::path::Path;
use std::time::Duration;

use crate::world::{LONG, bash, has, open, python, spec};
use terminal::{Exit, Session};

const GRACE: Duration = Duration::from_secs(20);

fn is_alive(pid: &str) -> bool {
    // A zombie is nobody's process any more.
    std::fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| !stat.contains(") Z "))
}

#[test]
fn a_shell_ends_as_when_its_terminal_is_closed() {
    let bash = bash();
    assert_eq!(bash.end(GRACE), Ok(Exit::Signal(1)));
    assert_eq!(bash.end(GRACE), Ok(Exit::Signal(1)));
    assert_eq!(bash.exit(), Some(Exit::Signal(1)));
}

#[test]
fn every_group_is_ended_even_what_ignores_it() {
    let bash = bash();
    bash.text("(trap '' HUP TERM; sleep 1000 & echo deaf=$!.; wait) &\n");
    let deaf = bash.expect(r"deaf=(\d+)\.").groups[0].text.clone().unwrap();
    bash.text("sleep 1000 & echo job=$!.\n");
    let job = bash.expect(r"job=(\d+)\.").groups[0].text.clone().unwrap();
    bash.text("nohup sleep 1000 & echo nohup=$!.\n");
    let nohup = bash.expect(r"nohup=(\d+)\.").groups[0].text.clone().unwrap();
    let all = [deaf, job, nohup, bash.pid().to_string()];
    assert!(all.iter().all(|pid| is_alive(pid)));
    bash.end(Duration::from_millis(400)).unwrap();
    assert_eq!(all.map(|pid| is_alive(&pid)), [false; 4]);
}

#[test]
fn a_program_may_clean_up_before_it_ends() {
    if !has("python3") {
        return;
    }
    let program = python(
        "import signal, time, sys\ndef bye(*_):\n    time.sleep(0.2); open('cleaned', 'w').close(); sys.exit(5)\n\
         signal.signal(signal.SIGHUP, bye)\nprint('ready')\ntime.sleep(60)",
    );
    program.expect("ready");
    assert_eq!(program.end(Duration::from_secs(10)), Ok(Exit::Code(5)));
    assert!(program.folder.path().join("cleaned").exists());
}

#[test]
fn a_session_that_is_dropped_leaves_nothing() {
    let bash = bash();
    bash.text("sleep 1000 & echo job=$!.\n");
    let job = bash.expect(r"job=(\d+)\.").groups[0].text.clone().unwrap();
    let shell = bash.pid().to_string();
    drop(bash);
    assert!(!is_alive(&job) && !is_alive(&shell));
    assert!(!Path::new(&format!("/proc/{shell}")).exists(), "its status was taken");
}

#[test]
fn a_program_that_leaves_its_terminal_is_still_known() {
    let bash = open("bash", &["-c", "exec </dev/null >/dev/null 2>&1; sleep 0.3; exit 9"]);
    assert_eq!(bash.wait_exit(LONG), Some(Exit::Code(9)));
}

#[test]
fn all_output_is_there_when_the_end_is_told() {
    for _ in 0..20 {
        let program = open("sh", &["-c", "seq 2000; echo last words; exit 4"]);
        assert_eq!(program.wait_exit(LONG), Some(Exit::Code(4)));
        assert!(program.screen().text.ends_with("last words"), "{}", program.screen().text);
    }
}

#[test]
fn what_cannot_begin_says_why_and_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let error = |change: &dyn Fn(&mut terminal::Spec)| {
        let mut spec = spec(&folder, "bash", &[]);
        change(&mut spec);
        Session::open(&spec).unwrap_err().to_string()
    };
    let missing = error(&|spec| spec.program = "no-such-shell".to_owned());
    assert!(missing.starts_with("the program `no-such-shell` was not found in PATH ("), "{missing}");
    let path = error(&|spec| spec.program = "./none".to_owned());
    assert!(path.starts_with("the program `./none` was not found in "), "{path}");
    let nowhere = error(&|spec| spec.folder = "/no/such/folder".into());
    assert!(nowhere.starts_with("the folder /no/such/folder cannot be opened"), "{nowhere}");
    let unfit = error(&|spec| drop(spec.environment.insert("A=B".to_owned(), "c".to_owned())));
    assert_eq!(
        unfit,
        "the variable `A=B` holds a zero byte or an `=` where none may be; no program can be given it"
    );
    let recording = error(&|spec| {
        spec.recording = Some(terminal::Recording { path: "/no/such/file.cast".into(), bytes_max: 1_000 });
    });
    assert!(recording.starts_with("the recording /no/such/file.cast cannot be written"), "{recording}");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn a_program_has_ended_though_others_hold_its_terminal() {
    let bash = bash();
    bash.text("setsid sh -c 'echo left=$$.; exec sleep 20' &\n");
    let left = bash.expect(r"left=(\d+)\.").groups[0].text.clone().unwrap();
    bash.text("echo last words; exit 7\n");
    let waited = bash.waited("never", LONG);
    assert_eq!((waited.outcome, bash.exit()), (terminal::Outcome::Ended, Some(Exit::Code(7))));
    assert!(bash.screen().text.contains("\nlast words"));
    assert!(is_alive(&left), "what it has put aside goes on");
    assert_eq!(bash.end(GRACE), Ok(Exit::Code(7)));
    kill(&left);
}

#[test]
fn a_program_has_ended_though_another_floods_its_terminal() {
    let program = open("sh", &["-c", "setsid sh -c 'echo left=$$.; exec yes' & sleep 0.2; exit 3"]);
    let left = program.expect(r"left=(\d+)\.").groups[0].text.clone().unwrap();
    assert_eq!(program.wait_exit(LONG), Some(Exit::Code(3)));
    kill(&left);
}

/// Ends one that a test has put aside.
fn kill(pid: &str) {
    let killed = std::process::Command::new("kill").args(["-9", pid]).status();
    assert!(killed.is_ok_and(|killed| killed.success()), "{pid} was not there any more");
}

#[test]
fn the_end_is_known_as_soon_as_the_terminal_is_closed() {
    for _ in 0..20 {
        let cat = open("cat", &[]);
        let quiet = terminal::Settle { quiet: Some(LONG), ..terminal::Settle::default() };
        cat.send(terminal::Input::Text("\x04"), quiet).unwrap();
        assert_eq!(cat.exit(), Some(Exit::Code(0)));
    }
}
