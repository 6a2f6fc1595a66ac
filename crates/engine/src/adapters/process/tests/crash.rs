//! What recovery does after the server was killed.
//!
//! The server that is killed is this test binary, started again with [`HELPER`] in its environment.

use std::fs;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::super::{Job, MARKER, NoteSpec, Notes, Recovered, Script, Stops, run};
use super::{Lab, is_alive, pids, until};

const HELPER: &str = "SWITCHBACK_TEST_SERVER";
const GRACE: Duration = Duration::from_secs(2);

fn server(lab: &Lab, helper: &str) -> Child {
    let module = module_path!().split_once("::").unwrap().1;
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", &format!("{module}::{helper}")]).env(HELPER, lab.path());
    command.stdout(std::process::Stdio::null()).process_group(0).spawn().unwrap()
}

fn job(folder: &Path, effect: usize, script: &str) -> Job {
    let note = NoteSpec { run: "r-1".into(), effect: format!("step/{effect}") };
    let mut job = Job::new(Script::Sh(script.into()), folder, note);
    job.env.insert("PATH".into(), "/usr/bin:/bin".into());
    job.env.insert(HELPER.into(), folder.display().to_string());
    job
}

/// Runs one job for ever, if it is started by a test below.
#[tokio::test]
async fn serve_one() {
    let Some(folder) = std::env::var_os(HELPER) else { return };
    let folder = Path::new(&folder);
    let notes = Notes::open(folder).unwrap();
    let script = "
        sleep 1000 & echo $! > pids
        setsid sleep 1000 & echo $! >> pids
        env -i /bin/sleep 1000 & echo $! >> pids
        echo $$ >> pids; echo > ready; exec env -i /bin/sleep 1000";
    run(&job(folder, 0, script), &notes, Stops::never()).await;
}

#[tokio::test]
async fn recovery_ends_what_a_killed_server_left() {
    let lab = Lab::new();
    let ready = lab.wait_for_ready();
    let mut server = server(&lab, "serve_one");
    ready.await;
    server.kill().unwrap();
    server.wait().unwrap();

    let left = pids(&fs::read_to_string(lab.path().join("pids")).unwrap());
    assert_eq!(left.iter().filter(|pid| is_alive(**pid)).count(), 4);
    let recovered = lab.notes.recover(GRACE).await.unwrap();
    let wanted = Recovered {
        run: "r-1".into(),
        effect: "step/0".into(),
        pid: left.last().copied(),
        was_alive: true,
        is_gone: true,
    };
    assert_eq!(recovered, [wanted]);
    assert_eq!(left.into_iter().filter(|pid| is_alive(*pid)).count(), 0);
    assert!(lab.note_files().is_empty());
    assert_eq!(lab.notes.recover(GRACE).await.unwrap(), []);
}

/// Leaves a process in the group of its job that bears no mark, if it is started by the test below.
#[tokio::test]
async fn serve_unmarked() {
    let Some(folder) = std::env::var_os(HELPER) else { return };
    let folder = Path::new(&folder);
    let notes = Notes::open(folder).unwrap();
    let script = "env -i /bin/sleep 1000 & echo $! > pids; echo $$ >> pids; echo > ready; exec sleep 1000";
    run(&job(folder, 0, script), &notes, Stops::never()).await;
}

#[tokio::test]
async fn recovery_ends_the_group_of_a_command_that_ended_meanwhile() {
    let lab = Lab::new();
    let ready = lab.wait_for_ready();
    let module = module_path!().split_once("::").unwrap().1;
    // As a daemon it leads a session.
    let mut server = Command::new("setsid");
    server.arg(std::env::current_exe().unwrap()).args(["--exact", &format!("{module}::serve_unmarked")]);
    server.env(HELPER, lab.path()).stdout(std::process::Stdio::null());
    let mut server = server.spawn().unwrap();
    ready.await;
    server.kill().unwrap();
    server.wait().unwrap();
    let left = pids(&fs::read_to_string(lab.path().join("pids")).unwrap());
    let leader = rustix::process::Pid::from_raw(left[1].cast_signed()).unwrap();
    rustix::process::kill_process(leader, rustix::process::Signal::KILL).unwrap();
    until("the command has ended", || !is_alive(left[1])).await;
    assert!(is_alive(left[0]));
    let recovered = lab.notes.recover(GRACE).await.unwrap();
    assert!(recovered[0].was_alive && recovered[0].is_gone, "{recovered:?}");
    assert!(!is_alive(left[0]));
}

/// Starts jobs as fast as it can, if it is started by the test below.
#[tokio::test(flavor = "multi_thread")]
async fn serve_many() {
    let Some(folder) = std::env::var_os(HELPER) else { return };
    let folder = Path::new(&folder).to_owned();
    let notes = Notes::open(&folder).unwrap();
    fs::write(folder.join("ready"), "\n").unwrap();
    for effect in 0..500 {
        let (job, notes) = (job(&folder, effect, "sleep 1000"), notes.clone());
        tokio::spawn(async move { run(&job, &notes, Stops::never()).await });
        tokio::task::yield_now().await;
    }
    std::future::pending::<()>().await;
}

/// Wherever the server is killed, between the fork and the exec too, recovery misses no process.
#[tokio::test]
async fn no_process_lives_unnoted() {
    let lab = Lab::new();
    let mut seen = 0;
    for _ in 0..20 {
        let ready = lab.wait_for_ready();
        let mut server = server(&lab, "serve_many");
        ready.await;
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
        tokio::time::sleep(Duration::from_micros(u64::from(now.subsec_nanos() % 20_000))).await;
        server.kill().unwrap();
        server.wait().unwrap();
        seen += lab.notes.recover(GRACE).await.unwrap().iter().filter(|one| one.was_alive).count();
        assert_eq!(started_in(lab.path()), Vec::<String>::new());
        assert!(lab.note_files().is_empty());
    }
    assert!(seen > 20, "only {seen} processes were there to be missed");
}

/// Lists the living processes whose environment names this folder.
fn started_in(folder: &Path) -> Vec<String> {
    let wanted = format!("{HELPER}={}", folder.display());
    let processes = fs::read_dir("/proc").unwrap().map(|entry| entry.unwrap().path());
    let ours = processes.filter(|path| {
        let environment = fs::read(path.join("environ")).unwrap_or_default();
        environment.split(|byte| *byte == 0).any(|variable| variable == wanted.as_bytes())
    });
    ours.map(|path| String::from_utf8_lossy(&fs::read(path.join("stat")).unwrap_or_default()).into_owned())
        .collect()
}

/// Ends a process of the test's own when the test is over.
struct Sleeper(Child);

impl Sleeper {
    fn start(marker: &str) -> Sleeper {
        Sleeper(Command::new("sleep").arg("1000").env(MARKER, marker).process_group(0).spawn().unwrap())
    }
}

impl Drop for Sleeper {
    fn drop(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

/// Tests run beside each other, so each has a marker of its own.
fn marker(lab: &Lab) -> String {
    lab.path().display().to_string()
}

fn write_note(lab: &Lab, boot: &str, process: &str) {
    let marker = marker(lab);
    let head = format!(r#"{{"version":1,"boot":"{boot}","run":"r","effect":"e","marker":"{marker}"}}"#);
    fs::write(lab.path().join("processes/9.note"), format!("{head}\n{process}\n")).unwrap();
}

async fn recover_one(lab: &Lab) -> (Option<u32>, bool) {
    let recovered = lab.notes.recover(GRACE).await.unwrap();
    assert!(lab.note_files().is_empty());
    assert_eq!(recovered.len(), 1);
    (recovered[0].pid, recovered[0].was_alive)
}

#[tokio::test]
async fn a_pid_that_was_given_to_another_process_is_left_alone() {
    let lab = Lab::new();
    let sleeper = Sleeper::start("another");
    let pid = sleeper.0.id();
    write_note(&lab, &lab.notes.boot, &format!("{pid} 1 2\n"));
    assert_eq!(recover_one(&lab).await, (Some(pid), false));
    assert!(is_alive(pid));
}

#[tokio::test]
async fn a_note_of_another_boot_ends_nothing() {
    let lab = Lab::new();
    let sleeper = Sleeper::start(&marker(&lab));
    let pid = sleeper.0.id();
    write_note(&lab, "another", &format!("{pid} 0 {}\n", u64::MAX));
    assert_eq!(recover_one(&lab).await, (Some(pid), false));
    assert!(is_alive(pid));
}

#[tokio::test]
async fn the_marker_proves_a_descendant_of_a_leader_that_has_ended() {
    let lab = Lab::new();
    let mut leader = Command::new("true").spawn().unwrap();
    leader.wait().unwrap();
    let sleeper = Sleeper::start(&marker(&lab));
    write_note(&lab, &lab.notes.boot, &format!("{} 1 2\n", leader.id()));
    assert_eq!(recover_one(&lab).await, (Some(leader.id()), true));
    assert!(!is_alive(sleeper.0.id()));
}

#[tokio::test]
async fn a_note_without_a_pid_is_removed() {
    let lab = Lab::new();
    write_note(&lab, &lab.notes.boot, "");
    assert_eq!(recover_one(&lab).await, (None, false));
}

#[tokio::test]
async fn a_note_of_another_version_is_left_as_it_is() {
    let lab = Lab::new();
    fs::write(lab.path().join("processes/x.note"), "{\"version\":2}\n").unwrap();
    let error = lab.notes.recover(GRACE).await.unwrap_err();
    assert!(error.to_string().contains("another version of switchback"), "{error}");
    assert_eq!(lab.note_files().len(), 1);
}
