//! What becomes of calls whose client has said its last line: it may still read, so each is answered before its server ends.
//!
//! ```text
//!  stdin of a pipe ends ── the pipe says so ── calls go on, at most as long as a call may take ── answers ── the pipe ends
//!  the lines themselves end ── a few seconds ── answers ── the conversation is over
//!  a server that carries its runs itself is told to end ── answers ── the conversation is over
//! ```
//! Nobody can fill in a form any more: those that are open are taken back at once, and their questions stay open.

use rmcp::RoleServer;
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::{Instant, timeout_at};
use tokio_util::sync::CancellationToken;

/// What a pipe says to the daemon when its client has said its last line.
pub(crate) const NOTIFICATION: &str = "notifications/switchback/last_line";

/// How long calls go on whose lines have ended.
const LINES_ENDED: Duration = Duration::from_secs(5);

/// How long an answer may take to be made once its call waits no longer.
const ANSWERING: Duration = Duration::from_secs(2);

/// Until when calls are waited for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Until {
    /// Then each is answered as its run stands.
    pub(super) at: Instant,
    /// Whether who carries the runs ends as well.
    pub(super) is_the_end: bool,
}

/// Whether a client has said its last line, and how many of its calls are under way.
#[derive(Default)]
pub(super) struct Last {
    until: watch::Sender<Option<Until>>,
    calls: watch::Sender<usize>,
}

impl Last {
    /// The client has said its last line, and a pipe waits this long for answers.
    pub(super) fn said(&self, patience: Duration) {
        self.until.send_replace(Some(Until { at: Instant::now() + patience, is_the_end: false }));
    }

    /// The lines have ended, and calls go on for so long; gives until when their answers are waited for.
    fn ended(&self, patience: Duration) -> Instant {
        let at = Instant::now() + patience;
        self.until.send_replace(Some(Until { at, is_the_end: true }));
        at + ANSWERING
    }

    /// Waits for the last line, or that calls are to end sooner than is known. May be dropped and asked for again.
    pub(super) async fn heard(&self, known: Option<Until>) -> Until {
        let mut heard = self.until.subscribe();
        let is_news = |until: &Until| known.is_none_or(|known| until.at < known.at);
        let until = heard.wait_for(|until| until.as_ref().is_some_and(is_news)).await;
        let until = until.ok().and_then(|until| *until);
        match until {
            Some(until) => until,
            None => std::future::pending().await,
        }
    }

    /// Waits for calls. Whoever is not answered by then will not be.
    async fn answered(&self, until: Instant) {
        let mut calls = self.calls.subscribe();
        let _ = timeout_at(until, calls.wait_for(|count| *count == 0)).await;
    }

    /// A call is under way as long as what this gives lives.
    pub(super) fn call(self: &Arc<Self>) -> UnderWay {
        self.calls.send_modify(|count| *count += 1);
        UnderWay(Arc::clone(self))
    }
}

/// A call that is under way.
pub(super) struct UnderWay(Arc<Last>);

impl Drop for UnderWay {
    fn drop(&mut self) {
        self.0.calls.send_modify(|count| *count -= 1);
    }
}

/// Lines of a client that end only after its calls have.
pub(super) struct Lasting<T> {
    lines: T,
    last: Arc<Last>,
    /// Told when no more lines are to be read, and calls end at once.
    enough: CancellationToken,
    until: Option<Instant>,
}

impl<T> Lasting<T> {
    pub(super) fn new(lines: T, last: Arc<Last>, enough: CancellationToken) -> Self {
        Lasting { lines, last, enough, until: None }
    }
}

impl<T: Transport<RoleServer>> Transport<RoleServer> for Lasting<T> {
    type Error = T::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        self.lines.send(item)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        if self.until.is_none() {
            tokio::select! {
                biased;
                () = self.enough.cancelled() => {}
                message = self.lines.receive() => if message.is_some() {
                    return message;
                }
            }
        }
        let until = *self.until.get_or_insert_with(|| self.last.ended(LINES_ENDED));
        tokio::select! {
            biased;
            () = self.enough.cancelled() => self.last.answered(self.last.ended(Duration::ZERO)).await,
            () = self.last.answered(until) => {}
        }
        None
    }

    fn close(&mut self) -> impl Future<Output = Result<(), Self::Error>> + Send {
        self.lines.close()
    }
}
