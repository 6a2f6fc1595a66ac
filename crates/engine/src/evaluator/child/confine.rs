//! What the process takes away from itself before it reads anything: files, memory, time, and a life longer than its
//! parent's.
#![expect(unsafe_code, reason = "closing descriptors by number and setting the time zone have no safe form")]

use super::super::limits::{CPU_SECONDS_MAX, FILES_MAX, MEMORY_BYTES_MAX};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use rustix::time::{ClockId, clock_gettime};
use std::io;

/// Confines this process, for good.
pub(super) fn confine() -> io::Result<()> {
    #[cfg(target_os = "linux")]
    rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL))?;
    close_all_above_stdio();
    std::env::set_current_dir("/")?;
    // Dates are the same on every machine: without this, the zone would be read from a file of the machine.
    // SAFETY: this process has one thread yet.
    unsafe { std::env::set_var("TZ", "UTC0") };
    // Where nobody may have so little (macOS takes no limit of the address space), the deadline remains.
    let memory = at_most(Resource::As, MEMORY_BYTES_MAX);
    if cfg!(target_os = "linux") {
        memory?;
    }
    at_most(Resource::Core, 0)?;
    at_most(Resource::Nofile, FILES_MAX)
}

fn at_most(what: Resource, most: u64) -> io::Result<()> {
    let most = Some(allowed(what, most));
    Ok(setrlimit(what, Rlimit { current: most, maximum: most })?)
}

/// As much as is wanted, or as little as this process was given.
fn allowed(what: Resource, wanted: u64) -> u64 {
    getrlimit(what).maximum.map_or(wanted, |given| given.min(wanted))
}

/// Processor time of requests. The system's limit counts from the start of the process, so it moves with them.
#[derive(Debug, Default)]
pub(super) struct Time {
    /// The seconds that were used up when the limit was last set.
    set_at: Option<u64>,
}

impl Time {
    /// Gives the next request its own time.
    pub(super) fn renew(&mut self) -> io::Result<()> {
        let used = u64::try_from(clock_gettime(ClockId::ProcessCPUTime).tv_sec).unwrap_or(0);
        if self.set_at != Some(used) {
            let current = Some(allowed(Resource::Cpu, used + CPU_SECONDS_MAX));
            setrlimit(Resource::Cpu, Rlimit { current, maximum: getrlimit(Resource::Cpu).maximum })?;
            self.set_at = Some(used);
        }
        Ok(())
    }
}

/// Closes what a careless parent left open. Nothing of ours is open yet.
fn close_all_above_stdio() {
    #[cfg(target_os = "linux")]
    {
        // SAFETY: numbers only; nothing in this process uses these descriptors.
        let answer = unsafe { libc::syscall(libc::SYS_close_range, 3, libc::c_uint::MAX, 0) };
        if answer == 0 {
            return;
        }
    }
    // SAFETY: takes nothing.
    let table = unsafe { libc::getdtablesize() }.min(65_536);
    for descriptor in 3..table {
        // SAFETY: as above.
        unsafe { libc::close(descriptor) };
    }
}
