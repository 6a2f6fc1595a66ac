//! One process of the evaluator, seen from the parent: its pipes, what it holds, and its end. It is killed and
//! reaped when it is dropped, so nothing outlives the evaluator.

use super::deadline::{For, wait};
use super::held::Held;
use super::limits::{ANSWER_BYTES_MAX, LAST_WORDS_BYTES_MAX};
use super::trouble::Trouble;
use super::wire::{LENGTH_BYTES, length_of};
use crate::births;
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use std::ffi::OsString;
use std::io::{self, ErrorKind, Read, Write};
use std::os::fd::AsFd;
use std::path::PathBuf;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

/// What is started as an evaluator: a program that ends in [`serve`](super::serve).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// The program, best by its full path: it gets no environment to look a name up in.
    pub path: PathBuf,
    /// Its arguments.
    pub args: Vec<OsString>,
}

/// A running process.
#[derive(Debug)]
pub(super) struct Process {
    child: Child,
    stdin: ChildStdin,
    stdout: ChildStdout,
    stderr: ChildStderr,
    /// The values that were sent to it.
    pub(super) held: Held,
}

impl Process {
    /// Starts the program with three pipes and nothing else of ours.
    pub(super) fn start(program: &Program, env: Vec<(&'static str, OsString)>) -> io::Result<Self> {
        let mut command = Command::new(&program.path);
        command.args(&program.args).env_clear().envs(env);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = births::bear(|| command.spawn())?;
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(stdin), Some(stdout), Some(stderr)) = pipes else {
            unreachable!("BUG: pipes were asked for")
        };
        let process = Process { child, stdin, stdout, stderr, held: Held::default() };
        process.never_wait()?;
        Ok(process)
    }

    /// Our ends of the pipes do not block: only `poll` waits, and it knows the deadline.
    fn never_wait(&self) -> io::Result<()> {
        for pipe in [self.stdin.as_fd(), self.stdout.as_fd(), self.stderr.as_fd()] {
            fcntl_setfl(pipe, fcntl_getfl(pipe)? | OFlags::NONBLOCK)?;
        }
        Ok(())
    }

    /// Sends a request.
    pub(super) fn send(&mut self, frame: &[u8], time: Duration, until: Instant) -> Result<(), Trouble> {
        let mut rest = frame;
        while !rest.is_empty() {
            match self.stdin.write(rest) {
                Ok(written) => rest = &rest[written..],
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    self.await_pipe(For::Room, time, until)?;
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(_) => return Err(self.death()),
            }
        }
        Ok(())
    }

    /// Receives an answer, without its length.
    pub(super) fn receive(&mut self, time: Duration, until: Instant) -> Result<Vec<u8>, Trouble> {
        self.await_pipe(For::Bytes, time, until)?;
        // Nearly every answer comes in one piece; only a longer one is read again.
        let mut first = [0; 4_096];
        let mut frame = Vec::new();
        while frame.len() < LENGTH_BYTES {
            let count = self.read(&mut first, time, until)?;
            frame.extend_from_slice(&first[..count]);
        }
        let (length, begun) = frame.split_first_chunk().expect("BUG: a length was read");
        let bytes = length_of(*length);
        if bytes > ANSWER_BYTES_MAX {
            return Err(Trouble::TooMuch);
        }
        if begun.len() > bytes {
            return Err(Trouble::Nonsense("more than one answer".to_owned()));
        }
        let mut answer = vec![0; bytes];
        let mut filled = begun.len();
        answer[..filled].copy_from_slice(begun);
        while filled < bytes {
            filled += self.read(&mut answer[filled..], time, until)?;
        }
        Ok(answer)
    }

    /// Reads what is there, at least one byte.
    fn read(&mut self, buffer: &mut [u8], time: Duration, until: Instant) -> Result<usize, Trouble> {
        loop {
            match self.stdout.read(buffer) {
                Ok(0) => return Err(self.death()),
                Ok(count) => return Ok(count),
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    self.await_pipe(For::Bytes, time, until)?;
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(_) => return Err(self.death()),
            }
        }
    }

    fn await_pipe(&mut self, what: For, time: Duration, until: Instant) -> Result<(), Trouble> {
        let pipe = match what {
            For::Bytes => self.stdout.as_fd(),
            For::Room => self.stdin.as_fd(),
        };
        match wait(pipe, what, until) {
            Ok(true) => Ok(()),
            Ok(false) => Err(Trouble::Late(time)),
            Err(error) => Err(Trouble::Nonsense(format!("its pipe failed: {error}"))),
        }
    }

    /// Ends a process that has closed a pipe, and tells how it died.
    fn death(&mut self) -> Trouble {
        match self.end() {
            Ok(status) => Trouble::Died(status, self.last_words()),
            Err(error) => Trouble::Nonsense(format!("it cannot be waited for: {error}")),
        }
    }

    fn end(&mut self) -> io::Result<std::process::ExitStatus> {
        // One that has exited by itself keeps its own status.
        let _ = self.child.kill();
        self.child.wait()
    }

    fn last_words(&mut self) -> String {
        let mut words = [0; LAST_WORDS_BYTES_MAX];
        let count = self.stderr.read(&mut words).unwrap_or(0);
        String::from_utf8_lossy(&words[..count]).into_owned()
    }

    /// Its number, for tests and people.
    pub(super) fn id(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.end();
    }
}
