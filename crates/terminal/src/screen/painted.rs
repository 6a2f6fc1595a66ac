//! Rows with their colours, for who draws them in a terminal of their own. Only colours and weights leave, as sequences of our own
//! making; nothing that a program has sent.

use std::fmt::Write as _;

use alacritty_terminal::grid::{Dimensions, Grid};
use alacritty_terminal::index::{Column, Line};
use alacritty_terminal::term::cell::{Cell, Flags};
use alacritty_terminal::vte::ansi::{Color, NamedColor};

use super::rows::push;

/// What is drawn of a cell's flags, and the number of each.
const WEIGHTS: [(Flags, u8); 6] = [
    (Flags::BOLD, 1),
    (Flags::DIM, 2),
    (Flags::ITALIC, 3),
    (Flags::ALL_UNDERLINES, 4),
    (Flags::INVERSE, 7),
    (Flags::STRIKEOUT, 9),
];

/// The numbers at which the sixteen colours begin: of letters, and of what is behind them.
const LETTERS: u8 = 30;
const BEHIND: u8 = 40;

/// Gives the rows that are seen, each as it looks.
pub(super) fn seen(grid: &Grid<Cell>) -> Vec<String> {
    (0..grid.screen_lines()).map(|row| paint(grid, Line(row as i32))).collect()
}

fn paint(grid: &Grid<Cell>, row: Line) -> String {
    let cells: Vec<&Cell> = (0..grid.columns()).map(|column| &grid[row][Column(column)]).collect();
    let end =
        cells.iter().rposition(|cell| cell.c != ' ' || !style(cell).is_empty()).map_or(0, |last| last + 1);
    let (mut text, mut last) = (String::new(), String::new());
    for cell in &cells[..end] {
        let style = style(cell);
        if style != last {
            let _ = write!(text, "\x1b[0{style}m");
            last = style;
        }
        push(&mut text, cell);
    }
    if !last.is_empty() {
        text.push_str("\x1b[0m");
    }
    text
}

/// The numbers of how a cell looks, each behind a semicolon; none for a plain one.
fn style(cell: &Cell) -> String {
    let mut style = String::new();
    for (_, number) in WEIGHTS.iter().filter(|(flags, _)| cell.flags.intersects(*flags)) {
        let _ = write!(style, ";{number}");
    }
    colour(&mut style, cell.fg, LETTERS);
    colour(&mut style, cell.bg, BEHIND);
    style
}

fn colour(style: &mut String, colour: Color, first: u8) {
    let _ = match colour {
        Color::Named(name) => match base(name) {
            Some(number @ 0..8) => write!(style, ";{}", first + number),
            Some(number) => write!(style, ";{}", first + 60 + number - 8),
            None => Ok(()),
        },
        Color::Indexed(number) => write!(style, ";{};5;{number}", first + 8),
        Color::Spec(rgb) => write!(style, ";{};2;{};{};{}", first + 8, rgb.r, rgb.g, rgb.b),
    };
}

/// The place of a name among the sixteen colours; none for those that are the terminal's own.
fn base(name: NamedColor) -> Option<u8> {
    u8::try_from(name as usize).ok().filter(|number| *number < 16)
}

#[cfg(test)]
mod tests {
    use crate::{Emulator, Screen, Scrollback, Size};

    #[test]
    fn colours_are_drawn_and_nothing_else() {
        let mut screen = Emulator::new(Size::clamped(40, 3), Scrollback { lines_max: 10 });
        screen.feed(
            b"plain \x1b[31;1mred\x1b[0m \x1b[38;5;208mo\x1b[48;2;1;2;3mx\x1b[0m\x1b]52;c;aGk=\x07\r\n",
        );
        screen.feed("\x1b[92;7m日\x1b[0m  ".as_bytes());
        let rows = screen.painted();
        assert_eq!(
            rows[0],
            "plain \x1b[0;1;31mred\x1b[0m \x1b[0;38;5;208mo\x1b[0;38;5;208;48;2;1;2;3mx\x1b[0m"
        );
        assert_eq!(rows[1], "\x1b[0;7;92m日\x1b[0m");
        assert_eq!(rows[2], "");
    }
}
