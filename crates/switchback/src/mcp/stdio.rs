//! A client on stdin and stdout of this very process: its lines are looked at as a pipe looks at them, and what is no message
//! is answered at once.

use super::intake::{Came, Intake};
use super::line::{bare, read};
use rmcp::RoleServer;
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use std::io;
use std::sync::Arc;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt, BufReader, Stdin, Stdout};
use tokio::sync::Mutex;
use tokio::task::JoinHandle;

/// Lines from a client and to it.
pub(crate) struct Stdio<R, W> {
    reader: BufReader<R>,
    intake: Intake,
    writer: Arc<Mutex<W>>,
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
        Stdio { reader, intake: Intake::default(), writer, answering: None }
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
        let (writer, line) = (Arc::clone(&self.writer), serde_json::to_vec(&item));
        async move { write(writer, line?).await }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            if let Some(answering) = &mut self.answering {
                let answered = answering.await;
                self.answering = None;
                // Nobody reads what is said.
                answered.ok()?.ok()?;
            }
            let came = self.next().await?;
            let read = match came.as_deref().map(bare) {
                Ok([]) => continue,
                Ok(line) => read(line),
                Err(refused) => Err(refused.clone()),
            };
            match read {
                Ok(Some(message)) => return Some(message),
                Ok(None) => {}
                Err(refused) => {
                    self.answering = Some(tokio::spawn(write(Arc::clone(&self.writer), refused.answer())));
                }
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        self.writer.lock().await.flush().await
    }
}

async fn write<W: AsyncWrite + Unpin>(writer: Arc<Mutex<W>>, mut line: Vec<u8>) -> io::Result<()> {
    line.push(b'\n');
    let mut writer = writer.lock().await;
    writer.write_all(&line).await?;
    writer.flush().await
}
