//! Looks for a pattern in output as it comes.

use std::ops::Range;

use super::{Mark, Match, Pattern, PatternError, Transcript, Typing};

/// How far back a match may begin before the piece of output that completes it.
const REACH_BYTES: usize = 64 * 1024;

/// The text that is kept.
const TEXT_BYTES_MAX: usize = 4 * REACH_BYTES;

/// What a look has found.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Found {
    Nothing,
    /// A match.
    Sure(Match),
    /// A match that may be the beginning of an echo: one if nothing follows soon.
    Perhaps(Match),
}

/// One search from the last input on.
pub(crate) struct Search<'a> {
    pattern: &'a Pattern,
    transcript: Transcript,
    typing: Typing,
    /// Where echoes stand in the finished text.
    masked: Vec<Range<usize>>,
    /// Where some stand if a line editor is at work that does not say so.
    doubtful: Vec<Range<usize>>,
    /// Such an editor was seen at work on the line that is being written.
    is_hidden_editor: bool,
    /// The finished text up to here was looked at.
    looked_at: usize,
    has_finished_a_line: bool,
    rows_before: Option<Vec<String>>,
}

/// The line that is being written, and where echoes stand in it.
struct Current {
    line: String,
    is_edited: bool,
    echoes: Vec<Range<usize>>,
    /// Where one may have begun.
    begun: Option<Range<usize>>,
    /// Where one stands if a line editor is at work that does not say so.
    doubtful: Option<Range<usize>>,
}

impl<'a> Search<'a> {
    pub(crate) fn new(pattern: &'a Pattern, mark: &Mark) -> Search<'a> {
        let (width, column) = (usize::from(mark.width), usize::from(mark.column));
        Search {
            pattern,
            transcript: Transcript::new(width, column, mark.is_editing, true),
            typing: mark.typing.clone(),
            masked: Vec::new(),
            doubtful: Vec::new(),
            is_hidden_editor: false,
            looked_at: 0,
            has_finished_a_line: false,
            rows_before: mark.rows.clone(),
        }
    }

    /// Reads on; `look` tells what that has brought.
    pub(crate) fn feed(&mut self, bytes: &[u8]) {
        self.transcript.feed(bytes);
        for line in self.transcript.take_finished() {
            let text = &self.transcript.text()[line.start..line.end];
            let echoes = self.typing.examine(text, line.is_edited, !self.has_finished_a_line);
            let again = if echoes.is_empty() { self.typing.once_more(text) } else { None };
            self.doubtful.extend(again.map(|echo| echo.start + line.start..echo.end + line.start));
            self.masked.extend(echoes.into_iter().map(|echo| echo.start + line.start..echo.end + line.start));
            self.has_finished_a_line = true;
            self.is_hidden_editor = false;
        }
    }

    /// Looks at what is new, and at the rows of the second screen if it is on.
    pub(crate) fn look(&mut self, rows: Option<&[String]>) -> Result<Found, PatternError> {
        let found = self.look_at_text()?;
        self.looked_at = self.transcript.text().len();
        self.forget();
        match (found, rows) {
            (Found::Nothing, Some(rows)) => self.look_at_rows(rows),
            (found, _) => Ok(found),
        }
    }

    fn look_at_text(&self) -> Result<Found, PatternError> {
        let finished = self.transcript.text();
        let current = self.current();
        let here = |range: Range<usize>| range.start + finished.len()..range.end + finished.len();
        let from = boundary(finished, self.looked_at.saturating_sub(REACH_BYTES));
        let masked = self.masked.iter().filter(|masked| masked.end > from).cloned();
        let masked: Vec<Range<usize>> = masked.chain(current.echoes.into_iter().map(here)).collect();
        let text = format!("{}{}", &finished[from..], current.line);
        let masked: Vec<_> =
            masked.iter().map(|range| range.start.saturating_sub(from)..range.end - from).collect();
        let Some((range, found)) = self.pattern.find(&text, 0, &masked)? else { return Ok(Found::Nothing) };
        let begun = current.begun.map(here).map(|range| range.start - from..range.end - from);
        let is_begun = begun.is_some_and(|begun| range.end > begun.start);
        let is_last = range.end == text.len() && self.typing.is_awaited(current.is_edited);
        let overlaps =
            |doubtful: &Range<usize>| doubtful.end > from + range.start && doubtful.start < from + range.end;
        let is_doubtful = self.doubtful.iter().chain(&current.doubtful.map(here)).any(overlaps);
        Ok(if is_begun || is_last || is_doubtful { Found::Perhaps(found) } else { Found::Sure(found) })
    }

    /// Looks at the line that is being written.
    fn current(&self) -> Current {
        let (line, is_edited) = (self.transcript.current(), self.transcript.is_current_edited());
        let (mut echoes, begun) = self.typing.peek(&line, is_edited, !self.has_finished_a_line);
        let mut doubtful = if echoes.is_empty() { self.typing.perhaps_once_more(&line) } else { None };
        if self.is_hidden_editor {
            echoes.extend(doubtful.take());
        }
        Current { line, is_edited, echoes, begun, doubtful }
    }

    /// Tells what is at work now that nothing more comes: if it is an editor that does not say so, what stands behind its prompt
    /// was an echo, and this gives true: it is to be looked at again.
    pub(crate) fn settle(&mut self, is_hidden_editor: bool) -> bool {
        let is_in_doubt = !self.doubtful.is_empty() || self.current().doubtful.is_some();
        let doubtful = std::mem::take(&mut self.doubtful);
        let is_news = is_hidden_editor && is_in_doubt;
        if is_news {
            self.is_hidden_editor = true;
            self.masked.extend(doubtful);
            self.masked.sort_by_key(|masked| masked.start);
        }
        is_news
    }

    /// Looks at the rows that are not as they were when the input was typed.
    fn look_at_rows(&self, rows: &[String]) -> Result<Found, PatternError> {
        let before = self.rows_before.as_deref().unwrap_or_default();
        let is_new = |(index, row): &(usize, &String)| before.get(*index) != Some(*row);
        let new: Vec<&str> = rows.iter().enumerate().filter(is_new).map(|(_, row)| row.as_str()).collect();
        let text = new.join("\n");
        let masked = self.typing.everywhere(&text);
        let found = self.pattern.find(&text, 0, &masked)?;
        Ok(found.map_or(Found::Nothing, |(_, found)| Found::Sure(found)))
    }

    fn forget(&mut self) {
        let length = self.transcript.text().len();
        if length > TEXT_BYTES_MAX {
            let place = boundary(self.transcript.text(), length - REACH_BYTES);
            self.transcript.forget(place);
            self.looked_at -= place;
            for ranges in [&mut self.masked, &mut self.doubtful] {
                ranges.retain(|range| range.end > place);
                ranges.iter_mut().for_each(|range| {
                    *range = range.start.saturating_sub(place)..range.end - place;
                });
            }
        }
    }
}

fn boundary(text: &str, place: usize) -> usize {
    (place..text.len()).find(|place| text.is_char_boundary(*place)).unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pty::Line;

    const COOKED: Line = Line { echoes: true, is_canonical: true };
    const RAW: Line = Line { echoes: false, is_canonical: false };

    /// Types at the beginning of an empty screen and gives what a pattern finds, with pieces of every size.
    fn found(pattern: &str, mark: &Mark, output: &[u8]) -> Option<String> {
        let pattern = Pattern::new(pattern).unwrap();
        let look = |size: usize| {
            let mut search = Search::new(&pattern, mark);
            for piece in output.chunks(size) {
                search.feed(piece);
                if let Found::Sure(found) = search.look(None).unwrap() {
                    return Some(found.text);
                }
            }
            None
        };
        let whole = look(usize::MAX);
        for size in 1..=output.len().min(200) {
            assert_eq!(look(size), whole, "pieces of {size}");
        }
        whole
    }

    fn mark(typed: &str, line: Line, is_editing: bool) -> Mark {
        let typing = Typing::default().with(typed.as_bytes(), line, is_editing);
        Mark { column: 2, is_editing, typing, ..Mark::beginning(20) }
    }

    #[test]
    fn an_echo_typed_at_the_prompt_is_no_match() {
        let at_prompt = mark("echo hi\n", RAW, true);
        let output = b"echo hi\r\n\x1b[?2004l\rhi\r\n\x1b[?2004h$ ";
        assert_eq!(found("hi", &at_prompt, &output[..18]), None);
        assert_eq!(found("^hi$", &at_prompt, output), Some("hi".to_owned()));
        assert_eq!(found("h.", &at_prompt, output), Some("hi".to_owned()));
        assert_eq!(found("echo", &at_prompt, output), None);
    }

    #[test]
    fn an_echo_before_the_first_prompt_is_no_match() {
        let before = Mark { column: 0, ..mark("echo hi\n", COOKED, false) };
        let output = b"echo hi\r\n\x1b[?2004h$ echo hi\r\n\x1b[?2004l\rhi\r\n\x1b[?2004h$ ";
        assert_eq!(found("hi", &before, &output[..36]), None);
        assert_eq!(found("hi", &before, output), Some("hi".to_owned()));
    }

    #[test]
    fn an_echo_that_wraps_is_no_match() {
        let long = mark("echo one two three four\n", RAW, true);
        let output = b"echo one two three \r four\r\n\x1b[?2004l\rone two three four\r\n";
        assert_eq!(found("three", &long, &output[..27]), None);
        assert_eq!(found("three", &long, output), Some("three".to_owned()));
        let within_a_word = mark("echo aaaa bbbb ccccc dddd\n", RAW, true);
        assert_eq!(found("ccccc", &within_a_word, b"echo aaaa bbbb ccc \rcc dddd\r\n"), None);
    }

    #[test]
    fn an_echo_typed_ahead_is_no_match() {
        let first = Typing::default().with(b"sleep 1\n", RAW, true);
        let second = first.with(b"echo one\n", COOKED, false);
        let third = second.with(b"echo two\n", COOKED, false);
        let ahead = Mark { typing: third, ..Mark::beginning(80) };
        let output = b"echo two\r\n\x1b[?2004h$ echo one\r\n\x1b[?2004l\rone\r\n\x1b[?2004h$ echo two\r\n\x1b[?2004l\rtwo\r\n";
        assert_eq!(found("one|two", &ahead, output), Some("one".to_owned()));
        assert_eq!(found("two", &ahead, output), Some("two".to_owned()));
    }

    #[test]
    fn the_answer_of_a_program_that_repeats_is_a_match() {
        let cat = Mark { column: 0, ..mark("hello\n", COOKED, false) };
        assert_eq!(found("hello", &cat, b"hello\r\n"), None);
        assert_eq!(found("hello", &cat, b"hello\r\nhello\r\n"), Some("hello".to_owned()));
    }

    #[test]
    fn a_prompt_is_the_last_only_when_no_echo_is_to_come() {
        let before = Mark { column: 0, ..mark("true\n", COOKED, false) };
        let pattern = Pattern::new(r"\$ $").unwrap();
        let mut search = Search::new(&pattern, &before);
        search.feed(b"true\r\n\x1b[?2004h$ ");
        assert!(matches!(search.look(None).unwrap(), Found::Perhaps(_)));
        search.feed(b"true\r\n\x1b[?2004l\r");
        assert_eq!(search.look(None).unwrap(), Found::Nothing);
        search.feed(b"\x1b[?2004h$ ");
        assert!(matches!(search.look(None).unwrap(), Found::Sure(_)));
    }

    #[test]
    fn an_editor_that_does_not_say_so_is_found_out_while_it_writes() {
        let ahead = Mark { column: 0, ..mark("1 # MARK\n", COOKED, false) };
        let pattern = Pattern::new("MA").unwrap();
        let search = |output: &[u8]| {
            let mut search = Search::new(&pattern, &ahead);
            search.feed(b"1 # MARK\r\n");
            search.feed(output);
            search
        };
        for output in [&b">>> 1 # MA"[..], b">>> 1 # MARK", b">>> 1 # MARK\r\n"] {
            let mut found = search(output);
            assert!(matches!(found.look(None).unwrap(), Found::Perhaps(_)), "{output:?}");
            assert!(!found.settle(false), "{output:?}: it was none");
            let mut found = search(output);
            assert!(found.settle(true) && !found.settle(true), "{output:?}");
            assert_eq!(found.look(None).unwrap(), Found::Nothing, "{output:?}");
            found.feed(b"\r\nMA");
            assert!(!matches!(found.look(None).unwrap(), Found::Nothing), "{output:?}");
        }
        assert!(matches!(search(b">>> 1 # MARK and more").look(None).unwrap(), Found::Sure(_)));
    }

    #[test]
    fn every_state_of_a_line_is_seen() {
        let bar = Mark::beginning(80);
        assert_eq!(found("50%", &bar, b" 0%\r50%\r99%\r\n"), Some("50%".to_owned()));
    }

    #[test]
    fn a_match_far_from_its_beginning_and_in_much_output_is_found() {
        let pattern = Pattern::new(r"BEGIN[a-z\n]*END").unwrap();
        let mut search = Search::new(&pattern, &Mark::beginning(80));
        for _ in 0..2_000 {
            search.feed(&b"noise of a program that floods\r\n".repeat(20));
            assert_eq!(search.look(None).unwrap(), Found::Nothing);
        }
        search.feed(b"BEGIN\r\n");
        for _ in 0..50 {
            search.feed(&b"inside\r\n".repeat(100));
            assert_eq!(search.look(None).unwrap(), Found::Nothing);
        }
        search.feed(b"END");
        assert!(matches!(search.look(None).unwrap(), Found::Sure(_)));
        assert!(search.transcript.text().len() <= TEXT_BYTES_MAX + 64 * 1024);
    }

    #[test]
    fn rows_that_were_there_before_are_no_match() {
        let pattern = Pattern::new("Score: (\\d+)").unwrap();
        let rows = |score: u32| vec!["Title".to_owned(), format!("Score: {score}")];
        let before = Mark { rows: Some(rows(1)), ..Mark::beginning(80) };
        let mut search = Search::new(&pattern, &before);
        assert_eq!(search.look(Some(&rows(1))).unwrap(), Found::Nothing);
        search.feed(b"\x1b[2;8H2");
        assert!(
            matches!(search.look(Some(&rows(2))).unwrap(), Found::Sure(found) if found.text == "Score: 2")
        );
    }
}
