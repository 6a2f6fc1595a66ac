//! What a terminal owes to programs: answers about itself, its title, its bell.

use std::sync::{Arc, Mutex};

use alacritty_terminal::event::{Event, EventListener, WindowSize};
use alacritty_terminal::vte::ansi::{NamedColor, Rgb};

use crate::size::Size;
use crate::turns::held;

/// The answers that are kept for a program that asks and does not read.
const BYTES_MAX: usize = 64 * 1024;

/// The longest title that is kept.
const TITLE_CHARS_MAX: usize = 256;

/// A cell in pixels, for programs that ask; nobody draws any.
const CELL: (u16, u16) = (8, 16);

/// What has come up while the emulator worked.
#[derive(Debug, Default)]
pub(super) struct Owed {
    pub(super) replies: Vec<u8>,
    pub(super) title: String,
    pub(super) bells: u64,
    size: Size,
}

/// The emulator's ear. It is asked with a shared reference, therefore the lock; nobody else ever holds it for long.
#[derive(Debug, Default, Clone)]
pub(super) struct Ear(Arc<Mutex<Owed>>);

impl Ear {
    /// Looks at what has come up.
    pub(super) fn with<T>(&self, look: impl FnOnce(&mut Owed) -> T) -> T {
        let mut owed = held(self.0.lock());
        look(&mut owed)
    }

    /// Remembers the size, which programs ask for in pixels.
    pub(super) fn resize(&self, size: Size) {
        self.with(|owed| owed.size = size);
    }
}

impl EventListener for Ear {
    fn send_event(&self, event: Event) {
        self.with(|owed| match event {
            Event::PtyWrite(text) => owed.reply(&text),
            Event::ColorRequest(index, format) => owed.reply(&format(colour(index))),
            Event::TextAreaSizeRequest(format) => owed.reply(&format(window(owed.size))),
            Event::Title(title) => owed.title = tidy(&title),
            Event::ResetTitle => owed.title.clear(),
            Event::Bell => owed.bells += 1,
            _ => (),
        });
    }
}

impl Owed {
    fn reply(&mut self, text: &str) {
        if self.replies.len() + text.len() <= BYTES_MAX {
            self.replies.extend_from_slice(text.as_bytes());
        }
    }
}

fn window(size: Size) -> WindowSize {
    let (cell_width, cell_height) = CELL;
    WindowSize { num_lines: size.rows(), num_cols: size.columns(), cell_width, cell_height }
}

fn tidy(title: &str) -> String {
    let kept: String =
        title.chars().filter(|character| !character.is_control()).take(TITLE_CHARS_MAX).collect();
    kept.trim().to_owned()
}

/// The colours that a program is told of: light grey on black, and the usual 256.
fn colour(index: usize) -> Rgb {
    const LEVELS: [u8; 6] = [0, 95, 135, 175, 215, 255];
    const BASE: [u32; 16] = [
        0x000000, 0xcd0000, 0x00cd00, 0xcdcd00, 0x0000ee, 0xcd00cd, 0x00cdcd, 0xe5e5e5, 0x7f7f7f, 0xff0000,
        0x00ff00, 0xffff00, 0x5c5cff, 0xff00ff, 0x00ffff, 0xffffff,
    ];
    let grey = |level: usize| Rgb { r: level as u8, g: level as u8, b: level as u8 };
    match index {
        0..16 => Rgb { r: (BASE[index] >> 16) as u8, g: (BASE[index] >> 8) as u8, b: BASE[index] as u8 },
        16..232 => {
            let cube = index - 16;
            Rgb { r: LEVELS[cube / 36], g: LEVELS[cube / 6 % 6], b: LEVELS[cube % 6] }
        }
        232..256 => grey(8 + 10 * (index - 232)),
        _ if index == NamedColor::Background as usize => grey(0),
        _ => grey(0xe5),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_those_that_programs_know() {
        assert_eq!(colour(1), Rgb { r: 0xcd, g: 0, b: 0 });
        assert_eq!(colour(196), Rgb { r: 255, g: 0, b: 0 });
        assert_eq!(colour(255), Rgb { r: 238, g: 238, b: 238 });
        assert_eq!(colour(NamedColor::Background as usize), Rgb { r: 0, g: 0, b: 0 });
    }

    #[test]
    fn answers_and_titles_are_bounded() {
        let ear = Ear::default();
        for _ in 0..100_000 {
            ear.send_event(Event::PtyWrite("\x1b[0n".to_owned()));
        }
        ear.send_event(Event::Title(format!("a\u{7}\u{9b}b{}", "x".repeat(1_000))));
        assert_eq!(tidy("  a title \u{7} "), "a title");
        ear.with(|owed| {
            assert_eq!(owed.replies.len(), BYTES_MAX);
            assert_eq!(owed.title.len(), TITLE_CHARS_MAX);
            assert!(owed.title.starts_with("abx"));
        });
    }
}
