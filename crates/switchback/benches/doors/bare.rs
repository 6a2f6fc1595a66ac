//! What terminals are measured against: a bare PTY with the same shell, and nothing behind it.

use pty_process::blocking::{Command, Pty, open};
use std::io::{Read, Write};
use std::process::Child;

/// The shell of both sides, without files of its own to read.
pub(crate) const SHELL: [&str; 3] = ["bash", "--norc", "--noprofile"];

/// A shell in a PTY.
pub(crate) struct Bare {
    pty: Pty,
    child: Child,
}

impl Bare {
    pub(crate) fn open() -> Bare {
        let (pty, pts) = open().expect("a PTY");
        pty.resize(pty_process::Size::new(40, 120)).expect("a size");
        let path = std::env::var("PATH").unwrap_or_default();
        let command = Command::new(SHELL[0]).args(&SHELL[1..]).env_clear();
        let command = command.envs([("PATH", path.as_str()), ("PS1", "$ "), ("TERM", "xterm-256color")]);
        let child = command.spawn(pts).expect("a shell");
        Bare { pty, child }
    }

    /// Waits for the first output.
    pub(crate) fn first(&mut self) {
        let mut buffer = [0; 4096];
        assert!(self.pty.read(&mut buffer).expect("output") > 0);
    }

    /// Writes a command and reads until what it prints, and the prompt, have come.
    pub(crate) fn command(&mut self, line: &str, end: &str) {
        self.pty.write_all(line.as_bytes()).expect("a shell that reads");
        let (mut seen, mut buffer) = (Vec::new(), [0; 4096]);
        while !String::from_utf8_lossy(&seen).contains(end) {
            let count = self.pty.read(&mut buffer).expect("output");
            assert!(count > 0, "it ended");
            seen.extend(&buffer[..count]);
        }
    }
}

impl Drop for Bare {
    fn drop(&mut self) {
        // What is measured has been measured.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
