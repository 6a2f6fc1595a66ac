//! Ends a tree of processes: SIGTERM, a grace, SIGKILL, and then looks until nobody is left.
//!
//! ```text
//! find ── TERM ── all gone, or grace over ──┐
//!          ┌────────────────────────────────┘
//!          └─ find and kill on sight ── nobody, several times: gone
//!              └───── KILL ── all gone, or a second over ── find … (for ten seconds: not gone)
//! ```
//!
//! Looking again after each kill catches what was born meanwhile, and what bears the mark is killed as soon as it is seen: by
//! the end of a look it may have forked and ended. Only a process that hangs inside the kernel, one of another user (what `sudo`
//! runs), or many that fork faster than one can look, outlive this.

use std::time::Duration;

use rustix::io::Errno;
use rustix::process::{Signal, kill_process_group};
use tokio::time::{Instant, timeout};

use super::members::{Found, Hunt, Member, Reach, Roots, exists, find, find_now};

/// How long SIGKILL is sent before the tree is given up.
const KILLING_MAX: Duration = Duration::from_secs(10);
/// How long one SIGKILL may take; it takes microseconds unless the kernel itself waits for a device.
const KILL_TIMEOUT: Duration = Duration::from_secs(1);

/// How often those that are left may all refuse to be ended.
const REFUSALS_MAX: u32 = 2;
/// How many of those that are left are named.
const NAMED_MAX: usize = 5;

/// Whether a tree was there, and who of it still is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TreeEnd {
    pub(super) was_alive: bool,
    /// Some of those who are left; empty where the tree is gone.
    pub(super) left: Vec<u32>,
}

impl TreeEnd {
    /// The end of one that was not there.
    pub(super) const fn of_nobody() -> TreeEnd {
        TreeEnd { was_alive: false, left: Vec::new() }
    }

    pub(super) fn is_gone(&self) -> bool {
        self.left.is_empty()
    }
}

/// Ends the tree and waits until it is gone.
pub(super) async fn end(mut roots: Roots, grace: Duration) -> TreeEnd {
    // Once the leader has been seen, the number of its group is taken as long as the group has members.
    roots.group_is_ours |= exists(roots.leader);
    let Found { members, was_somebody: mut was_alive } = find(&roots).await;
    if was_alive {
        // Some end at once, and those they have started may not: they are looked for by themselves from now on.
        roots.know(&members);
        signal(&roots, &members, Signal::TERM);
        // A stopped process would not hear it before it goes on.
        signal(&roots, &members, Signal::CONT);
        let _ = timeout(grace, all_gone(members)).await;
    }
    let _hunt = Hunt::begin(&roots);
    let (until, mut empty, mut sights) = (Instant::now() + KILLING_MAX, 0, u32::from(was_alive));
    let mut refusals = 0;
    while empty < looks(&roots, sights) {
        let Found { members, was_somebody } = find(&roots).await;
        if !was_somebody {
            empty += 1;
            continue;
        }
        (was_alive, empty, sights) = (true, 0, sights + 1);
        if Instant::now() >= until || refusals >= REFUSALS_MAX {
            return TreeEnd { was_alive, left: named(&roots, &members) };
        }
        roots.know(&members);
        refusals = if signal(&roots, &members, Signal::KILL) { 0 } else { refusals + 1 };
        let _ = timeout(KILL_TIMEOUT, all_gone(members)).await;
    }
    TreeEnd { was_alive, left: Vec::new() }
}

/// Who is left; where nobody is known by itself, the leader of all.
fn named(roots: &Roots, members: &[Member]) -> Vec<u32> {
    let pids = members.iter().filter_map(Member::identity).map(|(pid, _)| pid);
    let mut pids: Vec<u32> = pids.map(i32::unsigned_abs).take(NAMED_MAX).collect();
    if pids.is_empty() {
        pids.push(roots.leader.pid.as_raw_pid().unsigned_abs());
    }
    pids
}

/// How many looks must find nobody, after so many that found somebody. A mark cannot be seen on one that is just becoming another
/// program, and one that forks and ends all the time is missed by many a look, the more so where the machine is busy.
fn looks(roots: &Roots, sights: u32) -> u32 {
    match (roots.reach, sights) {
        (Reach::Descendants, 0) => 2,
        (Reach::Descendants, 1) => 12,
        (Reach::Descendants, _) => 60,
        _ => 1,
    }
}

/// Sends SIGKILL once to all that can be seen, for a caller that cannot wait.
pub(super) fn kill_now(roots: &Roots) {
    signal(roots, &find_now(roots).members, Signal::KILL);
}

/// Signals the group at once, so that none of it is missed or told twice, and every other member by itself. Says whether somebody
/// could be told: not where all of them are another user's.
fn signal(roots: &Roots, members: &[Member], signal: Signal) -> bool {
    let is_told = |told: rustix::io::Result<()>| told != Err(Errno::PERM);
    let of_group = roots.group_is_ours.then(|| kill_process_group(roots.leader.pid, signal));
    let others = members.iter().filter(|member| !(roots.group_is_ours && member.in_group));
    let told: Vec<bool> = others.map(|member| member.signal(signal)).chain(of_group).map(is_told).collect();
    told.is_empty() || told.contains(&true)
}

async fn all_gone(members: Vec<Member>) {
    for member in members {
        member.gone().await;
    }
}
