//! What becomes of calls whose client has said its last line: it may still read, so each is answered before its server ends.
//!
//! ```text
//!  stdin of a pipe ends ── the pipe says so ── calls go on, at most as long as a call may take ── answers ── the pipe ends
//!  the lines themselves end ── a few seconds ── answers ── the conversation is over
//!  a server that carries its runs itself is told to end ── answers ── the conversation is over
//! ```
//! Nobody can fill in a form any more: those that are open are taken back at once, and their questions stay open.

use rmcp::RoleServer;
use rmcp::model::{ClientNotification, JsonRpcMessage, RequestId};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use std::collections::BTreeSet;
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

/// How long a client that has said its last line may take to read what it is answered.
const READING: Duration = Duration::from_secs(60);

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

/// The requests whose answers have not been written yet.
#[derive(Clone, Default)]
struct Owed(Arc<watch::Sender<BTreeSet<String>>>);

impl Owed {
    /// A message came. Whoever cancels a request waits for no answer.
    fn took(&self, message: &RxJsonRpcMessage<RoleServer>) {
        match message {
            JsonRpcMessage::Request(request) => {
                self.0.send_modify(|owed| {
                    owed.insert(name(&request.id));
                });
            }
            JsonRpcMessage::Notification(notification) => {
                if let ClientNotification::CancelledNotification(cancelled) = &notification.notification
                    && let Some(id) = &cancelled.params.request_id
                {
                    self.gave(&name(id));
                }
            }
            JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_) => {}
        }
    }

    fn gave(&self, id: &str) {
        self.0.send_modify(|owed| {
            owed.remove(id);
        });
    }

    /// Waits until all are written, or for so long.
    async fn paid(&self, patience: Duration) {
        let mut owed = self.0.subscribe();
        let _ = tokio::time::timeout(patience, owed.wait_for(BTreeSet::is_empty)).await;
    }
}

/// An id as one text: a number and a text of its digits are two.
fn name(id: &RequestId) -> String {
    format!("{id:?}")
}

/// The request that a message answers.
fn answers(message: &TxJsonRpcMessage<RoleServer>) -> Option<String> {
    match message {
        JsonRpcMessage::Response(response) => Some(name(&response.id)),
        JsonRpcMessage::Error(error) => error.id.as_ref().map(name),
        JsonRpcMessage::Request(_) | JsonRpcMessage::Notification(_) => None,
    }
}

/// Lines of a client that end only after its calls have.
pub(super) struct Lasting<T> {
    lines: T,
    last: Arc<Last>,
    owed: Owed,
    /// Told when no more lines are to be read, and calls end at once.
    enough: CancellationToken,
    until: Option<Instant>,
}

impl<T> Lasting<T> {
    pub(super) fn new(lines: T, last: Arc<Last>, enough: CancellationToken) -> Self {
        Lasting { lines, last, owed: Owed::default(), enough, until: None }
    }
}

impl<T: Transport<RoleServer>> Transport<RoleServer> for Lasting<T> {
    type Error = T::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        let (answered, owed) = (answers(&item), self.owed.clone());
        let sent = self.lines.send(item);
        async move {
            let sent = sent.await;
            answered.iter().for_each(|id| owed.gave(id));
            sent
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        if self.until.is_none() {
            tokio::select! {
                biased;
                () = self.enough.cancelled() => {}
                message = self.lines.receive() => if let Some(message) = message {
                    self.owed.took(&message);
                    return Some(message);
                }
            }
        }
        let until = *self.until.get_or_insert_with(|| self.last.ended(LINES_ENDED));
        tokio::select! {
            biased;
            () = self.enough.cancelled() => self.last.answered(self.last.ended(Duration::ZERO)).await,
            () = async {
                self.last.answered(until).await;
                self.owed.paid(READING).await;
            } => {}
        }
        None
    }

    fn close(&mut self) -> impl Future<Output = Result<(), Self::Error>> + Send {
        self.lines.close()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};
    use std::future::poll_fn;
    use std::task::Poll;
    use tokio::sync::Semaphore;

    /// A client that has asked these and hung up, and reads no more than it is let.
    struct Slow {
        asked: Vec<Value>,
        reads: Arc<Semaphore>,
    }

    impl Transport<RoleServer> for Slow {
        type Error = std::io::Error;

        fn send(
            &mut self,
            _item: TxJsonRpcMessage<RoleServer>,
        ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
            let reads = Arc::clone(&self.reads);
            async move {
                reads.acquire().await.unwrap().forget();
                Ok(())
            }
        }

        async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
            self.asked.pop().map(|asked| serde_json::from_value(asked).unwrap())
        }

        async fn close(&mut self) -> Result<(), Self::Error> {
            Ok(())
        }
    }

    fn lines(asked: Vec<Value>) -> (Lasting<Slow>, Arc<Semaphore>) {
        let reads = Arc::new(Semaphore::new(0));
        let slow = Slow { asked, reads: Arc::clone(&reads) };
        (Lasting::new(slow, Arc::default(), CancellationToken::new()), reads)
    }

    /// Whether the lines are over, as far as can be told now.
    async fn is_over(lines: &mut Lasting<Slow>) -> bool {
        let mut received = Box::pin(lines.receive());
        poll_fn(|context| Poll::Ready(received.as_mut().poll(context).is_ready())).await
    }

    #[tokio::test]
    async fn lines_end_when_every_answer_is_read() {
        let (mut lines, reads) = lines(vec![json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" })]);
        assert!(lines.receive().await.is_some());
        let error = rmcp::ErrorData::internal_error("x", None);
        let answer = TxJsonRpcMessage::<RoleServer>::error(error, Some(RequestId::Number(1)));
        let sending = tokio::spawn(lines.send(answer));
        assert!(!is_over(&mut lines).await, "its answer is still on its way");
        reads.add_permits(1);
        sending.await.unwrap().unwrap();
        assert!(is_over(&mut lines).await);
    }

    #[tokio::test]
    async fn who_cancelled_waits_for_nothing() {
        let cancel =
            json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 1 } });
        let (mut lines, _) = lines(vec![cancel, json!({ "jsonrpc": "2.0", "id": 1, "method": "ping" })]);
        assert!(lines.receive().await.is_some() && lines.receive().await.is_some());
        assert!(is_over(&mut lines).await);
    }
}
