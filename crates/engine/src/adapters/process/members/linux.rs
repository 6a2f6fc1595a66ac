//! Members of a tree on Linux, from `/proc`.
//!
//! A pidfd is opened for each and its start time compared afterwards, so that no signal ever reaches a
//! process that was given the pid of one that has ended.

use std::collections::BTreeSet;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use rustix::process::{Pid, PidfdFlags, Signal, getpid, kill_process, pidfd_open, pidfd_send_signal};
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

use super::super::note::Leader;
use super::looks::Looks;
use super::table::{self, Entry};
use super::{Found, Reach, Roots};

/// How often a process is looked at where the kernel cannot tell of its end (before 5.3).
const LOOK_AGAIN: Duration = Duration::from_millis(20);

/// One living process of a tree.
pub(crate) struct Member {
    pid: i32,
    start: u64,
    pub(crate) in_group: bool,
    handle: Option<OwnedFd>,
}

impl Member {
    fn open(entry: &Entry, roots: &Roots) -> Option<Member> {
        let handle = pidfd_open(Pid::from_raw(entry.pid)?, PidfdFlags::empty()).ok();
        let in_group = entry.group == roots.leader.pid.as_raw_pid();
        let member = Member { pid: entry.pid, start: entry.start, in_group, handle };
        member.is_living().then_some(member)
    }

    fn is_living(&self) -> bool {
        Entry::read(self.pid).is_some_and(|entry| entry.is_living && entry.start == self.start)
    }

    /// Its id, and when it began.
    pub(crate) fn identity(&self) -> Option<(i32, u64)> {
        Some((self.pid, self.start))
    }

    /// Sends a signal; it may have ended meanwhile, or be another user's.
    pub(crate) fn signal(&self, signal: Signal) -> rustix::io::Result<()> {
        match (&self.handle, Pid::from_raw(self.pid)) {
            (Some(handle), _) => pidfd_send_signal(handle, signal),
            (None, Some(pid)) if self.is_living() => kill_process(pid, signal),
            (None, _) => Ok(()),
        }
    }

    /// Waits until it has ended.
    pub(crate) async fn gone(mut self) {
        if let Some(handle) = self.handle.take().and_then(watch)
            && handle.readable().await.is_ok()
        {
            return;
        }
        while self.is_living() {
            tokio::time::sleep(LOOK_AGAIN).await;
        }
    }
}

/// Makes a pidfd awaitable: it becomes readable when its process ends.
#[expect(unsafe_code, reason = "the runtime asks for a promise about the descriptor")]
fn watch(handle: OwnedFd) -> Option<AsyncFd<OwnedFd>> {
    // SAFETY: the descriptor is open, and its only owner is what is made here, which never replaces it.
    unsafe { AsyncFd::register_with_interest(handle, Interest::READABLE) }.ok()
}

/// Whether there is a table to look at: without one nobody could be found, and so not ended.
pub(crate) fn can_look() -> bool {
    static CAN: OnceLock<bool> = OnceLock::new();
    *CAN.get_or_init(|| Path::new("/proc/self/stat").exists())
}

/// Tells whether this very process is in the table; it may have ended and wait for its parent.
pub(crate) fn exists(leader: Leader) -> bool {
    Entry::read(leader.pid.as_raw_pid()).is_some_and(|entry| leader.born.fits(entry.start))
}

/// Tells when a process began, in the unit of [`Born`](super::super::note::Born).
pub(crate) fn start_of(pid: Pid) -> Option<u64> {
    Entry::read(pid.as_raw_pid()).map(|entry| entry.start)
}

/// The table as all trees see it that are being ended.
static TABLE: Looks<Vec<Entry>> = Looks::new();

/// The trees of which whatever bears the mark is killed as soon as it is seen.
static HUNTED: Mutex<Vec<Roots>> = Mutex::new(Vec::new());

/// A tree that is hunted as long as this lives: a process that forks and exits every few milliseconds would never be there any
/// more once a whole table has been read.
pub(crate) struct Hunt(String);

impl Hunt {
    pub(crate) fn begin(roots: &Roots) -> Option<Hunt> {
        (roots.reach == Reach::Descendants).then(|| {
            hunted().push(roots.clone());
            Hunt(roots.marker.clone())
        })
    }
}

impl Drop for Hunt {
    fn drop(&mut self) {
        let mut hunted = hunted();
        if let Some(at) = hunted.iter().position(|roots| roots.marker == self.0) {
            hunted.swap_remove(at);
        }
    }
}

fn hunted() -> MutexGuard<'static, Vec<Roots>> {
    HUNTED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Reads the table and kills what is hunted on sight.
fn look() -> Vec<Entry> {
    let hunted = hunted().clone();
    if hunted.is_empty() {
        return table::read(|_| {});
    }
    let spared = table::own_lineage();
    table::read(|entry| {
        let prey = hunted.iter().find(|roots| is_marked(entry, roots) && !spared.contains(&entry.pid));
        if let Some(member) = prey.and_then(|roots| Member::open(entry, roots)) {
            let _ = member.signal(Signal::KILL);
        }
    })
}

/// Lists the living members of a tree, as they are after this was called.
pub(crate) async fn find(roots: &Roots) -> Found {
    members(&TABLE.look(look).await, roots)
}

/// The same for a caller that cannot wait.
pub(crate) fn find_now(roots: &Roots) -> Found {
    members(&table::read(|_| {}), roots)
}

fn members(table: &[Entry], roots: &Roots) -> Found {
    // A server that was started inside a step must not end itself.
    let spared = table::lineage(table, getpid().as_raw_pid());
    let known = still_known(table, roots);
    let is_ours = |entry: &&Entry| is_root(entry, roots) || is_of(entry, &known);
    let mut pids: BTreeSet<i32> = table.iter().filter(is_ours).map(|entry| entry.pid).collect();
    if roots.reach == Reach::Descendants {
        table::add_descendants(table, &mut pids);
    }
    let ours = table.iter().filter(|entry| pids.contains(&entry.pid) && !spared.contains(&entry.pid));
    let ours: Vec<&Entry> = ours.collect();
    let members = ours.iter().filter_map(|entry| Member::open(entry, roots)).collect();
    Found { members, was_somebody: !ours.is_empty() }
}

/// The ids of those who were seen before, as far as no other process has got one.
fn still_known(table: &[Entry], roots: &Roots) -> BTreeSet<i32> {
    let is_another = |entry: &&Entry| roots.known.get(&entry.pid).is_some_and(|start| *start != entry.start);
    let others: BTreeSet<i32> = table.iter().filter(is_another).map(|entry| entry.pid).collect();
    roots.known.keys().copied().filter(|pid| !others.contains(pid)).collect()
}

/// Whether a process was seen before, or is in a group or session that one of those has made: such a number is given to nobody
/// else as long as somebody is in it.
fn is_of(entry: &Entry, known: &BTreeSet<i32>) -> bool {
    [entry.pid, entry.group, entry.session].iter().any(|id| known.contains(id))
}

/// The session of this process, if that is nobody else's: this one leads it, or who led it has ended, as for a daemon.
pub(crate) fn own_session() -> Option<i32> {
    static SESSION: OnceLock<i32> = OnceLock::new();
    let own = getpid().as_raw_pid();
    // One that was made outside of this container has no number here.
    let session = *SESSION.get_or_init(|| Entry::read(own).map_or(0, |entry| entry.session));
    let is_own = session == own || !Entry::read(session).is_some_and(|leader| leader.is_living);
    (session > 0 && is_own).then_some(session)
}

/// Tells whether the group of a leader that may be gone is still its own: somebody in it is in the session of its server. Neither
/// number is given to anybody else as long as they live.
pub(crate) fn is_left(leader: Leader, session: i32) -> bool {
    let (table, Leader { pid, born }) = (table::read(|_| {}), leader);
    let group = pid.as_raw_pid();
    let is_another = |entry: &Entry| entry.pid == group && !born.fits(entry.start);
    let is_ours =
        |entry: &Entry| entry.group == group && entry.session == session && entry.start >= born.earliest;
    !table.iter().any(is_another) && table.iter().any(is_ours)
}

fn is_root(entry: &Entry, roots: &Roots) -> bool {
    let Leader { pid, born } = roots.leader;
    let leader = pid.as_raw_pid();
    (entry.pid == leader && born.fits(entry.start))
        || (roots.group_is_ours && (entry.group == leader || entry.session == leader))
        || (roots.reach == Reach::Descendants && is_marked(entry, roots))
}

fn is_marked(entry: &Entry, roots: &Roots) -> bool {
    entry.start >= roots.leader.born.earliest && entry.is_marked(&roots.marker)
}
