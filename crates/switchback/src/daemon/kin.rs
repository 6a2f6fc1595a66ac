//! Whose process it is that asks: its ancestors, as the system tells them. A gate is not answered by a process that descends
//! from this daemon (a command of a workflow) or from a connected client (a command of an agent).
//!
//! What the server starts bears a mark in its environment as well, by which it is known when it has let its parents go (`setsid`
//! and a second fork).
//!
//! What this does not stop: a process that lets its parents go and drops its environment, and a program that types into the
//! terminal of another. It keeps honest agents out, not hostile ones.

use engine::adapters::process::MARKER;
#[cfg(target_os = "linux")]
use engine::adapters::process::environment_of;

/// Most generations that are looked at.
const GENERATIONS_MAX: usize = 64;

/// The first process of a system, which is everybody's ancestor.
const FIRST: u32 = 1;

/// A process and those above it, without the first one of the system.
pub(crate) fn lineage(pid: u32) -> Vec<u32> {
    let above = |pid: &u32| parent(*pid).filter(|parent| *parent > FIRST);
    std::iter::successors(Some(pid), above).take(GENERATIONS_MAX).collect()
}

/// The processes of a client, by the process that carries its bytes: that one, whoever started it, and whoever is above
/// them inside the same session. The shell from which a person started the client leads its session and is not among them.
pub(crate) fn client(pipe: u32) -> Vec<u32> {
    let mut all = vec![pipe];
    for above in lineage(pipe).into_iter().skip(1) {
        let is_first = all.len() == 1;
        if is_leader(above) && !is_first {
            break;
        }
        all.push(above);
        if is_leader(above) {
            break;
        }
    }
    all
}

/// The process that started another, if it still lives.
pub(crate) fn parent(pid: u32) -> Option<u32> {
    look(pid).map(|found| found.parent)
}

/// Whether a process leads its session, as a shell in a terminal does. A session that was begun outside this container has
/// the number 0 here, and nobody inside leads it.
fn is_leader(pid: u32) -> bool {
    look(pid).is_some_and(|found| found.session == pid)
}

/// Whether a process was started with the mark of what this server starts.
#[cfg(target_os = "linux")]
pub(super) fn is_marked(pid: u32) -> bool {
    let environment = i32::try_from(pid).map(environment_of).unwrap_or_default();
    let mark = format!("{MARKER}=");
    environment.split(|byte| *byte == 0).any(|variable| variable.starts_with(mark.as_bytes()))
}

/// Whether a process was started with the mark of what this server starts: nobody tells here.
#[cfg(not(target_os = "linux"))]
pub(super) fn is_marked(_pid: u32) -> bool {
    false
}

/// What the system says of a process.
struct Found {
    parent: u32,
    session: u32,
}

#[cfg(target_os = "linux")]
fn look(pid: u32) -> Option<Found> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name of a program may have anything in it, also brackets.
    let (_, after) = stat.rsplit_once(')')?;
    let [_state, parent, _group, session] =
        after.split_whitespace().take(4).collect::<Vec<_>>().try_into().ok()?;
    Some(Found { parent: parent.parse().ok()?, session: session.parse().ok()? })
}

#[cfg(not(target_os = "linux"))]
fn look(pid: u32) -> Option<Found> {
    let said = std::process::Command::new("/bin/ps").args(["-o", "ppid=", "-p", &pid.to_string()]).output();
    let parent = String::from_utf8(said.ok()?.stdout).ok()?.trim().parse().ok()?;
    let session = rustix::process::getsid(rustix::process::Pid::from_raw(i32::try_from(pid).ok()?)).ok()?;
    Some(Found { parent, session: session.as_raw_nonzero().get().unsigned_abs() })
}

/// A process of the session that another one leads.
#[cfg(target_os = "linux")]
pub(super) fn follower(leader: u32) -> Option<u32> {
    let pids = std::fs::read_dir("/proc").ok()?.flatten();
    let mut pids = pids.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    pids.find(|pid| *pid != leader && look(*pid).is_some_and(|found| found.session == leader))
}

/// A process of the session that another one leads: nobody tells here.
#[cfg(not(target_os = "linux"))]
pub(super) fn follower(_leader: u32) -> Option<u32> {
    None
}

/// Whether a process above this one is this very program, or this one bears its mark: a command of a workflow that another one
/// carries out, or something in its terminals.
pub(crate) fn is_below_our_own() -> bool {
    let own = std::env::current_exe().and_then(std::fs::canonicalize).ok();
    let exe = |pid: u32| std::fs::read_link(format!("/proc/{pid}/exe")).ok();
    let above = lineage(std::process::id()).into_iter().skip(1);
    std::env::var_os(MARKER).is_some()
        || own.is_some_and(|own| above.filter_map(exe).any(|other| other == own))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_descends_from_whoever_started_it() {
        let mut child = std::process::Command::new("sleep").arg("30").spawn().expect("a process");
        let line = lineage(child.id());
        assert_eq!((line[0], line[1]), (child.id(), std::process::id()));
        assert!(!line.contains(&FIRST));
        child.kill().expect("it ends");
        child.wait().expect("it has ended");
        assert_eq!(lineage(u32::MAX), [u32::MAX]);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn the_first_of_a_session_leads_it() {
        let mut leader =
            std::process::Command::new("setsid").args(["sleep", "30"]).spawn().expect("a process");
        let mut follower = std::process::Command::new("sleep").arg("30").spawn().expect("a process");
        let deadline = std::time::Instant::now() + std::time::Duration::from_secs(10);
        while !is_leader(leader.id()) && std::time::Instant::now() < deadline {
            std::thread::yield_now();
        }
        let seen = (is_leader(leader.id()), is_leader(follower.id()));
        for process in [&mut leader, &mut follower] {
            process.kill().expect("it ends");
            process.wait().expect("it has ended");
        }
        assert_eq!(seen, (true, false));
    }

    #[test]
    fn a_client_is_at_least_the_pipe_and_whoever_started_it() {
        let mut child = std::process::Command::new("sleep").arg("30").spawn().expect("a process");
        let all = client(child.id());
        assert!(all.starts_with(&[child.id(), std::process::id()]), "{all:?}");
        child.kill().expect("it ends");
        child.wait().expect("it has ended");
    }
}
