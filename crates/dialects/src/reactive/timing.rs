//! Times of this dialect: a bare number is milliseconds, a text has its unit as everywhere.

use crate::additions;
use crate::mistakes::Mistakes;
use crate::text::Node;
use kernel::plan::Deadline;

/// The longest time that can be written: a year.
const TIME_MS_MAX: u64 = 365 * 24 * 60 * 60 * 1000;

/// Reads a `timeout`.
pub(super) fn deadline(mistakes: &mut Mistakes<'_>, node: &Node) -> Deadline {
    if node.as_f64().is_none() {
        return additions::timeout(mistakes, node);
    }
    match node.as_u64().filter(|ms| (1..=TIME_MS_MAX).contains(ms)) {
        Some(ms) => Deadline::After(ms),
        None => {
            mistakes.error(|sheet| {
                let message =
                    "a `timeout` is a whole number of milliseconds, more than nothing and up to a year";
                let diagnostic = sheet.error("bad-value", node.place(), message);
                diagnostic.hint("write milliseconds (`300000`) or a time with its unit (`5m`, `30s`)")
            });
            Deadline::Never
        }
    }
}

/// Reads a rest between two attempts, in milliseconds.
pub(super) fn delay_ms(mistakes: &mut Mistakes<'_>, node: &Node, key: &str) -> Option<u64> {
    let ms = node.as_u64().filter(|ms| *ms <= 60 * 60 * 1000);
    if ms.is_none() {
        let message = format!("`{key}` is a whole number of milliseconds, up to an hour");
        mistakes.error(|sheet| sheet.error("bad-value", node.place(), message).hint("1000 is a second"));
    }
    ms
}
