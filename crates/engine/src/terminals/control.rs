//! People at a session: they look at it in a terminal of their own, and may take it over. While one holds it, the agent waits.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use terminal::{Input, Settle, Size};

use super::held::{Held, Holder};
use super::keeper::{Keeper, now};
use super::refused::Refused;
use super::typing::free;

/// What a session looks like at one moment, for whoever draws it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Frame {
    /// The rows that are seen, with their colours.
    pub rows: Vec<String>,
    /// Its width and height.
    pub size: (u16, u16),
    /// Row and column of the cursor, counted from zero, if it is shown.
    pub cursor: Option<(u16, u16)>,
    /// The program wants arrow keys in their other form.
    pub application_cursor: bool,
    /// The program wants to be told what was pasted.
    pub bracketed_paste: bool,
    /// The title.
    pub title: String,
    /// Where output stood.
    pub end: u64,
    /// How its program ended, if it has.
    pub ended: Option<String>,
}

/// One who looks, as long as it lives.
pub struct Control {
    held: Arc<Held>,
    /// The size that it had before, where this one types.
    size: Option<Size>,
    is_over: AtomicBool,
}

impl Keeper {
    /// Begins to look at a session of any workspace; with a name, also to type in it.
    pub fn attach(&self, id: &str, types: Option<(String, u16, u16)>) -> Result<Control, Refused> {
        let held = self.find_any(id)?;
        let mut size = None;
        if let Some((who, columns, rows)) = types {
            free(&held, "typing")?;
            *held.holder() = Some(Holder { who, since: now() });
            size = Some(held.session.screen().size);
            // A program that cannot be told of another size is drawn as it is.
            let _ = held.session.resize(Size::clamped(columns, rows));
        }
        held.watchers.fetch_add(1, Ordering::SeqCst);
        Ok(Control { held, size, is_over: AtomicBool::new(false) })
    }
}

impl Control {
    /// The name of the session.
    pub fn id(&self) -> String {
        self.held.id()
    }

    /// Shows the session once there is more than was seen, or its program has ended, or the time has come.
    pub fn frame(&self, seen: Option<u64>, timeout: Duration) -> Frame {
        let session = &self.held.session;
        if let Some(seen) = seen {
            session.read_output(seen, timeout, None);
        }
        // First: what comes while it is looked at is shown the next time.
        let end = session.output_end();
        let (looks, rows) = session.painted();
        Frame {
            rows,
            size: (looks.size.columns(), looks.size.rows()),
            cursor: looks.cursor.is_shown.then_some((looks.cursor.row, looks.cursor.column)),
            application_cursor: looks.modes.application_cursor,
            bracketed_paste: looks.modes.bracketed_paste,
            title: looks.title,
            end,
            ended: session.exit().map(|exit| exit.to_string()),
        }
    }

    /// Types; only who has taken the session may.
    pub fn types(&self, text: &str) -> Result<(), String> {
        if self.size.is_none() || self.is_over.load(Ordering::SeqCst) {
            return Err("this one only looks".to_owned());
        }
        let Ok(()) = self.held.types(text, |_| Ok::<(), Infallible>(()));
        let settle = Settle { first: Duration::ZERO, ..Settle::default() };
        self.held.session.send(Input::Text(text), settle).map(drop).map_err(|error| error.to_string())
    }

    /// Gives the session the size of the terminal it is shown in.
    pub fn resize(&self, columns: u16, rows: u16) {
        if self.size.is_some() && !self.is_over.load(Ordering::SeqCst) {
            // A program that cannot be told of another size is drawn as it is.
            let _ = self.held.session.resize(Size::clamped(columns, rows));
        }
    }
}

impl Control {
    /// Looks and types no more: the agent goes on, and the session has the size that it had before.
    pub fn let_go(&self) {
        if self.is_over.swap(true, Ordering::SeqCst) {
            return;
        }
        self.held.watchers.fetch_sub(1, Ordering::SeqCst);
        if let Some(size) = self.size {
            let _ = self.held.session.resize(size);
            *self.held.holder() = None;
        }
    }
}

impl Drop for Control {
    fn drop(&mut self) {
        self.let_go();
    }
}
