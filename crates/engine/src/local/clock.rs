//! The time of runs, in milliseconds since 1970. A clock on the wall may be set while something waits: an hour back, and a rest of a
//! second would take an hour; an hour ahead, and a run would be late that has just begun. So time passes here as it does for whoever
//! waits, also while the machine sleeps, and the clock on the wall is looked at only while nothing waits.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

/// What the wall showed when nothing had passed yet; zero until it was looked at.
static BEGAN: AtomicU64 = AtomicU64::new(0);

/// Tells the time.
pub(crate) fn now() -> u64 {
    match BEGAN.load(Ordering::Relaxed) {
        0 => set(),
        began => began + passed(),
    }
}

/// Takes the time of the wall, and tells it. To be called where nothing waits for a time.
pub(super) fn set() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let wall = u64::try_from(since.as_millis()).unwrap_or(u64::MAX);
    // A clock of before the machine was started is told as it is.
    BEGAN.store(wall.saturating_sub(passed()).max(1), Ordering::Relaxed);
    wall
}

/// Milliseconds that have passed since some moment; nobody sets this clock.
fn passed() -> u64 {
    #[cfg(target_os = "linux")]
    let clock = rustix::time::ClockId::Boottime;
    #[cfg(not(target_os = "linux"))]
    let clock = rustix::time::ClockId::Monotonic;
    let passed = rustix::time::clock_gettime(clock);
    let seconds = u64::try_from(passed.tv_sec).unwrap_or(0);
    seconds * 1_000 + u64::try_from(passed.tv_nsec / 1_000_000).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_goes_on_from_the_time_of_the_wall() {
        let before = set();
        std::thread::sleep(std::time::Duration::from_millis(20));
        let after = now();
        assert!((before + 15..before + 10_000).contains(&after), "{before} {after}");
    }
}
