//! Times as people say them: how long, how long ago, and when.

use jiff::Timestamp;
use jiff::tz::TimeZone;

/// How long something took: `342 ms`, `41.2 s`, `2 min 5 s`, `1 h 12 min`, `3 d 4 h`.
pub(crate) fn took(ms: u64) -> String {
    let seconds = ms / 1_000;
    match ms {
        0..1_000 => format!("{ms} ms"),
        // What would be rounded up to a minute is one.
        1_000..59_950 => format!("{}.{} s", (ms + 50) / 1_000, (ms + 50) % 1_000 / 100),
        59_950..3_600_000 => two(seconds.max(60) / 60, "min", seconds.max(60) % 60, "s"),
        3_600_000..86_400_000 => two(seconds / 3_600, "h", seconds / 60 % 60, "min"),
        _ => two(seconds / 86_400, "d", seconds / 3_600 % 24, "h"),
    }
}

fn two(large: u64, unit: &str, small: u64, smaller: &str) -> String {
    if small == 0 { format!("{large} {unit}") } else { format!("{large} {unit} {small} {smaller}") }
}

/// How long ago, in one unit: `4 s`, `2 min`, `1 h`, `3 d`.
pub(crate) fn ago(ms: u64) -> String {
    let seconds = ms / 1_000;
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3_600 => format!("{} min", seconds / 60),
        3_600..86_400 => format!("{} h", seconds / 3_600),
        _ => format!("{} d", seconds / 86_400),
    }
}

/// When: the time of day, with its date where that was another day.
pub(crate) fn clock(at: u64, now: u64) -> String {
    let zone = TimeZone::system();
    let zoned = |ms: u64| {
        let ms = i64::try_from(ms).unwrap_or(i64::MAX);
        Timestamp::from_millisecond(ms).unwrap_or(Timestamp::MAX).to_zoned(zone.clone())
    };
    let (at, now) = (zoned(at), zoned(now));
    let form = if at.date() == now.date() { "%H:%M:%S" } else { "%Y-%m-%d %H:%M:%S" };
    at.strftime(form).to_string()
}

/// Milliseconds since 1970.
pub(crate) fn now() -> u64 {
    u64::try_from(Timestamp::now().as_millisecond()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_read_as_people_say_them() {
        let said = [0, 342, 1_000, 3_949, 41_200, 59_949, 59_950, 60_000, 125_400, 4_320_000, 273_600_000];
        let words = [
            "0 ms",
            "342 ms",
            "1.0 s",
            "3.9 s",
            "41.2 s",
            "59.9 s",
            "1 min",
            "1 min",
            "2 min 5 s",
            "1 h 12 min",
            "3 d 4 h",
        ];
        assert_eq!(said.map(took), words.map(str::to_owned));
        assert_eq!(
            [4_999, 125_000, 7_200_000, 300_000_000].map(ago),
            ["4 s", "2 min", "2 h", "3 d"].map(str::to_owned)
        );
    }

    #[test]
    fn another_day_has_its_date() {
        let day = 86_400_000;
        assert_eq!(clock(10 * day, 10 * day).len(), "00:00:00".len());
        assert_eq!(clock(10 * day, 13 * day).len(), "1970-01-11 00:00:00".len());
    }
}
