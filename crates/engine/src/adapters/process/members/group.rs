//! Members of a tree where there is no `/proc`: the process group, as one.
//!
//! The system tells nobody but the parent of a process's end, so a group is looked at again and again while
//! it is being ended, and at no other time.

use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};

use super::super::note::Leader;
use super::super::spawn::start_time;
use super::{Found, Roots, group_exists};

const LOOK_AGAIN: Duration = Duration::from_millis(10);

/// The living group of a tree.
pub(crate) struct Member {
    group: Pid,
    pub(crate) in_group: bool,
}

impl Member {
    /// Nobody of a group is known by itself.
    pub(crate) fn identity(&self) -> Option<(i32, u64)> {
        None
    }

    /// Sends a signal; it may have ended meanwhile, or be another user's.
    pub(crate) fn signal(&self, signal: Signal) -> rustix::io::Result<()> {
        kill_process_group(self.group, signal)
    }

    /// Waits until it has ended.
    pub(crate) async fn gone(self) {
        while group_exists(self.group) {
            tokio::time::sleep(LOOK_AGAIN).await;
        }
    }
}

/// Whether processes can be found: a group always can.
pub(crate) fn can_look() -> bool {
    true
}

/// Tells whether this very process is alive.
pub(crate) fn exists(leader: Leader) -> bool {
    start_time(leader.pid).is_some_and(|start| leader.born.fits(start))
}

/// Whose a group is whose leader is gone, nothing tells.
pub(crate) fn is_left(_: Leader, _: i32) -> bool {
    false
}

/// The session of this process, where nothing is told of others.
pub(crate) fn own_session() -> Option<i32> {
    None
}

/// Tells when a process began.
pub(crate) fn start_of(pid: Pid) -> Option<u64> {
    start_time(pid)
}

/// A group is signalled as one: nobody slips away from it one by one.
pub(crate) struct Hunt;

impl Hunt {
    pub(crate) fn begin(_: &Roots) -> Option<Hunt> {
        None
    }
}

/// Gives the group if it is known to be ours and has a member.
pub(crate) async fn find(roots: &Roots) -> Found {
    find_now(roots)
}

/// The same for a caller that cannot wait.
pub(crate) fn find_now(roots: &Roots) -> Found {
    let ours = roots.group_is_ours && group_exists(roots.leader.pid);
    let members = ours.then_some(Member { group: roots.leader.pid, in_group: true }).into_iter().collect();
    Found { members, was_somebody: ours }
}
