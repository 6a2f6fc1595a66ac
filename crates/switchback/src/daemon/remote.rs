//! The backend on the other side of the socket. One task owns the connection; whoever asks gets a number, and answers
//! find their way back by it.

use super::reach::Reached;
use super::wire::{Ask, Asked, Attach, Halt, LINE_BYTES_MAX, Passphrase, Report, Tell, Told};
use engine::backend::{Accepted, Backend, Error, Later, Progress, Standing, Start};
use engine::kernel::{Command, RunId};
use engine::terminals::{Frame, Row};
use std::collections::HashMap;
use std::io;
use tokio::io::AsyncWriteExt;
use tokio::net::UnixStream;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::oneshot;
use tokio_stream::StreamExt;
use tokio_util::codec::{FramedRead, LinesCodec};

/// A daemon as a backend.
pub(crate) struct Remote {
    asks: UnboundedSender<(Ask, Pending)>,
}

/// Who waits for an answer.
enum Pending {
    Once(oneshot::Sender<Result<Tell, Error>>),
    /// Told once that it began, and then of every turn.
    Stream(Option<oneshot::Sender<Result<Tell, Error>>>, UnboundedSender<Progress>),
}

impl Remote {
    /// Speaks to a daemon that was reached through the control door.
    pub(crate) fn over(reached: Reached) -> io::Result<Remote> {
        reached.stream.set_nonblocking(true)?;
        let (read, write) = UnixStream::from_std(reached.stream)?.into_split();
        let (asks, asked) = unbounded_channel();
        tokio::spawn(converse(read, write, asked));
        Ok(Remote { asks })
    }

    /// What the daemon says of itself.
    pub(crate) async fn report(&self) -> Result<Report, Error> {
        match self.ask(Ask::Report).await? {
            Tell::Report(report) => Ok(report),
            other => Err(strange(&other)),
        }
    }

    /// Whether this process counts as a human's.
    pub(crate) async fn is_human(&self) -> Result<(), Error> {
        match self.ask(Ask::Human).await? {
            Tell::Human => Ok(()),
            other => Err(strange(&other)),
        }
    }

    /// The terminals of a folder, or of all.
    pub(crate) async fn terminals(&self, workspace: Option<String>) -> Result<Vec<Row>, Error> {
        match self.ask(Ask::Terminals(workspace)).await? {
            Tell::Terminals(rows) => Ok(rows),
            other => Err(strange(&other)),
        }
    }

    /// Looks at a terminal from now on.
    pub(crate) async fn attach(&self, attach: Attach) -> Result<(), Error> {
        self.done(Ask::Attach(attach)).await
    }

    /// What it looks like, once there is more than was seen or some seconds have passed.
    pub(crate) async fn frame(&self, seen: Option<u64>) -> Result<Frame, Error> {
        match self.ask(Ask::Frame(seen)).await? {
            Tell::Frame(frame) => Ok(*frame),
            other => Err(strange(&other)),
        }
    }

    /// Types into it.
    pub(crate) async fn types(&self, text: String) -> Result<(), Error> {
        self.done(Ask::Type(text)).await
    }

    /// Tells the size of the terminal in which it is shown.
    pub(crate) async fn resize(&self, columns: u16, rows: u16) -> Result<(), Error> {
        self.done(Ask::Resize(columns, rows)).await
    }

    async fn done(&self, ask: Ask) -> Result<(), Error> {
        match self.ask(ask).await? {
            Tell::Done => Ok(()),
            other => Err(strange(&other)),
        }
    }

    /// Asks the daemon to end, for good or to be started again right away, and waits until its process is gone.
    pub(crate) async fn halt(&self, halt: Halt, again: bool) -> Result<(), Error> {
        match self.ask(Ask::Halt(halt, again)).await? {
            Tell::Halting(_) => {}
            other => return Err(strange(&other)),
        }
        self.asks.closed().await;
        Ok(())
    }

    /// Submits a command with the passphrase of whoever says it.
    pub(crate) fn submit_with(
        &self,
        run: &RunId,
        command: Command,
        proof: Option<Passphrase>,
    ) -> Later<'_, Accepted> {
        self.accepted(Ask::Submit { run: run.clone(), command, proof })
    }

    async fn ask(&self, ask: Ask) -> Result<Tell, Error> {
        let (reply, answer) = oneshot::channel();
        let _ = self.asks.send((ask, Pending::Once(reply)));
        answer.await.unwrap_or_else(|_| Err(gone()))
    }

    fn accepted(&self, ask: Ask) -> Later<'_, Accepted> {
        Box::pin(async move {
            match self.ask(ask).await? {
                Tell::Accepted(accepted) => Ok(accepted),
                other => Err(strange(&other)),
            }
        })
    }
}

impl Backend for Remote {
    fn start(&self, start: Start) -> Later<'_, Accepted> {
        self.accepted(Ask::Start(Box::new(start)))
    }

    fn submit(&self, run: &RunId, command: Command) -> Later<'_, Accepted> {
        self.submit_with(run, command, None)
    }

    fn recover(&self, run: &RunId) -> Later<'_, Accepted> {
        self.accepted(Ask::Recover(run.clone()))
    }

    fn park(&self, run: &RunId) -> Later<'_, Accepted> {
        self.accepted(Ask::Park(run.clone()))
    }

    fn query(&self, run: &RunId) -> Later<'_, Standing> {
        let ask = Ask::Query(run.clone());
        Box::pin(async move {
            match self.ask(ask).await? {
                Tell::Standing(standing) => Ok(standing),
                other => Err(strange(&other)),
            }
        })
    }

    fn subscribe(&self, run: &RunId) -> Later<'_, UnboundedReceiver<Progress>> {
        let ((began, begin), (sender, receiver)) = (oneshot::channel(), unbounded_channel());
        let _ = self.asks.send((Ask::Subscribe(run.clone()), Pending::Stream(Some(began), sender)));
        Box::pin(async move {
            begin.await.unwrap_or_else(|_| Err(gone()))?;
            Ok(receiver)
        })
    }
}

/// Carries questions there and answers back, until either side hangs up. Whoever still waits then hears so by the end of
/// what they wait for.
async fn converse(
    read: OwnedReadHalf,
    mut write: OwnedWriteHalf,
    mut asked: UnboundedReceiver<(Ask, Pending)>,
) {
    let mut lines = FramedRead::new(read, LinesCodec::new_with_max_length(LINE_BYTES_MAX));
    let mut waiting: HashMap<u64, Pending> = HashMap::new();
    let mut last = 0;
    loop {
        tokio::select! {
            asked = asked.recv() => {
                let Some((ask, pending)) = asked else { return };
                last += 1;
                waiting.insert(last, pending);
                let Ok(mut line) = serde_json::to_vec(&Asked { id: last, ask }) else { return };
                line.push(b'\n');
                if write.write_all(&line).await.is_err() {
                    return;
                }
            }
            line = lines.next() => {
                let Some(Ok(line)) = line else { return };
                let Ok(told) = serde_json::from_str::<Told>(&line) else { return };
                take(&mut waiting, told);
            }
        }
    }
}

fn take(waiting: &mut HashMap<u64, Pending>, told: Told) {
    let Told { id, tell } = told;
    match (waiting.remove(&id), tell) {
        (Some(Pending::Stream(began, turns)), Tell::Subscribed) => {
            // Nobody hears it who has gone away meanwhile.
            if let Some(began) = began {
                let _ = began.send(Ok(Tell::Subscribed));
            }
            waiting.insert(id, Pending::Stream(None, turns));
        }
        (Some(Pending::Stream(began, turns)), Tell::Progress(turn)) => {
            if turns.send(turn).is_ok() {
                waiting.insert(id, Pending::Stream(began, turns));
            }
        }
        (Some(Pending::Once(reply) | Pending::Stream(Some(reply), _)), Tell::Failed(error)) => {
            let _ = reply.send(Err(error.into()));
        }
        (Some(Pending::Once(reply)), tell) => drop(reply.send(Ok(tell))),
        (Some(Pending::Stream(..)) | None, _) => {}
    }
}

fn gone() -> Error {
    Error::Stopped("the daemon has ended".to_owned())
}

fn strange(tell: &Tell) -> Error {
    Error::Stopped(format!("the daemon said something else than was asked: {tell:?}"))
}
