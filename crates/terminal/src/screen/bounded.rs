//! Stands between the parser and the emulator: everything goes through, but nothing that would grow without bound.
//!
//! A cell takes any number of combining marks, so that a few bytes of a hostile stream would each stay for ever; a person's
//! writing needs a handful. Links and the clipboard do not reach a screen at all.

use alacritty_terminal::Term;
use alacritty_terminal::event::EventListener;
use alacritty_terminal::grid::Dimensions;
use alacritty_terminal::term::cell::Flags;
use alacritty_terminal::vte::ansi::{
    Attr, CharsetIndex, ClearMode, CursorShape, CursorStyle, Handler, LineClearMode, Mode, PrivateMode, Rgb,
    StandardCharset, TabulationClearMode,
};
use unicode_width::UnicodeWidthChar;

/// The marks that one cell may have.
const MARKS_MAX: usize = 16;

/// How many characters a few bytes may become by being repeated, and how many each further byte.
const REPEATED_MAX: usize = 4_096;
const REPEATED_PER_BYTE_MAX: usize = 64;

/// The emulator, bounded.
pub(super) struct Bounded<'a, T> {
    term: &'a mut Term<T>,
    /// How many characters may still come of the bytes that are being read.
    left: usize,
}

impl<'a, T> Bounded<'a, T> {
    /// For so many bytes.
    pub(super) fn new(term: &'a mut Term<T>, bytes: usize) -> Bounded<'a, T> {
        Bounded { term, left: REPEATED_MAX + REPEATED_PER_BYTE_MAX * bytes }
    }
}

impl<T> Bounded<'_, T> {
    /// Tells whether the cell that a mark would join has enough of them.
    fn is_crowded(&self) -> bool {
        let (grid, cursor) = (self.term.grid(), &self.term.grid().cursor);
        let (row, mut column) = (&grid[cursor.point.line], cursor.point.column);
        if !cursor.input_needs_wrap {
            column.0 = column.0.saturating_sub(1);
        }
        if row[column].flags.contains(Flags::WIDE_CHAR_SPACER) {
            column.0 = column.0.saturating_sub(1);
        }
        row[column].zerowidth().is_some_and(|marks| marks.len() >= MARKS_MAX)
    }
}

/// Hands calls on as they are.
macro_rules! hand_on {
    ($($name:ident($($argument:ident: $kind:ty),*);)*) => {
        $(#[inline]
        fn $name(&mut self, $($argument: $kind),*) {
            self.term.$name($($argument),*);
        })*
    };
}

impl<T: EventListener> Handler for Bounded<'_, T> {
    #[inline]
    fn input(&mut self, character: char) {
        // Seven bytes repeat a character 65,535 times.
        let Some(left) = self.left.checked_sub(1) else { return };
        self.left = left;
        // Printable ASCII is nearly all there is.
        if !character.is_ascii() && character.width() == Some(0) && self.is_crowded() {
            return;
        }
        self.term.input(character);
    }

    /// The emulator blanks as many cells from the right as are to be deleted, also left of the cursor.
    #[inline]
    fn delete_chars(&mut self, count: usize) {
        let left = self.term.columns() - self.term.grid().cursor.point.column.0;
        self.term.delete_chars(count.min(left));
    }

    hand_on! {
        set_title(title: Option<String>);
        set_cursor_style(style: Option<CursorStyle>);
        set_cursor_shape(shape: CursorShape);
        goto(line: i32, column: usize);
        goto_line(line: i32);
        goto_col(column: usize);
        insert_blank(count: usize);
        move_up(rows: usize);
        move_down(rows: usize);
        identify_terminal(intermediate: Option<char>);
        device_status(argument: usize);
        move_forward(columns: usize);
        move_backward(columns: usize);
        move_down_and_cr(rows: usize);
        move_up_and_cr(rows: usize);
        put_tab(count: u16);
        backspace();
        carriage_return();
        linefeed();
        bell();
        substitute();
        newline();
        set_horizontal_tabstop();
        scroll_up(rows: usize);
        scroll_down(rows: usize);
        insert_blank_lines(count: usize);
        delete_lines(count: usize);
        erase_chars(count: usize);
        move_backward_tabs(count: u16);
        move_forward_tabs(count: u16);
        save_cursor_position();
        restore_cursor_position();
        clear_line(mode: LineClearMode);
        clear_screen(mode: ClearMode);
        clear_tabs(mode: TabulationClearMode);
        set_tabs(interval: u16);
        reset_state();
        reverse_index();
        terminal_attribute(attribute: Attr);
        set_mode(mode: Mode);
        unset_mode(mode: Mode);
        report_mode(mode: Mode);
        set_private_mode(mode: PrivateMode);
        unset_private_mode(mode: PrivateMode);
        report_private_mode(mode: PrivateMode);
        set_scrolling_region(top: usize, bottom: Option<usize>);
        set_keypad_application_mode();
        unset_keypad_application_mode();
        set_active_charset(index: CharsetIndex);
        configure_charset(index: CharsetIndex, charset: StandardCharset);
        set_color(index: usize, colour: Rgb);
        dynamic_color_sequence(prefix: String, index: usize, terminator: &str);
        reset_color(index: usize);
        decaln();
        push_title();
        pop_title();
        text_area_size_pixels();
        text_area_size_chars();
    }
}
