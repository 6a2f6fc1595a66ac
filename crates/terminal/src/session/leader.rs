//! The program of a session: whether it has ended, and how. Its status is looked at and left: until it is taken, its id is nobody
//! else's.

use std::time::Duration;

use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::io::Errno;
use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};

use super::Exit;

/// The first process of a session.
pub(crate) struct Leader {
    pub(crate) pid: Pid,
    /// What wakes at its end. Elsewhere than on Linux the terminal is closed by it, whoever else holds it.
    handle: Option<OwnedFd>,
}

impl Leader {
    pub(super) fn of(pid: Pid) -> Leader {
        Leader { pid, handle: handle(pid) }
    }

    pub(super) fn handle(&self) -> Option<BorrowedFd<'_>> {
        self.handle.as_ref().map(AsFd::as_fd)
    }

    /// Tells how it ended, if it has.
    pub(super) fn exit(&self) -> Option<Exit> {
        self.look(WaitIdOptions::NOHANG)
    }

    /// Waits for its end, but not longer than so long.
    pub(super) fn exit_within(&self, time: Duration) -> Option<Exit> {
        if let Some(handle) = &self.handle {
            crate::pty::wait_readable(handle.as_fd(), time);
        } else if self.exit().is_none() {
            std::thread::sleep(time);
        }
        self.exit()
    }

    /// Waits for its end.
    pub(super) fn wait(&self) -> Exit {
        self.look(WaitIdOptions::empty()).unwrap_or(Exit::Unknown)
    }

    fn look(&self, how: WaitIdOptions) -> Option<Exit> {
        loop {
            match waitid(WaitId::Pid(self.pid), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | how) {
                Ok(status) => return status.map(|status| Exit::of(&status)),
                Err(Errno::INTR) => (),
                Err(_) => return Some(Exit::Unknown),
            }
        }
    }
}

#[cfg(target_os = "linux")]
fn handle(pid: Pid) -> Option<OwnedFd> {
    // Kernels before 5.3 have none: then the end is seen once nobody holds the terminal.
    rustix::process::pidfd_open(pid, rustix::process::PidfdFlags::empty()).ok()
}

#[cfg(not(target_os = "linux"))]
fn handle(_: Pid) -> Option<OwnedFd> {
    None
}
