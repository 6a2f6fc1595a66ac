//! Ends a tree of processes: SIGTERM, a grace, SIGKILL, and then looks until nobody is left.
//!
//! ```text
//! find ── TERM ── all gone, or grace over ──┐
//!          ┌────────────────────────────────┘
//!          └─ find ── nobody: gone
//!              └───── KILL ── all gone, or a second over ── find … (ten times: not gone)
//! ```
//!
//! Looking again after each kill catches what was born meanwhile. Only a process that hangs inside the
//! kernel outlives this.

use std::time::Duration;

use rustix::process::{Signal, kill_process_group};
use tokio::time::timeout;

use super::members::{Member, Roots, exists, find, find_now};

/// How often SIGKILL is sent before the tree is given up.
const KILLS_MAX: u32 = 10;
/// How long one SIGKILL may take; it takes microseconds unless the kernel itself waits for a device.
const KILL_TIMEOUT: Duration = Duration::from_secs(1);

/// Whether a tree was there, and whether it still is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TreeEnd {
    pub(super) was_alive: bool,
    pub(super) is_gone: bool,
}

/// Ends the tree and waits until it is gone.
pub(super) async fn end(mut roots: Roots, grace: Duration) -> TreeEnd {
    // Once the leader has been seen, the number of its group is taken as long as the group has members.
    roots.group_is_ours |= exists(roots.leader);
    let members = find(&roots).await;
    let was_alive = !members.is_empty();
    if was_alive {
        signal(&roots, &members, Signal::TERM);
        // A stopped process would not hear it before it goes on.
        signal(&roots, &members, Signal::CONT);
        let _ = timeout(grace, all_gone(members)).await;
    }
    for _ in 0..KILLS_MAX {
        let members = find(&roots).await;
        if members.is_empty() {
            return TreeEnd { was_alive, is_gone: true };
        }
        signal(&roots, &members, Signal::KILL);
        let _ = timeout(KILL_TIMEOUT, all_gone(members)).await;
    }
    TreeEnd { was_alive, is_gone: find(&roots).await.is_empty() }
}

/// Sends SIGKILL once to all that can be seen, for a caller that cannot wait.
pub(super) fn kill_now(roots: &Roots) {
    signal(roots, &find_now(roots), Signal::KILL);
}

/// Signals the group at once, so that none of it is missed or told twice, and every other member by itself.
fn signal(roots: &Roots, members: &[Member], signal: Signal) {
    if roots.group_is_ours {
        let _ = kill_process_group(roots.leader.pid, signal);
    }
    let others = members.iter().filter(|member| !(roots.group_is_ours && member.in_group));
    others.for_each(|member| member.signal(signal));
}

async fn all_gone(members: Vec<Member>) {
    for member in members {
        member.gone().await;
    }
}
