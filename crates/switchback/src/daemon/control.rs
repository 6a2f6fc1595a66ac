//! The daemon's side of our own door: the backend, over the wire.

use super::gate::unproven;
use super::hello::VERSION;
use super::host::{Busy, Host};
use super::seat::{Leaves, Seat};
use super::wire::{Ask, Asked, Halt, LINE_BYTES_MAX, Passphrase, Report, Tell, Told, WireError};
use crate::house::Unproven;
use engine::backend::{Backend, Error};
use engine::kernel::command::Caller;
use engine::kernel::{Command, RunId};
use engine::kill_point;
use std::io;
use std::sync::Arc;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::JoinSet;
use tokio_stream::StreamExt;
use tokio_util::codec::{FramedRead, LinesCodec};

/// Answers until the client hangs up. What it asked for goes on without it, also what it said last.
pub(super) async fn serve(
    host: &Arc<Host>,
    peer: Option<i32>,
    read: impl AsyncRead + Unpin,
    write: impl AsyncWrite + Unpin,
) -> io::Result<()> {
    kill_point("daemon hears a command");
    let (tell, mut told) = unbounded_channel::<Told>();
    let served = converse(host, peer, (read, write), (tell, &mut told)).await;
    // Nothing begins any more in a daemon that is about to end, whether or not somebody hears of it.
    told.close();
    while let Ok(left) = told.try_recv() {
        if let Tell::Halting(again) = left.tell {
            host.halt(again);
        }
    }
    served
}

async fn converse(
    host: &Arc<Host>,
    peer: Option<i32>,
    (read, mut write): (impl AsyncRead + Unpin, impl AsyncWrite + Unpin),
    (tell, told): (UnboundedSender<Told>, &mut UnboundedReceiver<Told>),
) -> io::Result<()> {
    let mut lines = FramedRead::new(read, LinesCodec::new_with_max_length(LINE_BYTES_MAX));
    let mut answering = JoinSet::new();
    let seat = Arc::new(Seat::default());
    // Whoever hangs up has let go, whatever is still being answered.
    let _leaves = Leaves(Arc::clone(&seat));
    let mut unheard = None;
    loop {
        tokio::select! {
            line = lines.next() => match line {
                None => return unheard.map_or(Ok(()), Err),
                Some(line) => {
                    let asked: Asked = serde_json::from_str(&line.map_err(io::Error::other)?)?;
                    let changes = asked.ask.changes();
                    let answer = answer(Arc::clone(host), (peer, Arc::clone(&seat)), asked, tell.clone());
                    // What only tells ends with whoever wants to know it.
                    if changes { drop(tokio::spawn(answer)) } else { drop(answering.spawn(answer)) }
                }
            },
            Some(told) = told.recv() => {
                let mut line = serde_json::to_vec(&told)?;
                line.push(b'\n');
                // Whoever does not listen any more may have said something before.
                if unheard.is_none() {
                    unheard = write.write_all(&line).await.err();
                }
                if let Tell::Halting(again) = told.tell {
                    host.halt(again);
                    // Left open until the process is gone: by the end of the connection whoever asked knows that it is.
                    std::mem::forget(write);
                    return Ok(());
                }
            }
            Some(_) = answering.join_next() => {}
        }
    }
}

async fn answer(
    host: Arc<Host>,
    (peer, seat): (Option<i32>, Arc<Seat>),
    asked: Asked,
    told: UnboundedSender<Told>,
) {
    let Asked { id, ask } = asked;
    let backend: &dyn Backend = &host.house.local;
    // Whoever hung up does not want to know.
    let tell = |tell: Tell| drop(told.send(Told { id, tell }));
    let accepted = match ask {
        Ask::Start(start) => backend.start(*start).await,
        Ask::Submit { run, command, proof } => match allowed(&host, peer, command, proof).await {
            Ok(command) => backend.submit(&run, command).await,
            Err(error) => Err(error),
        },
        Ask::Recover(run) => {
            // A store that cannot be read says so when the run is carried on.
            let _ = host.house.learn(&run).await;
            backend.recover(&run).await
        }
        Ask::Park(run) => backend.park(&run).await,
        Ask::Query(run) => return tell(backend.query(&run).await.map_or_else(failed, Tell::Standing)),
        Ask::Subscribe(run) => return follow(backend, &run, tell).await,
        Ask::Human => return tell(host.may_answer(peer).map_or_else(failed, |()| Tell::Human)),
        Ask::Terminals(workspace) => {
            return tell(Tell::Terminals(host.house.terminals.rows(workspace.as_deref())));
        }
        Ask::Attach(attach) => {
            return tell(seat.attach(&host, peer, attach).map_or_else(failed, |()| Tell::Done));
        }
        Ask::Frame(seen) => {
            return tell(seat.frame(seen).await.map_or_else(failed, |frame| Tell::Frame(Box::new(frame))));
        }
        Ask::Type(text) => return tell(seat.types(text).await.map_or_else(failed, |()| Tell::Done)),
        Ask::Resize(columns, rows) => {
            return tell(seat.resize(columns, rows).map_or_else(failed, |()| Tell::Done));
        }
        Ask::Report => return tell(Tell::Report(report(&host))),
        Ask::Halt(halt, again) => {
            let busy_with = if halt == Halt::Now { None } else { host.hush().await };
            if let Some(what) = busy_with {
                return tell(failed(busy(what)));
            }
            if told.send(Told { id, tell: Tell::Halting(again) }).is_err() {
                host.halt(again);
            }
            return;
        }
    };
    tell(accepted.map_or_else(failed, Tell::Accepted));
}

/// The command, if whoever is on the other side may say it: only a human answers a gate. What they have proven is known here,
/// and not by what they say.
async fn allowed(
    host: &Arc<Host>,
    peer: Option<i32>,
    mut command: Command,
    proof: Option<Passphrase>,
) -> Result<Command, Error> {
    let Command::Answer { by, .. } = &mut command else { return Ok(command) };
    host.may_answer(peer)?;
    let is_proven = match proof {
        Some(Passphrase(said)) => {
            let house = Arc::clone(&host.house);
            let checked = tokio::task::spawn_blocking(move || house.proof.check(&said)).await;
            checked.unwrap_or(Err(Unproven::Wrong)).map_err(|why| unproven(&why))?;
            true
        }
        None => false,
    };
    if let Caller::Human { proven, .. } = by {
        *proven = is_proven;
    }
    Ok(command)
}

async fn follow(backend: &dyn Backend, run: &RunId, tell: impl Fn(Tell)) {
    let mut progress = match backend.subscribe(run).await {
        Ok(progress) => progress,
        Err(error) => return tell(failed(error)),
    };
    tell(Tell::Subscribed);
    while let Some(turn) = progress.recv().await {
        tell(Tell::Progress(turn));
    }
    tell(Tell::Over);
}

fn report(host: &Host) -> Report {
    let local = &host.house.local;
    Report {
        version: VERSION.to_owned(),
        pid: std::process::id(),
        since: host.since,
        clients: *host.clients.borrow(),
        effects: *local.effects().borrow(),
        timers: *local.timers().borrow(),
        terminals: *host.house.terminals.count().borrow(),
    }
}

fn busy(busy: Busy) -> Error {
    let are = |count: usize, what: &str, so: &str| match count {
        0 => None,
        1 => Some(format!("1 {what} is {so}")),
        count => Some(format!("{count} {what}s are {so}")),
    };
    let steps = are(busy.effects, "step", "being carried out");
    let said: Vec<String> = steps.into_iter().chain(are(busy.terminals, "terminal", "open")).collect();
    Error::Told { code: "daemon-busy".to_owned(), message: said.join(", ") }
}

fn failed(error: Error) -> Tell {
    Tell::Failed(WireError::from(error))
}
