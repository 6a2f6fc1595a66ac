//! How many files the server may have open. Each command takes a few, and most systems give a process far less than it may
//! have: as much as it may have is taken, and commands are given what the server was given.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use std::sync::OnceLock;

/// More than this is never needed, and some programs look at each that there may be.
const FILES_MAX: u64 = 65_536;

/// What the server was given.
static GIVEN: OnceLock<Rlimit> = OnceLock::new();

/// Takes as many as this process may have. Called when a server begins; once is enough.
pub fn take_files() {
    let given = *GIVEN.get_or_init(|| getrlimit(Resource::Nofile));
    let most = given.maximum.map_or(FILES_MAX, |maximum| maximum.min(FILES_MAX));
    if given.current.is_some_and(|current| current < most) {
        // Where that is not allowed, it stays as it was.
        let _ = setrlimit(Resource::Nofile, Rlimit { current: Some(most), maximum: given.maximum });
    }
}

/// The same for who starts programs in another way: how many files they may have open.
pub(crate) fn given_files() -> Option<u64> {
    GIVEN.get()?.current
}

/// What commands are given back, if more was taken.
pub(super) fn given() -> Option<libc::rlimit> {
    let given = GIVEN.get()?;
    Some(libc::rlimit { rlim_cur: given.current?, rlim_max: given.maximum.unwrap_or(libc::RLIM_INFINITY) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_given_is_remembered_once() {
        take_files();
        let first = given().map(|given| (given.rlim_cur, given.rlim_max));
        take_files();
        assert_eq!(given().map(|given| (given.rlim_cur, given.rlim_max)), first);
        assert!(getrlimit(Resource::Nofile).current >= first.map(|(current, _)| current));
    }
}
