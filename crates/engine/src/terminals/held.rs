//! One session that is held, and what is known of it beside its terminal.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use kernel::clock::iso;
use terminal::{Mode, Session};

use super::answer::Row;
use super::note::Note;
use super::words::plain;

/// What a screen may take of an answer.
pub(super) const SHOWN_BYTES_MAX: usize = 14_000;

/// What is remembered of a line that is being typed.
const LINE_BYTES_MAX: usize = 8 * 1024;

/// A session.
pub(super) struct Held {
    pub(super) note: Note,
    pub(super) session: Session,
    /// Who types instead of the agent, if someone does.
    pub(super) holder: Mutex<Option<Holder>>,
    pub(super) watchers: AtomicUsize,
    typed: Mutex<Typed>,
}

/// What was typed since the last line ended.
struct Typed {
    text: String,
    /// The line on the screen before that; nothing where it is not known.
    before: String,
    at: Instant,
}

/// A person who types.
#[derive(Debug, Clone)]
pub(super) struct Holder {
    pub(super) who: String,
    /// In milliseconds since 1970.
    pub(super) since: u64,
}

impl Holder {
    pub(super) fn said(&self) -> String {
        format!("{}, since {}", self.who, iso(self.since))
    }
}

impl Held {
    pub(super) fn new(note: Note, session: Session) -> Held {
        let typed = Mutex::new(Typed { text: String::new(), before: String::new(), at: Instant::now() });
        Held { note, session, holder: Mutex::default(), watchers: AtomicUsize::new(0), typed }
    }

    pub(super) fn id(&self) -> String {
        self.note.id()
    }

    /// Whether its program runs.
    pub(super) fn is_running(&self) -> bool {
        self.session.exit().is_none()
    }

    /// What the screen shows, as far as it fits.
    pub(super) fn screen(&self) -> String {
        self.session.content(Mode::Screen, SHOWN_BYTES_MAX).text
    }

    pub(super) fn holder(&self) -> MutexGuard<'_, Option<Holder>> {
        self.holder.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does something with the line that would stand there if a text were typed: as it was typed, as it is once what was
    /// typed wrongly is rubbed out, and as the screen shows it; where all are good, it stands there.
    pub(super) fn types<E>(&self, text: &str, is_good: impl Fn(&str) -> Result<(), E>) -> Result<(), E> {
        let mut typed = self.typed();
        let line = format!("{}{text}", typed.text);
        is_good(&line)?;
        is_good(&rubbed_out(&line))?;
        if text.contains(['\n', '\r']) {
            is_good(&rubbed_out(&format!("{}{text}", self.line_on_screen())))?;
        }
        let ends = |letter: char| matches!(letter, '\n' | '\r' | '\x03' | '\x04' | '\x15');
        let begin = line.rfind(ends).map_or(0, |end| end + 1);
        let begin = begin.max(line.len().saturating_sub(LINE_BYTES_MAX));
        let begin = (begin..=line.len()).find(|place| line.is_char_boundary(*place)).unwrap_or(line.len());
        typed.before = match (begin, typed.text.is_empty()) {
            (0, true) if !text.is_empty() => self.line_on_screen().trim_end().to_owned(),
            (0, _) => std::mem::take(&mut typed.before),
            _ => String::new(),
        };
        (typed.text, typed.at) = (line[begin..].to_owned(), Instant::now());
        Ok(())
    }

    fn typed(&self) -> MutexGuard<'_, Typed> {
        self.typed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether a line is begun and not ended: what was typed still stands there, or something else does since keys were
    /// pressed (called back, completed, pasted), or a search goes on. A key that a pager took begins none.
    pub(super) fn is_half_typed(&self) -> bool {
        let typed = self.typed();
        let (text, line) = (rubbed_out(&typed.text), self.line_on_screen());
        let (text, line) = (text.trim_matches(' '), line.trim_end());
        let searches = text.contains(['\x12', '\x13']);
        let stands_there = !text.trim().is_empty() && line.ends_with(text.trim());
        let before = typed.before.as_str();
        let has_grown = !before.is_empty() && line.len() > before.len() && line.starts_with(before);
        !text.is_empty() && (searches || stands_there || has_grown)
    }

    /// The line that the cursor is on; of a program that draws the whole screen, nothing.
    fn line_on_screen(&self) -> String {
        self.session.line().unwrap_or_default()
    }

    fn idle_seconds(&self) -> f64 {
        let typed = self.typed().at.elapsed();
        (self.session.quiet_for().min(typed).as_secs_f64() * 10.0).round() / 10.0
    }

    /// How it looks in a list.
    pub(super) fn row(&self) -> Row {
        let looks = self.session.screen();
        let exit = self.session.exit();
        let foreground = self.session.foreground().filter(|process| !process.is_first);
        Row {
            status: if exit.is_none() { "running" } else { "ended" }.to_owned(),
            size: Some(looks.size.to_string()),
            title: Some(plain(&looks.title)).filter(|title| !title.is_empty()),
            foreground: foreground.and_then(|process| process.name).map(|name| plain(&name)),
            idle_seconds: Some(self.idle_seconds()),
            what: exit.map(|exit| exit.to_string()),
            held_by: self.holder().as_ref().map(Holder::said),
            watchers: self.watchers.load(Ordering::SeqCst),
            ..self.note.row()
        }
    }
}

/// A text as the keys in it leave it that rub out a character, a word or all of a line.
fn rubbed_out(text: &str) -> String {
    let mut left = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '\x7f' | '\x08' => drop(left.pop().filter(|last| *last != '\n')),
            '\x17' => {
                let kept = left.trim_end_matches(' ');
                left.truncate(kept.rfind([' ', '\n']).map_or(0, |place| place + 1));
            }
            '\x15' => left.truncate(left.rfind('\n').map_or(0, |place| place + 1)),
            _ => left.push(letter),
        }
    }
    left
}

impl Note {
    /// How it looks in a list, as far as a note tells.
    pub(super) fn row(&self) -> Row {
        let what = self.lost.map(|lost| lost.said());
        Row {
            session_id: self.id(),
            status: "lost".to_owned(),
            shell: self.shell.clone(),
            working_directory: plain(&self.folder.display().to_string()),
            workspace: self.workspace.clone(),
            size: None,
            title: None,
            foreground: None,
            idle_seconds: None,
            opened_at: iso(self.opened_at),
            opened_by: self.by.clone(),
            run: self.run.clone(),
            what,
            held_by: None,
            watchers: 0,
            recording: self.recording.as_ref().map(|path| path.display().to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_is_typed_in_pieces_is_seen_whole() {
        let folder = tempfile::tempdir().unwrap();
        let about = super::super::note::About {
            workspace: String::new(),
            shell: String::new(),
            folder: folder.path().to_owned(),
            by: String::new(),
            run: None,
            opened_at: 0,
            recording: None,
        };
        let session = Session::open(&terminal::Spec::new("cat", folder.path())).unwrap();
        let held = Held::new(Note::new(1, about), session);
        let says = |text: &str, wanted: &str| {
            let seen = std::cell::RefCell::new(Vec::new());
            let keep = |line: &str| {
                seen.borrow_mut().push(line.to_owned());
                Ok::<(), ()>(())
            };
            assert_eq!(held.types(text, keep), Ok(()));
            assert_eq!(seen.borrow()[0], wanted);
        };
        says("rm ", "rm ");
        says("-rf /\n", "rm -rf /\n");
        says("ls\nec", "ls\nec");
        says("ho", "echo");
        assert_eq!(held.types("!", |_| Err(())), Err(()));
        assert!(
            held.types("x\x7f", |line| if line.contains("echo") && !line.contains('x') {
                Err(())
            } else {
                Ok(())
            })
            .is_err()
        );
        says("\x03", "echo\x03");
        says("x", "x");
    }
}
