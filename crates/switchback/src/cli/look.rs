//! What a terminal is told: colours, widths, and characters that must not reach it as they are.
//!
//! Colour never carries meaning alone. `NO_COLOR`, `CI`, `TERM=dumb` and anything that is no terminal give plain
//! text.

use super::aside;
use super::error::CommandError;
use crate::ends::Output;
use engine::dialects::text::visible;
use serde_json::Value;
use std::io::{self, IsTerminal, Write};

/// How text looks on one of the two streams.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Look {
    /// Whether colours are used.
    pub(crate) colour: bool,
    /// Whether lines may be drawn again in place.
    pub(crate) live: bool,
    /// The columns of the terminal.
    pub(crate) width: usize,
    /// The lines of the terminal.
    pub(crate) height: usize,
}

impl Look {
    /// Text without anything.
    pub(crate) const PLAIN: Look = Look { colour: false, live: false, width: 120, height: 24 };

    pub(crate) fn of_stderr() -> Look {
        Self::of(std::io::stderr().is_terminal(), rustix::termios::tcgetwinsize(std::io::stderr()).ok())
    }

    pub(crate) fn of_stdout() -> Look {
        Self::of(std::io::stdout().is_terminal(), rustix::termios::tcgetwinsize(std::io::stdout()).ok())
    }

    fn of(terminal: bool, size: Option<rustix::termios::Winsize>) -> Look {
        let set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        let able = terminal && !set("CI") && std::env::var_os("TERM").is_none_or(|term| term != "dumb");
        let (width, height) = match size.filter(|size| terminal && size.ws_col > 0 && size.ws_row > 0) {
            Some(size) => (usize::from(size.ws_col), usize::from(size.ws_row)),
            None => (Look::PLAIN.width, Look::PLAIN.height),
        };
        Look { colour: able && !set("NO_COLOR"), live: able, width, height }
    }

    pub(crate) fn green(self, text: &str) -> String {
        self.painted("32", text)
    }

    pub(crate) fn red(self, text: &str) -> String {
        self.painted("1;31", text)
    }

    pub(crate) fn yellow(self, text: &str) -> String {
        self.painted("33", text)
    }

    pub(crate) fn blue(self, text: &str) -> String {
        self.painted("36", text)
    }

    pub(crate) fn dim(self, text: &str) -> String {
        self.painted("2", text)
    }

    pub(crate) fn bold(self, text: &str) -> String {
        self.painted("1", text)
    }

    fn painted(self, code: &str, text: &str) -> String {
        if self.colour { format!("\u{1b}[{code}m{text}\u{1b}[0m") } else { text.to_owned() }
    }
}

/// A name as it is typed: a shell takes the brackets of an item for a pattern.
pub(crate) fn typable(name: &str) -> String {
    let plain = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '-' | '.' | '/');
    if name.chars().all(plain) { name.to_owned() } else { format!("'{}'", name.replace('\'', r"'\''")) }
}

/// Says a line to people. If nobody listens there is nobody to tell.
pub(crate) fn talk(line: &str) {
    aside::say(&format!("{line}\n"));
}

/// Gives data, to its last byte.
pub(crate) fn print(text: &str) -> Result<(), CommandError> {
    // Where both are read by one, what was said before comes before.
    aside::settle();
    written(Output::lock().write_all(text.as_bytes()))
}

/// Gives one JSON document.
pub(crate) fn print_json(value: &Value) -> Result<(), CommandError> {
    let text = if std::io::stdout().is_terminal() { format!("{value:#}\n") } else { format!("{value}\n") };
    print(&text)
}

/// The code of what could not be written to stdout.
pub(crate) const NOT_WRITTEN: &str = "not-written";

/// Whether data has reached whoever reads it. A reader that has seen enough (`| head`) is no mistake.
pub(crate) fn written(result: io::Result<()>) -> Result<(), CommandError> {
    match result {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            let message = format!("failed to write the answer to stdout: {error}");
            Err(CommandError::internal(NOT_WRITTEN, message))
        }
        _ => Ok(()),
    }
}

/// Shows letters that steer a terminal or deceive its reader instead of sending them; line feeds and tabs stay.
pub(crate) fn clean(text: &str) -> String {
    visible(text)
}

/// The beginning of a text that fits a width.
pub(crate) fn cut(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    let kept: String = text.chars().take(width.saturating_sub(3)).collect();
    format!("{kept}...")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_of_a_command_do_not_reach_the_terminal() {
        assert_eq!(clean("a\u{1b}[2Jb\r\n\tc"), "a\\u{1b}[2Jb\\r\n\tc");
        assert_eq!(clean("plain é"), "plain é");
        assert_eq!(clean("rm \u{202e}txt\u{200b}"), "rm \\u{202e}txt\\u{200b}");
    }

    #[test]
    fn only_a_reader_that_has_seen_enough_is_no_mistake() {
        assert!(written(Err(io::ErrorKind::BrokenPipe.into())).is_ok());
        let full = written(Err(io::ErrorKind::StorageFull.into())).unwrap_err();
        assert_eq!(full.code, "not-written");
    }

    #[test]
    fn a_cut_says_so() {
        assert_eq!((cut("abcdef", 6).as_str(), cut("abcdefg", 6).as_str()), ("abcdef", "abc..."));
    }
}
