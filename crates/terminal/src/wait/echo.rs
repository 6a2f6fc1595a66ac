//! What was typed, and where it comes back as an echo.
//!
//! Two echo. The system echoes each line once, as it is typed, unless the program has switched that off. A line editor echoes
//! what it reads, when it reads it: what is typed ahead comes back a second time, behind the prompt. While an editor is at work it
//! has bracketed paste switched on, so that its lines are known; in them all that was typed lately is an echo, and elsewhere only
//! the next line that is due. Blanks do not count: editors wrap and terminals expand tabs.

use std::ops::Range;

use crate::pty;

/// What is remembered of what was typed, in characters.
const CHARS_MAX: usize = 65_536;

/// Lines that are remembered.
const LINES_MAX: usize = 64;

/// What was typed up to now, as far as its echo may still come.
#[derive(Debug, Clone, Default)]
pub(crate) struct Typing {
    lines: Vec<Typed>,
    /// The line that was begun and not ended.
    open: String,
    /// Keys were pressed whose echo nobody can foresee, and then Enter.
    is_opaque: bool,
}

/// How what is typed comes back.
#[derive(Debug, Clone, Copy)]
struct Echoed {
    /// Outside of a line editor.
    is_due: bool,
    /// At once, line by line, control characters made visible.
    by_system: bool,
    /// In the lines of an editor that is at work.
    is_editing: bool,
}

/// A line that was typed.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Typed {
    /// Its characters without blanks.
    characters: Vec<char>,
    is_ended: bool,
    /// Whether it is still to be echoed outside of a line editor.
    is_due: bool,
    /// Whether a line editor has shown it.
    is_edited: bool,
    /// Whether it was typed before an editor was at work: one that does not say when it is may show it once more, behind its
    /// prompt.
    may_come_again: bool,
}

impl Typed {
    fn may_show_again(&self) -> bool {
        self.may_come_again && !self.is_edited
    }
}

impl Typing {
    /// Adds what is typed now, while the terminal treats input so.
    pub(crate) fn with(&self, bytes: &[u8], line: pty::Line, is_editing: bool) -> Typing {
        let mut next = Typing { is_opaque: false, ..self.clone() };
        // What the system echoes it has echoed when it was typed; only editors are late.
        next.lines.iter_mut().for_each(|typed| typed.is_due = false);
        // A password prompt echoes nothing; an editor that is at work echoes in its own lines.
        let is_due = !is_editing && (line.echoes || !line.is_canonical);
        let by_system = !is_editing && line.echoes && line.is_canonical;
        next.read(&String::from_utf8_lossy(bytes), Echoed { is_due, by_system, is_editing });
        next.forget();
        next
    }

    fn read(&mut self, text: &str, how: Echoed) {
        let (mut segment, mut has_keys, mut is_pasted) = (String::new(), false, false);
        let mut characters = text.chars();
        while let Some(character) = characters.next() {
            match character {
                '\r' | '\n' => {
                    self.is_opaque |= has_keys && how.is_editing;
                    self.end_segment(&mut segment, true, how);
                }
                control if how.by_system && is_shown(control) => {
                    segment.push('^');
                    segment.push(char::from(control as u8 ^ 0x40));
                }
                '\x1b' => {
                    let is_mark = is_paste_mark(characters.as_str());
                    is_pasted = is_mark && characters.as_str().starts_with("[200~");
                    has_keys |= !is_mark;
                    skip_sequence(&mut characters);
                    self.end_segment(&mut segment, false, how);
                }
                // An editor completes what stands before it.
                '\t' if how.is_editing && !is_pasted => {
                    has_keys = true;
                    self.end_segment(&mut segment, false, how);
                }
                '\t' => segment.push(' '),
                control if control.is_control() => {
                    has_keys = true;
                    self.end_segment(&mut segment, false, how);
                    self.open.clear();
                }
                _ => segment.push(character),
            }
        }
        self.end_segment(&mut segment, false, how);
    }

    fn end_segment(&mut self, segment: &mut String, is_ended: bool, how: Echoed) {
        let whole = format!("{}{segment}", self.open);
        if !segment.trim().is_empty() {
            self.add(segment, is_ended, how);
        }
        if whole != *segment && is_ended {
            self.add(&whole, is_ended, how);
        }
        self.open = if is_ended { String::new() } else { whole };
        segment.clear();
    }

    fn add(&mut self, text: &str, is_ended: bool, how: Echoed) {
        let characters: Vec<char> = text.chars().filter(|character| !character.is_whitespace()).collect();
        if !characters.is_empty() {
            let (is_due, may_come_again) = (how.is_due, how.by_system && is_ended);
            self.lines.push(Typed { characters, is_ended, is_due, is_edited: false, may_come_again });
        }
    }

    fn forget(&mut self) {
        let mut chars = 0;
        let kept = self.lines.iter().rev().take(LINES_MAX).take_while(|typed| {
            chars += typed.characters.len();
            chars <= CHARS_MAX
        });
        let surplus = self.lines.len() - kept.count();
        self.lines.drain(..surplus);
        if self.open.len() > CHARS_MAX {
            self.open.clear();
        }
    }

    /// Finds the echoes in a finished line, in bytes of it, and counts them as seen.
    pub(super) fn examine(&mut self, line: &str, is_edited: bool, is_first: bool) -> Vec<Range<usize>> {
        // Of much output nearly every line ends here.
        if !is_edited && !self.lines.iter().any(|typed| typed.is_due) {
            return Vec::new();
        }
        let seen = self.echoes(&Squeezed::new(line), is_edited, is_first);
        for (index, _) in &seen {
            if let Some(typed) = self.lines.get_mut(*index) {
                typed.is_due &= is_edited;
                typed.is_edited |= is_edited;
            }
        }
        let mut ranges: Vec<_> = seen.into_iter().map(|(_, range)| range).collect();
        ranges.sort_by_key(|range| (range.start, range.end));
        ranges.dedup();
        ranges
    }

    /// Finds what of a finished line may be an echo by an editor that does not say when it is at work: behind a prompt, once. To
    /// be asked of a line that has no other echo.
    pub(super) fn once_more(&mut self, line: &str) -> Option<Range<usize>> {
        let squeezed = Squeezed::new(line);
        let mut ahead = self.lines.iter_mut().filter(|typed| typed.may_show_again());
        ahead.find_map(|typed| {
            let range =
                squeezed.plain(typed, false).filter(|range| squeezed.is_behind_prompt(range.start))?;
            typed.may_come_again = false;
            Some(range)
        })
    }

    /// Finds the same in a line that is being written, where it may only have begun.
    pub(super) fn perhaps_once_more(&self, line: &str) -> Option<Range<usize>> {
        let squeezed = Squeezed::new(line);
        let ahead = self.lines.iter().filter(|typed| typed.may_show_again());
        let starts = ahead.flat_map(|typed| {
            let whole = squeezed.plain(typed, false).map(|range| range.start);
            [whole, squeezed.begun(&typed.characters, false)]
        });
        let start = starts.flatten().filter(|start| squeezed.is_behind_prompt(*start)).min()?;
        Some(start..line.len())
    }

    /// Finds the echoes in a line that is being written: those that are whole, and one that may have begun at its end.
    pub(super) fn peek(
        &self,
        line: &str,
        is_edited: bool,
        is_first: bool,
    ) -> (Vec<Range<usize>>, Option<Range<usize>>) {
        let squeezed = Squeezed::new(line);
        let whole: Vec<_> =
            self.echoes(&squeezed, is_edited, is_first).into_iter().map(|(_, range)| range).collect();
        let may_come = self.lines.iter().filter(|typed| typed.is_due || is_edited);
        let begun = may_come.filter_map(|typed| squeezed.begun(&typed.characters, is_first)).min();
        (whole, begun.map(|place| place..line.len()))
    }

    /// Finds all that was typed, wherever it stands.
    pub(super) fn everywhere(&self, text: &str) -> Vec<Range<usize>> {
        let squeezed = Squeezed::new(text);
        self.lines.iter().flat_map(|typed| squeezed.everywhere(&typed.characters)).collect()
    }

    /// Tells whether an echo is still to come, so that a prompt at the end of the text may not be the last.
    pub(super) fn is_awaited(&self, is_edited: bool) -> bool {
        self.lines.iter().any(|typed| typed.is_ended && (typed.is_due || is_edited && !typed.is_edited))
    }

    fn echoes(&self, line: &Squeezed, is_edited: bool, is_first: bool) -> Vec<(usize, Range<usize>)> {
        if is_edited && is_first && self.is_opaque && !line.line.is_empty() {
            return vec![(usize::MAX, 0..line.line.len())];
        }
        let numbered = self.lines.iter().enumerate();
        if is_edited {
            let all = |(index, typed): (usize, &Typed)| {
                line.everywhere(&typed.characters).into_iter().map(move |range| (index, range))
            };
            return numbered.flat_map(all).collect();
        }
        let due = numbered.filter(|(_, typed)| typed.is_due);
        due.filter_map(|(index, typed)| Some((index, line.plain(typed, is_first)?))).take(1).collect()
    }
}

/// A line without its blanks, and where each character stands in it.
struct Squeezed<'a> {
    line: &'a str,
    characters: Vec<char>,
    places: Vec<usize>,
}

impl<'a> Squeezed<'a> {
    fn new(line: &'a str) -> Squeezed<'a> {
        let solid = line.char_indices().filter(|(_, character)| !character.is_whitespace());
        let (places, characters) = solid.unzip();
        Squeezed { line, characters, places }
    }

    /// The echo of a line outside of an editor: at the end of its line, or at the very place where it was typed.
    fn plain(&self, typed: &Typed, is_first: bool) -> Option<Range<usize>> {
        if is_first
            && self.characters.starts_with(&typed.characters)
            && self.ends_word(typed.characters.len())
        {
            return Some(self.range(0, typed.characters.len()));
        }
        let start = self.characters.len().checked_sub(typed.characters.len())?;
        let fits =
            typed.is_ended && self.characters[start..] == typed.characters[..] && self.begins_word(start);
        fits.then(|| self.range(start, self.characters.len()))
    }

    fn everywhere(&self, typed: &[char]) -> Vec<Range<usize>> {
        let starts = 0..(self.characters.len() + 1).saturating_sub(typed.len());
        let fits = |start: &usize| {
            self.characters[*start..].starts_with(typed)
                && self.begins_word(*start)
                && self.ends_word(start + typed.len())
        };
        starts.filter(fits).map(|start| self.range(start, start + typed.len())).collect()
    }

    /// Where an echo of this may have begun that is not yet whole.
    fn begun(&self, typed: &[char], is_first: bool) -> Option<usize> {
        let from = self.characters.len().saturating_sub(typed.len().saturating_sub(1));
        let fits = |start: &usize| {
            typed.starts_with(&self.characters[*start..])
                && (self.begins_word(*start) || is_first && *start == 0)
        };
        (from..self.characters.len()).find(fits).map(|start| self.places[start])
    }

    /// Tells whether something stands before this place of the line.
    fn is_behind_prompt(&self, place: usize) -> bool {
        !self.line[..place].trim().is_empty()
    }

    fn range(&self, start: usize, end: usize) -> Range<usize> {
        let last = end - 1;
        self.places[start]..self.places[last] + self.characters[last].len_utf8()
    }

    /// Tells whether a word may begin here: what was typed does not begin in the middle of one.
    fn begins_word(&self, start: usize) -> bool {
        let before = self.line[..self.places[start]].chars().next_back();
        !self.characters[start].is_alphanumeric() || before.is_none_or(|before| !before.is_alphanumeric())
    }

    fn ends_word(&self, end: usize) -> bool {
        let Some(last) = end.checked_sub(1) else { return false };
        let place = self.places[last] + self.characters[last].len_utf8();
        let after = self.line[place..].chars().next();
        !self.characters[last].is_alphanumeric() || after.is_none_or(|after| !after.is_alphanumeric())
    }
}

/// Whether the system shows a control character as two: `^A`. Those that edit the line or send a signal are not text.
fn is_shown(character: char) -> bool {
    const ACTING: [u8; 12] = [0x03, 0x04, 0x08, 0x0f, 0x11, 0x12, 0x13, 0x15, 0x16, 0x17, 0x1a, 0x1c];
    let byte = character as u32;
    byte < 0x20
        && !matches!(character, '\t' | '\n' | '\r')
        && !ACTING.iter().any(|one| u32::from(*one) == byte)
}

/// Bracketed paste: the text between is typed as it is.
fn is_paste_mark(rest: &str) -> bool {
    rest.starts_with("[200~") || rest.starts_with("[201~")
}

/// Skips what follows an ESC: one key.
fn skip_sequence(characters: &mut std::str::Chars<'_>) {
    match characters.next() {
        Some('[') => drop(characters.find(|character| matches!(character, '@'..='~'))),
        Some('O') => drop(characters.next()),
        _ => (),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NONE: [&str; 0] = [];
    const COOKED: pty::Line = pty::Line { echoes: true, is_canonical: true };
    const RAW: pty::Line = pty::Line { echoes: false, is_canonical: false };
    const PASSWORD: pty::Line = pty::Line { echoes: false, is_canonical: true };

    fn typing(text: &str, line: pty::Line, is_editing: bool) -> Typing {
        Typing::default().with(text.as_bytes(), line, is_editing)
    }

    /// Finishes a line and gives what of it was an echo.
    fn seen<'a>(typing: &mut Typing, line: &'a str, is_edited: bool, is_first: bool) -> Vec<&'a str> {
        typing.examine(line, is_edited, is_first).into_iter().map(|range| &line[range]).collect()
    }

    #[test]
    fn the_system_echoes_a_line_once() {
        let mut typing = typing("hello\n", COOKED, false);
        assert!(typing.is_awaited(false));
        assert_eq!(seen(&mut typing, "say: hello", false, true), ["hello"]);
        assert_eq!(seen(&mut typing, "hello", false, false), NONE);
        assert!(!typing.is_awaited(false));
    }

    #[test]
    fn an_echo_does_not_begin_within_a_word_and_ends_its_line() {
        let mut typing = typing("y\n", COOKED, false);
        assert_eq!(seen(&mut typing, "ready", false, true), NONE);
        assert_eq!(seen(&mut typing, "y or n", false, false), NONE);
        assert_eq!(seen(&mut typing, "go on? y", false, false), ["y"]);
    }

    #[test]
    fn an_editor_shows_what_was_typed_ahead_again() {
        let mut typing = typing("echo hi\n", COOKED, false);
        assert_eq!(seen(&mut typing, "echo hi", false, true), ["echo hi"]);
        assert!(typing.is_awaited(true));
        assert_eq!(seen(&mut typing, "$ echo hi", true, false), ["echo hi"]);
        assert!(!typing.is_awaited(true));
        assert_eq!(seen(&mut typing, "hi", false, false), NONE);
    }

    #[test]
    fn a_password_is_not_echoed() {
        let mut typing = typing("secret\n", PASSWORD, false);
        assert_eq!(seen(&mut typing, "secret", false, true), NONE);
        assert!(!typing.is_awaited(false));
    }

    #[test]
    fn an_answer_like_the_input_is_no_echo() {
        let mut typing = typing("5\n", RAW, true);
        assert_eq!(seen(&mut typing, "5", true, true), ["5"]);
        assert_eq!(seen(&mut typing, "5", false, false), NONE);
    }

    #[test]
    fn an_echo_that_has_begun_is_seen() {
        let typing = typing("echo done\n", COOKED, false);
        assert_eq!(typing.peek("echo d", false, true), (vec![], Some(0..6)));
        assert_eq!(typing.peek("x = e", false, false), (vec![], Some(4..5)));
        assert_eq!(typing.peek("name", false, false), (vec![], None));
        assert_eq!(typing.peek("echo done", false, true).0.first(), Some(&(0..9)));
    }

    #[test]
    fn a_line_typed_in_two_goes_is_one() {
        let first = typing("echo ", COOKED, false);
        let mut both = first.with(b"hi\n", COOKED, false);
        assert!(seen(&mut both, "$ echo hi", true, false).contains(&"echo hi"));
    }

    #[test]
    fn keys_nobody_can_foresee_hide_the_line_they_were_pressed_on() {
        let mut typing = typing("\x1b[A\n", RAW, true);
        assert_eq!(seen(&mut typing, "ls -l", true, true), ["ls -l"]);
        assert_eq!(seen(&mut typing, "file", false, false), NONE);
    }

    #[test]
    fn the_system_shows_control_characters() {
        let mut typing = typing("sleep 3 #\x01\x1b[AMK\n", COOKED, false);
        assert_eq!(seen(&mut typing, "sleep 3 #^A^[[AMK", false, true), ["sleep 3 #^A^[[AMK"]);
    }

    #[test]
    fn what_an_editor_completes_is_its_echo() {
        let mut typing = typing("ls /et\t MK\n", RAW, true);
        assert_eq!(seen(&mut typing, "ls /etc/ MK", true, true), ["ls /etc/ MK"]);
    }

    #[test]
    fn an_editor_that_does_not_say_so_shows_a_line_once_more_behind_its_prompt() {
        let mut typing = typing("1 # MARK\n", COOKED, false);
        assert_eq!(seen(&mut typing, "1 # MARK", false, true), ["1 # MARK"]);
        assert_eq!(typing.once_more("1 # MARK"), None, "no prompt stands before it");
        assert_eq!(typing.perhaps_once_more(">>> 1 # MA"), Some(4..10), "it has begun");
        assert_eq!(typing.perhaps_once_more(">>> 1 # MARK"), Some(4..12));
        assert_eq!(typing.perhaps_once_more(">>> 1 # MARK and more"), None);
        assert_eq!(typing.perhaps_once_more("1 # MARK"), None);
        assert_eq!(typing.once_more(">>> 1 # MARK"), Some(4..12));
        assert_eq!(typing.once_more(">>> 1 # MARK"), None);
        assert_eq!(typing.perhaps_once_more(">>> 1 # MARK"), None);
    }

    #[test]
    fn a_paste_is_text() {
        let mut typing = typing("\x1b[200~one\ntwo\x1b[201~\n", RAW, true);
        assert_eq!(seen(&mut typing, "one", true, true), ["one"]);
        assert_eq!(seen(&mut typing, "> two", true, false), ["two"]);
    }

    #[test]
    fn blanks_do_not_count() {
        let mut typing = typing("a\tb c\n", COOKED, false);
        assert_eq!(seen(&mut typing, "a       b c", false, true), ["a       b c"]);
    }

    #[test]
    fn what_is_remembered_is_bounded() {
        let mut typing = Typing::default();
        for _ in 0..100 {
            typing = typing.with("long line\n".repeat(1_000).as_bytes(), COOKED, false);
            typing = typing.with(&[b'x'; 10_000], COOKED, false);
        }
        assert!(typing.lines.len() <= LINES_MAX && typing.open.len() <= CHARS_MAX);
    }
}
