//! The PTY: how a program gets a terminal, and what can be asked of one. Nothing here waits longer than it is told to.

mod child;

use std::fs::OpenOptions;
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::path::Path;
use std::process::Child;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use pty_process::blocking;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::io::Errno;
use rustix::process::Pid;
use rustix::termios::{InputModes, LocalModes, OptionalActions, tcgetattr, tcgetpgrp, tcsetattr};

use crate::size::Size;
use crate::spec::{Spec, TERM_DEFAULT};
use crate::turns::held;

/// The other end is open to every child between its birth and its program; one at a time, and none gets another's.
static OPENING: Mutex<()> = Mutex::new(());

/// The end of a terminal at which the person sits.
pub(crate) struct Pty(blocking::Pty);

/// What came of trying to read.
pub(crate) enum Read {
    /// So many bytes.
    Bytes(usize),
    /// Nothing is there yet.
    Nothing,
    /// Nothing will ever come.
    Closed,
}

/// How the terminal treats what is typed, as its program has set it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Line {
    /// What is typed is shown by the system.
    pub(crate) echoes: bool,
    /// The program gets whole lines.
    pub(crate) is_canonical: bool,
}

impl Pty {
    /// Starts the program with the terminal as its own.
    pub(crate) fn open(spec: &Spec, program: &Path) -> io::Result<(Pty, Child)> {
        let _one = held(OPENING.lock());
        let (pty, pts) = blocking::open().map_err(plain)?;
        pty.resize(pty_size(spec.size)).map_err(plain)?;
        erase_whole_characters(&pts)?;
        let mut command = blocking::Command::new(program)
            .arg0(&spec.program)
            .args(&spec.args)
            .current_dir(&spec.folder)
            .env_clear()
            .envs(&spec.environment);
        if !spec.environment.contains_key("TERM") {
            command = command.env("TERM", TERM_DEFAULT);
        }
        fcntl_setfl(&pty, fcntl_getfl(&pty)? | OFlags::NONBLOCK)?;
        let child = child::prepare(command, spec.files_max, spec.umask).spawn(pts).map_err(plain)?;
        Ok((Pty(pty), child))
    }

    /// Takes what is there, without waiting.
    pub(crate) fn read(&self, buffer: &mut [u8]) -> io::Result<Read> {
        loop {
            match rustix::io::read(&self.0, &mut *buffer) {
                Ok(0) => return Ok(Read::Closed),
                Ok(count) => return Ok(Read::Bytes(count)),
                Err(Errno::AGAIN) => return Ok(Read::Nothing),
                // No process has the other end any more.
                Err(Errno::IO) => return Ok(Read::Closed),
                Err(Errno::INTR) => (),
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Writes what fits, without waiting.
    pub(crate) fn write(&self, bytes: &[u8]) -> io::Result<usize> {
        loop {
            match rustix::io::write(&self.0, bytes) {
                Ok(count) => return Ok(count),
                Err(Errno::AGAIN) => return Ok(0),
                Err(Errno::INTR) => (),
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Waits until there is something to read, or room to write if that is wanted, or the time has come.
    pub(crate) fn wait(&self, read: bool, write: bool, until: Option<Instant>) -> io::Result<PollFlags> {
        self.wait_with(read, write, None, until)
    }

    /// The same; what else is given wakes it too.
    pub(crate) fn wait_with(
        &self,
        read: bool,
        write: bool,
        other: Option<BorrowedFd<'_>>,
        until: Option<Instant>,
    ) -> io::Result<PollFlags> {
        let mut flags = PollFlags::empty();
        flags.set(PollFlags::IN, read);
        flags.set(PollFlags::OUT, write);
        let mut watched = vec![PollFd::new(&self.0, flags)];
        watched.extend(other.map(|other| PollFd::from_borrowed_fd(other, PollFlags::IN)));
        let left = until.map(|until| timespec(until.saturating_duration_since(Instant::now())));
        match poll(&mut watched, left.as_ref()) {
            Ok(_) => Ok(watched[0].revents()),
            Err(Errno::INTR) => Ok(PollFlags::empty()),
            Err(error) => Err(error.into()),
        }
    }

    /// Tells whether something is there that nobody has read.
    pub(crate) fn is_readable(&self) -> bool {
        self.wait(true, false, Some(Instant::now())).is_ok_and(|ready| ready.contains(PollFlags::IN))
    }

    /// Tells the program of another size.
    pub(crate) fn resize(&self, size: Size) -> io::Result<()> {
        self.0.resize(pty_size(size)).map_err(plain)
    }

    /// Tells how the terminal treats what is typed; as at the beginning where that cannot be asked.
    pub(crate) fn line(&self) -> Line {
        match tcgetattr(&self.0) {
            Ok(settings) => Line {
                echoes: settings.local_modes.contains(LocalModes::ECHO),
                is_canonical: settings.local_modes.contains(LocalModes::ICANON),
            },
            Err(_) => Line { echoes: true, is_canonical: true },
        }
    }

    /// Tells which process group reads what is typed.
    pub(crate) fn foreground(&self) -> Option<Pid> {
        tcgetpgrp(&self.0).ok()
    }
}

fn pty_size(size: Size) -> pty_process::Size {
    pty_process::Size::new(size.rows(), size.columns())
}

/// Makes the erase key take whole characters, not bytes, as every terminal for UTF-8 does.
fn erase_whole_characters(pts: &blocking::Pts) -> io::Result<()> {
    let mut settings = tcgetattr(pts.as_fd())?;
    settings.input_modes |= InputModes::IUTF8;
    Ok(tcsetattr(pts.as_fd(), OptionalActions::Now, &settings)?)
}

fn plain(error: pty_process::Error) -> io::Error {
    match error {
        pty_process::Error::Io(error) => error,
        pty_process::Error::Rustix(error) => error.into(),
    }
}

/// Waits until there is something to read, but not longer than so long.
pub(crate) fn wait_readable(handle: BorrowedFd<'_>, time: Duration) {
    let until = Instant::now() + time;
    let mut left = time;
    // A signal may interrupt it.
    while poll(&mut [PollFd::from_borrowed_fd(handle, PollFlags::IN)], Some(&timespec(left)))
        == Err(Errno::INTR)
    {
        left = until.saturating_duration_since(Instant::now());
    }
}

/// A time that the system takes; a very long one is not told from for ever.
pub(crate) fn timespec(duration: Duration) -> Timespec {
    let duration = duration.min(Duration::from_secs(1_000_000));
    Timespec { tv_sec: duration.as_secs() as i64, tv_nsec: i64::from(duration.subsec_nanos()) }
}

/// Opens a file that only its owner reads, and that was not there.
pub(crate) fn create_private(path: &Path) -> io::Result<std::fs::File> {
    use std::os::unix::fs::OpenOptionsExt;
    OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)
}
