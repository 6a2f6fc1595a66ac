//! The baseline: a bare PTY and nothing behind it.

use std::io::{Read, Write};
use std::process::Child;

use pty_process::blocking::{Command, Pty, open};
use terminal::Spec;

/// A program in a PTY.
pub(crate) struct Bare {
    pty: Pty,
    child: Child,
    buffer: Vec<u8>,
}

impl Bare {
    pub(crate) fn open(spec: &Spec) -> Bare {
        let (pty, pts) = open().expect("a PTY");
        pty.resize(pty_process::Size::new(spec.size.rows(), spec.size.columns())).expect("a size");
        let command = Command::new(&spec.program).args(&spec.args).current_dir(&spec.folder);
        let command = command.env_clear().envs(&spec.environment).env("TERM", "xterm-256color");
        let child = command.spawn(pts).expect("a process");
        Bare { pty, child, buffer: vec![0; 65_536] }
    }

    /// Reads once; none at the end.
    pub(crate) fn read(&mut self) -> &[u8] {
        let count = self.pty.read(&mut self.buffer).unwrap_or(0);
        &self.buffer[..count]
    }

    pub(crate) fn read_all(&mut self) {
        while !self.read().is_empty() {}
    }

    pub(crate) fn read_until(&mut self, end: &[u8]) {
        let mut seen = Vec::new();
        while !seen.ends_with(end) {
            let piece = self.read().to_vec();
            assert!(!piece.is_empty(), "it ended");
            seen.extend(piece);
        }
    }

    pub(crate) fn write(&mut self, bytes: &[u8]) {
        self.pty.write_all(bytes).expect("a program that reads");
    }
}

impl Drop for Bare {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
