//! The server's ends of stdout and stderr, read by one task into two bounded records.
//!
//! A pipe is at its end when every process that holds it has closed it, which a background process may never
//! do. So nothing here waits for the end unless the caller bounds the wait.

use std::convert::Infallible;
use std::future::pending;
use std::io;
use std::os::fd::{AsFd, OwnedFd};

use rustix::io::{Errno, ioctl_fionread, read};
use tokio::net::unix::pipe::Receiver;

use super::captured::{Captured, Collector, OutputLimit};
use crate::secrets::{Masker, Sieve};

const BUFFER_BYTES: usize = 64 * 1024;

/// Both streams of one command.
pub(super) struct Pipes {
    stdout: Stream,
    stderr: Stream,
    buffer: Box<[u8]>,
}

impl Pipes {
    pub(super) fn new(
        stdout: OwnedFd,
        stderr: OwnedFd,
        limit: OutputLimit,
        mask: &Masker,
    ) -> io::Result<Pipes> {
        Ok(Pipes {
            stdout: Stream::new(stdout, limit, mask)?,
            stderr: Stream::new(stderr, limit, mask)?,
            buffer: vec![0; BUFFER_BYTES].into_boxed_slice(),
        })
    }

    /// Reads until both streams are at their end. May be dropped at any time without losing a byte.
    pub(super) async fn read_to_end(&mut self) {
        while self.stdout.is_open() || self.stderr.is_open() {
            tokio::select! {
                () = self.stdout.readable() => self.stdout.take(&mut self.buffer),
                () = self.stderr.readable() => self.stderr.take(&mut self.buffer),
            }
        }
    }

    /// Reads for as long as it is polled.
    pub(super) async fn pump(&mut self) -> Infallible {
        self.read_to_end().await;
        pending().await
    }

    /// Reads what lies in the pipes at this moment and waits for nothing.
    pub(super) fn drain(&mut self) {
        self.stdout.drain(&mut self.buffer);
        self.stderr.drain(&mut self.buffer);
    }

    /// Gives what was kept of stdout and of stderr.
    pub(super) fn finish(&mut self) -> (Captured, Captured) {
        (self.stdout.finish(), self.stderr.finish())
    }
}

struct Stream {
    /// `None` once it is at its end.
    receiver: Option<Receiver>,
    /// What comes goes through it first, if there are secrets to mask: head, tail and cut are those of masked text.
    sieve: Option<Sieve>,
    collector: Collector,
}

impl Stream {
    fn new(fd: OwnedFd, limit: OutputLimit, mask: &Masker) -> io::Result<Stream> {
        let receiver = Some(Receiver::from_owned_fd(fd)?);
        Ok(Stream { receiver, sieve: mask.sieve(), collector: Collector::new(limit) })
    }

    fn finish(&mut self) -> Captured {
        if let Some(sieve) = &mut self.sieve {
            sieve.finish(&mut |bytes| self.collector.push(bytes));
        }
        self.collector.finish()
    }

    fn is_open(&self) -> bool {
        self.receiver.is_some()
    }

    /// Waits for bytes or the end; for ever if the end has been.
    async fn readable(&self) {
        match &self.receiver {
            // An error is met again by the read that follows.
            Some(receiver) => drop(receiver.readable().await),
            None => pending().await,
        }
    }

    /// Takes one buffer of what is there.
    fn take(&mut self, buffer: &mut [u8]) {
        let Some(receiver) = &self.receiver else { return };
        match receiver.try_read(buffer) {
            Ok(0) => self.receiver = None,
            Ok(count) => keep(&mut self.sieve, &mut self.collector, &buffer[..count]),
            Err(error) if is_passing(&error) => {}
            Err(_) => self.receiver = None,
        }
    }

    /// Takes as many bytes as the kernel holds now. More may be written meanwhile, for ever: that is left.
    fn drain(&mut self, buffer: &mut [u8]) {
        let Some(receiver) = &self.receiver else { return };
        let mut held = ioctl_fionread(receiver).unwrap_or(0);
        while held > 0 {
            // Not `try_read`: the runtime may not have heard of these bytes yet.
            match read(receiver.as_fd(), &mut *buffer) {
                Ok(0) => return,
                Ok(count) => {
                    keep(&mut self.sieve, &mut self.collector, &buffer[..count]);
                    held = held.saturating_sub(count as u64);
                }
                Err(Errno::INTR) => {}
                Err(_) => return,
            }
        }
    }
}

fn keep(sieve: &mut Option<Sieve>, collector: &mut Collector, bytes: &[u8]) {
    match sieve {
        Some(sieve) => sieve.push(bytes, &mut |bytes| collector.push(bytes)),
        None => collector.push(bytes),
    }
}

fn is_passing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted)
}
