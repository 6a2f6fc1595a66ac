//! What becomes of calls whose client has said its last line: it may still read, so each is answered before its server ends.
//!
//! ```text
//!  stdin of a pipe ends ── the pipe says so ── calls go on, at most as long as a call may take ── answers ── the pipe ends
//!  the lines themselves end ── a few seconds ── answers ── the conversation is over
//! ```
//! Nobody can fill in a form any more: those that are open are taken back at once, and their questions stay open.

use rmcp::RoleServer;
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::{Instant, timeout_at};

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

    /// The lines have ended; gives until when calls are waited for.
    fn ended(&self) -> Instant {
        let at = Instant::now() + LINES_ENDED;
        self.until.send_replace(Some(Until { at, is_the_end: true }));
        at + ANSWERING
    }

    /// Waits for the last line. May be dropped and asked for again.
    pub(super) async fn heard(&self) -> Until {
        let mut heard = self.until.subscribe();
        let until = heard.wait_for(Option::is_some).await.ok().and_then(|until| *until);
        match until {
            Some(until) => until,
            None => std::future::pending().await,
        }
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
    until: Option<Instant>,
}

impl<T> Lasting<T> {
    pub(super) fn new(lines: T, last: Arc<Last>) -> Self {
        Lasting { lines, last, until: None }
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
        let until = match self.until {
            Some(until) => until,
            None => match self.lines.receive().await {
                Some(message) => return Some(message),
                None => *self.until.insert(self.last.ended()),
            },
        };
        let mut calls = self.last.calls.subscribe();
        // Whoever is not answered by then will not be.
        let _ = timeout_at(until, calls.wait_for(|count| *count == 0)).await;
        None
    }

    fn close(&mut self) -> impl Future<Output = Result<(), Self::Error>> + Send {
        self.lines.close()
    }
}
