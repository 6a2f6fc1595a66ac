//! Cells as text: what a person would read, and nothing else.

use alacritty_terminal::grid::{Dimensions, Grid};
use alacritty_terminal::index::{Column, Line};
use alacritty_terminal::term::cell::{Cell, Flags};

/// Gives the rows that are seen, without blanks at their ends.
pub(super) fn seen(grid: &Grid<Cell>) -> Vec<String> {
    (0..grid.screen_lines()).map(|row| trimmed(row_text(grid, line(row)))).collect()
}

/// Gives the last lines, those above the screen among them: wrapped rows are joined, blank lines at the end left out.
pub(super) fn lines(grid: &Grid<Cell>, lines_max: usize) -> Vec<String> {
    let top = grid.topmost_line().0;
    let mut row = grid.screen_lines() as i32 - 1;
    let mut found: Vec<String> = Vec::new();
    while row >= top && found.len() < lines_max {
        let mut first = row;
        while first > top && is_wrapped(grid, Line(first - 1)) {
            first -= 1;
        }
        let text = trimmed((first..=row).map(|row| row_text(grid, Line(row))).collect());
        if !(found.is_empty() && text.is_empty()) {
            found.push(text);
        }
        row = first - 1;
    }
    found.reverse();
    found
}

fn line(row: usize) -> Line {
    Line(row as i32)
}

/// Tells whether the row goes on in the next.
fn is_wrapped(grid: &Grid<Cell>, row: Line) -> bool {
    grid[row][grid.last_column()].flags.contains(Flags::WRAPLINE)
}

fn row_text(grid: &Grid<Cell>, row: Line) -> String {
    let columns = (0..grid.columns()).map(Column);
    let mut text = String::with_capacity(grid.columns());
    for cell in columns.map(|column| &grid[row][column]) {
        push(&mut text, cell);
    }
    text
}

pub(super) fn push(text: &mut String, cell: &Cell) {
    if cell.flags.intersects(Flags::WIDE_CHAR_SPACER | Flags::LEADING_WIDE_CHAR_SPACER) {
        return;
    }
    // A tab stands in the cell it was typed at; what is concealed is not seen.
    if cell.c == '\t' || cell.flags.contains(Flags::HIDDEN) {
        text.push(' ');
        return;
    }
    text.push(cell.c);
    text.extend(cell.zerowidth().unwrap_or_default());
}

fn trimmed(mut text: String) -> String {
    text.truncate(text.trim_end().len());
    text
}
