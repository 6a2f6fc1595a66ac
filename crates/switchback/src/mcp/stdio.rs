//! A client on stdin and stdout of this very process: its lines are looked at as a pipe looks at them, and what is no message
//! is answered at once.

use super::ids;
use super::intake::{Came, Intake};
use super::line::{Refused, bare, read};
use crate::ends::{InputAside, OutputAside};
use rmcp::RoleServer;
use rmcp::model::{ClientJsonRpcMessage, ClientNotification, ClientRequest, JsonRpcMessage, RequestId};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use std::collections::{HashMap, VecDeque};
use std::io;
use std::sync::{Arc, PoisonError};
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::Mutex;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// Why the client cannot be told anything any more, if that is so, and why it could not be read to its end.
#[derive(Clone, Default)]
pub(crate) struct Unheard {
    reason: Arc<std::sync::Mutex<Option<io::Error>>>,
    unread: Arc<std::sync::Mutex<Option<io::Error>>>,
    is_so: CancellationToken,
    hung_up: CancellationToken,
}

impl Unheard {
    /// Whether all that was said has reached the client.
    pub(crate) fn heard(&self) -> io::Result<()> {
        self.reason.lock().unwrap_or_else(PoisonError::into_inner).take().map_or(Ok(()), Err)
    }

    /// Whether all that the client said was read.
    pub(crate) fn read(&self) -> io::Result<()> {
        self.unread.lock().unwrap_or_else(PoisonError::into_inner).take().map_or(Ok(()), Err)
    }

    /// Waits until the client has said its last line.
    pub(crate) async fn hung_up(&self) {
        self.hung_up.cancelled().await;
    }

    /// Notes that nobody reads what is still to be said.
    pub(crate) fn give_up(&self, why: &str) {
        let reason = io::Error::new(io::ErrorKind::TimedOut, why);
        self.reason.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(reason);
        self.is_so.cancel();
    }

    /// Whether nothing can be said any more.
    pub(crate) fn is_so(&self) -> bool {
        self.is_so.is_cancelled()
    }

    fn note(&self, error: &io::Error) {
        let reason = error.raw_os_error().map_or_else(|| error.kind().into(), io::Error::from_raw_os_error);
        self.reason.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(reason);
        self.is_so.cancel();
    }
}

/// The requests that are under way, and the last calls that were cancelled. The answer of such a one may still be on its way, and
/// would be taken for that of the next request with its id.
#[derive(Default)]
struct Calls {
    /// With each whether it is a call of a tool.
    open: HashMap<RequestId, bool>,
    cancelled: VecDeque<RequestId>,
}

/// How many calls that were cancelled are remembered.
const CANCELLED_MAX: usize = 1_000;

impl Calls {
    /// A message came; one that takes the id of a request that is under way, or of a cancelled call, is refused.
    fn took(&mut self, message: &ClientJsonRpcMessage) -> Result<(), Refused> {
        match message {
            JsonRpcMessage::Request(request) if self.cancelled.contains(&request.id) => {
                let shown = ids::written(&request.id.clone().into_json_value());
                return Err(Refused::request(&request.id, cancelled_before(&shown)));
            }
            JsonRpcMessage::Request(request) if self.open.contains_key(&request.id) => {
                let shown = ids::written(&request.id.clone().into_json_value());
                return Err(Refused::request(&request.id, under_way(&shown)));
            }
            JsonRpcMessage::Request(request) => {
                let is_call = matches!(request.request, ClientRequest::CallToolRequest(_));
                self.open.insert(request.id.clone(), is_call);
            }
            JsonRpcMessage::Notification(notification) => {
                if let ClientNotification::CancelledNotification(cancelled) = &notification.notification
                    && let Some(id) = &cancelled.params.request_id
                    && self.open.get(id) == Some(&true)
                {
                    self.open.remove(id);
                    self.cancelled.push_back(id.clone());
                    if self.cancelled.len() > CANCELLED_MAX {
                        self.cancelled.pop_front();
                    }
                }
            }
            JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_) => {}
        }
        Ok(())
    }

    /// Whether a message still has somebody who waits for it.
    fn gives(&mut self, message: &TxJsonRpcMessage<RoleServer>) -> bool {
        let id = match message {
            JsonRpcMessage::Response(response) => Some(&response.id),
            JsonRpcMessage::Error(error) => error.id.as_ref(),
            JsonRpcMessage::Request(_) | JsonRpcMessage::Notification(_) => None,
        };
        id.is_none_or(|id| {
            self.open.remove(id);
            !self.cancelled.contains(id)
        })
    }
}

/// Why the id of a request that is under way is not taken again.
pub(crate) fn under_way(id: &str) -> String {
    format!("a request with the id {id} is still under way")
}

/// Why the id of a cancelled request is not taken again.
pub(crate) fn cancelled_before(id: &str) -> String {
    format!("the id {id} belongs to a request that was cancelled: give each request one of its own")
}

/// Lines from a client and to it.
pub(crate) struct Stdio<R, W> {
    reader: BufReader<R>,
    intake: Intake,
    writer: Arc<Mutex<W>>,
    unheard: Unheard,
    calls: Calls,
    /// An answer on its way out. It goes on where reading is given up.
    answering: Option<JoinHandle<io::Result<()>>>,
}

impl Stdio<InputAside, OutputAside> {
    /// The client that started this process.
    pub(crate) fn open() -> Self {
        Stdio::new(InputAside::default(), OutputAside::default())
    }
}

impl<R: AsyncRead + Unpin, W: AsyncWrite + Unpin> Stdio<R, W> {
    fn new(reader: R, writer: W) -> Self {
        let (reader, writer) = (BufReader::new(reader), Arc::new(Mutex::new(writer)));
        let (intake, unheard, calls) = (Intake::default(), Unheard::default(), Calls::default());
        Stdio { reader, intake, writer, unheard, calls, answering: None }
    }

    /// What tells afterwards whether the client could be told everything.
    pub(crate) fn unheard(&self) -> Unheard {
        self.unheard.clone()
    }

    /// The next line; nothing once the client has said its last, or cannot be heard any more.
    async fn next(&mut self) -> Option<Came> {
        let came = self.intake.receive(&mut self.reader).await.unwrap_or_else(|error| {
            *self.unheard.unread.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
            None
        });
        if came.is_none() {
            self.unheard.hung_up.cancel();
        }
        came
    }
}

impl<R, W> Transport<RoleServer> for Stdio<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = io::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let (writer, unheard) = (Arc::clone(&self.writer), self.unheard.clone());
        let line = self.calls.gives(&item).then(|| serde_json::to_vec(&item));
        async move {
            match line {
                Some(line) => write(writer, ids::outward(&line?).into_owned(), unheard).await,
                None => Ok(()),
            }
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            if let Some(answering) = &mut self.answering {
                let answered = answering.await;
                self.answering = None;
                // Nobody reads what is said.
                answered.ok()?.ok()?;
            }
            let is_unheard = self.unheard.is_so.clone();
            let came = tokio::select! {
                biased;
                // Nobody is asked on who cannot be answered.
                () = is_unheard.cancelled() => None,
                came = self.next() => came,
            }?;
            let read = match came.as_deref().map(bare) {
                Ok([]) => continue,
                Ok(line) => read(line, &ids::inward(line)),
                Err(refused) => Err(refused.clone()),
            };
            let read = read.and_then(|message| match message {
                Some(message) => self.calls.took(&message).map(|()| Some(message)),
                None => Ok(None),
            });
            match read {
                Ok(Some(message)) => return Some(message),
                Ok(None) => {}
                Err(refused) => {
                    let (writer, unheard) = (Arc::clone(&self.writer), self.unheard.clone());
                    self.answering = Some(tokio::spawn(write(writer, refused.answer(), unheard)));
                }
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        self.writer.lock().await.flush().await
    }
}

async fn write<W: AsyncWrite + Unpin>(
    writer: Arc<Mutex<W>>,
    mut line: Vec<u8>,
    unheard: Unheard,
) -> io::Result<()> {
    line.push(b'\n');
    let mut word = Word { unheard, is_out: false };
    let mut writer = writer.lock().await;
    let written = async {
        writer.write_all(&line).await?;
        writer.flush().await
    };
    let written = written.await;
    word.is_out = true;
    written.inspect_err(|error| word.unheard.note(error))
}

/// A line on its way out. One that is given up has not been heard.
struct Word {
    unheard: Unheard,
    is_out: bool,
}

impl Drop for Word {
    fn drop(&mut self) {
        if !self.is_out {
            self.unheard.note(&io::ErrorKind::TimedOut.into());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rmcp::ErrorData;
    use serde_json::{Value, json};

    fn took(calls: &mut Calls, message: Value) -> Result<(), Refused> {
        calls.took(&serde_json::from_value(message).unwrap())
    }

    fn call(id: u64) -> Value {
        json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": { "name": "x" } })
    }

    fn cancel(id: u64) -> Value {
        json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": id } })
    }

    fn gives(calls: &mut Calls, id: i64) -> bool {
        let error = ErrorData::internal_error("x", None);
        calls.gives(&TxJsonRpcMessage::<RoleServer>::error(error, Some(RequestId::Number(id))))
    }

    #[test]
    fn the_id_of_a_call_that_was_cancelled_is_not_taken_again() {
        let mut calls = Calls::default();
        took(&mut calls, call(6)).unwrap();
        took(&mut calls, cancel(6)).unwrap();
        assert!(!gives(&mut calls, 6), "nobody waits for it any more");
        assert!(took(&mut calls, call(6)).is_err());
        took(&mut calls, call(7)).unwrap();
        assert!(gives(&mut calls, 7));
        // What is over cannot be cancelled, and what was no call is answered all the same.
        took(&mut calls, cancel(7)).unwrap();
        took(&mut calls, call(7)).unwrap();
        took(&mut calls, json!({ "jsonrpc": "2.0", "id": 8, "method": "ping" })).unwrap();
        took(&mut calls, cancel(8)).unwrap();
        assert!(gives(&mut calls, 8));
    }

    #[test]
    fn the_id_of_a_request_that_is_under_way_is_not_taken_again() {
        let ping = |id: u64| json!({ "jsonrpc": "2.0", "id": id, "method": "ping" });
        for (first, second) in [(call(1), ping(1)), (ping(1), call(1)), (call(1), call(1))] {
            let mut calls = Calls::default();
            took(&mut calls, first).unwrap();
            let refused = took(&mut calls, second.clone()).unwrap_err();
            let why = "a request with the id 1 is still under way".to_owned();
            assert_eq!(refused, Refused::request(&RequestId::Number(1), why));
            assert!(gives(&mut calls, 1), "the first is answered");
            took(&mut calls, second).unwrap();
        }
    }
}
