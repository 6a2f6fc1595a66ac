//! All that can be written, in one enum. A commit takes a list of these and does all of them or none.
//!
//! Times are milliseconds since 1970 and come from the caller.

use crate::journal::Head;
use kernel::{Digest, EffectId, RunId};
use std::sync::Arc;

/// One change of the store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Write {
    /// Keeps a plan; one that is already there stays as it is.
    Plan {
        /// The digest of the body.
        digest: Digest,
        /// The plan's bytes.
        body: Arc<[u8]>,
    },
    /// Makes a run with an empty journal.
    CreateRun(NewRun),
    /// Adds the next entry to a run's journal.
    Append {
        /// The run.
        run: RunId,
        /// The head of the journal after this entry.
        head: Head,
        /// When it happened.
        at: u64,
        /// The entry's bytes.
        body: Vec<u8>,
    },
    /// Says how a run stands.
    RunStatus {
        /// The run.
        run: RunId,
        /// The word for how it stands.
        status: String,
        /// What it waits for, or the line that says why it failed.
        detail: Option<String>,
        /// When it came to stand so.
        at: u64,
        /// Whether it has ended.
        ended: bool,
    },
    /// Sets a run aside, or takes it up again.
    Park {
        /// The run.
        run: RunId,
        /// When it was set aside; nothing to take it up.
        at: Option<u64>,
    },
    /// Notes that an effect was asked for and not begun.
    Unbegun {
        /// The run.
        run: RunId,
        /// The effect.
        effect: EffectId,
    },
    /// Forgets that note: the effect is begun now.
    Begun {
        /// The run.
        run: RunId,
        /// The effect.
        effect: EffectId,
    },
    /// Keeps a run as it was after an entry, in place of the snapshot before.
    Snapshot {
        /// The run.
        run: RunId,
        /// The head of the journal at the snapshot.
        head: Head,
        /// The snapshot's bytes.
        body: Vec<u8>,
    },
    /// Keeps a content once, and notes that a run names it.
    Content {
        /// The run that names it.
        run: RunId,
        /// The digest of the body.
        digest: Digest,
        /// What kind of data it is.
        kind: String,
        /// The data.
        body: Vec<u8>,
    },
    /// Notes that a run names a content that is already there.
    Mention {
        /// The run.
        run: RunId,
        /// The content.
        digest: Digest,
    },
    /// Binds the key of a start to the run it started.
    Request {
        /// The workspace in which the key is unique.
        workspace: String,
        /// The caller's key.
        key: String,
        /// The digest of the arguments.
        fingerprint: Digest,
        /// The run that was started.
        run: RunId,
    },
    /// Forgets a run with its journal; one that is not there is no error.
    DeleteRun {
        /// The run.
        run: RunId,
    },
}

/// What is known of a run when it starts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewRun {
    /// Its id.
    pub id: RunId,
    /// The name of its workflow.
    pub workflow: String,
    /// The dialect of the definition.
    pub dialect: String,
    /// The plan it is pinned to, which must be there.
    pub plan: Digest,
    /// The workspace it belongs to.
    pub workspace: String,
    /// The run that started it.
    pub parent: Option<RunId>,
    /// The word for how it stands.
    pub status: String,
    /// What it waits for.
    pub detail: Option<String>,
    /// When it was made.
    pub at: u64,
}
