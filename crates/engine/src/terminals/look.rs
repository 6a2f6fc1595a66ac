//! `get_screen_content` and `list_terminal_sessions`: nothing is changed by looking.

use std::io;
use std::path::Path;

use terminal::Mode;

use super::answer::{Listed, Row, Shown};
use super::held::SHOWN_BYTES_MAX;
use super::keeper::{Keeper, timestamp};
use super::note::Folder;
use super::refused::Refused;
use super::request::{ContentMode, Look};
use super::visitor::Visitor;

/// How many lines `tail` shows where nothing is said.
const LINES_DEFAULT: u32 = 30;

/// How many that have ended or were lost are listed.
const OVER_MAX: usize = 20;

/// The sessions that notes beside the store tell of while no server holds them: all of them are lost.
pub fn noted(dir: &Path, workspace: Option<&str>) -> io::Result<Vec<Row>> {
    let (notes, _) = Folder::at(dir).read()?;
    let meant = notes.iter().filter(|note| workspace.is_none_or(|workspace| workspace == note.workspace));
    let said = |row: Row| Row { what: row.what.or(Some("the server died".to_owned())), ..row };
    Ok(meant.rev().map(|note| said(note.row())).take(OVER_MAX).collect())
}

/// The number in the id of a session: the last has the highest.
fn number(id: &str) -> Option<u64> {
    id.strip_prefix('t')?.parse().ok()
}

impl Keeper {
    pub(super) fn look(&self, visitor: &Visitor, look: &Look) -> Result<Shown, Refused> {
        let held = self.find(visitor, &look.session_id)?;
        let mode = match look.content_mode.unwrap_or(ContentMode::Screen) {
            ContentMode::Screen => Mode::Screen,
            ContentMode::SinceInput => Mode::SinceInput,
            ContentMode::Tail => Mode::Tail(look.line_count.unwrap_or(LINES_DEFAULT).max(1) as usize),
            ContentMode::History => Mode::History,
        };
        let content = held.session.content(mode, SHOWN_BYTES_MAX);
        let cursor = held.session.screen().cursor;
        Ok(Shown {
            session_id: held.id(),
            screen_content: content.text,
            left_out: content.left_out,
            process_running: held.is_running(),
            ended: held.session.exit().map(|exit| exit.to_string()),
            cursor: (cursor.row + 1, cursor.column + 1),
            timestamp: timestamp(),
        })
    }

    pub(super) fn list(&self, visitor: &Visitor) -> Listed {
        let sessions = self.rows(Some(&visitor.workspace()));
        let total_sessions = sessions.iter().filter(|row| row.status == "running").count();
        Listed { total_sessions, sessions, timestamp: timestamp() }
    }

    /// The sessions of a workspace, or of all: first those that live, then the last of those that ended or were lost.
    pub fn rows(&self, workspace: Option<&str>) -> Vec<Row> {
        let (held, lost) = {
            let table = self.table();
            let is_meant = |theirs: &str| workspace.is_none_or(|workspace| workspace == theirs);
            let held = table.held.values().filter(|held| is_meant(&held.note.workspace)).cloned();
            let lost = table.lost.values().filter(|note| is_meant(&note.workspace)).map(|note| note.row());
            (held.collect::<Vec<_>>(), lost.collect::<Vec<_>>())
        };
        let rows = held.iter().map(|held| held.row());
        let (mut living, mut over): (Vec<Row>, Vec<Row>) =
            rows.chain(lost).partition(|row| row.status == "running");
        over.sort_by_key(|row| std::cmp::Reverse(number(&row.session_id)));
        over.truncate(OVER_MAX);
        living.extend(over);
        living
    }
}
