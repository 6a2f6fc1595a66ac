//! One at a time: whoever changes a JSON state, or gives something a name by which its folder may become a git repository, holds
//! that folder (`flock` on the directory). The lock holds between threads and
//! between processes, leaves no file behind, and is gone with whoever held it. An operation holds one at most, so that
//! nobody waits in a circle.

use super::walk::{Place, readable};
use super::{Gate, Trouble};
use rustix::fd::OwnedFd;
use rustix::fs::{FlockOperation, flock};
use rustix::io::{Errno, retry_on_intr};
use std::sync::atomic::Ordering;

/// Held until it is dropped.
#[derive(Debug)]
pub(super) struct Lock {
    _dir: OwnedFd,
}

impl Lock {
    /// Waits for the folder of a place.
    pub(super) fn wait(place: &Place, gate: &Gate) -> Result<Lock, Trouble> {
        Lock::on(&place.dir, gate, |errno| place.said("locked", errno))
    }

    /// Waits for a folder. Whoever is stopped meanwhile lets go of it at once.
    pub(super) fn on(
        dir: &OwnedFd,
        gate: &Gate,
        failed: impl FnOnce(Errno) -> Trouble,
    ) -> Result<Lock, Trouble> {
        gate.waits.store(true, Ordering::SeqCst);
        let held = || {
            let dir = readable(dir)?;
            retry_on_intr(|| flock(&dir, FlockOperation::LockExclusive))?;
            Ok(Lock { _dir: dir })
        };
        let lock = held().map_err(failed)?;
        gate.waits.store(false, Ordering::SeqCst);
        gate.check()?;
        Ok(lock)
    }
}
