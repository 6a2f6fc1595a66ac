//! What the child does between its birth and its program, apart from exec itself.
//!
//! Everything here is async-signal-safe: system calls and arithmetic on the stack, no allocation, no lock, no
//! panic. On Linux the child runs in the memory of the server while the server's thread waits.
#![expect(unsafe_code, reason = "system calls without a safe wrapper, between fork and exec")]

use std::ffi::c_int;
use std::io;
use std::os::fd::RawFd;

use super::super::note::Born;

/// Three numbers of 64 bits, each with a byte behind it.
const LINE_BYTES_MAX: usize = 63;

/// The last signal that has a meaning of its own; what lies above is of no system's and no shell's use.
const SIGNAL_MAX: c_int = 31;

/// Gives every signal its default action; what the server ignores or catches is its own affair.
pub(super) fn reset_signals() {
    for signal in 1..=SIGNAL_MAX {
        // SAFETY: `signal` is async-signal-safe, SIG_DFL runs no code, and SIGKILL and SIGSTOP are refused.
        unsafe { libc::signal(signal, libc::SIG_DFL) };
    }
}

/// Makes the child the leader of a process group of its own, and of a session if it must lose a terminal.
pub(super) fn lead(session: bool) -> Result<(), c_int> {
    // SAFETY: both take no pointer and are async-signal-safe.
    checked(unsafe { if session { libc::setsid() } else { libc::setpgid(0, 0) } })
}

/// Takes rights from the files that the child will make.
pub(super) fn mask(umask: Option<u32>) {
    if let Some(umask) = umask {
        // SAFETY: takes a number and cannot fail.
        unsafe { libc::umask(umask as libc::mode_t) };
    }
}

/// Gives back what the server took of open files, so that the child has what its client has.
pub(super) fn limit_files(given: Option<libc::rlimit>) {
    if let Some(given) = given {
        // SAFETY: the limit is alive; this is nothing but its system call. It lowers what was raised, so it is allowed.
        unsafe { libc::setrlimit(libc::RLIMIT_NOFILE, &given) };
    }
}

/// Writes `pid earliest latest` as one line: from now on recovery knows this process.
pub(super) fn sign(note: RawFd, at: i64, born: Born) -> Result<(), c_int> {
    let mut line = [0_u8; LINE_BYTES_MAX];
    // SAFETY: takes nothing and cannot fail.
    let pid = unsafe { libc::getpid() };
    let end = put(&mut line, 0, u64::from(pid.unsigned_abs()), b' ');
    let end = put(&mut line, end, born.earliest, b' ');
    let end = put(&mut line, end, born.latest, b'\n');
    // SAFETY: the buffer is alive and `end` is within it; `pwrite` is nothing but its system call.
    let written = unsafe { libc::pwrite(note, line.as_ptr().cast(), end, at) };
    match usize::try_from(written) {
        Ok(count) if count == end => Ok(()),
        Ok(_) => Err(libc::ENOSPC),
        Err(_) => Err(errno()),
    }
}

/// Puts a decimal number and one more byte at `at`; gives where the next begins.
fn put(line: &mut [u8], at: usize, number: u64, after: u8) -> usize {
    let digits = number.checked_ilog10().unwrap_or(0) as usize + 1;
    let mut rest = number;
    for place in (at..at + digits).rev() {
        if let Some(byte) = line.get_mut(place) {
            *byte = b'0' + (rest % 10) as u8;
        }
        rest /= 10;
    }
    if let Some(byte) = line.get_mut(at + digits) {
        *byte = after;
    }
    (at + digits + 1).min(line.len())
}

pub(super) fn checked(answer: c_int) -> Result<(), c_int> {
    if answer < 0 { Err(errno()) } else { Ok(()) }
}

pub(super) fn errno() -> c_int {
    io::Error::last_os_error().raw_os_error().unwrap_or(libc::EIO)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_in_full() {
        for number in [0, 7, 10, 99, 100, 4_194_304, u64::MAX] {
            let mut line = [0; LINE_BYTES_MAX];
            let end = put(&mut line, 0, number, b' ');
            let end = put(&mut line, end, u64::MAX, b' ');
            let end = put(&mut line, end, u64::MAX, b'\n');
            assert_eq!(str::from_utf8(&line[..end]).unwrap(), format!("{number} {0} {0}\n", u64::MAX));
        }
    }
}
