//! One client: a process that serves on its stdin and stdout, and the requests sent to it.

use std::fs::File;
use std::io::{self, Write};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use super::human::Human;
use super::inbox::{Inbox, Waiting};
use super::words;
use crate::answer::Reply;
use crate::doors::Era;
use crate::process::End;
use crate::strays;

/// How long a server may take to end once its client has hung up.
const PATIENCE: Duration = Duration::from_secs(10);

/// How a client comes in.
pub(crate) struct Opening<'a> {
    pub(crate) name: &'a str,
    pub(crate) argv: Vec<String>,
    pub(crate) env: Vec<(String, String)>,
    pub(crate) folder: &'a Path,
    /// Where what it says on stderr is kept.
    pub(crate) capture: PathBuf,
    pub(crate) era: Era,
    pub(crate) limit: Duration,
    /// What someone says who can be asked.
    pub(crate) answers: Option<Vec<Value>>,
}

/// A client that has come in.
pub(crate) struct Connection {
    name: String,
    era: Era,
    pid: Pid,
    /// Nothing once the client has hung up.
    stdin: Arc<Mutex<Option<ChildStdin>>>,
    inbox: Inbox,
    human: Human,
    reader: JoinHandle<()>,
    ended: Receiver<io::Result<ExitStatus>>,
    capture: PathBuf,
    next_id: u64,
}

impl Connection {
    /// Starts the server and opens the conversation with it; gives what it said of itself as well.
    pub(crate) fn open(opening: Opening<'_>) -> Result<(Self, Reply), String> {
        let limit = opening.limit;
        let mut connection = Self::start(opening).map_err(|error| format!("failed to start it: {error}"))?;
        let (method, params) = words::opening(connection.era, &connection.human.abilities());
        let answered = connection.request(method, &params, false).wait(limit);
        if let Some(message) = words::after_opening(connection.era) {
            connection.send(&message);
        }
        match answered {
            Ok(reply) => Ok((connection, reply)),
            Err(trouble) => {
                connection.kill();
                Err(trouble)
            }
        }
    }

    fn start(opening: Opening<'_>) -> io::Result<Self> {
        let (program, args) = opening.argv.split_first().ok_or(io::ErrorKind::InvalidInput)?;
        let mut child = Command::new(program)
            .args(args)
            .env_clear()
            .envs(opening.env)
            .current_dir(opening.folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(File::create(&opening.capture)?)
            .process_group(0)
            .spawn()?;
        let pid = Pid::from_child(&child);
        let stdin = Arc::new(Mutex::new(child.stdin.take()));
        let stdout = child.stdout.take().ok_or(io::ErrorKind::BrokenPipe)?;
        let (inbox, human) = (Inbox::default(), Human::new(opening.answers));
        let reader = thread::spawn({
            let (inbox, human, stdin) = (inbox.clone(), human.clone(), Arc::clone(&stdin));
            move || inbox.read(stdout, &human, |message| write(&stdin, message))
        });
        let (tell, ended) = channel();
        thread::spawn(move || tell.send(child.wait()));
        let (name, era, capture) = (opening.name.to_owned(), opening.era, opening.capture);
        Ok(Self { name, era, pid, stdin, inbox, human, reader, ended, capture, next_id: 1 })
    }

    /// Sends a request; its answer is waited for by whoever holds what is returned.
    pub(crate) fn request(&mut self, method: &str, params: &Value, progress: bool) -> Waiting {
        let id = self.next_id;
        self.next_id += 1;
        let waiting = self.inbox.expect(id, &self.name, method);
        let message = words::request((self.era, &self.human.abilities()), id, (method, params), progress);
        self.human.remember(&message);
        self.send(&message);
        waiting
    }

    /// Says that an answer is no longer waited for.
    pub(crate) fn cancel(&self, id: u64) {
        self.send(&words::cancelled((self.era, &self.human.abilities()), id));
    }

    pub(crate) fn signal(&self, signal: Signal) -> io::Result<()> {
        kill_process(self.pid, signal).map_err(io::Error::from)
    }

    /// Returns what the server has said on stderr so far.
    pub(crate) fn said(&self) -> String {
        String::from_utf8_lossy(&std::fs::read(&self.capture).unwrap_or_default()).into_owned()
    }

    /// Hangs up and waits until the server has ended, and until nobody holds its stdout any more. The error says what
    /// was wrong with how it ended or with what it said.
    pub(crate) fn close(self) -> Result<End, String> {
        drop(self.stdin.lock().unwrap_or_else(PoisonError::into_inner).take());
        let Ok(status) = self.ended.recv_timeout(PATIENCE) else {
            self.kill();
            return Err(format!(
                "`{}` still ran {} s after its client hung up",
                self.name,
                PATIENCE.as_secs()
            ));
        };
        let end = status.map(End::from).map_err(|error| error.to_string())?;
        let troubles = self.inbox.troubles();
        if let Some(trouble) = troubles.first() {
            return Err(format!("`{}` said on stdout what is {trouble}", self.name));
        }
        if !self.is_silent() {
            return Err(format!("the stdout of `{}` is still held by another process", self.name));
        }
        Ok(end)
    }

    /// Ends it and whatever is in its group.
    pub(crate) fn kill(&self) {
        strays::end_group(self.pid);
    }

    fn send(&self, message: &Value) {
        write(&self.stdin, message);
    }

    /// A process that has ended may take a moment to be gone from its pipes.
    fn is_silent(&self) -> bool {
        (0..100).any(|_| {
            let over = self.reader.is_finished();
            if !over {
                thread::sleep(Duration::from_millis(20));
            }
            over
        })
    }
}

/// Writes one line. A server that is gone is found out by whoever waits for its answer.
fn write(stdin: &Mutex<Option<ChildStdin>>, message: &Value) {
    let mut stdin = stdin.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(stdin) = stdin.as_mut() {
        let _ = stdin.write_all(format!("{message}\n").as_bytes()).and_then(|()| stdin.flush());
    }
}
