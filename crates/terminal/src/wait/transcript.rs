//! The transcript: what a program writes, as lines of clean text in the order in which they came.
//!
//! It only ever grows at its end, so that it can be searched piece by piece with the same result wherever the pieces were cut. A
//! line that is written over again and again (a progress bar) gives each of its states as a line of its own when all of them are
//! wanted, and its last state when not. Text that is put here and there on the screen gives a line for each place.

use alacritty_terminal::vte::{Params, Parser, Perform};
use unicode_width::UnicodeWidthChar;

use super::line::Line;

/// How often one character is repeated at most, whatever the program asks for.
const REPEAT_MAX: usize = 2_000;

/// A line that is finished, or a piece of one that is too long.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Finished {
    /// Where it begins in the text.
    pub(super) start: usize,
    /// Where it ends, without its line break.
    pub(super) end: usize,
    /// Whether a line editor was at work on it.
    pub(super) is_edited: bool,
}

/// What a program writes, as text.
pub(crate) struct Transcript {
    parser: Parser,
    page: Page,
}

struct Page {
    text: String,
    line: Line,
    finished: Vec<Finished>,
    width: usize,
    /// Whether each state of a line is kept that is written over.
    keeps_states: bool,
    /// A line editor is at work: what comes is its prompt and the echo of what is typed.
    is_editing: bool,
    /// It was at some time since the line began.
    is_edited: bool,
    /// The cursor went back to the beginning, and nothing was written since.
    is_rewound: bool,
    last: Option<char>,
}

impl Transcript {
    /// Begins in a column of a screen so wide, inside or outside of a line editor.
    pub(crate) fn new(width: usize, column: usize, is_editing: bool, keeps_states: bool) -> Transcript {
        let page = Page {
            text: String::new(),
            line: Line::new(width, column),
            finished: Vec::new(),
            width,
            keeps_states,
            is_editing,
            is_edited: is_editing,
            is_rewound: false,
            last: None,
        };
        Transcript { parser: Parser::new(), page }
    }

    /// Reads on.
    pub(crate) fn feed(&mut self, bytes: &[u8]) {
        self.parser.advance(&mut self.page, bytes);
    }

    /// Gives the lines that were finished since it was asked last.
    pub(super) fn take_finished(&mut self) -> Vec<Finished> {
        std::mem::take(&mut self.page.finished)
    }

    /// Gives the finished text.
    pub(super) fn text(&self) -> &str {
        &self.page.text
    }

    /// Gives the line that is being written.
    pub(super) fn current(&self) -> String {
        let mut line = String::new();
        self.page.line.push_to(&mut line);
        line
    }

    /// Tells whether a line editor is at work on it.
    pub(super) fn is_current_edited(&self) -> bool {
        self.page.is_edited
    }

    /// Forgets the oldest text up to a place.
    pub(super) fn forget(&mut self, place: usize) {
        self.page.text.drain(..place);
    }

    /// Gives all of it, line by line, without blanks at the ends of lines.
    pub(crate) fn into_lines(mut self) -> Vec<String> {
        let current = self.current();
        self.page.text.push_str(&current);
        let mut lines: Vec<String> = self.page.text.lines().map(|line| line.trim_end().to_owned()).collect();
        while lines.last().is_some_and(String::is_empty) {
            lines.pop();
        }
        lines
    }
}

impl Page {
    /// Ends the line.
    fn finish(&mut self) {
        let start = self.text.len();
        self.line.push_to(&mut self.text);
        let end = start + self.text[start..].trim_end().len();
        self.text.truncate(end);
        self.finished.push(Finished { start, end, is_edited: self.is_edited });
        self.text.push('\n');
        self.is_edited = self.is_editing;
        self.is_rewound = false;
    }

    fn line_feed(&mut self) {
        if !self.line.down(1) {
            self.finish();
            self.line.clear();
        }
    }

    /// The cursor goes where this line is not.
    fn jump(&mut self, column: Option<usize>) {
        if !self.line.is_blank() {
            self.finish();
        }
        self.line.clear();
        if let Some(column) = column {
            self.line.go(column);
        }
        self.is_rewound = false;
    }

    /// Keeps the state of a line that is about to be written over.
    fn keep_state(&mut self) {
        if self.is_rewound && self.keeps_states && !self.is_editing && self.line.covers() {
            self.finish();
        }
        self.is_rewound = false;
    }

    fn cut_if_too_long(&mut self) {
        if self.line.is_too_long() {
            let start = self.text.len();
            self.line.push_to(&mut self.text);
            self.finished.push(Finished { start, end: self.text.len(), is_edited: self.is_edited });
            self.line = Line::new(self.width, 0);
        }
    }

    fn mode(&mut self, mode: u16, is_on: bool) {
        match mode {
            2004 => {
                self.is_editing = is_on;
                // What an editor has left before anything was written is a line of whatever comes now.
                self.is_edited = is_on || self.is_edited && !self.line.is_blank();
            }
            47 | 1047 | 1049 => self.jump(None),
            _ => (),
        }
    }

    fn erase_line(&mut self, what: u16) {
        self.keep_state();
        match what {
            0 => self.line.erase_row_after(),
            1 => self.line.erase_row_before(),
            _ => self.line.erase_row(),
        }
    }

    fn erase_screen(&mut self, what: u16) {
        match what {
            0 => {
                self.keep_state();
                self.line.erase_after();
            }
            _ => self.jump(None),
        }
    }
}

impl Perform for Page {
    fn print(&mut self, character: char) {
        // Printable ASCII is nearly all there is.
        let width = if matches!(character, ' '..='~') { Some(1) } else { character.width() };
        match width {
            None => (),
            Some(0) => self.line.mark(character),
            Some(width) => {
                self.keep_state();
                self.line.put(character, width);
                self.last = Some(character);
                self.cut_if_too_long();
            }
        }
    }

    fn execute(&mut self, byte: u8) {
        match byte {
            b'\n' | 0x0b | 0x0c => self.line_feed(),
            b'\r' => {
                self.line.carriage_return();
                self.is_rewound = true;
            }
            0x08 => self.line.back(1),
            b'\t' => self.line.tab(),
            _ => (),
        }
    }

    fn csi_dispatch(&mut self, params: &Params, intermediates: &[u8], _ignore: bool, action: char) {
        let mut numbers = params.iter().map(|param| param[0]);
        if intermediates == b"?" && matches!(action, 'h' | 'l') {
            numbers.for_each(|mode| self.mode(mode, action == 'h'));
            return;
        }
        if !intermediates.is_empty() {
            return;
        }
        let (first, second) = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
        let count = usize::from(first.max(1));
        match action {
            'A' if self.line.up(count) => (),
            'B' | 'e' if self.line.down(count) => (),
            'A' | 'B' | 'd' | 'e' | 'S' | 'T' | 'L' | 'M' | 'r' => self.jump(None),
            'E' | 'F' => self.jump(Some(0)),
            'H' | 'f' => self.jump(Some(usize::from(second.max(1)) - 1)),
            'C' | 'a' => self.line.forward(count),
            'D' => self.line.back(count),
            'G' | '`' => self.line.go(count - 1),
            'K' => self.erase_line(first),
            'J' => self.erase_screen(first),
            'P' => self.line.delete(count),
            '@' => self.line.insert(count),
            'X' => self.line.erase(count),
            'b' => {
                let Some(last) = self.last else { return };
                (0..count.min(REPEAT_MAX)).for_each(|_| self.print(last));
            }
            _ => (),
        }
    }

    fn esc_dispatch(&mut self, intermediates: &[u8], _ignore: bool, byte: u8) {
        match (intermediates, byte) {
            ([], b'D') => self.line_feed(),
            ([], b'E') => {
                self.line.carriage_return();
                self.line_feed();
            }
            ([], b'M' | b'c') => self.jump(None),
            _ => (),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(width: usize, bytes: &[u8], keeps_states: bool) -> Vec<String> {
        let read = |size: usize| {
            let mut transcript = Transcript::new(width, 0, false, keeps_states);
            bytes.chunks(size).for_each(|piece| transcript.feed(piece));
            transcript.into_lines()
        };
        let whole = read(usize::MAX);
        for size in 1..=bytes.len().max(1) {
            assert_eq!(read(size), whole, "pieces of {size}");
        }
        whole
    }

    #[test]
    fn plain_lines_are_as_they_are() {
        assert_eq!(lines(80, b"one\r\ntwo  \r\n\r\nthree", false), ["one", "two", "", "three"]);
        assert_eq!(lines(80, "ä😀e\u{301}\r\n".as_bytes(), false), ["ä😀e\u{301}"]);
        assert_eq!(lines(80, b"\x1b[1;31mred\x1b[0m \x1b]0;title\x07text\x1b(B", false), ["red text"]);
    }

    #[test]
    fn a_line_wider_than_the_screen_is_one_line() {
        assert_eq!(lines(4, b"abcdefgh\r\nx", false), ["abcdefgh", "x"]);
        // Line editors fill the row, write a blank into the next and go back to its beginning.
        assert_eq!(lines(4, b"$ ab \rcdef \rgh\r\n", false), ["$ abcdefgh"]);
        assert_eq!(lines(4, "abc😀d".as_bytes(), false), ["abc 😀d"]);
    }

    #[test]
    fn states_of_a_line_are_kept_or_not() {
        let bar = b"10%\r20%\r\x1b[K30%\r\ndone";
        assert_eq!(lines(80, bar, true), ["10%", "20%", "30%", "done"]);
        assert_eq!(lines(80, bar, false), ["30%", "done"]);
    }

    #[test]
    fn line_editing_is_followed() {
        assert_eq!(lines(80, b"abc\x08\x08X", false), ["aXc"]);
        assert_eq!(lines(80, b"abcd\x1b[3D\x1b[P", false), ["acd"]);
        assert_eq!(lines(80, b"abcd\x1b[3D\x1b[2@XY", false), ["aXYbcd"]);
        assert_eq!(lines(80, b"abcdef\x1b[3G\x1b[K!", false), ["ab!"]);
        assert_eq!(lines(80, b"a\tb\x1b[2X", false), ["a       b"]);
        assert_eq!(lines(4, b"abcdefg\x1b[AX\r\nY", false), ["abcXYfg"]);
        // From the last cell of a row that was just filled, too.
        assert_eq!(lines(4, b"abcdefgh\x1b[AX", false), ["abcXefgh"]);
        assert_eq!(lines(2, b"abcd\x1b[AX", false), ["aXcd"]);
        let marked =
            |editing: &str| lines(20, format!("ae\u{301}io\u{302}u{editing}").as_bytes(), false).remove(0);
        assert_eq!(marked("\r\x1b[P"), "e\u{301}io\u{302}u");
        assert_eq!(marked("\x1b[2G\x1b[P"), "aio\u{302}u");
        assert_eq!(marked("\r\x1b[2@"), "  ae\u{301}io\u{302}u");
        assert_eq!(marked("\x1b[2GE"), "aEio\u{302}u");
        assert_eq!(marked("\x1b[3G\x1b[K"), "ae\u{301}");
    }

    #[test]
    fn each_place_on_the_screen_is_a_line() {
        assert_eq!(
            lines(80, b"\x1b[2J\x1b[1;1Htop\x1b[5;10Hmiddle\x1b[24;1Hend", false),
            ["top", "         middle", "end"]
        );
    }

    #[test]
    fn hostile_output_is_bounded() {
        let mut transcript = Transcript::new(2, 0, false, true);
        for _ in 0..200 {
            transcript.feed(&[b'a'; 1_000]);
            transcript.feed(b"\x1b[65535b\x1b[65535C\x1b[65535@\x1b[65535P\x1b[65535A\x1b[65535D");
            transcript.feed("\u{301}".repeat(100).as_bytes());
        }
        assert!(transcript.current().chars().count() < super::super::line::CELLS_MAX * 17);
    }
}
