//! `strftime` with the directives of Python on Linux. One that is not known is a mistake: Python would leave it to the
//! system, which says nothing.

use super::calendar::{Calendar, Clock};
use crate::evaluator::limits::OUTPUT_BYTES_MAX;
use minijinja::{Error, ErrorKind};

const DAYS: [&str; 7] = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// A moment in the form that is asked for.
pub(super) fn strftime(format: &str, calendar: Calendar, clock: Clock) -> Result<String, Error> {
    let mut text = String::new();
    write(format, calendar, clock, &mut text)?;
    Ok(text)
}

fn write(format: &str, calendar: Calendar, clock: Clock, text: &mut String) -> Result<(), Error> {
    let mut letters = format.chars();
    while let Some(letter) = letters.next() {
        if letter == '%' {
            let mut directive = letters.next();
            let flag = directive.filter(|letter| "-_0^".contains(*letter));
            if flag.is_some() {
                directive = letters.next();
            }
            let directive = directive.ok_or_else(|| refused("`strftime` ends with a `%`: write `%%`"))?;
            match made_of(directive) {
                Some(parts) => write(parts, calendar, clock, text)?,
                None => text.push_str(&part(directive, flag, calendar, clock)?),
            }
        } else {
            text.push(letter);
        }
        if text.len() > OUTPUT_BYTES_MAX {
            let words =
                format!("`strftime` would make more than {OUTPUT_BYTES_MAX} bytes: use a shorter form");
            return Err(refused(&words));
        }
    }
    Ok(())
}

/// The directives that stand for several others.
fn made_of(directive: char) -> Option<&'static str> {
    Some(match directive {
        'c' => "%a %b %e %H:%M:%S %Y",
        'D' | 'x' => "%m/%d/%y",
        'F' => "%Y-%m-%d",
        'r' => "%I:%M:%S %p",
        'R' => "%H:%M",
        'T' | 'X' => "%H:%M:%S",
        _ => return None,
    })
}

fn part(directive: char, flag: Option<char>, calendar: Calendar, clock: Clock) -> Result<String, Error> {
    let index = |number: i64| usize::try_from(number).unwrap_or(0);
    let (day, month) = (DAYS[index(calendar.weekday())], MONTHS[usize::from(calendar.month) - 1]);
    let twelve = i64::from((clock.hour + 11) % 12 + 1);
    let (number, width, fill) = match directive {
        'a' => return Ok(word(&day[..3], flag)),
        'A' => return Ok(word(day, flag)),
        'b' | 'h' => return Ok(word(&month[..3], flag)),
        'B' => return Ok(word(month, flag)),
        'p' => return Ok(if clock.hour < 12 { "AM" } else { "PM" }.to_owned()),
        'f' => return Ok("000000".to_owned()),
        'n' => return Ok("\n".to_owned()),
        't' => return Ok("\t".to_owned()),
        '%' => return Ok("%".to_owned()),
        // It knows no zone, as Python's `now()` does not.
        'z' | 'Z' => return Ok(String::new()),
        's' => (calendar.days() * 86_400 + clock.seconds(), 1, '0'),
        'd' => (calendar.day.into(), 2, '0'),
        'e' => (calendar.day.into(), 2, ' '),
        'm' => (calendar.month.into(), 2, '0'),
        'y' => (calendar.year % 100, 2, '0'),
        'Y' => (calendar.year, 1, '0'),
        'C' => (calendar.year / 100, 2, '0'),
        'G' => (calendar.iso_week().0, 1, '0'),
        'V' => (calendar.iso_week().1, 2, '0'),
        'U' => (calendar.week(false), 2, '0'),
        'W' => (calendar.week(true), 2, '0'),
        'j' => (calendar.day_of_year(), 3, '0'),
        'u' => (calendar.weekday() + 1, 1, '0'),
        'w' => ((calendar.weekday() + 1) % 7, 1, '0'),
        'H' => (clock.hour.into(), 2, '0'),
        'k' => (clock.hour.into(), 2, ' '),
        'I' => (twelve, 2, '0'),
        'l' => (twelve, 2, ' '),
        'M' => (clock.minute.into(), 2, '0'),
        'S' => (clock.second.into(), 2, '0'),
        other => return Err(refused(&format!("`strftime` knows no `%{other}`"))),
    };
    let fill = match flag {
        Some('_') => ' ',
        Some('0') => '0',
        _ => fill,
    };
    let digits = number.to_string();
    let missing = if flag == Some('-') { 0 } else { usize::saturating_sub(width, digits.len()) };
    Ok(std::iter::repeat_n(fill, missing).chain(digits.chars()).collect())
}

fn word(word: &str, flag: Option<char>) -> String {
    if flag == Some('^') { word.to_uppercase() } else { word.to_owned() }
}

fn refused(words: &str) -> Error {
    Error::new(ErrorKind::InvalidOperation, words.to_owned())
}
