//! `open_terminal`: a program in a terminal of its own.
//!
//! ```text
//!  policy ── a place and a number ── note ── program ── note with its process ── first output ── answer
//! ```

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use terminal::{Input, OpenError, Session, Size, Spec};

use super::answer::Opened;
use super::call_off::CallOff;
use super::held::Held;
use super::keeper::{Inner, Keeper, now, timestamp};
use super::note::{About, Note};
use super::recordings;
use super::refused::Refused;
use super::request::Open;
use super::typing::settle;
use super::visitor::Visitor;
use super::words::{plain, words};
use crate::adapters::process::{MARKER, given_files};
use crate::births;

/// What is opened where nothing is said.
const SHELL_DEFAULT: &str = "bash";

/// How long something on the screen is waited for. Programs that say nothing (`cat`) are answered then.
const FIRST_MAX: Duration = Duration::from_millis(1_500);

/// What the screen is, whatever the client's own is.
const TERM: &str = "xterm-256color";

impl Keeper {
    pub(super) fn open_session(
        &self,
        visitor: &Visitor,
        open: &Open,
        call_off: &CallOff,
    ) -> Result<Opened, Refused> {
        let (program, args) = command(open)?;
        visitor.policy.opens(&program, &args)?;
        let settle = settle(open.settle_ms)?;
        let place = self.reserve(visitor)?;
        let spec = spec(visitor, open, program, args);
        let held = self.start(visitor, spec, place.number)?;
        drop(place);
        let session = &held.session;
        let handle = session.call_off_handle();
        call_off.waits(&handle);
        wait_for_something(session, &handle);
        if settle.quiet.is_some() {
            // One that has ended meanwhile is as quiet as can be.
            let _ = session.send_unless(Input::Text(""), settle, Some(&handle));
        }
        Ok(Opened {
            session_id: held.id(),
            shell: held.note.shell.clone(),
            web_url: None,
            screen_content: held.screen(),
            process_running: held.is_running(),
            size: session.screen().size.to_string(),
            recording: held.note.recording.as_ref().map(|path| path.display().to_string()),
            timestamp: timestamp(),
        })
    }

    /// Takes a number and a place among those that may live at once.
    fn reserve(&self, visitor: &Visitor) -> Result<Place, Refused> {
        let (workspace, most) = (visitor.workspace(), visitor.policy.sessions_max);
        let mut table = self.table();
        if table.is_closing {
            return Err(Refused::new("server-ends", "the server ends", "Call again: the next one opens it."));
        }
        if table.living(&workspace) >= most as usize {
            return Err(Refused::new(
                "too-many-sessions",
                format!(
                    "{most} sessions are open in this folder, and more may not be (`sessions_max` under [terminal])"
                ),
                "exit_terminal(session_id) ends one that is not needed; list_terminal_sessions() shows how long each is idle.",
            ));
        }
        let number = table.last + 1;
        self.0.folder.take_number(number).map_err(|error| unwritten(&error))?;
        table.last = number;
        table.opening.push(workspace.clone());
        drop(table);
        Ok(Place { inner: Arc::clone(&self.0), workspace, number })
    }

    fn start(&self, visitor: &Visitor, mut spec: Spec, number: u64) -> Result<Arc<Held>, Refused> {
        if visitor.policy.records {
            let lives = |number: u64| self.table().held.get(&number).is_some_and(|held| held.is_running());
            spec.recording = Some(recordings::begin(self.0.folder.path(), number, lives));
        }
        let mut note = Note::new(number, about(visitor, &spec));
        spec.environment.insert(MARKER.to_owned(), note.marked.marker.clone());
        self.0.folder.write(&note).map_err(|error| unwritten(&error))?;
        let session = births::bear(|| Session::open(&spec)).map_err(|error| {
            self.0.folder.remove(number);
            unopened(&error)
        })?;
        note.marked.born(session.pid());
        if let Err(error) = self.0.folder.write(&note) {
            // Dropping it ends it.
            drop(session);
            self.0.folder.remove(number);
            return Err(unwritten(&error));
        }
        let held = Arc::new(Held::new(note, session));
        self.0.count.send_modify(|count| *count += 1);
        let mut table = self.table();
        let old = table.insert(Arc::clone(&held));
        let is_late = table.is_closing;
        drop((table, old));
        let inner = Arc::downgrade(&self.0);
        held.session.when_over(move || Inner::over(&inner, number));
        if is_late {
            let _ = held.session.end(Duration::ZERO);
        }
        Ok(held)
    }
}

/// Waits until the screen shows something: line editors talk to the terminal before they write their prompt.
fn wait_for_something(session: &Session, handle: &terminal::CallOff) {
    let (begin, mut place) = (Instant::now(), 0);
    loop {
        let left = FIRST_MAX.saturating_sub(begin.elapsed());
        let piece = session.read_output(place, left, Some(handle));
        if piece.bytes.is_empty() || !session.screen().text.is_empty() {
            return;
        }
        place = piece.end();
    }
}

/// One more that is about to live, until this is dropped.
struct Place {
    inner: Arc<Inner>,
    workspace: String,
    number: u64,
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut table = self.inner.table();
        let place = table.opening.iter().position(|workspace| *workspace == self.workspace);
        if let Some(place) = place {
            table.opening.swap_remove(place);
        }
    }
}

/// The program and its arguments.
fn command(open: &Open) -> Result<(String, Vec<String>), Refused> {
    let line = open.shell.as_deref().unwrap_or(SHELL_DEFAULT);
    if let Some(arguments) = &open.arguments {
        return Ok((line.to_owned(), arguments.clone()));
    }
    let mut words = words(line).unwrap_or_default().into_iter();
    match words.next() {
        Some(program) => Ok((program, words.collect())),
        None => Err(Refused::new(
            "wrong-shell",
            format!("`{line}` names no program, or has a quote that does not end"),
            "open_terminal(shell=\"bash\"), or a program with `arguments`.",
        )),
    }
}

fn spec(visitor: &Visitor, open: &Open, program: String, args: Vec<String>) -> Spec {
    let home = &visitor.home;
    let folder =
        open.working_directory.as_ref().map_or_else(|| home.folder.clone(), |path| below(home, path));
    let mut environment = BTreeMap::clone(&home.env);
    environment.insert("TERM".to_owned(), TERM.to_owned());
    environment.extend(open.environment.clone().unwrap_or_default());
    // Which program an allowed name means is not for the call to say.
    let path = visitor.policy.shells.as_ref().and_then(|_| home.env.get("PATH").cloned());
    let usual = Size::default();
    let size = Size::clamped(open.columns.unwrap_or(usual.columns()), open.rows.unwrap_or(usual.rows()));
    Spec {
        path,
        args,
        environment,
        size,
        files_max: given_files(),
        umask: home.umask,
        ..Spec::new(program, folder)
    }
}

/// A folder as it was named: from the workspace, or from the home of its user.
fn below(home: &crate::turn::Home, path: &str) -> PathBuf {
    let rest = if path == "~" { Some("") } else { path.strip_prefix("~/") };
    match (rest, home.env.get("HOME")) {
        (Some(rest), Some(user)) => PathBuf::from(user).join(rest),
        _ => home.folder.join(path),
    }
}

fn about(visitor: &Visitor, spec: &Spec) -> About {
    let line: Vec<&str> = std::iter::once(&spec.program).chain(&spec.args).map(String::as_str).collect();
    About {
        workspace: visitor.workspace(),
        shell: plain(&line.join(" ")),
        folder: spec.folder.clone(),
        by: plain(&visitor.by),
        run: visitor.run.clone(),
        opened_at: now(),
        recording: spec.recording.as_ref().map(|recording| recording.path.clone()),
    }
}

fn unopened(error: &OpenError) -> Refused {
    let code = match error {
        OpenError::Folder { .. } => "no-folder",
        OpenError::Program { .. } => "no-program",
        OpenError::Unfit { .. } => "wrong-argument",
        OpenError::Recording { .. } | OpenError::Start { .. } => "not-opened",
    };
    Refused::new(code, error.to_string(), "Call open_terminal again with what is there.")
}

fn unwritten(error: &std::io::Error) -> Refused {
    Refused::new(
        "not-noted",
        format!("the note of the session cannot be written beside the store: {error}"),
        "Ask the person at this machine to run `switchback doctor`; then call again.",
    )
}
