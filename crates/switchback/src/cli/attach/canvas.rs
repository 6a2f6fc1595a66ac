//! Draws the screen of a terminal in the person's own: rows that changed, one line at the bottom that says where they are, and
//! nothing that the program itself has sent.

use crate::cli::look::clean;
use engine::terminals::Frame;
use rustix::termios::{OptionalActions, Termios, tcgetattr, tcgetwinsize, tcsetattr};
use std::fmt::Write as _;
use std::io::{self, Write};

/// The second screen, without wrapping; the way back undoes what a frame may have switched on.
const ENTER: &str = "\x1b[?1049h\x1b[?7l\x1b[2J";
const LEAVE: &str = "\x1b[0m\x1b[?1l\x1b[?2004l\x1b[?7h\x1b[?25h\x1b[?1049l";

/// A terminal that is drawn on, until this is dropped.
pub(super) struct Canvas {
    before: Termios,
    label: String,
    drawn: Option<Frame>,
}

/// The size that a terminal shown here may have: one row is ours.
pub(super) fn size() -> (u16, u16) {
    match tcgetwinsize(io::stdout()) {
        Ok(size) if size.ws_col > 0 && size.ws_row > 1 => (size.ws_col, size.ws_row - 1),
        _ => (80, 23),
    }
}

impl Canvas {
    pub(super) fn begin(session: &str, types: bool) -> io::Result<Canvas> {
        let before = tcgetattr(io::stdin())?;
        let mut raw = before.clone();
        raw.make_raw();
        tcsetattr(io::stdin(), OptionalActions::Flush, &raw)?;
        let how = if types { "you type, agents wait" } else { "read-only" };
        let canvas = Canvas { before, label: format!("{session}  {how}  Ctrl-\\ d leaves"), drawn: None };
        put(ENTER);
        Ok(canvas)
    }

    /// All is drawn again the next time.
    pub(super) fn forget(&mut self) {
        self.drawn = None;
    }

    /// Draws what has changed.
    pub(super) fn draw(&mut self, frame: &Frame) {
        let (columns, rows) = size();
        put(&painted(self.drawn.as_ref(), frame, (columns, rows), &self.label));
        self.drawn = Some(frame.clone());
    }
}

impl Drop for Canvas {
    fn drop(&mut self) {
        put(LEAVE);
        // A terminal that is gone needs nothing.
        let _ = tcsetattr(io::stdin(), OptionalActions::Flush, &self.before);
    }
}

/// The bytes that turn what was drawn into what is to be seen.
fn painted(drawn: Option<&Frame>, frame: &Frame, (columns, rows): (u16, u16), label: &str) -> String {
    let mut bytes = String::from("\x1b[?25l");
    if drawn.is_none() {
        bytes.push_str("\x1b[2J");
    }
    let row_of = |frame: &Frame, row: usize| frame.rows.get(row).cloned().unwrap_or_default();
    for row in 0..usize::from(rows) {
        let now = row_of(frame, row);
        if drawn.is_none_or(|drawn| row_of(drawn, row) != now) {
            let _ = write!(bytes, "\x1b[{};1H\x1b[0m{}\x1b[0m\x1b[K", row + 1, now);
        }
    }
    let title = clean(&frame.title);
    let (wide, high) = frame.size;
    let label: String =
        format!("{label}  {wide}x{high}  {title}").chars().take(usize::from(columns)).collect();
    let _ = write!(bytes, "\x1b[{};1H\x1b[7m{label}\x1b[K\x1b[0m", rows + 1);
    // What the person's terminal sends for arrows and pastes is what the program wants to get.
    let mode = |is_on: bool, number: &str| format!("\x1b[?{number}{}", if is_on { 'h' } else { 'l' });
    bytes.push_str(&mode(frame.application_cursor, "1"));
    bytes.push_str(&mode(frame.bracketed_paste, "2004"));
    if let Some((row, column)) = frame.cursor.filter(|(row, _)| *row < rows) {
        let _ = write!(bytes, "\x1b[{};{}H\x1b[?25h", row + 1, column.min(columns - 1) + 1);
    }
    bytes
}

fn put(bytes: &str) {
    let mut out = io::stdout().lock();
    // Whoever closed their terminal does not look any more; its hang-up ends this.
    let _ = out.write_all(bytes.as_bytes()).and_then(|()| out.flush());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(rows: &[&str]) -> Frame {
        Frame {
            rows: rows.iter().map(|row| (*row).to_owned()).collect(),
            size: (80, 24),
            cursor: Some((1, 2)),
            application_cursor: false,
            bracketed_paste: false,
            title: "a\x1btitle".to_owned(),
            end: 0,
            ended: None,
        }
    }

    #[test]
    fn only_rows_that_changed_are_drawn() {
        let first = frame(&["one", "two"]);
        let all = painted(None, &first, (40, 10), "t1");
        assert!(all.contains("one") && all.contains("two") && all.contains("\x1b[2;3H"), "{all:?}");
        assert!(!all.contains("\x1btitle"), "{all:?}");
        let more = painted(Some(&first), &frame(&["one", "2"]), (40, 10), "t1");
        assert!(!more.contains("one") && more.contains("\x1b[2;1H\x1b[0m2"), "{more:?}");
    }
}
