//! The names of keys and what each sends.

/// What a key sends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// One byte.
    Byte(u8),
    /// `CSI` or `SS3` and this letter, by the mode that the program has set.
    Arrow(u8),
    /// `SS3` and this letter.
    Function(u8),
    /// `CSI`, this number and a tilde.
    Numbered(u8),
}

/// All names; the first of several for one key is the one that is offered first.
pub(super) const NAMES: [(&str, Shape); 37] = [
    ("Enter", Shape::Byte(b'\r')),
    ("Return", Shape::Byte(b'\r')),
    ("CR", Shape::Byte(b'\r')),
    ("Tab", Shape::Byte(b'\t')),
    ("Escape", Shape::Byte(0x1b)),
    ("Esc", Shape::Byte(0x1b)),
    ("Space", Shape::Byte(b' ')),
    ("Backspace", Shape::Byte(0x7f)),
    ("BS", Shape::Byte(0x7f)),
    ("lt", Shape::Byte(b'<')),
    ("Up", Shape::Arrow(b'A')),
    ("Down", Shape::Arrow(b'B')),
    ("Right", Shape::Arrow(b'C')),
    ("Left", Shape::Arrow(b'D')),
    ("Home", Shape::Arrow(b'H')),
    ("End", Shape::Arrow(b'F')),
    ("Insert", Shape::Numbered(2)),
    ("Ins", Shape::Numbered(2)),
    ("Delete", Shape::Numbered(3)),
    ("Del", Shape::Numbered(3)),
    ("PageUp", Shape::Numbered(5)),
    ("PgUp", Shape::Numbered(5)),
    ("PageDown", Shape::Numbered(6)),
    ("PgDn", Shape::Numbered(6)),
    ("F1", Shape::Function(b'P')),
    ("F2", Shape::Function(b'Q')),
    ("F3", Shape::Function(b'R')),
    ("F4", Shape::Function(b'S')),
    ("F5", Shape::Numbered(15)),
    ("F6", Shape::Numbered(17)),
    ("F7", Shape::Numbered(18)),
    ("F8", Shape::Numbered(19)),
    ("F9", Shape::Numbered(20)),
    ("F10", Shape::Numbered(21)),
    ("F11", Shape::Numbered(23)),
    ("F12", Shape::Numbered(24)),
    ("Nul", Shape::Byte(0)),
];

/// Finds a key by its name, whatever its capitals.
pub(super) fn shape(name: &str) -> Option<Shape> {
    NAMES.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, shape)| *shape)
}
