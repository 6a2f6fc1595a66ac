//! The processes of a session, in whatever group they are.
//!
//! On Linux each is held by a descriptor, so that a signal never reaches another process that got its id, and its end wakes who
//! waits. Elsewhere the group of the program stands for all of them.

#[cfg(target_os = "linux")]
pub(super) use linux::Members;
#[cfg(not(target_os = "linux"))]
pub(super) use other::Members;

#[cfg(target_os = "linux")]
mod linux {
    use std::os::fd::OwnedFd;
    use std::time::Instant;

    use rustix::event::{PollFd, PollFlags, poll};
    use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};

    use crate::pty::timespec;

    /// Processes that were found alive.
    pub(in super::super) struct Members(Vec<(Pid, OwnedFd)>);

    impl Members {
        /// Finds the processes of the session that a program leads.
        pub(in super::super) fn of(leader: Pid) -> Members {
            let Ok(listed) = std::fs::read_dir("/proc") else { return Members(Vec::new()) };
            let named = listed.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok());
            let ours = named.filter_map(Pid::from_raw).filter(|pid| is_member(*pid, leader));
            // Looked at again behind the descriptor: now it is certain whose it is.
            let held = ours.filter_map(|pid| Some((pid, pidfd_open(pid, PidfdFlags::empty()).ok()?)));
            Members(held.filter(|(pid, _)| is_member(*pid, leader)).collect())
        }

        pub(in super::super) fn is_empty(&self) -> bool {
            self.0.is_empty()
        }

        pub(in super::super) fn pids(&self) -> Vec<i32> {
            self.0.iter().map(|(pid, _)| pid.as_raw_nonzero().get()).collect()
        }

        /// Sends all of them a signal, wakes those that are stopped, and waits until they have ended or the time has come.
        pub(in super::super) fn ask(&self, signal: Signal, until: Instant) {
            for (_, held) in &self.0 {
                // One that has ended needs no signal.
                let _ = pidfd_send_signal(held, signal).and_then(|()| pidfd_send_signal(held, Signal::CONT));
            }
            let mut left: Vec<&OwnedFd> = self.0.iter().map(|(_, held)| held).collect();
            while !left.is_empty() && Instant::now() < until {
                let mut watched: Vec<PollFd<'_>> =
                    left.iter().map(|held| PollFd::new(*held, PollFlags::IN)).collect();
                let time = timespec(until.saturating_duration_since(Instant::now()));
                let _ = poll(&mut watched, Some(&time));
                let ended: Vec<bool> =
                    watched.iter().map(|one| one.revents().contains(PollFlags::IN)).collect();
                let mut ended = ended.into_iter();
                left.retain(|_| !ended.next().unwrap_or(false));
            }
        }
    }

    /// Tells whether a process lives and is of the session.
    fn is_member(pid: Pid, leader: Pid) -> bool {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero()));
        let session = stat.ok().and_then(|stat| living_in(&stat));
        session == Some(leader.as_raw_nonzero().get())
    }

    /// The session of a process that lives: the fourth field behind its name. The first of its threads may have ended before the
    /// others, whose count is the eighteenth.
    fn living_in(stat: &str) -> Option<i32> {
        let (_, fields) = stat.rsplit_once(") ")?;
        let fields: Vec<&str> = fields.split(' ').collect();
        let threads: u32 = fields.get(17)?.parse().ok()?;
        let has_ended = matches!(*fields.first()?, "Z" | "X") && threads < 2;
        if has_ended { None } else { fields.get(3)?.parse().ok() }
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn a_process_lives_as_long_as_a_thread_of_it() {
            let stat = |state: &str, threads: u32| {
                format!("9 (a) b) {state} 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 {threads} 18 19 20")
            };
            assert_eq!((living_in(&stat("S", 1)), living_in(&stat("Z", 2))), (Some(3), Some(3)));
            assert_eq!((living_in(&stat("Z", 1)), living_in("9 (a) S 1")), (None, None));
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod other {
    use std::time::{Duration, Instant};

    use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

    /// The group of the program, while the program lives.
    pub(in super::super) struct Members(Option<Pid>);

    impl Members {
        pub(in super::super) fn of(leader: Pid) -> Members {
            Members((!has_ended(leader)).then_some(leader))
        }

        pub(in super::super) fn is_empty(&self) -> bool {
            self.0.is_none()
        }

        pub(in super::super) fn pids(&self) -> Vec<i32> {
            self.0.iter().map(|pid| pid.as_raw_nonzero().get()).collect()
        }

        pub(in super::super) fn ask(&self, signal: Signal, until: Instant) {
            let Some(leader) = self.0 else { return };
            let _ =
                kill_process_group(leader, signal).and_then(|()| kill_process_group(leader, Signal::CONT));
            while !has_ended(leader) && Instant::now() < until {
                std::thread::sleep(Duration::from_millis(5));
            }
        }
    }

    fn has_ended(leader: Pid) -> bool {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
        !matches!(waitid(WaitId::Pid(leader), options), Ok(None))
    }
}
