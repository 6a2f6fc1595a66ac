//! Writes down a failure so that a person sees at once what was expected, what came, and where.

use std::fmt::Write;

use similar::{ChangeTag, TextDiff};

use crate::answer::Answer;
use crate::matching::Mismatch;

const HEAD_LINES: usize = 15;
const TAIL_LINES: usize = 25;
const LINE_CHARS: usize = 240;

/// Everything known about the step at which a case went wrong.
#[derive(Default)]
pub(crate) struct Failure {
    /// The line in the case file and the step in words.
    pub(crate) place: Option<(usize, String)>,
    /// Which kill point it was, where a group is repeated for each.
    pub(crate) kill_point: Option<String>,
    pub(crate) note: Option<String>,
    pub(crate) mismatches: Vec<Mismatch>,
    pub(crate) answer: Option<Answer>,
    /// Other texts that help: files that differ, what background commands said.
    pub(crate) outputs: Vec<(String, String)>,
}

impl Failure {
    pub(crate) fn note(note: impl Into<String>) -> Self {
        Self { note: Some(note.into()), ..Self::default() }
    }

    pub(crate) fn difference(
        mismatches: Vec<Mismatch>,
        answer: Answer,
        outputs: Vec<(String, String)>,
    ) -> Self {
        Self { mismatches, answer: Some(answer), outputs, ..Self::default() }
    }

    /// Returns the whole text, from what the case is about to what the command said.
    pub(crate) fn text(&self, about: &str, path: &str) -> String {
        let mut text = format!("  {about}\n");
        match &self.place {
            Some((line, step)) => put(&mut text, 1, &format!("{path}:{line}: {}", cut(step))),
            None => put(&mut text, 1, path),
        }
        for note in self.kill_point.iter().chain(&self.note) {
            put(&mut text, 2, note);
        }
        for mismatch in &self.mismatches {
            put_mismatch(&mut text, mismatch);
        }
        if let Some(answer) = &self.answer {
            let (sum, texts) = answer.shown();
            put(&mut text, 1, &cut(&sum));
            texts.iter().for_each(|(name, output)| put_output(&mut text, name, output));
        }
        for (name, content) in &self.outputs {
            put_output(&mut text, name, content);
        }
        text
    }
}

fn put(text: &mut String, depth: usize, line: &str) {
    // Writing to a string cannot fail.
    let _ = writeln!(text, "{}{line}", "  ".repeat(depth));
}

fn put_mismatch(text: &mut String, mismatch: &Mismatch) {
    if mismatch.expected.contains('\n') || mismatch.got.contains('\n') {
        put(text, 2, &format!("{}  (- expected, + got)", mismatch.at));
        return put_diff(text, &mismatch.expected, &mismatch.got);
    }
    put(text, 2, &mismatch.at);
    put(text, 3, &format!("expected  {}", cut(&mismatch.expected)));
    let shown_below = ["stdout", "stderr"].contains(&mismatch.at.as_str()) && mismatch.got.len() > LINE_CHARS;
    let got = if shown_below { "what stands below".to_owned() } else { cut(&mismatch.got) };
    put(text, 3, &format!("got       {got}"));
}

fn put_diff(text: &mut String, expected: &str, got: &str) {
    let diff = TextDiff::from_lines(expected, got);
    for (index, group) in diff.grouped_ops(2).iter().enumerate() {
        if index > 0 {
            put(text, 3, "...");
        }
        for change in group.iter().flat_map(|op| diff.iter_changes(op)) {
            let mark = match change.tag() {
                ChangeTag::Delete => '-',
                ChangeTag::Insert => '+',
                ChangeTag::Equal => ' ',
            };
            let ending = if change.missing_newline() { "  (no newline at the end)" } else { "" };
            put(text, 3, &format!("{mark} {}{ending}", cut(change.value().trim_end_matches('\n'))));
        }
    }
}

fn put_output(text: &mut String, name: &str, output: &str) {
    let lines: Vec<&str> = output.lines().collect();
    if lines.is_empty() {
        return put(text, 1, &format!("{name} is empty"));
    }
    put(text, 1, name);
    let left_out = lines.len().saturating_sub(HEAD_LINES + TAIL_LINES);
    for (index, line) in lines.iter().enumerate() {
        if left_out > 0 && index == HEAD_LINES {
            put(text, 2, &format!("... {left_out} lines left out ..."));
        }
        if left_out == 0 || index < HEAD_LINES || index >= HEAD_LINES + left_out {
            put(text, 2, &format!("| {}", cut(line)));
        }
    }
}

fn cut(line: &str) -> String {
    match line.char_indices().nth(LINE_CHARS) {
        None => line.to_owned(),
        Some((end, _)) => format!("{} ... ({} characters)", &line[..end], line.chars().count()),
    }
}
