//! Where the last input was typed, and what the terminal looked like then.

use super::Typing;

/// The moment before the last input.
#[derive(Debug, Clone)]
pub(crate) struct Mark {
    /// Where output stood.
    pub(crate) place: u64,
    /// The column of the cursor.
    pub(crate) column: u16,
    /// The width of the screen.
    pub(crate) width: u16,
    /// A line editor was at work.
    pub(crate) is_editing: bool,
    /// The rows of the second screen, if it was on.
    pub(crate) rows: Option<Vec<String>>,
    /// What was typed.
    pub(crate) typing: Typing,
}

impl Mark {
    /// The beginning of a session, where nothing has been typed.
    pub(crate) fn beginning(width: u16) -> Mark {
        Mark { place: 0, column: 0, width, is_editing: false, rows: None, typing: Typing::default() }
    }
}
