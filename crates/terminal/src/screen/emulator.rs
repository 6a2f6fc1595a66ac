//! The emulator: alacritty's, with bounds around it.

use std::time::Instant;

use alacritty_terminal::Term;
use alacritty_terminal::grid::Dimensions;
use alacritty_terminal::term::{Config, Osc52, TermMode};
use alacritty_terminal::vte::ansi::Processor;

use super::bounded::Bounded;
use super::replies::Ear;
use super::strings::Strings;
use super::{Cursor, Modes, Screen, painted, rows};
use crate::size::Size;
use crate::spec::Scrollback;

/// What the parser holds back at most while a drawing is not to be seen.
const HELD_BYTES_MAX: usize = 2 * 1024 * 1024;

/// A screen with a bounded past.
pub struct Emulator {
    term: Term<Ear>,
    processor: Processor,
    strings: Strings,
    ear: Ear,
    size: Size,
    scrollback: Scrollback,
}

struct Cells(Size);

impl Dimensions for Cells {
    fn total_lines(&self) -> usize {
        self.screen_lines()
    }

    fn screen_lines(&self) -> usize {
        usize::from(self.0.rows())
    }

    fn columns(&self) -> usize {
        usize::from(self.0.columns())
    }
}

impl Emulator {
    /// Makes an empty screen.
    pub fn new(size: Size, scrollback: Scrollback) -> Emulator {
        let ear = Ear::default();
        ear.resize(size);
        let term = Term::new(config(size, scrollback), &Cells(size), ear.clone());
        let (processor, strings) = (Processor::new(), Strings::default());
        Emulator { term, processor, strings, ear, size, scrollback }
    }

    /// Text flows while there is room for the longer of both pasts.
    fn step(&mut self, size: Size) {
        let narrower = if size.columns() < self.size.columns() { size } else { self.size };
        self.term.set_options(config(narrower, self.scrollback));
        self.term.resize(Cells(size));
        self.term.set_options(config(size, self.scrollback));
        self.size = size;
        self.ear.resize(size);
    }

    fn has(&self, mode: TermMode) -> bool {
        self.term.mode().contains(mode)
    }
}

fn config(size: Size, scrollback: Scrollback) -> Config {
    Config { scrolling_history: scrollback.lines(size), osc52: Osc52::Disabled, ..Config::default() }
}

impl Screen for Emulator {
    fn feed(&mut self, bytes: &[u8]) {
        let (processor, mut term) = (&mut self.processor, Bounded::new(&mut self.term, bytes.len()));
        self.strings.pass(bytes, |passed| processor.advance(&mut term, passed));
    }

    fn take_replies(&mut self) -> Vec<u8> {
        self.ear.with(|owed| std::mem::take(&mut owed.replies))
    }

    fn resize(&mut self, size: Size) {
        // A row that is cut into many keeps the room of all that was behind each cut: 500 columns to 2 would take 1.5 MB a row.
        while size.columns() < self.size.columns() / 2 {
            self.step(Size::clamped(self.size.columns() / 2, size.rows()));
        }
        while size.columns() / 2 > self.size.columns() {
            self.step(Size::clamped(self.size.columns() * 2, size.rows()));
        }
        self.step(size);
    }

    fn size(&self) -> Size {
        self.size
    }

    fn cursor(&self) -> Cursor {
        let point = self.term.grid().cursor.point;
        let row = u16::try_from(point.line.0).unwrap_or_default();
        let column = u16::try_from(point.column.0).unwrap_or_default();
        Cursor { row, column, is_shown: self.has(TermMode::SHOW_CURSOR) }
    }

    fn modes(&self) -> Modes {
        Modes {
            alternate_screen: self.has(TermMode::ALT_SCREEN),
            bracketed_paste: self.has(TermMode::BRACKETED_PASTE),
            application_cursor: self.has(TermMode::APP_CURSOR),
        }
    }

    fn rows(&self) -> Vec<String> {
        rows::seen(self.term.grid())
    }

    fn text(&self) -> String {
        rows::joined(self.term.grid())
    }

    fn line(&self) -> String {
        let grid = self.term.grid();
        rows::line_to(grid, grid.cursor.point.line)
    }

    fn painted(&self) -> Vec<String> {
        painted::seen(self.term.grid())
    }

    fn lines(&self, lines_max: usize) -> Vec<String> {
        rows::lines(self.term.grid(), lines_max)
    }

    fn is_history_full(&self) -> bool {
        let grid = self.term.grid();
        !self.has(TermMode::ALT_SCREEN) && grid.history_size() >= self.scrollback.lines(self.size)
    }

    fn title(&self) -> String {
        self.ear.with(|owed| owed.title.clone())
    }

    fn bells(&self) -> u64 {
        self.ear.with(|owed| owed.bells)
    }

    fn held_until(&self) -> Option<Instant> {
        self.processor.sync_timeout().sync_timeout()
    }

    fn show_held(&mut self) {
        self.processor.stop_sync(&mut Bounded::new(&mut self.term, HELD_BYTES_MAX));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn small() -> Emulator {
        Emulator::new(Size::clamped(20, 4), Scrollback { lines_max: 10 })
    }

    #[test]
    fn marks_on_one_character_are_bounded() {
        let mut screen = small();
        for _ in 0..1_000 {
            screen.feed("e\u{301}\u{302}\r".repeat(100).replace('e', "").as_bytes());
            screen.feed("日\u{301}\u{8}".as_bytes());
            screen.feed("\u{301}".repeat(100).as_bytes());
            screen.feed(b"\r");
        }
        let marks: usize =
            screen.rows().iter().map(|row| row.chars().filter(|mark| *mark == '\u{301}').count()).sum();
        assert!((1..=2 * 16).contains(&marks), "{marks}");
    }

    #[test]
    fn a_text_is_its_rows_and_the_line_of_the_cursor_all_that_is_full() {
        for fed in ["", "one\r\n\r\n two \t\r\n\x1b[8mhidden", "日本\x1b[3;5Hx", "\x1b[4;1Hlast\x1b[2;1H"] {
            let mut screen = small();
            screen.feed(fed.as_bytes());
            assert_eq!(screen.text(), screen.rows().join("\n").trim_end_matches('\n'), "{fed:?}");
        }
        let lines = [
            ("first\r\n$ echo", "$ echo"),
            ("$ 0123456789abcdefgh", "$ 0123456789abcdefgh"),
            ("$ 0123456789abcdefghij", "$ 0123456789abcdefghij"),
            ("$ 0123456789abcdefg本b", "$ 0123456789abcdefg本b"),
            ("$ echo  ", "$ echo"),
            ("", ""),
        ];
        for (fed, line) in lines {
            let mut screen = small();
            screen.feed(fed.as_bytes());
            assert_eq!(screen.line(), line, "{fed:?}");
        }
    }

    #[test]
    fn a_wide_screen_keeps_fewer_lines() {
        let wide = Size::clamped(500, 10);
        let mut screen = Emulator::new(wide, Scrollback { lines_max: 5_000 });
        screen.feed("line\r\n".repeat(6_000).as_bytes());
        assert_eq!(screen.lines(usize::MAX).len(), 600_000 / 500 + 9);
        assert!(screen.is_history_full());
        screen.resize(Size::clamped(100, 10));
        screen.feed("line\r\n".repeat(6_000).as_bytes());
        assert_eq!(screen.lines(usize::MAX).len(), 5_000 + 9);
    }

    #[test]
    fn the_narrowest_screen_has_the_text_of_the_widest() {
        let mut screen = Emulator::new(Size::clamped(500, 10), Scrollback { lines_max: 5_000 });
        let line: String = ('a'..='z').cycle().take(480).collect();
        screen.feed(format!("{line}\r\n").repeat(1_500).as_bytes());
        screen.resize(Size::clamped(2, 10));
        let narrow = screen.lines(usize::MAX);
        assert!(narrow.len() > 10 && narrow[5..narrow.len() - 1].iter().all(|text| *text == line));
        screen.resize(Size::clamped(500, 10));
        let wide = screen.lines(usize::MAX);
        assert!(wide.len() > 10 && wide[5..].iter().all(|text| *text == line));
    }

    #[test]
    fn a_drawing_that_is_held_back_is_shown_when_its_time_has_come() {
        let mut screen = small();
        assert_eq!(screen.held_until(), None);
        screen.feed(b"old\x1b[?2026h\rnew");
        assert!(screen.held_until().is_some_and(|until| until > Instant::now()));
        assert_eq!(screen.rows()[0], "old");
        screen.show_held();
        assert_eq!((screen.rows()[0].as_str(), screen.held_until()), ("new", None));
    }

    #[test]
    fn a_title_put_aside_again_and_again_is_bounded() {
        let mut screen = small();
        for _ in 0..10_000 {
            screen.feed(format!("\x1b]2;{}\x07\x1b[22t", "t".repeat(1_000)).as_bytes());
        }
        assert_eq!(screen.title().len(), 256);
    }
}
