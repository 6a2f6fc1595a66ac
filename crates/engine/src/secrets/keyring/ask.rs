//! One question to a program of the system: bounded in time and in what is read, with an environment of its own, and ended as
//! a group where it is late.
//!
//! ```text
//! asking thread ── waits for the answer or the deadline ──┬── answer
//!       └── helper: starts, writes, reads, reaps ──────────┘
//! ```
//! Invariant: a group is ended only while its leader has not been reaped, so it is the one that was started. On Linux the program
//! itself does not outlive this process, however that ends; what it started does, where this process is killed.

use crate::births;
use crate::secrets::secret::Secret;
use rustix::io::retry_on_intr;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
#[cfg(target_os = "linux")]
use rustix::process::{getpid, getppid, set_parent_process_death_signal};
use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Instant;

/// A program, and the environment that it gets.
#[derive(Debug)]
pub(super) struct Tool {
    pub(super) program: PathBuf,
    pub(super) env: Vec<(String, OsString)>,
}

/// What a program is asked.
#[derive(Debug, Default)]
pub(super) struct Words<'a> {
    pub(super) args: &'a [&'a str],
    /// What it reads on stdin.
    pub(super) input: Option<&'a Secret>,
    /// The bytes that are read of its stdout; none go nowhere at all.
    pub(super) out_bytes_max: usize,
    /// The bytes that are read of its stderr.
    pub(super) err_bytes_max: usize,
}

/// What it said. It has no form for logs: a value may be in it.
pub(super) struct Said {
    /// Nothing if a signal has ended it.
    pub(super) code: Option<i32>,
    pub(super) out: Vec<u8>,
    pub(super) err: Vec<u8>,
}

/// Why it said nothing.
#[derive(Debug)]
pub(super) enum Unanswered {
    /// It was ended: its time was over.
    Late,
    /// The system said no.
    NotStarted(io::Error),
}

/// The groups that live.
static ALL: Mutex<Vec<Arc<Mutex<Group>>>> = Mutex::new(Vec::new());

/// The group of a program, for both threads.
#[derive(Default)]
struct Group {
    /// Its leader, until it is reaped.
    leader: Option<Pid>,
    /// Nobody waits for it any more.
    given_up: bool,
}

impl Group {
    fn end(&mut self) {
        self.given_up = true;
        if let Some(leader) = self.leader {
            // One that is gone already needs nothing.
            let _ = kill_process_group(leader, Signal::KILL);
        }
    }
}

/// A group that is among those that live, for as long as it is asked.
struct Known(Arc<Mutex<Group>>);

impl Known {
    fn new(group: &Arc<Mutex<Group>>) -> Known {
        hold(&ALL).push(Arc::clone(group));
        Known(Arc::clone(group))
    }
}

impl Drop for Known {
    fn drop(&mut self) {
        hold(&ALL).retain(|group| !Arc::ptr_eq(group, &self.0));
    }
}

/// Ends all that is being asked.
pub(super) fn give_up() {
    hold(&ALL).iter().for_each(|group| hold(group).end());
}

impl Tool {
    /// Asks, and waits for the answer until the deadline.
    pub(super) fn ask(&self, words: &Words<'_>, deadline: Instant) -> Result<Said, Unanswered> {
        let mut command = Command::new(&self.program);
        command.args(words.args).env_clear().env("LC_ALL", "C").process_group(0);
        command.envs(self.env.iter().map(|(name, value)| (name, value))).current_dir("/");
        command.stdin(if words.input.is_some() { Stdio::piped() } else { Stdio::null() });
        command.stdout(if words.out_bytes_max > 0 { Stdio::piped() } else { Stdio::null() });
        command.stderr(Stdio::piped());
        end_with_us(&mut command);
        let (input, bounds) = (words.input.cloned(), (words.out_bytes_max, words.err_bytes_max));
        let group = Arc::<Mutex<Group>>::default();
        let _known = Known::new(&group);
        let (answer, answered) = mpsc::channel();
        let theirs = Arc::clone(&group);
        thread::Builder::new()
            .name("keyring".to_owned())
            .spawn(move || {
                // Who gave up does not listen.
                let _ = answer.send(carry(command, input.as_ref(), bounds, &theirs));
            })
            .map_err(Unanswered::NotStarted)?;
        match answered.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            Ok(said) => said.map_err(Unanswered::NotStarted),
            Err(RecvTimeoutError::Disconnected) => {
                Err(Unanswered::NotStarted(io::Error::other("BUG: the helper is gone without a word")))
            }
            Err(RecvTimeoutError::Timeout) => {
                hold(&group).end();
                Err(Unanswered::Late)
            }
        }
    }
}

/// Has the system end the program when the thread that started it ends, and so when this process does.
#[cfg(target_os = "linux")]
#[expect(unsafe_code, reason = "what a child does before its program has no safe form")]
fn end_with_us(command: &mut Command) {
    let us = getpid();
    let follow = move || {
        set_parent_process_death_signal(Some(Signal::KILL))?;
        // Who has ended meanwhile tells nobody any more.
        if getppid() == Some(us) { Ok(()) } else { Err(rustix::io::Errno::SRCH.into()) }
    };
    // SAFETY: two system calls and no memory are needed, which is safe between fork and exec.
    unsafe { command.pre_exec(follow) };
}

#[cfg(not(target_os = "linux"))]
fn end_with_us(_: &mut Command) {}

fn hold<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

fn carry(
    mut command: Command,
    input: Option<&Secret>,
    bounds: (usize, usize),
    group: &Mutex<Group>,
) -> io::Result<Said> {
    let mut child = {
        let mut group = hold(group);
        if group.given_up {
            return Err(io::ErrorKind::TimedOut.into());
        }
        let child = births::bear(|| command.spawn())?;
        group.leader = Some(Pid::from_child(&child));
        child
    };
    let told = tell(&mut child, input);
    // One after the other: who fills the second pipe before the first is closed is late.
    let out = read(child.stdout.take(), bounds.0);
    let err = read(child.stderr.take(), bounds.1);
    let leader = WaitId::Pid(Pid::from_child(&child));
    retry_on_intr(|| waitid(leader.clone(), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT))?;
    hold(group).leader = None;
    let status = child.wait()?;
    told?;
    Ok(Said { code: status.code(), out: out?, err: err? })
}

fn tell(child: &mut Child, input: Option<&Secret>) -> io::Result<()> {
    match (child.stdin.take(), input) {
        (Some(mut stdin), Some(secret)) => match stdin.write_all(secret.expose().as_bytes()) {
            // Why it did not listen, it says itself.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            other => other,
        },
        _ => Ok(()),
    }
}

/// All that comes, up to a bound; then the pipe is closed.
fn read(from: Option<impl Read>, bytes_max: usize) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    if let Some(from) = from {
        from.take(bytes_max as u64).read_to_end(&mut bytes)?;
    }
    Ok(bytes)
}
