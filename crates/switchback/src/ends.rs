//! stdin and stdout to their last byte, whatever whoever started us has made of them. One that is told not to hold up its reader or
//! writer has nothing or no room now and then; that is waited for. Nothing is changed of it: others may hold the same.

use rustix::event::{PollFd, PollFlags, poll};
use rustix::fd::AsFd;
use std::io::{self, Read, Write};
use std::pin::Pin;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::task::{JoinHandle, spawn_blocking};

/// What is read at once.
const PIECE_BYTES: usize = 64 << 10;

/// The stdin of this process. It keeps nothing back: whoever reads line by line puts a buffer before it.
pub(crate) struct Input;

/// The stdout of this process, for one at a time: what another thread writes comes before or after. It keeps nothing back either.
pub(crate) struct Output(#[expect(dead_code, reason = "it is held")] MutexGuard<'static, ()>);

impl Output {
    /// Waits for one's turn.
    pub(crate) fn lock() -> Output {
        static TURN: Mutex<()> = Mutex::new(());
        Output(TURN.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Read for Input {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let stdin = rustix::stdio::stdin();
        patiently(stdin, PollFlags::IN, || rustix::io::read(stdin, &mut *bytes))
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let stdout = rustix::stdio::stdout();
        patiently(stdout, PollFlags::OUT, || rustix::io::write(stdout, bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Tries until it is done or fails, and sleeps in between until it may be.
fn patiently(
    end: impl AsFd,
    ready: PollFlags,
    mut once: impl FnMut() -> rustix::io::Result<usize>,
) -> io::Result<usize> {
    loop {
        match rustix::io::retry_on_intr(&mut once) {
            Err(rustix::io::Errno::AGAIN) => {}
            done => return Ok(done?),
        }
        let mut awaited = [PollFd::new(&end, ready)];
        rustix::io::retry_on_intr(|| poll(&mut awaited, None))?;
    }
}

/// [`Input`] for a runtime: a thread waits for what comes.
#[derive(Default)]
pub(crate) struct InputAside {
    came: Vec<u8>,
    given: usize,
    reading: Option<JoinHandle<io::Result<Vec<u8>>>>,
}

impl AsyncRead for InputAside {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.given == self.came.len() {
            let reading = self.reading.get_or_insert_with(|| spawn_blocking(piece));
            let came = ready!(Pin::new(reading).poll(context));
            self.reading = None;
            (self.came, self.given) = (came??, 0);
        }
        let from = self.given;
        self.given = self.came.len().min(from + into.remaining());
        into.put_slice(&self.came[from..self.given]);
        Poll::Ready(Ok(()))
    }
}

/// What comes next; nothing at the end.
fn piece() -> io::Result<Vec<u8>> {
    let mut piece = vec![0; PIECE_BYTES];
    let count = Input.read(&mut piece)?;
    piece.truncate(count);
    Ok(piece)
}

/// [`Output`] for a runtime: a thread waits until there is room. What was taken is written unless flushing says otherwise.
#[derive(Default)]
pub(crate) struct OutputAside {
    writing: Option<JoinHandle<io::Result<()>>>,
}

impl AsyncWrite for OutputAside {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        ready!(self.as_mut().poll_flush(context))?;
        let taken = bytes.to_vec();
        self.writing = Some(spawn_blocking(move || Output::lock().write_all(&taken)));
        Poll::Ready(Ok(bytes.len()))
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let Some(writing) = &mut self.writing else { return Poll::Ready(Ok(())) };
        let written = ready!(Pin::new(writing).poll(context));
        self.writing = None;
        Poll::Ready(written?)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.poll_flush(context)
    }
}
