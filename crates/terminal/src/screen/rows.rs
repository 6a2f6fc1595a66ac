//! Cells as text: what a person would read, and nothing else.

use alacritty_terminal::grid::{Dimensions, Grid};
use alacritty_terminal::index::{Column, Line};
use alacritty_terminal::term::cell::{Cell, Flags};

/// Gives the rows that are seen, without blanks at their ends.
pub(super) fn seen(grid: &Grid<Cell>) -> Vec<String> {
    (0..grid.screen_lines()).map(|row| trimmed(text(without_blanks(cells(grid, line(row)))))).collect()
}

/// Gives the same as one text, without blank rows at its end.
pub(super) fn joined(grid: &Grid<Cell>) -> String {
    let mut text = String::new();
    for row in 0..grid.screen_lines() {
        let start = text.len();
        push_all(&mut text, without_blanks(cells(grid, line(row))));
        text.truncate(start + text[start..].trim_end().len());
        text.push('\n');
    }
    text.truncate(text.trim_end_matches('\n').len());
    text
}

/// Gives the line that ends with a row: the rows above that are full belong to it.
pub(super) fn line_to(grid: &Grid<Cell>, row: Line) -> String {
    let is_full = |row: i32| {
        let last = &grid[Line(row)][grid.last_column()];
        last.c != ' ' || last.flags.intersects(Flags::WRAPLINE | Flags::WIDE_CHAR_SPACER)
    };
    let above = (0..row.0).rev().take_while(|row| is_full(*row)).count() as i32;
    trimmed((row.0 - above..=row.0).map(|row| text(cells(grid, Line(row)))).collect())
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
        let mut text: String = (first..row).map(|row| self::text(cells(grid, Line(row)))).collect();
        text.push_str(&self::text(without_blanks(cells(grid, Line(row)))));
        let text = trimmed(text);
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

fn cells(grid: &Grid<Cell>, row: Line) -> &[Cell] {
    &grid[row][Column(0)..]
}

/// Leaves out the cells at the end of a row that nothing was written in: of most screens that is nearly all.
fn without_blanks(cells: &[Cell]) -> &[Cell] {
    let is_written = |cell: &Cell| cell.c != ' ' || cell.extra.is_some();
    &cells[..cells.iter().rposition(is_written).map_or(0, |last| last + 1)]
}

fn text(cells: &[Cell]) -> String {
    let mut text = String::with_capacity(cells.len());
    push_all(&mut text, cells);
    text
}

fn push_all(text: &mut String, cells: &[Cell]) {
    cells.iter().for_each(|cell| push(text, cell));
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
