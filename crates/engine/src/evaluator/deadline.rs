//! Waiting for a pipe, up to a point in time. Nothing sleeps: the kernel wakes us for the pipe or for the time.

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use std::io;
use std::os::fd::BorrowedFd;
use std::time::{Duration, Instant};

/// Which end of a pipe is waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum For {
    /// There is something to read, or nobody writes any more.
    Bytes,
    /// There is room to write, or nobody reads any more.
    Room,
}

/// Waits; gives whether it came in time.
pub(super) fn wait(pipe: BorrowedFd<'_>, for_what: For, deadline: Instant) -> io::Result<bool> {
    let flags = match for_what {
        For::Bytes => PollFlags::IN,
        For::Room => PollFlags::OUT,
    };
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        match poll(&mut [PollFd::from_borrowed_fd(pipe, flags)], Some(&timespec(left))) {
            Ok(0) if left.is_zero() => return Ok(false),
            Ok(0) | Err(Errno::INTR) => {}
            Ok(_) => return Ok(true),
            Err(error) => return Err(error.into()),
        }
    }
}

fn timespec(left: Duration) -> Timespec {
    Timespec {
        tv_sec: i64::try_from(left.as_secs()).unwrap_or(i64::MAX),
        tv_nsec: left.subsec_nanos().into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use std::os::fd::AsFd;

    #[test]
    fn wakes_for_the_pipe_or_for_the_time() {
        let (reader, mut writer) = io::pipe().unwrap();
        let soon = Instant::now() + Duration::from_millis(20);
        assert!(!wait(reader.as_fd(), For::Bytes, soon).unwrap());
        assert!(Instant::now() >= soon);
        assert!(wait(writer.as_fd(), For::Room, Instant::now()).unwrap());
        writer.write_all(b"x").unwrap();
        assert!(wait(reader.as_fd(), For::Bytes, Instant::now()).unwrap());
        drop(writer);
        assert!(wait(reader.as_fd(), For::Bytes, Instant::now() + Duration::from_secs(60)).unwrap());
    }
}
