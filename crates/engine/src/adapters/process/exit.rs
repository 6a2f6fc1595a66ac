//! Waits for the command itself to end and takes its status.
//!
//! On Linux the child's own descriptor tells, and nobody else wakes. Elsewhere, and where none can be had, SIGCHLD says that
//! some child has ended; each waiting job then asks about its own only, so that other children of the server are left to
//! whoever started them.

use std::io;

use rustix::process::{Pid, WaitOptions, WaitStatus, waitpid};
use tokio::signal::unix::{Signal, SignalKind, signal};

use super::outcome::Ended;

/// The exit of one child.
pub(super) struct Exit {
    pid: Pid,
    bell: Bell,
    /// Whether its status was taken: from then on its pid may belong to another process.
    pub(super) is_reaped: bool,
}

/// What rings when the child has ended, and perhaps otherwise.
enum Bell {
    #[cfg(target_os = "linux")]
    Own(tokio::io::unix::AsyncFd<rustix::fd::OwnedFd>),
    Common(Signal),
}

impl Exit {
    /// The exit of a child whose status nobody has taken.
    pub(super) fn of(pid: Pid) -> io::Result<Exit> {
        Ok(Exit { pid, bell: Bell::hang(pid)?, is_reaped: false })
    }

    /// Waits until the child has ended and takes its status. To be called until it has answered once.
    pub(super) async fn wait(&mut self) -> Ended {
        loop {
            // The bell hangs already, so that no end is missed between the two.
            if let Some(ended) = self.take() {
                return ended;
            }
            self.bell.ring().await;
        }
    }

    /// Takes its status, if it has ended. Not to be called once it has answered.
    pub(super) fn take(&mut self) -> Option<Ended> {
        match waitpid(Some(self.pid), WaitOptions::NOHANG) {
            Ok(status) => {
                let (_, status) = status?;
                self.is_reaped = true;
                Some(ended(status))
            }
            Err(error) => {
                panic!("BUG: the status of child {:?} was taken by someone else: {error}", self.pid)
            }
        }
    }
}

impl Bell {
    #[cfg(target_os = "linux")]
    #[expect(unsafe_code, reason = "the runtime takes descriptors on trust")]
    fn hang(pid: Pid) -> io::Result<Bell> {
        use rustix::process::{PidfdFlags, pidfd_open};
        use tokio::io::{Interest, unix::AsyncFd};
        let own = pidfd_open(pid, PidfdFlags::empty()).ok();
        // SAFETY: an `OwnedFd` is open for as long as it is held, is always the same descriptor, and is held by the `AsyncFd`.
        let register = |fd| unsafe { AsyncFd::register_with_interest(fd, Interest::READABLE) };
        // Kernels before 5.3 have none, and descriptors may have run out.
        match own.and_then(|fd| register(fd).ok()) {
            Some(own) => Ok(Bell::Own(own)),
            None => Bell::common(),
        }
    }

    #[cfg(not(target_os = "linux"))]
    fn hang(_: Pid) -> io::Result<Bell> {
        Bell::common()
    }

    fn common() -> io::Result<Bell> {
        signal(SignalKind::child()).map(Bell::Common)
    }

    async fn ring(&mut self) {
        match self {
            #[cfg(target_os = "linux")]
            Bell::Own(own) => match own.readable().await {
                Ok(mut ready) => ready.clear_ready(),
                // The runtime is about to end, and this task with it.
                Err(_) => std::future::pending().await,
            },
            Bell::Common(signals) => drop(signals.recv().await),
        }
    }
}

fn ended(status: WaitStatus) -> Ended {
    match (status.exit_status(), status.terminating_signal()) {
        (Some(code), _) => Ended::Exited(code),
        (None, Some(signal)) => Ended::Signalled(signal),
        (None, None) => panic!("BUG: waitpid told of a child that has not ended: {status:?}"),
    }
}
