//! How a daemon meets a client: only its own user comes in, who says hello first; then the door is that of the hello.

use super::control;
use super::hello::{Door, Hello, LINE_BYTES_MAX, VERSION, Welcome, is_newer};
use super::host::{Host, say};
use super::successor::{Successor, is_ours};
use crate::mcp;
use engine::adapters::mounts::may_stand_still;
use engine::kill_point;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::UnixStream;
use tokio::sync::watch;

/// How long a client may take to say hello.
const HELLO_MAX: Duration = Duration::from_secs(10);

impl Host {
    /// Meets one client.
    pub(super) async fn meet(self: Arc<Self>, stream: UnixStream) {
        let ours = rustix::process::getuid().as_raw();
        let pid = match stream.peer_cred() {
            Ok(peer) if peer.uid() == ours => peer.pid(),
            Ok(peer) => return say(&format!("user {} may not come in", peer.uid())),
            Err(error) => return say(&format!("a client could not be known: {error}")),
        };
        let _connected = Counted::new(&self.connections);
        match self.converse(stream, pid).await {
            Err(error) if !is_hung_up(&error) => say(&format!("a client went away: {error}")),
            _ => {}
        }
    }

    async fn converse(self: &Arc<Self>, stream: UnixStream, pid: Option<i32>) -> io::Result<()> {
        let (read, mut write) = stream.into_split();
        let mut read = BufReader::new(read);
        let hello = tokio::time::timeout(HELLO_MAX, first_line(&mut read)).await??;
        let (welcome, hello) = match serde_json::from_slice::<Hello>(&hello) {
            Ok(hello) if let Err(lost) = self.house.stands() => {
                (Welcome::last(&lost.to_string()), Some(hello))
            }
            Ok(hello) => (Welcome::to(&hello), Some(hello)),
            Err(error) => (Welcome::new(Some(format!("this is no hello: {error}")), None), None),
        };
        let mut line = serde_json::to_vec(&welcome)?;
        line.push(b'\n');
        write.write_all(&line).await?;
        let Some(hello) = hello.filter(|_| welcome.refused.is_none()) else { return Ok(()) };
        self.note_newer(&hello);
        let Hello { door, client, lent, .. } = hello;
        self.house.lend(&client.workspace, lent);
        kill_point("daemon let a client in");
        match door {
            Door::Control => control::serve(self, pid, read, write).await,
            Door::Mcp => {
                let (_client, _pipe) = (Counted::new(&self.clients), self.pipes.note(pid));
                let (house, lines) = (Arc::clone(&self.house), mcp::piped(read, write));
                let may_stand_still = may_stand_still(Path::new(&client.workspace));
                let serving = mcp::serve(house, client, self.may_show(pid), lines);
                let served = if may_stand_still { beside(serving).await? } else { serving.await };
                served.map_err(io::Error::other)
            }
        }
    }

    fn note_newer(&self, hello: &Hello) {
        let known = self.successor.borrow().as_ref().map(|known| known.version.clone());
        let than = known.unwrap_or_else(|| VERSION.to_owned());
        let Some(program) = hello.program.clone().filter(|program| is_ours(program)) else { return };
        if is_newer(&hello.version, &than) {
            self.successor.send_replace(Some(Successor { version: hello.version.clone(), program }));
        }
    }
}

/// Serves a client on threads of its own: its folder may not answer, and then only this client waits for it.
async fn beside<T: Send + 'static>(serving: impl Future<Output = T> + Send + 'static) -> io::Result<T> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
    let thread = tokio::task::spawn_blocking(move || {
        let served = runtime.block_on(serving);
        // Whoever still waits for the folder is not waited for.
        runtime.shutdown_background();
        served
    });
    thread.await.map_err(io::Error::other)
}

/// One more, as long as it lives.
struct Counted<'c>(&'c watch::Sender<usize>);

impl<'c> Counted<'c> {
    fn new(count: &'c watch::Sender<usize>) -> Self {
        count.send_modify(|count| *count += 1);
        Counted(count)
    }
}

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        self.0.send_modify(|count| *count -= 1);
    }
}

/// Whether a client simply ended.
fn is_hung_up(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::BrokenPipe | io::ErrorKind::ConnectionReset)
}

async fn first_line(read: &mut (impl AsyncBufRead + Unpin)) -> io::Result<Vec<u8>> {
    let mut line = Vec::new();
    read.take(LINE_BYTES_MAX as u64).read_until(b'\n', &mut line).await?;
    match line.last() {
        Some(b'\n') => Ok(line),
        _ => Err(io::Error::other("no hello came")),
    }
}
