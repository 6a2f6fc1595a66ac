//! When a daemon has nothing to do: nobody is connected, nothing is carried out, no timer runs, no terminal is open, and that for
//! a while.

use super::host::say;
use std::ffi::OsStr;
use std::time::Duration;
use tokio::sync::watch;

/// How long a daemon waits for something to do.
const PERIOD: Duration = Duration::from_secs(600);

/// The name of the setting, in seconds.
pub(super) const VARIABLE: &str = "SWITCHBACK_IDLE_SECONDS";

/// How long this daemon waits. What cannot be understood is told, and the usual holds.
pub(super) fn period() -> Duration {
    let Some(said) = std::env::var_os(VARIABLE) else { return PERIOD };
    seconds(&said).unwrap_or_else(|| {
        let usual = PERIOD.as_secs();
        say(&format!("{VARIABLE} is {said:?}, which is no whole number of seconds: {usual} hold"));
        PERIOD
    })
}

fn seconds(said: &OsStr) -> Option<Duration> {
    said.to_str()?.trim().parse().ok().map(Duration::from_secs)
}

/// How long whoever started a daemon may take to come in.
const FIRST: Duration = Duration::from_secs(60);

/// Comes back once all counts have been zero for that long. The first of them counts connections, and nothing is over
/// before whoever started the daemon had time to come in.
pub(super) async fn quiet(mut counts: [watch::Receiver<usize>; 4], period: Duration) {
    // Whether somebody came or nobody did, the wait begins.
    let _ = tokio::time::timeout(FIRST, counts[0].wait_for(|count| *count > 0)).await;
    loop {
        for count in &mut counts {
            if count.wait_for(|count| *count == 0).await.is_err() {
                return std::future::pending().await;
            }
        }
        if counts.iter().any(|count| *count.borrow() > 0) {
            continue;
        }
        let [first, second, third, fourth] = &mut counts;
        tokio::select! {
            () = tokio::time::sleep(period) => return,
            _ = first.changed() => {}
            _ = second.changed() => {}
            _ = third.changed() => {}
            _ = fourth.changed() => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::time::Instant;

    #[test]
    fn only_whole_seconds_are_understood() {
        let read = |said: &str| seconds(OsStr::new(said));
        assert_eq!((read("0"), read(" 90 ")), (Some(Duration::ZERO), Some(Duration::from_secs(90))));
        assert_eq!((read("abc"), read("-1"), read("1.5"), read("")), (None, None, None, None));
    }

    #[tokio::test(start_paused = true)]
    async fn only_a_whole_period_of_nothing_counts() {
        let (connections, effects, timers) = (watch::channel(1).0, watch::channel(0).0, watch::channel(0).0);
        let terminals = watch::channel(0).0;
        let counts =
            [connections.subscribe(), effects.subscribe(), timers.subscribe(), terminals.subscribe()];
        let began = Instant::now();
        let ended = tokio::spawn(quiet(counts, Duration::from_secs(60)));
        tokio::time::sleep(Duration::from_secs(100)).await;
        connections.send_replace(0);
        tokio::time::sleep(Duration::from_secs(59)).await;
        effects.send_replace(1);
        tokio::time::sleep(Duration::from_secs(100)).await;
        assert!(!ended.is_finished());
        terminals.send_replace(1);
        effects.send_replace(0);
        tokio::time::sleep(Duration::from_secs(100)).await;
        assert!(!ended.is_finished());
        terminals.send_replace(0);
        ended.await.unwrap();
        assert_eq!(began.elapsed().as_secs(), 100 + 59 + 100 + 100 + 60);
    }
}
