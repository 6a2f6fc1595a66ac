//! What the items of a list gave, wherever they were done: one row for each, in their order. A row that is not small is
//! kept as content, and many rows together as one, so that a run holds little for each item. All of them become one list
//! when the last item has ended.

use super::{graph, sequence};
use crate::data::text_weight;
use crate::failure::shortened;
use crate::run::{Gather, Moment, Scope, Stop, Task};
use crate::{Data, Failure, FailureKind, Fields};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Largest row that is held as it is.
pub(super) const ROW_BYTES_MAX: u64 = 512;
/// How many rows become one piece.
const FOLDED_ROWS: u32 = 64;
/// Longest reason of an item that is held on to.
const WHY_BYTES_MAX: usize = 300;
/// What a row takes beside its data, and what a reason does beside its text.
const ROW: u64 = 28;
const REASON: u64 = 6;

/// Rows so far.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Rows {
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) rows: BTreeMap<u32, Data>,
    /// Rows that became one piece, by the first of them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) folded: BTreeMap<u32, Data>,
    /// Why not all that the items gave is there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) lost: Option<Failure>,
}

/// An item that did not succeed: the first that crashed, or else the first that said no.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Worst {
    pub(super) item: u32,
    pub(super) failure: Failure,
}

/// Whose items they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Listed {
    /// Those of a block.
    Block(u32),
    /// Those that a lane waits for.
    Lane(u32),
}

/// What an item gave, on its way to its row.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Row {
    pub(super) of: Listed,
    pub(super) item: u32,
    pub(super) failure: Option<Failure>,
    pub(super) outputs: Fields,
}

impl Worst {
    pub(super) fn new(item: u32, failure: Failure) -> Self {
        let message = shortened(failure.message, WHY_BYTES_MAX);
        Worst { item, failure: Failure::new(failure.kind, message) }
    }

    pub(super) fn weight(&self) -> u64 {
        reason_weight(&self.failure)
    }

    /// Takes the place of another one, if it is worse, and says by how much more and less is held.
    pub(super) fn replace(self, known: &mut Option<Worst>) -> (u64, u64) {
        if known.as_ref().is_some_and(|known| known.rank() <= self.rank()) {
            return (0, 0);
        }
        let more = self.weight();
        (more, known.replace(self).map_or(0, |known| known.weight()))
    }

    fn rank(&self) -> (bool, u32) {
        (self.failure.kind == FailureKind::Operation, self.item)
    }
}

fn reason_weight(failure: &Failure) -> u64 {
    REASON + text_weight(&failure.message)
}

impl Rows {
    pub(super) fn weight(&self) -> u64 {
        let rows = self.rows.values().chain(self.folded.values());
        rows.map(|row| ROW + row.weight()).sum::<u64>() + self.lost.as_ref().map_or(0, reason_weight)
    }

    /// Many rows as one piece, and the first of them, if this row was the last that was missing.
    fn piece_with(&self, scope: Scope<'_>, item: u32, row: &Data) -> Result<Option<(u32, Data)>, Stop> {
        let first = item - item % FOLDED_ROWS;
        let piece = || self.rows.range(first..first.saturating_add(FOLDED_ROWS));
        if piece().count() + 1 < FOLDED_ROWS as usize {
            return Ok(None);
        }
        let earlier = piece().take_while(|(other, _)| **other < item).map(|(_, row)| row);
        let later = piece().skip_while(|(other, _)| **other < item).map(|(_, row)| row);
        let mut gather = Gather::default();
        gather.sign("[");
        gather.join(earlier.chain(std::iter::once(row)).chain(later), Gather::put);
        gather.sign("]");
        Ok(Some((first, scope.gathered(gather, ROW_BYTES_MAX)?)))
    }

    /// Takes the rows out that became a piece, and says what they weighed.
    fn fold(&mut self, first: u32) -> u64 {
        let mut rest = self.rows.split_off(&first);
        self.rows.append(&mut rest.split_off(&first.saturating_add(FOLDED_ROWS)));
        rest.values().map(|row| ROW + row.weight()).sum()
    }

    /// All rows as one list, in the order of the items.
    pub(super) fn all(&self, scope: Scope<'_>, count: u32, inline_bytes_max: u64) -> Result<Data, Stop> {
        let mut gather = Gather::default();
        gather.sign("[");
        let pieces = (0..count).step_by(FOLDED_ROWS as usize);
        gather.join(pieces, |gather, first| match self.folded.get(&first) {
            Some(folded) => gather.put_items(folded),
            None => {
                let rows = self.rows.range(first..first.saturating_add(FOLDED_ROWS));
                gather.join(rows.map(|(_, row)| row), Gather::put);
            }
        });
        gather.sign("]");
        scope.gathered(gather, inline_bytes_max)
    }
}

impl Moment<'_> {
    fn rows(&self, of: Listed) -> &Rows {
        match of {
            Listed::Block(block) => &self.read_each(block).rows,
            Listed::Lane(lane) => &self.spreading(lane).rows,
        }
    }

    fn rows_mut(&mut self, of: Listed) -> &mut Rows {
        match of {
            Listed::Block(block) => &mut self.each(block).rows,
            Listed::Lane(lane) => &mut self.spreading_mut(lane).rows,
        }
    }

    pub(super) fn keep_later(&mut self, row: Row) {
        self.agenda.push_back(Task::Row(Box::new(row)));
    }

    /// Makes the row of an item and holds on to it. Where that cannot be, the others are still done.
    pub(crate) fn keep_row(&mut self, row: &Row) -> Result<(), Stop> {
        let Row { of, item, .. } = *row;
        let made = match of {
            Listed::Block(block) => self.row_of_block(block, row),
            Listed::Lane(lane) => self.row_of_child(lane, row),
        };
        let scope = self.scope(&crate::plan::Access::All);
        match made.and_then(|made| Ok((self.rows(of).piece_with(scope, item, &made)?, made))) {
            Err(Stop::Ask(question)) => return Err(Stop::Ask(question)),
            Err(Stop::Fail(failure)) => self.lose_rows(of, failure),
            Ok((Some((first, piece)), _)) => self.fold_rows(of, first, piece),
            Ok((None, made)) => self.add_row(of, item, made),
        }
        match of {
            Listed::Block(block) => self.item_over(block, item, row.failure.clone()),
            Listed::Lane(lane) => self.child_over(lane, item, row.failure.clone()),
        }
        Ok(())
    }

    fn add_row(&mut self, of: Listed, item: u32, row: Data) {
        match self.hold(ROW + row.weight()) {
            Ok(()) => drop(self.rows_mut(of).rows.insert(item, row)),
            Err(failure) => self.lose_rows(of, failure),
        }
    }

    fn lose_rows(&mut self, of: Listed, failure: Failure) {
        self.reach(match of {
            Listed::Block(_) => graph::ROWS_LOST,
            Listed::Lane(_) => sequence::ROWS_GONE,
        });
        if self.rows(of).lost.is_none() {
            self.carry(reason_weight(&failure));
            self.rows_mut(of).lost = Some(failure);
        }
    }

    fn fold_rows(&mut self, of: Listed, first: u32, piece: Data) {
        self.reach(match of {
            Listed::Block(_) => graph::FOLD,
            Listed::Lane(_) => sequence::FOLD_ROWS,
        });
        let freed = self.rows_mut(of).fold(first);
        self.let_go(freed);
        match self.hold(ROW + piece.weight()) {
            Ok(()) => drop(self.rows_mut(of).folded.insert(first, piece)),
            Err(failure) => self.lose_rows(of, failure),
        }
    }
}
