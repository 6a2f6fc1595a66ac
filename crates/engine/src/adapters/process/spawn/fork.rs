//! Starts the child where there is no `clone`: fork and exec of the standard library.
//!
//! The standard library places the streams, changes the folder and reports a failure of exec; the steps
//! between are those of Linux.
#![expect(unsafe_code, reason = "pre_exec and proc_pidinfo have no safe form")]

use std::ffi::{CStr, OsStr, c_int};
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::CommandExt;
use std::process::Command;

use rustix::process::{Pid, getpid};

use super::super::files;
use super::super::launch::{Launch, Stdio};
use super::super::note::{Born, Leader};
use super::super::notes::Note;
use super::child;

/// Descriptors above this are not looked at.
const FDS_MAX: c_int = 10_240;

/// Starts the program; when this returns, it runs and its note is signed.
pub(crate) fn spawn(launch: &Launch, stdio: &Stdio, note: &Note) -> io::Result<Leader> {
    let mut command = command(launch);
    command.stdin(stdio.stdin.try_clone()?);
    command.stdout(stdio.stdout.try_clone()?);
    command.stderr(stdio.stderr.try_clone()?);
    let (note, at, umask) = (note.file().as_raw_fd(), note.sign_at.cast_signed(), launch.umask);
    let files = files::given();
    // SAFETY: the closure is async-signal-safe, see `child`.
    unsafe { command.pre_exec(move || follow(note, at, umask, files).map_err(io::Error::from_raw_os_error)) };
    let child = command.spawn()?;
    let pid = Pid::from_child(&child);
    Ok(Leader { pid, born: born(pid) })
}

fn command(launch: &Launch) -> Command {
    let mut texts = launch.arguments.iter().map(|text| os(text));
    let mut command = Command::new(os(&launch.program));
    if let Some(name) = texts.next() {
        command.arg0(name);
    }
    command.args(texts).env_clear().current_dir(os(&launch.dir));
    for variable in &launch.environment {
        let mut halves = variable.to_bytes().splitn(2, |byte| *byte == b'=');
        if let (Some(name), Some(value)) = (halves.next(), halves.next()) {
            command.env(OsStr::from_bytes(name), OsStr::from_bytes(value));
        }
    }
    command
}

fn os(text: &CStr) -> &OsStr {
    OsStr::from_bytes(text.to_bytes())
}

fn follow(note: RawFd, at: i64, umask: Option<u32>, files: Option<libc::rlimit>) -> Result<(), c_int> {
    child::reset_signals();
    child::lead(true)?;
    child::mask(umask);
    child::sign(note, at, born(getpid()))?;
    // SAFETY: numbers only; a descriptor that is not open is refused. They are closed by exec, not here,
    // because the standard library reports a failure of exec through one of them.
    unsafe {
        for fd in 3..libc::getdtablesize().min(FDS_MAX) {
            libc::fcntl(fd, libc::F_SETFD, libc::FD_CLOEXEC);
        }
    }
    child::limit_files(files);
    Ok(())
}

/// The exact moment; zero, which matches none, if it has ended.
fn born(pid: Pid) -> Born {
    let start = start_time(pid).unwrap_or(0);
    Born { earliest: start, latest: start }
}

/// Tells when a process began, in microseconds since 1970; `None` if there is none, or a zombie.
pub(crate) fn start_time(pid: Pid) -> Option<u64> {
    let mut info = MaybeUninit::<libc::proc_bsdinfo>::zeroed();
    let size = size_of::<libc::proc_bsdinfo>() as c_int;
    let number = pid.as_raw_nonzero().get();
    // SAFETY: the buffer has the size that is given, and the call fills all of it or says so.
    let info = unsafe {
        let filled = libc::proc_pidinfo(number, libc::PROC_PIDTBSDINFO, 0, info.as_mut_ptr().cast(), size);
        (filled == size).then(|| info.assume_init())?
    };
    Some(info.pbi_start_tvsec * 1_000_000 + info.pbi_start_tvusec)
}
