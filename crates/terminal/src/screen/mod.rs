//! The screen: what a terminal shows after all that a program has written.
//!
//! The emulator stands behind a small trait, so that it can be replaced. Whatever a program writes, an emulator never panics,
//! never takes more memory than its bounds, and gives clean text.

mod bounded;
mod emulator;
mod painted;
mod replies;
mod rows;
mod strings;

use std::time::Instant;

use crate::size::Size;

pub use emulator::Emulator;

/// What a terminal shows, and what it owes to the program.
pub trait Screen: Send {
    /// Takes what the program wrote.
    fn feed(&mut self, bytes: &[u8]);

    /// Gives the answers that the program is owed (where the cursor is, what the terminal can do), once.
    fn take_replies(&mut self) -> Vec<u8>;

    /// Changes the size; text that was wrapped flows into the new width.
    fn resize(&mut self, size: Size);

    /// Tells the size.
    fn size(&self) -> Size;

    /// Tells where the cursor is.
    fn cursor(&self) -> Cursor;

    /// Tells what the program has switched on.
    fn modes(&self) -> Modes;

    /// Gives the rows that are seen, from the top, without blanks at their ends.
    fn rows(&self) -> Vec<String>;

    /// Gives the same as one text, without blank rows at its end.
    fn text(&self) -> String;

    /// Gives the line that the cursor is on, to the end of its row.
    fn line(&self) -> String;

    /// Gives the rows that are seen with their colours, for who draws them in a terminal of their own.
    fn painted(&self) -> Vec<String>;

    /// Gives the last lines, those above the screen among them, wrapped rows joined, without blank lines at the end.
    fn lines(&self, lines_max: usize) -> Vec<String>;

    /// Tells whether there may have been lines that are no longer kept.
    fn is_history_full(&self) -> bool;

    /// Gives the title that the program has set, or nothing.
    fn title(&self) -> String;

    /// Counts how often the program has rung the bell.
    fn bells(&self) -> u64;

    /// Tells until when a program that draws in one go may still hold its drawing back.
    fn held_until(&self) -> Option<Instant>;

    /// Shows what was held back.
    fn show_held(&mut self);
}

/// Where the cursor is, counted from zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Cursor {
    /// The row, from the top.
    pub row: u16,
    /// The column, from the left.
    pub column: u16,
    /// Whether it is shown.
    pub is_shown: bool,
}

/// What a program has switched on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Modes {
    /// It draws on the second screen, as editors and pagers do.
    pub alternate_screen: bool,
    /// It wants to be told what was pasted and what was typed; line editors switch it on while they edit.
    pub bracketed_paste: bool,
    /// It wants arrow keys in their other form.
    pub application_cursor: bool,
}
