//! The keeper: holds the sessions of a data directory and carries calls out.

use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use kernel::clock::iso;
use tokio::runtime::Handle;
use tokio::sync::watch;
use tokio::task::JoinSet;

use super::answer::Answer;
use super::call_off::CallOff;
use super::held::Held;
use super::note::{Folder, Lost, Note, Why, number};
use super::refused::Refused;
use super::request::Request;
use super::table::Table;
use super::visitor::Visitor;

/// Holds sessions. A clone is the same keeper.
#[derive(Clone)]
pub struct Keeper(pub(super) Arc<Inner>);

/// What a keeper has.
pub(super) struct Inner {
    pub(super) folder: Folder,
    pub(super) runtime: Handle,
    table: Mutex<Table>,
    /// How many sessions have a program that runs.
    pub(super) count: watch::Sender<usize>,
}

impl Keeper {
    /// Opens the notes of a data directory and ends what a crash has left running, each with a grace. Gives a sentence for each
    /// session that was lost by that, and for each note that cannot be read.
    ///
    /// Call it as the one owner of the data directory.
    pub async fn open(dir: &Path, grace: Duration) -> io::Result<(Keeper, Vec<String>)> {
        let folder = Folder::at(dir);
        let (notes, strange) = folder.read()?;
        let mut said: Vec<String> = strange
            .iter()
            .map(|path| format!("{} is no note of a terminal and is left", path.display()))
            .collect();
        let mut table = Table { last: folder.last_number(), ..Table::default() };
        let mut ending = JoinSet::new();
        for note in notes {
            if note.lost.is_some() {
                table.lose(note).into_iter().for_each(|number| folder.remove(number));
                continue;
            }
            ending.spawn(async move { (note.marked.end(grace).await, note) });
        }
        while let Some(ended) = ending.join_next().await {
            let ((was_alive, is_gone), mut note) = ended.map_err(io::Error::other)?;
            said.push(lost_line(&note, was_alive, is_gone));
            note.lost = Some(Lost { at: now(), why: Why::Crashed });
            folder.write(&note)?;
            table.lose(note).into_iter().for_each(|number| folder.remove(number));
        }
        let (table, count) = (Mutex::new(table), watch::channel(0).0);
        Ok((Keeper(Arc::new(Inner { folder, runtime: Handle::current(), table, count })), said))
    }

    /// Tells how many sessions have a program that runs.
    pub fn count(&self) -> watch::Receiver<usize> {
        self.0.count.subscribe()
    }

    /// Carries a call out. It may wait: for `await_output` as long as that says, but not longer than `longest`.
    pub fn carry_out(
        &self,
        visitor: &Visitor,
        request: &Request,
        longest: Option<Duration>,
        call_off: &CallOff,
    ) -> Result<Answer, Refused> {
        let done = match request {
            Request::Open(open) => self.open_session(visitor, open, call_off).map(Answer::Opened),
            Request::Send(send) => self.send(visitor, send, call_off).map(Answer::Sent),
            Request::Await(wait) => self.wait(visitor, wait, longest, call_off).map(Answer::Awaited),
            Request::Look(look) => self.look(visitor, look).map(Answer::Shown),
            Request::List => Ok(Answer::Listed(self.list(visitor))),
            Request::Exit(exit) => self.exit(visitor, &exit.session_id, call_off).map(Answer::Exited),
        };
        done.map_err(|mut refused| {
            refused.open_sessions = self.table().open_ids(&visitor.workspace());
            refused
        })
    }

    pub(super) fn table(&self) -> MutexGuard<'_, Table> {
        self.0.table()
    }

    /// The session that a name means for a visitor.
    pub(super) fn find(&self, visitor: &Visitor, id: &str) -> Result<Arc<Held>, Refused> {
        let workspace = visitor.workspace();
        match self.find_any(id) {
            Ok(held) if held.note.workspace == workspace => Ok(held),
            Ok(held) => {
                let theirs = &held.note.workspace;
                Err(no_session(format!(
                    "the session `{}` belongs to the folder {theirs}, not to this one",
                    held.id()
                )))
            }
            Err(refused) => Err(refused),
        }
    }

    /// The session that a name means, whoever asks.
    pub(super) fn find_any(&self, id: &str) -> Result<Arc<Held>, Refused> {
        let table = self.table();
        let number = number(id);
        if let Some(held) = number.and_then(|number| table.held.get(&number)) {
            return Ok(Arc::clone(held));
        }
        if let Some((note, lost)) =
            number.and_then(|number| table.lost.get(&number)).and_then(|note| Some((note, note.lost?)))
        {
            let (id, shell, said) = (note.id(), &note.shell, lost.said());
            return Err(Refused::new(
                "session-lost",
                format!("the session `{id}` ({shell}) is lost: {said}"),
                "open_terminal(shell) opens another. What it had done in files is still there; what it was doing was ended.",
            ));
        }
        let shown: String = id.chars().take(40).collect();
        Err(no_session(format!("there is no session `{shown}`")))
    }
}

impl Inner {
    pub(super) fn table(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The program of a session has ended by itself: nothing is left of it that a crash could leave.
    pub(super) fn over(inner: &Weak<Inner>, number: u64) {
        let Some(inner) = inner.upgrade() else { return };
        inner.count.send_modify(|count| *count = count.saturating_sub(1));
        // Whoever closes says in the note what became of it.
        let table = inner.table();
        if !table.is_closing {
            inner.folder.remove(number);
        }
    }
}

impl Lost {
    /// How and when.
    pub(super) fn said(self) -> String {
        let at = iso(self.at);
        match self.why {
            Why::Crashed => format!("the server died; found and ended at {at}"),
            Why::Stopped => format!("the server was stopped at {at} and ended it"),
        }
    }
}

/// The code of a refusal where there is no such session.
pub(crate) const NO_SESSION: &str = "no-session";

fn no_session(error: String) -> Refused {
    Refused::new(
        NO_SESSION,
        error,
        "list_terminal_sessions() shows those of this folder; open_terminal(shell) opens one.",
    )
}

fn lost_line(note: &Note, was_alive: bool, is_gone: bool) -> String {
    let (id, shell) = (note.id(), &note.shell);
    match (was_alive, is_gone) {
        (_, false) => format!("processes of the terminal {id} (`{shell}`) cannot be ended"),
        (true, true) => {
            format!("ended the processes of the terminal {id} (`{shell}`) that a crash had left running")
        }
        (false, true) => format!("the terminal {id} (`{shell}`) was lost in a crash"),
    }
}

/// Milliseconds since 1970.
pub(super) fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

/// The moment, for answers.
pub(super) fn timestamp() -> String {
    iso(now())
}
