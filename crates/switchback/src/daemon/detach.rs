//! Leaves whoever started the daemon: a session of its own, nothing inherited, no folder held.

use std::io;

/// Becomes a process that nobody waits for. Gives `false` in the process that is to end at once.
///
/// Called first of all: only this thread exists, and of files only stdin, stdout and stderr are ours.
pub(super) fn detach() -> io::Result<bool> {
    close_inherited();
    rustix::process::setsid()?;
    let goes_on = fork()?;
    if goes_on {
        std::env::set_current_dir("/")?;
        rustix::process::umask(rustix::fs::Mode::from_raw_mode(0o077));
    }
    Ok(goes_on)
}

/// The second of two processes is no leader of its session, so no terminal can become its own, and no child of whoever
/// started the first.
#[expect(unsafe_code, reason = "there is no safe fork; this process has one thread and owns nothing yet")]
fn fork() -> io::Result<bool> {
    // SAFETY: one thread, so no lock is held by a thread that does not exist in the child.
    match unsafe { libc::fork() } {
        -1 => Err(io::Error::last_os_error()),
        child => Ok(child == 0),
    }
}

/// Closes what whoever started us left open: a pipe whose reader waits for its end would wait for ours.
#[cfg(target_os = "linux")]
#[expect(unsafe_code, reason = "descriptors above stderr belong to nobody in this process")]
fn close_inherited() {
    // SAFETY: nothing was opened yet, so no descriptor above 2 has an owner here.
    unsafe { libc::close_range(3, libc::c_uint::MAX, 0) };
}

/// Closes what whoever started us left open: a pipe whose reader waits for its end would wait for ours.
#[cfg(not(target_os = "linux"))]
#[expect(unsafe_code, reason = "descriptors above stderr belong to nobody in this process")]
fn close_inherited() {
    // SAFETY: nothing was opened yet, so no descriptor above 2 has an owner here.
    unsafe {
        for descriptor in 3..libc::getdtablesize() {
            libc::close(descriptor);
        }
    }
}
