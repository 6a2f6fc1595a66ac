//! Paints a run that goes on: finished steps as lines that stay, running ones below them, drawn again in place.
//! Where that cannot be (no terminal, `CI`) only the lines that stay are written.

use super::aside;
use super::lines::Lines;
use super::look::{Look, clean, talk};
use super::time;
use engine::backend::Progress;
use engine::kernel::News;
use engine::view::{Line, State, View};

/// The lines at the bottom of a terminal that running steps leave to others.
const LINES_LEFT: usize = 4;

/// Draws on stderr.
pub(crate) struct Painter {
    look: Look,
    lines: Lines,
    /// How many lines below the last finished step can be drawn again.
    drawn: usize,
    /// Whether whoever looks on is also asked.
    pub(crate) asks: bool,
    /// What is told once nobody is asked any more.
    held: Option<Vec<String>>,
}

impl Painter {
    pub(crate) fn new(view: &View) -> Self {
        let look = Look::of_stderr();
        Painter { look, lines: Lines::told(look, view), drawn: 0, asks: false, held: None }
    }

    /// Whether time passing should be shown.
    pub(crate) fn is_live(&self) -> bool {
        self.look.live
    }

    /// The name of the workflow and of the run.
    pub(crate) fn header(&mut self, view: &View) {
        let title = format!("{}  {}", self.look.bold(&clean(&view.plan.name)), view.run);
        self.write(&[title], &[]);
    }

    /// Takes a turn into the view and says what it brought.
    pub(crate) fn turn(&mut self, view: &mut View, progress: &Progress) {
        if !view.take(progress) {
            return;
        }
        // A question that is put here needs no line that tells of it.
        let is_told = |news: &&News| !(self.asks && matches!(news, News::Offered { .. }));
        let news = progress.news.iter().filter(is_told);
        let told: Vec<String> = news.flat_map(|news| self.lines.news(view, progress.at, news)).collect();
        if let Some(held) = &mut self.held {
            return held.extend(told);
        }
        if !told.is_empty() || self.look.live {
            let running = self.running(view);
            self.write(&told, &running);
        }
    }

    /// Draws running steps again: time has passed.
    pub(crate) fn tick(&mut self, view: &View) {
        let running = self.running(view);
        if self.drawn > 0 || !running.is_empty() {
            self.write(&[], &running);
        }
    }

    /// Puts a question; what happens meanwhile is told afterwards.
    pub(crate) fn ask(&mut self, step: &str, lines: &[String], choice: &str) {
        let rows = self.lines.ask(step, lines);
        self.write(&rows, &[]);
        self.held.get_or_insert_default();
        self.choice(choice);
    }

    /// Asks once more, and says why.
    pub(crate) fn again(&mut self, why: &str, choice: &str) {
        let rows = self.lines.indented(why);
        rows.iter().for_each(|row| talk(row));
        self.choice(choice);
    }

    /// Nobody is asked any more.
    pub(crate) fn asked(&mut self, word: &str) {
        let mut told = self.lines.indented(word);
        told.extend(self.held.take().unwrap_or_default());
        told.iter().for_each(|row| talk(row));
    }

    fn choice(&self, choice: &str) {
        aside::say(&format!("{}  ", self.lines.indented(choice).join("\n")));
    }

    /// Leaves only what stays.
    pub(crate) fn end(&mut self) {
        self.write(&[], &[]);
    }

    /// Says that everything is being stopped: what is interrupted from now on is not done again by this process.
    pub(crate) fn stopping(&mut self) {
        self.lines.stopping = true;
        self.write(&["stopping what runs; twice more does not wait for that".to_owned()], &[]);
    }

    /// Says that the daemon does not answer.
    pub(crate) fn silent(&mut self, pid: Option<u32>) {
        let (who, hint) = match pid {
            Some(pid) => {
                (format!(" (process {pid})"), format!("if it is stopped, let it go on: kill -CONT {pid}"))
            }
            None => (String::new(), "what is wrong: switchback doctor".to_owned()),
        };
        let told = format!(
            "the daemon{who} does not answer: it stands still, or its disk does; this goes on when it does"
        );
        self.write(&[told, format!("  {hint}")], &[]);
    }

    fn running(&self, view: &View) -> Vec<String> {
        if !self.look.live || self.lines.stopping || view.outcome().is_some() || !is_in_front() {
            return Vec::new();
        }
        let (now, room) = (time::now(), self.look.height.saturating_sub(LINES_LEFT).max(1));
        let is_open = |line: &&Line| matches!(line.state, State::Running | State::Resting);
        let mut open: Vec<&Line> = view.lines().iter().filter(is_open).collect();
        open.sort_by_key(|line| line.started_at);
        let more = open.len().saturating_sub(room);
        let rows = open.iter().take(room).filter_map(|line| self.lines.running(line, now));
        let mut rows: Vec<String> = rows.map(|row| fit(&row, self.look.width)).collect();
        if more > 0 {
            rows.push(self.look.dim(&format!("  ... and {more} more")));
        }
        rows
    }

    /// Takes the drawn lines away, writes what stays, and draws again; all by one write, so that nothing flickers.
    fn write(&mut self, stay: &[String], draw: &[String]) {
        let mut text = String::new();
        if self.look.live {
            // The terminal itself may have written something since, a `^C` for example.
            let up = if self.drawn > 0 { format!("\u{1b}[{}A", self.drawn) } else { String::new() };
            text.push_str(&format!("\r{up}\u{1b}[J"));
        }
        for line in stay.iter().chain(draw) {
            text.push_str(line);
            text.push('\n');
        }
        self.drawn = draw.len();
        aside::say(&text);
    }
}

/// Whether the terminal is ours at this moment: in the background nothing is drawn over what others write.
fn is_in_front() -> bool {
    rustix::termios::tcgetpgrp(std::io::stderr()).is_ok_and(|group| group == rustix::process::getpgrp())
}

/// Cuts a line to the width of the terminal, so that it is one line when it is drawn over. Colours take no room.
fn fit(line: &str, width: usize) -> String {
    let (mut fitted, mut used, mut in_code) = (String::new(), 0, false);
    for letter in line.chars() {
        in_code |= letter == '\u{1b}';
        if !in_code {
            used += 1;
        }
        if in_code || used < width {
            fitted.push(letter);
        }
        in_code &= letter != 'm';
    }
    fitted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_take_no_room() {
        assert_eq!(fit("\u{1b}[32mabc\u{1b}[0mdef", 5), "\u{1b}[32mabc\u{1b}[0md");
        assert_eq!(fit("abc", 80), "abc");
    }
}
