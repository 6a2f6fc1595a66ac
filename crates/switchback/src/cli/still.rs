//! Whether a question that somebody has in front of them is still asked. Where no daemon carries its run nothing is watched: then
//! nobody else answers it at that moment, and who answers in vain hears so.

use super::desk::{Seating, find, remote};
use super::store::directory;
use crate::daemon::Remote;
use engine::asking::{self, Asked};
use engine::backend::{Backend, Progress};
use engine::store::Reader;
use std::time::Duration;
use tokio::sync::mpsc::UnboundedReceiver;

/// How often it is looked for where nobody tells any more.
const LOOKED_AGAIN: Duration = Duration::from_secs(1);

/// Hears what happens to the run that asks.
pub(crate) struct Still {
    progress: UnboundedReceiver<Progress>,
    reader: Reader,
    /// Who tells it.
    _daemon: Remote,
}

impl Still {
    /// Listens from now on, if a daemon is there.
    pub(crate) async fn of(asked: &Asked, seating: Seating) -> Option<Still> {
        if seating == Seating::Alone {
            return None;
        }
        let dir = directory().ok()?;
        let daemon = remote(find(&dir).ok()??).ok()?;
        let progress = daemon.subscribe(&asked.run).await.ok()?;
        Some(Still { progress, reader: Reader::open(&dir).ok()?, _daemon: daemon })
    }

    /// Comes back with the reason once the question is not asked any more.
    pub(crate) async fn closed(&mut self, asked: &Asked) -> &'static str {
        loop {
            if let Ok(Some(why)) = self.why(asked) {
                return why;
            }
            if self.progress.recv().await.is_none() {
                // The daemon is gone, and whoever answers elsewhere starts the next one, which tells nothing here.
                tokio::time::sleep(LOOKED_AGAIN).await;
            }
            while self.progress.try_recv().is_ok() {}
        }
    }

    fn why(&self, asked: &Asked) -> Result<Option<&'static str>, engine::turn::LoadError> {
        let open = asking::asked(&self.reader, &asked.run)?;
        let is_it = |one: &Asked| (&one.run, &one.effect) == (&asked.run, &asked.effect);
        if open.iter().any(is_it) {
            return Ok(None);
        }
        asking::why_closed(&self.reader, asked).map(Some)
    }
}
