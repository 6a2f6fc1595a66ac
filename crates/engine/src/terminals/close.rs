//! `exit_terminal`, and the end of all sessions when the server ends.

use std::sync::Arc;
use std::time::Duration;

use super::answer::Exited;
use super::call_off::CallOff;
use super::held::Held;
use super::keeper::{Keeper, now, timestamp};
use super::note::{Lost, Why, number};
use super::refused::Refused;
use super::typing::{free, wait_until_free};
use super::visitor::Visitor;

/// How long the processes of a session may take to end by themselves.
const GRACE: Duration = Duration::from_secs(2);

impl Keeper {
    pub(super) fn exit(&self, visitor: &Visitor, id: &str, call_off: &CallOff) -> Result<Exited, Refused> {
        visitor.policy.changes("ending a terminal")?;
        let held = match self.find(visitor, id) {
            Ok(held) => held,
            Err(refused) if refused.code == "session-lost" => return self.forget(visitor, id).ok_or(refused),
            Err(refused) => return Err(refused),
        };
        wait_until_free(visitor, &held, call_off);
        free(&held, "ending the terminal")?;
        let (id, shell) = (held.id(), held.note.shell.clone());
        let before = held.session.exit();
        let ended = self.end(&held).map_err(|error| {
            let next = "get_screen_content(session_id) shows how it stands; call exit_terminal again later.";
            Refused::new("not-ended", format!("`{id}` cannot be ended: {error}"), next)
        })?;
        self.0.folder.remove(held.note.number);
        self.table().held.remove(&held.note.number);
        let message = match before {
            Some(exit) => format!("Session {id} ({shell}) had ended before ({exit}) and is removed"),
            None => format!("Session {id} ({shell}) ended ({ended}), and every process in it"),
        };
        Ok(Exited { session_id: id, message, recording: recording(&held), timestamp: timestamp() })
    }

    /// Ends every process of a session, those that have left it as well.
    fn end(&self, held: &Held) -> Result<String, String> {
        let exit = held.session.end(GRACE).map_err(|error| error.to_string())?;
        let (_, is_gone) = self.0.runtime.block_on(held.note.marked.end(GRACE));
        if is_gone { Ok(exit.to_string()) } else { Err("a process of it hangs inside the system".to_owned()) }
    }

    /// Forgets one that was lost.
    fn forget(&self, visitor: &Visitor, id: &str) -> Option<Exited> {
        let number = number(id)?;
        let mut table = self.table();
        let is_theirs = |note: &super::note::Note| note.workspace == visitor.workspace();
        table.lost.get(&number).filter(|note| is_theirs(note))?;
        let note = table.lost.remove(&number)?;
        drop(table);
        self.0.folder.remove(number);
        let said = note.lost.map(Lost::said).unwrap_or_default();
        let message = format!("Session {} ({}) was lost ({said}) and is forgotten", note.id(), note.shell);
        let recording = note.recording.as_ref().map(|path| path.display().to_string());
        Some(Exited { session_id: note.id(), message, recording, timestamp: timestamp() })
    }

    /// Ends all sessions and lets none begin. Those that lived are remembered as lost, with the time.
    pub async fn close(&self) {
        let held: Vec<Arc<Held>> = {
            let mut table = self.table();
            table.is_closing = true;
            std::mem::take(&mut table.held).into_values().collect()
        };
        let mut ending = tokio::task::JoinSet::new();
        for held in held {
            let keeper = self.clone();
            ending.spawn_blocking(move || keeper.stop(&held));
        }
        while ending.join_next().await.is_some() {}
    }

    fn stop(&self, held: &Held) {
        if !held.is_running() {
            return self.0.folder.remove(held.note.number);
        }
        let mut note = held.note.clone();
        // If it cannot be ended its note stays as it is, and the next server tries.
        if self.end(held).is_ok() {
            note.lost = Some(Lost { at: now(), why: Why::Stopped });
            let _ = self.0.folder.write(&note);
        }
    }
}

fn recording(held: &Held) -> Option<String> {
    held.session.recorded().map(|recorded| recorded.path.display().to_string())
}
