//! Days and times of day, in UTC: seconds become a date, and a date says which day of the week and of the year it is.

use std::fmt;

/// The first and the last year that Python knows; what lies beyond is the first or last day.
const YEARS: std::ops::RangeInclusive<i64> = 1..=9_999;

/// A day.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Calendar {
    pub(super) year: i64,
    pub(super) month: u8,
    pub(super) day: u8,
}

/// A time of day.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Clock {
    pub(super) hour: u8,
    pub(super) minute: u8,
    pub(super) second: u8,
}

impl Calendar {
    /// The day of so many seconds since 1970.
    pub(super) fn of(seconds: i64) -> Self {
        let days = seconds.div_euclid(86_400);
        let first = Calendar { year: *YEARS.start(), month: 1, day: 1 };
        let last = Calendar { year: *YEARS.end(), month: 12, day: 31 };
        if days <= first.days() {
            return first;
        }
        if days >= last.days() {
            return last;
        }
        // A year has 365 days or 366, so the guess is never too late.
        let mut year = 1_970 + if days < 0 { days.div_euclid(365) } else { days / 366 };
        while days_before_year(year + 1) <= days {
            year += 1;
        }
        let (mut month, mut left) = (1, days - days_before_year(year));
        while left >= i64::from(days_in(year, month)) {
            left -= i64::from(days_in(year, month));
            month += 1;
        }
        Calendar { year, month, day: u8::try_from(left + 1).unwrap_or(1) }
    }

    /// A day by its numbers, if there is such a day.
    pub(super) fn new(year: i64, month: u8, day: u8) -> Option<Self> {
        let is_day =
            YEARS.contains(&year) && (1..=12).contains(&month) && (1..=days_in(year, month)).contains(&day);
        is_day.then_some(Calendar { year, month, day })
    }

    /// Days since 1970.
    pub(super) fn days(self) -> i64 {
        days_before_year(self.year) + self.day_of_year() - 1
    }

    /// 1 is the first of January.
    pub(super) fn day_of_year(self) -> i64 {
        let before: i64 = (1..self.month).map(|month| i64::from(days_in(self.year, month))).sum();
        before + i64::from(self.day)
    }

    /// 0 is Monday.
    pub(super) fn weekday(self) -> i64 {
        (self.days() + 3).rem_euclid(7)
    }

    /// The year and the week to which ISO 8601 counts this day.
    pub(super) fn iso_week(self) -> (i64, i64) {
        // The week belongs to the year in which its Thursday lies.
        let thursday = Calendar::of((self.days() - self.weekday() + 3) * 86_400);
        (thursday.year, (thursday.day_of_year() - 1) / 7 + 1)
    }

    /// How many weeks have begun in this year, on Sundays or on Mondays.
    pub(super) fn week(self, begins_on_monday: bool) -> i64 {
        let since = if begins_on_monday { self.weekday() } else { (self.weekday() + 1) % 7 };
        (self.day_of_year() + 6 - since) / 7
    }
}

impl Clock {
    /// The time of day of so many seconds since 1970.
    pub(super) fn of(seconds: i64) -> Self {
        let part = |of: i64, each: i64| u8::try_from(of / each).unwrap_or(0);
        let second = seconds.rem_euclid(86_400);
        Clock { hour: part(second, 3_600), minute: part(second % 3_600, 60), second: part(second % 60, 1) }
    }

    /// A time by its numbers, if there is such a time.
    pub(super) fn new(hour: u8, minute: u8, second: u8) -> Option<Self> {
        (hour < 24 && minute < 60 && second < 60).then_some(Clock { hour, minute, second })
    }

    /// Seconds since midnight.
    pub(super) fn seconds(self) -> i64 {
        i64::from(self.hour) * 3_600 + i64::from(self.minute) * 60 + i64::from(self.second)
    }
}

impl fmt::Display for Calendar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}-{:02}", self.year, self.month, self.day)
    }
}

impl fmt::Display for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:02}:{:02}:{:02}", self.hour, self.minute, self.second)
    }
}

/// Days between 1970 and the first of January of a year.
fn days_before_year(year: i64) -> i64 {
    let leap_days = |year: i64| year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    (year - 1_970) * 365 + leap_days(year - 1) - leap_days(1_969)
}

fn days_in(year: i64, month: u8) -> u8 {
    match month {
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(seconds: i64) -> String {
        format!("{} {}", Calendar::of(seconds), Clock::of(seconds))
    }

    #[test]
    fn seconds_become_days() {
        assert_eq!(day(0), "1970-01-01 00:00:00");
        assert_eq!(day(-1), "1969-12-31 23:59:59");
        assert_eq!(day(951_782_399), "2000-02-28 23:59:59");
        assert_eq!(day(951_782_400), "2000-02-29 00:00:00");
        assert_eq!(day(4_107_542_400), "2100-03-01 00:00:00");
        assert_eq!(day(253_402_300_799), "9999-12-31 23:59:59");
        assert_eq!(Calendar::of(i64::MAX).to_string(), "9999-12-31");
        assert_eq!(Calendar::of(i64::MIN).to_string(), "0001-01-01");
    }

    #[test]
    fn every_day_comes_back() {
        for days in (-719_162..2_932_896).step_by(97).chain([-719_162, 2_932_896]) {
            assert_eq!(Calendar::of(days * 86_400).days(), days);
        }
    }

    #[test]
    fn weeks_are_counted() {
        let day = |year, month, day| Calendar::new(year, month, day).unwrap();
        assert_eq!(day(2021, 1, 3).iso_week(), (2020, 53));
        assert_eq!(day(2024, 12, 30).iso_week(), (2025, 1));
        assert_eq!((day(2023, 1, 1).week(false), day(2023, 1, 1).week(true)), (1, 0));
        assert_eq!(day(2024, 2, 29).day_of_year(), 60);
        assert_eq!(Calendar::new(2023, 2, 29), None);
        assert_eq!(Clock::new(24, 0, 0), None);
    }
}
