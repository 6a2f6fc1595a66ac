//! Who belongs to a tree of processes right now: to be signalled, and to be waited for.
//!
//! This only looks. When to look and what to send is decided in `tree`.

#[cfg(not(target_os = "linux"))]
mod group;
#[cfg(target_os = "linux")]
mod linux;
#[cfg(target_os = "linux")]
mod looks;
#[cfg(target_os = "linux")]
mod table;

#[cfg(not(target_os = "linux"))]
pub(super) use group::{Hunt, Member, can_look, exists, find, find_now, is_left, own_session, start_of};
#[cfg(target_os = "linux")]
pub(super) use linux::{Hunt, Member, can_look, exists, find, find_now, is_left, own_session, start_of};

#[cfg(target_os = "linux")]
pub use table::environment_of;

use std::collections::BTreeMap;

use rustix::io::Errno;
use rustix::process::{Pid, test_kill_process_group};

use super::note::Leader;

/// What a look at a tree has shown.
pub(super) struct Found {
    /// Who lives.
    pub(super) members: Vec<Member>,
    /// Whether somebody was seen, who may have ended since.
    pub(super) was_somebody: bool,
}

/// How a tree is recognised.
#[derive(Debug, Clone)]
pub(super) struct Roots {
    /// The process the server started; its pid is the id of its group and session.
    pub(super) leader: Leader,
    /// The value of the marker in the environment of its descendants.
    #[cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "only Linux shows environments"))]
    pub(super) marker: String,
    /// Whether the group is known to be this leader's. Its number alone is no proof after a crash.
    pub(super) group_is_ours: bool,
    /// How far the tree goes.
    #[cfg_attr(
        not(target_os = "linux"),
        expect(dead_code, reason = "without /proc there is only the group")
    )]
    pub(super) reach: Reach,
    /// Who was seen of it, with when each began: that their parents have ended since makes them nobody else's.
    #[cfg_attr(
        not(target_os = "linux"),
        expect(dead_code, reason = "without /proc there is only the group")
    )]
    pub(super) known: BTreeMap<i32, u64>,
}

/// How much of a tree is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reach {
    /// The leader's group and session.
    Group,
    /// The group, its descendants wherever they went, and all that bear the marker.
    Descendants,
}

impl Roots {
    /// Remembers who was seen.
    pub(super) fn know(&mut self, members: &[Member]) {
        self.known.extend(members.iter().filter_map(Member::identity));
    }
}

/// Tells whether a group has a member; one that waits to be reaped counts on Linux, and so does another user's. Elsewhere the two are
/// told alike, and none counts.
pub(super) fn group_exists(group: Pid) -> bool {
    match test_kill_process_group(group) {
        Ok(()) => true,
        Err(error) => cfg!(target_os = "linux") && error == Errno::PERM,
    }
}
