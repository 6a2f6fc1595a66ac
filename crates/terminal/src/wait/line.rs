//! One line while it is written: characters, where the next goes, and what line editors do with both.
//!
//! A line that is wider than the screen goes on in the next row and is still one line, so that a place is counted in cells from
//! its beginning and a row is so many cells of it.

use std::collections::BTreeMap;
use std::ops::Range;

/// A line that becomes longer is cut into pieces that follow each other without a break.
pub(super) const CELLS_MAX: usize = 16_384;

/// The marks that one cell may have.
const MARKS_MAX: usize = 16;

/// Stands for nothing: the second half of a wide character, or what was there before we looked.
const NOTHING: char = '\0';

fn is_blank(cell: char) -> bool {
    cell == ' ' || cell == NOTHING
}

/// A line and the cursor on it.
#[derive(Debug)]
pub(super) struct Line {
    cells: Vec<char>,
    /// The marks of the few cells that have some.
    marks: BTreeMap<usize, String>,
    at: usize,
    width: usize,
    /// A row was just filled: the cursor still stands on its last cell.
    is_full: bool,
}

impl Line {
    /// An empty line whose cursor stands in a column; what is left of it was there before.
    pub(super) fn new(width: usize, column: usize) -> Line {
        let column = column.min(width - 1);
        Line { cells: vec![NOTHING; column], marks: BTreeMap::new(), at: column, width, is_full: false }
    }

    /// Empties it; the cursor keeps its column, as after a line feed.
    pub(super) fn clear(&mut self) {
        let column = self.column();
        self.cells.clear();
        self.marks.clear();
        self.at = column;
        self.is_full = false;
    }

    /// Where the row begins on which the cursor stands.
    fn row(&self) -> usize {
        (self.at - usize::from(self.is_full)) / self.width * self.width
    }

    fn column(&self) -> usize {
        self.at - usize::from(self.is_full) - self.row()
    }

    /// Writes a character over what is there.
    pub(super) fn put(&mut self, character: char, width: usize) {
        let left = self.width - self.at % self.width;
        if width > left {
            self.place(' ');
        }
        self.place(character);
        if width == 2 {
            self.place(NOTHING);
        }
        self.is_full = self.at.is_multiple_of(self.width);
    }

    fn place(&mut self, character: char) {
        if !self.marks.is_empty() {
            self.marks.remove(&self.at);
        }
        match self.cells.get_mut(self.at) {
            Some(cell) => *cell = character,
            None => {
                self.reach(self.at);
                self.cells.push(character);
            }
        }
        self.at += 1;
    }

    fn reach(&mut self, length: usize) {
        if self.cells.len() < length {
            self.cells.resize(length, ' ');
        }
    }

    /// Adds a mark to the character before the cursor.
    pub(super) fn mark(&mut self, mark: char) {
        let end = self.at.min(self.cells.len());
        let Some(place) = self.cells[..end].iter().rposition(|cell| *cell != NOTHING) else { return };
        let marks = self.marks.entry(place).or_default();
        if marks.chars().count() < MARKS_MAX {
            marks.push(mark);
        }
    }

    pub(super) fn carriage_return(&mut self) {
        self.go(0);
    }

    /// Moves to a column of the same row.
    pub(super) fn go(&mut self, column: usize) {
        self.at = self.row() + column.min(self.width - 1);
        self.is_full = false;
    }

    pub(super) fn forward(&mut self, columns: usize) {
        self.go(self.column().saturating_add(columns));
    }

    pub(super) fn back(&mut self, columns: usize) {
        self.go(self.column().saturating_sub(columns));
    }

    pub(super) fn tab(&mut self) {
        self.go(self.column() / 8 * 8 + 8);
    }

    /// Moves up within the line; tells whether it could.
    pub(super) fn up(&mut self, rows: usize) -> bool {
        let fits = rows.checked_mul(self.width).filter(|cells| *cells <= self.row());
        let Some(cells) = fits else { return false };
        self.go_to(self.row() - cells);
        true
    }

    /// Moves down within the line; tells whether it could.
    pub(super) fn down(&mut self, rows: usize) -> bool {
        let fits = rows
            .checked_mul(self.width)
            .map(|cells| self.row() + cells)
            .filter(|row| *row < self.cells.len());
        let Some(row) = fits else { return false };
        self.go_to(row);
        true
    }

    /// Moves to the row that begins there, in the same column. A row that was just filled is left by that.
    fn go_to(&mut self, row: usize) {
        self.at = row + self.column();
        self.is_full = false;
    }

    /// Tells whether something would be lost if it were written over from the cursor on.
    pub(super) fn covers(&self) -> bool {
        self.cells.iter().skip(self.at).any(|cell| !is_blank(*cell))
    }

    /// Erases from the cursor to the end of the line.
    pub(super) fn erase_after(&mut self) {
        self.blank(self.at, self.cells.len());
    }

    /// Erases from the cursor to the end of its row.
    pub(super) fn erase_row_after(&mut self) {
        let end = (self.row() + self.width).min(self.cells.len());
        self.blank(self.at, end);
    }

    pub(super) fn erase_row_before(&mut self) {
        self.blank(self.row(), (self.at + 1).min(self.cells.len()));
    }

    pub(super) fn erase_row(&mut self) {
        self.blank(self.row(), (self.row() + self.width).min(self.cells.len()));
    }

    pub(super) fn erase(&mut self, count: usize) {
        let end = self.at.saturating_add(count).min(self.row() + self.width).min(self.cells.len());
        self.blank(self.at, end);
    }

    fn blank(&mut self, from: usize, to: usize) {
        if !self.marks.is_empty() {
            self.marks.retain(|place, _| *place < from || *place >= to);
        }
        if to == self.cells.len() {
            self.cells.truncate(from);
        } else if from < to {
            self.cells[from..to].fill(' ');
        }
    }

    /// Takes characters out; the rest of the row moves left.
    pub(super) fn delete(&mut self, count: usize) {
        let end = (self.row() + self.width).min(self.cells.len());
        if self.at < end {
            let count = count.min(end - self.at);
            self.move_marks(self.at + count..end, |place| place - count);
            self.cells[self.at..end].rotate_left(count);
            self.blank(end - count, end);
        }
    }

    /// Makes room; what leaves the row on the right is lost.
    pub(super) fn insert(&mut self, count: usize) {
        let end = (self.row() + self.width).min(self.cells.len().saturating_add(count));
        if self.at < self.cells.len() {
            self.reach(end);
            let count = count.min(end - self.at);
            self.move_marks(self.at..end - count, |place| place + count);
            self.cells[self.at..end].rotate_right(count);
            self.cells[self.at..self.at + count].fill(' ');
        }
    }

    /// Moves the marks of a part of the row with their characters; the others of the row behind the cursor are lost with theirs.
    fn move_marks(&mut self, part: Range<usize>, to: impl Fn(usize) -> usize) {
        let end = self.row() + self.width;
        let behind = self.marks.split_off(&self.at);
        for (place, marks) in behind {
            if part.contains(&place) {
                self.marks.insert(to(place), marks);
            } else if place >= end {
                self.marks.insert(place, marks);
            }
        }
    }

    pub(super) fn is_blank(&self) -> bool {
        self.cells.iter().all(|cell| is_blank(*cell))
    }

    pub(super) fn is_too_long(&self) -> bool {
        self.cells.len() >= CELLS_MAX
    }

    /// Adds the line to a text as it is, blanks that were written at its end among them.
    pub(super) fn push_to(&self, text: &mut String) {
        if self.marks.is_empty() {
            text.extend(self.cells.iter().filter(|cell| **cell != NOTHING));
            return;
        }
        for (place, cell) in self.cells.iter().enumerate().filter(|(_, cell)| **cell != NOTHING) {
            text.push(*cell);
            text.push_str(self.marks.get(&place).map_or("", String::as_str));
        }
    }
}
