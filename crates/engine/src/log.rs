//! The log: stderr, which the daemon keeps in a file.

use std::fmt::Display;
use std::io::Write;

/// Writes a line. Where it cannot be written (a full disk, a reader that is gone) there is nobody to tell, and nothing else fails for
/// that: the macros of the standard library would panic.
pub fn say(line: impl Display) {
    let _ = std::io::stderr().lock().write_all(format!("{line}\n").as_bytes());
}
