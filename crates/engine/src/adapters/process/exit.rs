//! Waits for the command itself to end and takes its status.
//!
//! SIGCHLD says that some child has ended, on every system; each waiting job then asks about its own only, so
//! other children of the server are left to whoever started them.

use std::io;

use rustix::process::{Pid, WaitOptions, WaitStatus, waitpid};
use tokio::signal::unix::{Signal, SignalKind, signal};

use super::outcome::Ended;

/// Hears of the ends of children. Made before the child is, so that no end is missed.
pub(super) struct Exits(Signal);

impl Exits {
    pub(super) fn listen() -> io::Result<Exits> {
        signal(SignalKind::child()).map(Exits)
    }
}

/// The exit of one child.
pub(super) struct Exit {
    pid: Pid,
    exits: Exits,
    /// Whether its status was taken: from then on its pid may belong to another process.
    pub(super) is_reaped: bool,
}

impl Exit {
    pub(super) fn new(pid: Pid, exits: Exits) -> Exit {
        Exit { pid, exits, is_reaped: false }
    }

    /// Waits until the child has ended and takes its status. To be called until it has answered once.
    pub(super) async fn wait(&mut self) -> Ended {
        loop {
            if let Some(ended) = self.take() {
                return ended;
            }
            self.exits.0.recv().await;
        }
    }

    fn take(&mut self) -> Option<Ended> {
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

fn ended(status: WaitStatus) -> Ended {
    match (status.exit_status(), status.terminating_signal()) {
        (Some(code), _) => Ended::Exited(code),
        (None, Some(signal)) => Ended::Signalled(signal),
        (None, None) => panic!("BUG: waitpid told of a child that has not ended: {status:?}"),
    }
}
