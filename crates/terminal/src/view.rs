//! What is shown of a session: a mode, a bound, and a word on what was left out.

use crate::output::BYTES_MAX;
use crate::session::Shared;
use crate::turns::held;
use crate::wait::Transcript;

/// What is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// The rows of the screen.
    Screen,
    /// What came after the last input, its echo among it; of a program that draws on the second screen, that screen.
    SinceInput,
    /// The last so many lines, those above the screen among them.
    Tail(usize),
    /// All lines that are kept.
    History,
}

/// Clean text, and a word on what is not in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Content {
    /// The text; lines end with a line break, the last does not.
    pub text: String,
    /// What was left out, if something was.
    pub left_out: Option<String>,
}

/// Of a long text so much of the room is for its beginning, where both ends matter.
const HEAD_SHARE: usize = 4;

/// Shows what is asked for.
pub(crate) fn content(shared: &Shared, mode: Mode, bytes_max: usize) -> Content {
    match mode {
        Mode::Screen => screen(shared, bytes_max),
        Mode::SinceInput => since_input(shared, bytes_max),
        Mode::Tail(lines) => tail(shared, lines, bytes_max),
        Mode::History => history(shared, bytes_max),
    }
}

fn screen(shared: &Shared, bytes_max: usize) -> Content {
    let screen = shared.screen.lock();
    let text = screen.text();
    if text.len() <= bytes_max {
        return Content { text, left_out: None };
    }
    let mut rows = screen.rows();
    drop(screen);
    while rows.last().is_some_and(String::is_empty) {
        rows.pop();
    }
    fit(rows, bytes_max, 0, Vec::new())
}

fn tail(shared: &Shared, lines_max: usize, bytes_max: usize) -> Content {
    let screen = shared.screen.lock();
    let words = second_screen_word(screen.modes().alternate_screen);
    let lines = screen.lines(lines_max);
    drop(screen);
    fit(lines, bytes_max, 0, words)
}

fn history(shared: &Shared, bytes_max: usize) -> Content {
    let screen = shared.screen.lock();
    let mut words = second_screen_word(screen.modes().alternate_screen);
    if screen.is_history_full() {
        words.push("older lines are no longer kept".to_owned());
    }
    let lines = screen.lines(usize::MAX);
    drop(screen);
    fit(lines, bytes_max, bytes_max / HEAD_SHARE, words)
}

fn second_screen_word(is_on: bool) -> Vec<String> {
    let word = "the program draws on the whole screen; what was there before comes back when it ends";
    is_on.then(|| word.to_owned()).into_iter().collect()
}

fn since_input(shared: &Shared, bytes_max: usize) -> Content {
    if shared.screen.lock().modes().alternate_screen {
        let mut content = screen(shared, bytes_max);
        let word = "the program draws on the whole screen, which is shown instead";
        content.left_out = Some(content.left_out.map_or(word.to_owned(), |more| format!("{word}; {more}")));
        return content;
    }
    let output = held(shared.output.lock());
    let mark = output.mark.clone();
    let piece = output.from(mark.place, BYTES_MAX);
    drop(output);
    let missing = piece.start - mark.place;
    // What is left of a line whose beginning is gone is not shown.
    let cut = if missing == 0 {
        0
    } else {
        piece.bytes.iter().position(|byte| *byte == b'\n').map_or(0, |end| end + 1)
    };
    let mut transcript =
        Transcript::new(usize::from(mark.width), usize::from(mark.column), mark.is_editing, false);
    transcript.feed(&piece.bytes[cut..]);
    let gone = missing + cut as u64;
    let words =
        (gone > 0).then(|| format!("the first {gone} bytes are no longer kept")).into_iter().collect();
    fit(transcript.into_lines(), bytes_max, bytes_max / HEAD_SHARE, words)
}

/// Keeps the end, and the beginning if there is room for it, in whole lines; says what was left out.
fn fit(lines: Vec<String>, bytes_max: usize, head_bytes: usize, mut words: Vec<String>) -> Content {
    let total: usize = lines.iter().map(|line| line.len() + 1).sum();
    if total <= bytes_max + 1 {
        return Content { text: lines.join("\n"), left_out: said(words) };
    }
    let head = whole_lines(lines.iter(), head_bytes);
    let tail = whole_lines(lines[head..].iter().rev(), bytes_max - head_bytes);
    let missing = lines.len() - head - tail;
    if missing == 0 || tail == 0 {
        return one_long_line(&lines[head..], bytes_max, words);
    }
    words.push(format!("{missing} of {} lines left out", lines.len()));
    let gap = (head > 0).then(|| format!("... {missing} lines left out ..."));
    let shown = lines[..head].iter().chain(&gap).chain(&lines[lines.len() - tail..]);
    Content { text: shown.map(String::as_str).collect::<Vec<_>>().join("\n"), left_out: said(words) }
}

fn whole_lines<'a>(lines: impl Iterator<Item = &'a String>, bytes_max: usize) -> usize {
    let mut bytes = 0;
    lines
        .take_while(|line| {
            bytes += line.len() + 1;
            bytes <= bytes_max
        })
        .count()
}

/// The last line alone is longer than what may be shown: its end is.
fn one_long_line(lines: &[String], bytes_max: usize, mut words: Vec<String>) -> Content {
    let all = lines.join("\n");
    let from = all.len().saturating_sub(bytes_max);
    let from = (from..=all.len()).find(|place| all.is_char_boundary(*place)).unwrap_or(all.len());
    words.push(format!("the first {from} bytes left out"));
    Content { text: all[from..].to_owned(), left_out: said(words) }
}

fn said(words: Vec<String>) -> Option<String> {
    (!words.is_empty()).then(|| words.join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(count: usize) -> Vec<String> {
        (1..=count).map(|number| format!("line {number}")).collect()
    }

    #[test]
    fn what_fits_is_whole() {
        let content = fit(lines(3), 20, 0, vec![]);
        assert_eq!(content, Content { text: "line 1\nline 2\nline 3".to_owned(), left_out: None });
        assert_eq!(fit(vec![], 20, 5, vec![]), Content { text: String::new(), left_out: None });
    }

    #[test]
    fn the_end_is_kept_and_the_rest_is_counted() {
        let content = fit(lines(9), 20, 0, vec![]);
        assert_eq!(content.text, "line 8\nline 9");
        assert_eq!(content.left_out.as_deref(), Some("7 of 9 lines left out"));
    }

    #[test]
    fn both_ends_are_kept_where_they_matter() {
        let content = fit(lines(9), 28, 7, vec!["older lines are no longer kept".to_owned()]);
        assert_eq!(content.text, "line 1\n... 5 lines left out ...\nline 7\nline 8\nline 9");
        assert_eq!(
            content.left_out.as_deref(),
            Some("older lines are no longer kept; 5 of 9 lines left out")
        );
    }

    #[test]
    fn the_end_of_one_long_line_is_shown() {
        let content = fit(vec!["ä".repeat(100)], 11, 2, vec![]);
        assert_eq!(content.text, "ä".repeat(5));
        assert_eq!(content.left_out.as_deref(), Some("the first 190 bytes left out"));
    }
}
