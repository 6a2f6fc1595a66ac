//! One line a step: its state, its name, how long it took, and why it did not succeed. Pure: a view becomes text.

use super::look::{Look, clean, cut};
use super::{time, undecided};
use engine::kernel::{Data, News};
use engine::view::{Line, State, View};

/// How many lines of what a failed step said are shown.
const TAIL_LINES_MAX: usize = 10;
/// The columns of the words that most steps have.
const WORD_CHARS: usize = 8;
/// Names longer than this do not widen their column.
const NAME_CHARS_MAX: usize = 32;
/// What the number of an item takes: `[99]`.
const ITEM_CHARS: usize = 4;
/// The columns of a duration: `1 h 12 min` fits.
const TOOK_CHARS: usize = 10;

/// Writes the lines of one run.
#[derive(Clone, Copy)]
pub(crate) struct Lines {
    pub(crate) look: Look,
    /// The columns of the word for a state.
    word: usize,
    /// The columns of a name.
    name: usize,
    /// Whether this process starts nothing more.
    pub(crate) stopping: bool,
}

impl Lines {
    /// Lines as they are told while a run goes on.
    pub(crate) fn told(look: Look, view: &View) -> Self {
        Lines { look, word: WORD_CHARS, name: names(view), stopping: false }
    }

    /// Lines of a run that is looked at as a whole.
    pub(crate) fn shown(look: Look, view: &View) -> Self {
        let words = view.lines().iter().map(|line| word(view.state(line)).len() + 1);
        Lines { look, word: words.max().unwrap_or(0).max(WORD_CHARS), name: names(view), stopping: false }
    }

    /// The lines that a piece of news is worth; most are worth none.
    pub(crate) fn news(&self, view: &View, at: u64, news: &News) -> Vec<String> {
        let Some(line) = view.line_of(news) else { return Vec::new() };
        match news {
            News::Ended { .. } => self.ended(line),
            News::Skipped { reason, .. } => vec![self.row("skipped", &line.id, "", &clean(reason))],
            News::Retrying { attempt, failure, due, .. } => {
                let (rest, why) = (time::took(due.saturating_sub(at)), clean(first_line(&failure.message)));
                let rest = format!("attempt {attempt} {why}; the next one in {rest}");
                vec![self.row("retry", &line.id, "", &rest)]
            }
            News::Offered { .. } => vec![self.row("ask", &line.id, "", &prompt(line))],
            News::Interrupted { .. } if line.state == State::Running => {
                let (word, rest) = match self.stopping {
                    true => ("interrupted", "is done again when the run goes on"),
                    false => ("again", "was interrupted, and is done again"),
                };
                vec![self.row(word, &line.id, "", rest)]
            }
            News::Interrupted { .. } => vec![self.row("interrupted", &line.id, "", &started(line, at))],
            _ => Vec::new(),
        }
    }

    /// The lines of a step that asks.
    pub(crate) fn ask(&self, step: &str, lines: &[String]) -> Vec<String> {
        let (padded, width, step) = (format!("{:<1$}", "ask", self.word), self.name, clean(step));
        let word = paint(self.look, "ask", &padded);
        let mut rows = lines.iter();
        let first = format!("  {word} {step:<width$}  {}", rows.next().map_or("", String::as_str));
        let mut asked = vec![first.trim_end().to_owned()];
        asked.extend(rows.flat_map(|row| self.indented(row)));
        asked
    }

    /// Text that stands below a question.
    pub(crate) fn indented(&self, text: &str) -> Vec<String> {
        let room = " ".repeat(self.word + self.name + 5);
        text.lines().map(|line| format!("{room}{}", clean(line))).collect()
    }

    /// The lines of a step that has ended.
    fn ended(&self, line: &Line) -> Vec<String> {
        let took = line.duration_ms.map(time::took).unwrap_or_default();
        let (why, said) = reason(line);
        let rest = [why, attempts(line)].into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>();
        let mut lines = vec![self.row(word(line.state), &line.id, &took, &rest.join(", "))];
        lines.extend(said.iter().map(|line| format!("{}{line}", " ".repeat(self.word + 3))));
        lines
    }

    /// The line of a step that is being carried out.
    pub(crate) fn running(&self, line: &Line, now: u64) -> Option<String> {
        match line.state {
            State::Running => {
                let took = line.started_at.map(|began| time::took(now.saturating_sub(began)));
                let rest = [nested(line), attempts(line)];
                let rest = rest.into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join(", ");
                Some(self.row("running", &line.id, &took.unwrap_or_default(), &rest))
            }
            State::Resting => {
                let rest = line.due.map(|due| time::took(due.saturating_sub(now))).unwrap_or_default();
                Some(self.row("resting", &line.id, "", &format!("the next attempt in {rest}")))
            }
            _ => None,
        }
    }

    /// The lines of a step in a run that is looked at as a whole.
    pub(crate) fn shown_step(&self, view: &View, line: &Line, now: u64) -> Vec<String> {
        match view.state(line) {
            State::Pending => vec![self.row("-", &line.id, "", "")],
            State::Skipped => {
                vec![self.row("skipped", &line.id, "", &clean(line.reason.as_deref().unwrap_or_default()))]
            }
            State::Running | State::Resting => self.running(line, now).into_iter().collect(),
            State::Waiting => vec![self.row("ask", &line.id, "", &prompt(line))],
            State::Interrupted => {
                let rest = match undecided::list(view, view.undecided_below(line)) {
                    below if below.is_empty() => started(line, now),
                    below => clean(&below),
                };
                vec![self.row("interrupted", &line.id, "", &rest)]
            }
            State::Succeeded => {
                let took = line.duration_ms.map(time::took).unwrap_or_default();
                vec![self.row("ok", &line.id, &took, &self.gist(line))]
            }
            State::Failed | State::Crashed | State::Cancelled => self.ended(line),
        }
    }

    /// The last line a step printed, as far as it fits.
    fn gist(&self, line: &Line) -> String {
        if line.nested.is_some() {
            return nested(line);
        }
        if let Some(items) = &line.items {
            return if items.len() == 1 { "1 item".to_owned() } else { format!("{} items", items.len()) };
        }
        // Of what is stored elsewhere only the beginning is at hand.
        if let Some(Data::Stored(reference)) = line.outputs.get("stdout") {
            return format!("{} bytes of output", reference.size);
        }
        let last = inline(line, "stdout").unwrap_or_default();
        let last = last.lines().rev().find(|text| !text.trim().is_empty()).unwrap_or_default();
        let used = self.word + self.name + TOOK_CHARS + 8;
        cut(&clean(last.trim()), self.look.width.saturating_sub(used).clamp(16, 72))
    }

    fn row(&self, word: &str, name: &str, took: &str, rest: &str) -> String {
        let padded = format!("{word:<0$}", self.word);
        let (width, name) = (self.name, clean(name));
        let row = format!("  {} {name:<width$}  {took:>TOOK_CHARS$}", paint(self.look, word, &padded));
        if rest.is_empty() { row.trim_end().to_owned() } else { format!("{row}   {rest}") }
    }
}

fn names(view: &View) -> usize {
    let number = |line: &Line| if line.items.is_some() { ITEM_CHARS } else { 0 };
    let lengths = view.lines().iter().map(|line| line.id.chars().count() + number(line));
    lengths.max().unwrap_or(0).min(NAME_CHARS_MAX)
}

/// The run of another workflow that a step is.
fn nested(line: &Line) -> String {
    match line.nested.as_ref().and_then(|nested| Some((&nested.workflow, nested.run.as_ref()?))) {
        Some((workflow, run)) => format!("{} as run {run}", clean(workflow)),
        None => String::new(),
    }
}

fn attempts(line: &Line) -> String {
    match line.attempt {
        0 | 1 => String::new(),
        // The line counts those of the item that took most.
        most if line.items.is_some() => format!("up to {most} attempts an item"),
        attempt => format!("attempt {attempt}"),
    }
}

fn started(line: &Line, now: u64) -> String {
    line.started_at.map(|at| format!("started {}", time::clock(at, now))).unwrap_or_default()
}

/// The first line of what a step asks.
fn prompt(line: &Line) -> String {
    let asked = ["prompt", "instructions"].into_iter().find_map(|name| line.inputs.get(name));
    match asked {
        Some(Data::Inline(value)) => clean(first_line(&engine::dialects::view::asked::label(value))),
        Some(Data::Stored(reference)) => clean(first_line(&reference.head)),
        None => String::new(),
    }
}

/// The word for how a step stands.
fn word(state: State) -> &'static str {
    match state {
        State::Pending => "-",
        State::Running => "running",
        State::Waiting => "ask",
        State::Resting => "resting",
        State::Interrupted => "interrupted",
        State::Succeeded => "ok",
        State::Failed | State::Crashed => "failed",
        State::Skipped => "skipped",
        State::Cancelled => "stopped",
    }
}

/// A word in the colour of what it says.
pub(crate) fn paint(look: Look, word: &str, padded: &str) -> String {
    match word {
        "ok" | "succeeded" => look.green(padded),
        "failed" | "diverged" => look.red(padded),
        "interrupted" | "ask" | "retry" | "again" | "resting" | "waiting" | "stopped" | "cancelled" => {
            look.yellow(padded)
        }
        "running" | "closing" => look.blue(padded),
        "skipped" | "-" => look.dim(padded),
        _ => padded.to_owned(),
    }
}

/// Why a step failed, in one line, and the end of what it said.
pub(crate) fn reason(line: &Line) -> (String, Vec<String>) {
    let message = line.reason.as_deref().unwrap_or_default();
    if !matches!(line.state, State::Failed | State::Crashed) {
        return (clean(first_line(message)), Vec::new());
    }
    let (what, told) = match message.split_once(": ") {
        Some((what, told)) if has_said(line, "stderr") => (what, told),
        _ => (message, ""),
    };
    let stderr = inline(line, "stderr").unwrap_or(told);
    let text = if stderr.trim().is_empty() { inline(line, "stdout").unwrap_or_default() } else { stderr };
    let lines: Vec<&str> = text.trim_end().lines().collect();
    let tail = lines[lines.len().saturating_sub(TAIL_LINES_MAX)..].iter();
    (clean(what), tail.map(|line| clean(line)).collect())
}

fn inline<'l>(line: &'l Line, name: &str) -> Option<&'l str> {
    line.outputs.get(name)?.inline()?.as_str()
}

/// Whether a step said something on a stream.
fn has_said(line: &Line, name: &str) -> bool {
    match line.outputs.get(name) {
        Some(Data::Inline(value)) => value.as_str().is_some_and(|text| !text.is_empty()),
        Some(Data::Stored(_)) => true,
        None => false,
    }
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}
