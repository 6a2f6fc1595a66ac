//! Whose process it is that asks: its ancestors, as the system tells them. A gate is not answered by a process that descends
//! from this daemon (a command of a workflow) or from a connected client (a command of an agent).
//!
//! What this does not stop: a process that lets its parents go (`setsid` and a second fork) has no ancestors left, and one
//! program may type into the terminal of another. It keeps honest agents out, not hostile ones.

use rustix::process::{Pid, getsid};

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

/// Whether a process leads its session, as a shell in a terminal does.
fn is_leader(pid: u32) -> bool {
    let pid = i32::try_from(pid).ok().and_then(Pid::from_raw);
    pid.is_some_and(|pid| getsid(Some(pid)).is_ok_and(|session| session == pid))
}

/// The process that started another, if it still lives.
#[cfg(target_os = "linux")]
fn parent(pid: u32) -> Option<u32> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name of a program may have anything in it, also brackets.
    let (_, after) = stat.rsplit_once(')')?;
    after.split_whitespace().nth(1)?.parse().ok()
}

/// The process that started another, if it still lives.
#[cfg(not(target_os = "linux"))]
fn parent(pid: u32) -> Option<u32> {
    let said = std::process::Command::new("/bin/ps").args(["-o", "ppid=", "-p", &pid.to_string()]).output();
    String::from_utf8(said.ok()?.stdout).ok()?.trim().parse().ok()
}

/// Whether a process above this one is this very program: a command of a workflow that another one carries out.
pub(crate) fn is_below_our_own() -> bool {
    let own = std::env::current_exe().and_then(std::fs::canonicalize).ok();
    let exe = |pid: u32| std::fs::read_link(format!("/proc/{pid}/exe")).ok();
    let above = lineage(std::process::id()).into_iter().skip(1);
    own.is_some_and(|own| above.filter_map(exe).any(|other| other == own))
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
    fn a_client_is_at_least_the_pipe_and_whoever_started_it() {
        let mut child = std::process::Command::new("sleep").arg("30").spawn().expect("a process");
        let all = client(child.id());
        assert!(all.starts_with(&[child.id(), std::process::id()]), "{all:?}");
        child.kill().expect("it ends");
        child.wait().expect("it has ended");
    }
}
