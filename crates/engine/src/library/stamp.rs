//! What tells, without reading it, that a file or folder is as it was.
//!
//! A file system writes times in ticks. What was changed in the very tick in which it was looked at may change again
//! and look the same; such a stamp is not *settled*, and whoever holds one looks inside again.

use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::{Duration, SystemTime};

/// Longer than a tick of any file system that writes parts of seconds.
const TICK: Duration = Duration::from_millis(100);

/// Longer than a tick of those that do not.
const COARSE_TICK: Duration = Duration::from_secs(2);

/// How something looked from outside, links followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stamp {
    /// It is there.
    There {
        /// Which thing it is: its device and its number there.
        id: (u64, u64),
        /// Whether it is a folder.
        folder: bool,
        /// Its kind and permissions.
        mode: u32,
        /// Its bytes.
        size: u64,
        /// When its content was changed, seconds and the rest in nanoseconds; anybody may set this.
        modified: (i64, i64),
        /// When anything about it was changed; nobody can set this.
        changed: (i64, i64),
    },
    /// It cannot be looked at: what the system said.
    Not(i32),
}

impl Stamp {
    /// Looks at a path.
    pub(super) fn of(path: &Path) -> Self {
        match std::fs::metadata(path) {
            Ok(meta) => Stamp::There {
                id: (meta.dev(), meta.ino()),
                folder: meta.is_dir(),
                mode: meta.mode(),
                size: meta.len(),
                modified: (meta.mtime(), meta.mtime_nsec()),
                changed: (meta.ctime(), meta.ctime_nsec()),
            },
            Err(error) => Stamp::Not(error.raw_os_error().unwrap_or_default()),
        }
    }

    /// Whether a later change will show, if it was seen at this time.
    pub(super) fn is_settled(&self, seen: SystemTime) -> bool {
        let Stamp::There { changed: (seconds, rest), .. } = *self else { return true };
        let (Ok(seconds), Ok(rest)) = (u64::try_from(seconds), u32::try_from(rest)) else { return false };
        let tick = if rest == 0 { COARSE_TICK } else { TICK };
        let changed = SystemTime::UNIX_EPOCH + Duration::new(seconds, rest);
        seen.duration_since(changed).is_ok_and(|age| age > tick)
    }

    /// Whether it is a folder.
    pub(super) fn is_folder(&self) -> bool {
        matches!(self, Stamp::There { folder: true, .. })
    }

    /// Which thing it is.
    pub(super) fn id(&self) -> Option<(u64, u64)> {
        match self {
            Stamp::There { id, .. } => Some(*id),
            Stamp::Not(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changed(seconds: i64, rest: i64) -> Stamp {
        let time = (seconds, rest);
        Stamp::There { id: (1, 1), folder: false, mode: 0, size: 0, modified: time, changed: time }
    }

    #[test]
    fn a_stamp_is_settled_once_its_tick_is_over() {
        let at = |ms| SystemTime::UNIX_EPOCH + Duration::from_secs(100) + Duration::from_millis(ms);
        assert!(!changed(100, 1).is_settled(at(100)) && changed(100, 1).is_settled(at(101)));
        assert!(!changed(100, 0).is_settled(at(2_000)) && changed(100, 0).is_settled(at(2_001)));
    }

    #[test]
    fn a_time_in_the_future_is_never_settled() {
        assert!(!changed(i64::from(i32::MAX), 1).is_settled(SystemTime::UNIX_EPOCH));
        assert!(!changed(-5, 1).is_settled(SystemTime::now()));
    }
}
