//! A client on stdin and stdout of this very process: its lines are looked at as a pipe looks at them, and what is no message
//! is answered at once.

use super::ids;
use super::intake::{Came, Intake};
use super::line::{bare, read};
use rmcp::RoleServer;
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use std::io;
use std::sync::{Arc, PoisonError};
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt, BufReader, Stdin, Stdout};
use tokio::sync::Mutex;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// Why the client cannot be told anything any more, if that is so.
#[derive(Clone, Default)]
pub(crate) struct Unheard {
    reason: Arc<std::sync::Mutex<Option<io::Error>>>,
    is_so: CancellationToken,
}

impl Unheard {
    /// Whether all that was said has reached the client.
    pub(crate) fn heard(&self) -> io::Result<()> {
        self.reason.lock().unwrap_or_else(PoisonError::into_inner).take().map_or(Ok(()), Err)
    }

    fn note(&self, error: &io::Error) {
        let reason = error.raw_os_error().map_or_else(|| error.kind().into(), io::Error::from_raw_os_error);
        self.reason.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(reason);
        self.is_so.cancel();
    }
}

/// Lines from a client and to it.
pub(crate) struct Stdio<R, W> {
    reader: BufReader<R>,
    intake: Intake,
    writer: Arc<Mutex<W>>,
    unheard: Unheard,
    /// An answer on its way out. It goes on where reading is given up.
    answering: Option<JoinHandle<io::Result<()>>>,
}

impl Stdio<Stdin, Stdout> {
    /// The client that started this process.
    pub(crate) fn open() -> Self {
        Stdio::new(tokio::io::stdin(), tokio::io::stdout())
    }
}

impl<R: AsyncRead + Unpin, W: AsyncWrite + Unpin> Stdio<R, W> {
    fn new(reader: R, writer: W) -> Self {
        let (reader, writer) = (BufReader::new(reader), Arc::new(Mutex::new(writer)));
        Stdio { reader, intake: Intake::default(), writer, unheard: Unheard::default(), answering: None }
    }

    /// What tells afterwards whether the client could be told everything.
    pub(crate) fn unheard(&self) -> Unheard {
        self.unheard.clone()
    }

    /// The next line; nothing once the client has said its last, or cannot be heard any more.
    async fn next(&mut self) -> Option<Came> {
        self.intake.receive(&mut self.reader).await.ok().flatten()
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
        let line = serde_json::to_vec(&item);
        async move { write(writer, ids::outward(&line?).into_owned(), unheard).await }
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
                Ok(line) => read(&ids::inward(line)),
                Err(refused) => Err(refused.clone()),
            };
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
    let mut writer = writer.lock().await;
    let written = async {
        writer.write_all(&line).await?;
        writer.flush().await
    };
    written.await.inspect_err(|error| unheard.note(error))
}
