//! The MCP door: tools, resources and prompts over one connection, in both eras of the protocol.
//!
//! ```text
//!  bytes ── rmcp ── server ──┬── tools: arguments ── house ── view ── answer that fits
//!                            ├── resources: what an answer left out
//!                            └── prompts, completion
//! ```
//! A connection holds no state: everything lives behind the ids in the arguments. A call only waits for a run; it never
//! carries one, so that ending the call ends the waiting and nothing else. Documents are views of the engine; what is
//! shaped here is how much of them fits and what to do next.

mod answer;
mod arguments;
mod call;
mod complete;
mod elicit;
mod fit;
mod front;
pub(crate) mod ids;
mod instructions;
pub(crate) mod intake;
pub(crate) mod last;
pub(crate) mod line;
mod machine;
mod misread;
mod next;
mod opening;
mod problem;
mod prompts;
mod questions;
mod resources;
mod runs;
mod seen;
mod server;
mod slash;
mod stdio;
mod stored;
mod submit;
mod takes;
mod tell;
mod terminals;
mod tools;
mod traces;
mod visit;
mod wait;
mod watch;
mod worded;
mod workflows;
mod young;

pub(crate) use answer::failed;
pub(crate) use stdio::{Stdio, Unheard, cancelled_before, under_way};
pub(crate) use visit::{CALL_AGAIN, LOST};

use crate::house::{Client, House, Sought};
use last::Lasting;
use line::LINE_BYTES_MAX;
use opening::Opening;
use rmcp::service::{RunningService, ServerInitializeError};
use rmcp::transport::Transport;
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::{RoleServer, ServerHandler, ServiceExt};
use server::Server;
use std::io;
use std::sync::Arc;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use visit::{Host, Visit};
use worded::Worded;

/// The longest line of a pipe, which writes numbers out and adds to what its client said.
const PIPED_BYTES_MAX: usize = 8 * LINE_BYTES_MAX;

/// Lines that come through a pipe, which has looked at them.
pub(crate) fn piped(
    reader: impl AsyncRead + Send + Unpin + 'static,
    writer: impl AsyncWrite + Send + Unpin + 'static,
) -> impl Transport<RoleServer, Error = io::Error> + 'static {
    AsyncRwTransport::new_server(reader, writer).with_max_line_length(PIPED_BYTES_MAX)
}

/// Speaks MCP with one client until it hangs up. Once it is over, nothing here holds the house any more.
pub(crate) async fn serve(
    house: Arc<House>,
    client: Client,
    shows_gates: bool,
    lines: impl Transport<RoleServer, Error = io::Error> + 'static,
) -> Result<(), String> {
    speak(Host::Open(house), (client, shows_gates), lines, CancellationToken::new()).await
}

/// Speaks MCP with one client of a house of its own, which is looked for as long as there is none. Where it is told that this is
/// enough, it answers what is asked already and ends; the house is closed after that.
pub(crate) async fn serve_alone(
    house: Arc<Sought>,
    (client, shows_gates): (Client, bool),
    lines: impl Transport<RoleServer, Error = io::Error> + 'static,
    enough: CancellationToken,
) -> Result<(), String> {
    speak(Host::Sought(house), (client, shows_gates), lines, enough).await
}

/// Speaks MCP with one client where there is no house: every tool says why, and what to do.
pub(crate) async fn serve_closed(
    reason: String,
    client: Client,
    lines: impl Transport<RoleServer, Error = io::Error> + 'static,
) -> Result<(), String> {
    speak(Host::Shut(reason), (client, false), lines, CancellationToken::new()).await
}

/// Speaks for a daemon that cannot be had, on a thread of its own, until the other side hangs up.
pub(crate) fn stand_in(reason: String, client: Client, stream: std::os::unix::net::UnixStream) {
    let served = || -> io::Result<Result<(), String>> {
        stream.set_nonblocking(true)?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        Ok(runtime.block_on(async {
            let stream = tokio::net::UnixStream::from_std(stream).map_err(|error| error.to_string())?;
            let (read, write) = stream.into_split();
            serve_closed(reason, client, piped(read, write)).await
        }))
    };
    if let Err(said) = served().map_err(|error| error.to_string()).and_then(|served| served) {
        engine::log::say(format_args!("switchback: {said}"));
    }
}

async fn speak(
    host: Host,
    (client, shows_gates): (Client, bool),
    lines: impl Transport<RoleServer, Error = io::Error> + 'static,
    enough: CancellationToken,
) -> Result<(), String> {
    let (alive, mut over) = mpsc::channel(1);
    let closing = host.house().map(|house| house.closing()).unwrap_or_default();
    let visit = Arc::new(Visit::begin(host, (client, shows_gates), alive).await);
    let server = Server::new(&visit);
    let lines = Opening::new(Worded(lines), ServerHandler::supported_protocol_versions(&server));
    let spoken = match server.serve(Lasting::new(lines, Arc::clone(&visit.last), enough)).await {
        Ok(running) => until_over(running, &closing).await,
        // A client may hang up before it has said anything.
        Err(ServerInitializeError::ConnectionClosed(_)) => Ok(()),
        Err(error) => Err(error.to_string()),
    };
    drop(visit);
    // Calls that are still on their way out hold the visit; the last one ends it. In a house that has closed nobody waits
    // for those that get no answer here.
    tokio::select! {
        _ = over.recv() => {}
        () = closing.cancelled() => {}
    }
    spoken
}

/// Serves until the client hangs up or the house closes; calls that are under way then still get their answers out.
async fn until_over(
    running: RunningService<RoleServer, Server>,
    closing: &CancellationToken,
) -> Result<(), String> {
    let stop = running.cancellation_token();
    let mut waiting = std::pin::pin!(running.waiting());
    let quit = tokio::select! {
        quit = &mut waiting => quit,
        () = closing.cancelled() => {
            stop.cancel();
            waiting.await
        }
    };
    quit.map(drop).map_err(|error| error.to_string())
}
