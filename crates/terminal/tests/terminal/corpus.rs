//! A corpus of terminal sequences: what is written, and what a terminal then shows, where its cursor is and what it answers.
//!
//! The facts are those of the ECMA-48 and DEC manuals and of what xterm does, written as data of our own in `corpus/*.txt`.
//! Each case is fed whole and byte by byte. What the screen does not support is listed in `corpus/unsupported.txt` with what it
//! does instead, and checked as well, so that the list is true.

use terminal::{Emulator, Screen, Scrollback, Size};

/// One case: a name, a size, what is written, and what is expected.
#[derive(Debug, Default, Clone)]
struct Case {
    name: String,
    size: (u16, u16),
    steps: Vec<Step>,
    rows: Vec<String>,
    cursor: Option<(u16, u16)>,
    reply: Option<Vec<u8>>,
    title: Option<String>,
    lines: Option<Vec<String>>,
    is_shown: Option<bool>,
}

#[derive(Debug, Clone)]
enum Step {
    Write(Vec<u8>),
    Resize(u16, u16),
}

/// Reads the escapes that the files are written with: `\e`, `\r`, `\n`, `\t`, `\b`, `\a`, `\\`, `\xHH`.
fn unescaped(text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        if character != '\\' {
            bytes.extend(character.to_string().bytes());
            continue;
        }
        bytes.push(match characters.next().expect("something behind a backslash") {
            'e' => 0x1b,
            'r' => b'\r',
            'n' => b'\n',
            't' => b'\t',
            'b' => 0x08,
            'a' => 0x07,
            '\\' => b'\\',
            'x' => {
                let digits: String = characters.by_ref().take(2).collect();
                u8::from_str_radix(&digits, 16).expect("two digits")
            }
            other => panic!("unknown escape \\{other}"),
        });
    }
    bytes
}

fn pair(text: &str) -> (u16, u16) {
    let (left, right) = text.split_once(' ').expect("two numbers");
    (left.parse().expect("a number"), right.parse().expect("a number"))
}

fn cases(text: &str) -> Vec<Case> {
    let mut cases: Vec<Case> = Vec::new();
    for line in text.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#')) {
        if let Some(name) = line.strip_prefix("== ") {
            cases.push(Case { name: name.to_owned(), size: (10, 4), ..Case::default() });
            continue;
        }
        let case = cases.last_mut().expect("a name first");
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        match word {
            "size" => case.size = pair(rest),
            "write" => case.steps.push(Step::Write(unescaped(rest))),
            "resize" => {
                let (columns, rows) = pair(rest);
                case.steps.push(Step::Resize(columns, rows));
            }
            "row" => case.rows.push(String::from_utf8(unescaped(rest)).expect("text")),
            "cursor" => case.cursor = Some(pair(rest)),
            "reply" => case.reply = Some(unescaped(rest)),
            "title" => case.title = Some(rest.to_owned()),
            "line" => case.lines.get_or_insert_default().push(rest.to_owned()),
            "shown" => case.is_shown = Some(rest == "yes"),
            other => panic!("{}: unknown word {other}", case.name),
        }
    }
    cases
}

fn check(case: &Case, piece: usize) -> Result<(), String> {
    let mut screen = Emulator::new(Size::clamped(case.size.0, case.size.1), Scrollback { lines_max: 100 });
    let mut replies = Vec::new();
    for step in &case.steps {
        match step {
            Step::Write(bytes) => bytes.chunks(piece).for_each(|bytes| screen.feed(bytes)),
            Step::Resize(columns, rows) => screen.resize(Size::clamped(*columns, *rows)),
        }
        replies.extend(screen.take_replies());
    }
    let mut rows = screen.rows();
    while rows.last().is_some_and(String::is_empty) {
        rows.pop();
    }
    let cursor = (screen.cursor().row + 1, screen.cursor().column + 1);
    let differs = |what: &str, is: &dyn std::fmt::Debug, should: &dyn std::fmt::Debug| {
        Err(format!("{} (pieces of {piece}): {what} is {is:?} and should be {should:?}", case.name))
    };
    if rows != case.rows {
        return differs("the screen", &rows, &case.rows);
    }
    if case.cursor.is_some_and(|expected| expected != cursor) {
        return differs("the cursor", &cursor, &case.cursor);
    }
    if case.reply.as_ref().is_some_and(|expected| *expected != replies) {
        return differs(
            "the answer",
            &String::from_utf8_lossy(&replies),
            &case.reply.as_deref().map(String::from_utf8_lossy),
        );
    }
    if case.title.as_ref().is_some_and(|expected| *expected != screen.title()) {
        return differs("the title", &screen.title(), &case.title);
    }
    if case.lines.as_ref().is_some_and(|expected| *expected != screen.lines(100)) {
        return differs("all lines", &screen.lines(100), &case.lines);
    }
    if case.is_shown.is_some_and(|expected| expected != screen.cursor().is_shown) {
        return differs("the cursor's being shown", &screen.cursor().is_shown, &case.is_shown);
    }
    Ok(())
}

fn run(text: &str) -> usize {
    let cases = cases(text);
    let wrong: Vec<String> = cases
        .iter()
        .flat_map(|case| [1, 3, usize::MAX].map(|piece| check(case, piece)))
        .filter_map(Result::err)
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    cases.len()
}

#[test]
fn moving_the_cursor() {
    assert!(run(include_str!("corpus/cursor.txt")) >= 30);
}

#[test]
fn erasing_inserting_and_scrolling() {
    assert!(run(include_str!("corpus/editing.txt")) >= 30);
}

#[test]
fn characters_and_wrapping() {
    assert!(run(include_str!("corpus/characters.txt")) >= 25);
}

#[test]
fn modes_answers_and_strings() {
    assert!(run(include_str!("corpus/modes.txt")) >= 30);
}

#[test]
fn what_is_not_supported_does_what_the_list_says() {
    assert!(run(include_str!("corpus/unsupported.txt")) >= 10);
}
