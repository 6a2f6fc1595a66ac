//! What the items of a block gave: one row for each, in their order. Where something reads them later, a row that is
//! not small is kept as content, and many rows together as one, so that a run holds little for each item. All of them
//! become one list when the last item has ended.

use super::each::{EachLife, ROW, reason_weight};
use super::{FOLD, ROWS_LOST};
use crate::plan::Access;
use crate::run::life::{FlowLife, flow_of};
use crate::run::{Gather, Key, Moment, Stop, Task};
use crate::{Data, Failure, Fields, News};

/// Largest row that is held as it is.
const ROW_BYTES_MAX: u64 = 512;
/// How many rows become one piece.
const FOLDED_ROWS: u32 = 64;

/// What an item gave, on its way to its row.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Row {
    block: u32,
    item: u32,
    failure: Option<Failure>,
    outputs: Fields,
}

impl Moment<'_> {
    pub(super) fn read_each(&self, block: u32) -> &EachLife {
        match &self.life.flow {
            FlowLife::Graph(graph) => graph.each.get(&block).expect("BUG: an item of a block without items"),
            _ => unreachable!("BUG: items without a graph"),
        }
    }

    /// Whether something reads what the items gave.
    pub(super) fn keeps_rows(&self, block: u32) -> bool {
        let keeps = &self.plan.steps[block as usize].keeps;
        keeps.contains("outputs") || keeps.contains("outputs.results")
    }

    pub(super) fn keep_later(&mut self, block: u32, item: u32, failure: Option<Failure>, outputs: Fields) {
        self.agenda.push_back(Task::Row(Box::new(Row { block, item, failure, outputs })));
    }

    /// Makes the row of an item and holds on to it. Where that cannot be, the others are still done.
    pub(crate) fn keep_row(&mut self, row: &Row) -> Result<(), Stop> {
        let Row { block, item, .. } = *row;
        match self.made_row(row).and_then(|made| Ok((self.piece_with(block, item, &made)?, made))) {
            Err(Stop::Ask(question)) => return Err(Stop::Ask(question)),
            Err(Stop::Fail(failure)) => self.lose_rows(block, failure),
            Ok((Some((first, piece)), _)) => self.fold_rows(block, first, piece),
            Ok((None, made)) => self.add_row(block, item, made),
        }
        self.item_over(block, item, row.failure.clone());
        Ok(())
    }

    fn add_row(&mut self, block: u32, item: u32, row: Data) {
        match self.hold(ROW + row.weight()) {
            Ok(()) => drop(self.each(block).rows.insert(item, row)),
            Err(failure) => self.lose_rows(block, failure),
        }
    }

    fn lose_rows(&mut self, block: u32, failure: Failure) {
        self.reach(ROWS_LOST);
        if self.read_each(block).lost.is_none() {
            self.carry(reason_weight(&failure));
            self.each(block).lost = Some(failure);
        }
    }

    /// Many rows as one piece, and the first of them, if this row was the last that was missing.
    fn piece_with(&self, block: u32, item: u32, row: &Data) -> Result<Option<(u32, Data)>, Stop> {
        let rows = &self.read_each(block).rows;
        let first = item - item % FOLDED_ROWS;
        let piece = || rows.range(first..first.saturating_add(FOLDED_ROWS));
        if piece().count() + 1 < FOLDED_ROWS as usize {
            return Ok(None);
        }
        let earlier = piece().take_while(|(other, _)| **other < item).map(|(_, row)| row);
        let later = piece().skip_while(|(other, _)| **other < item).map(|(_, row)| row);
        let mut gather = Gather::default();
        gather.sign("[");
        gather.join(earlier.chain(std::iter::once(row)).chain(later), Gather::put);
        gather.sign("]");
        Ok(Some((first, self.scope(&Access::All).gathered(gather, ROW_BYTES_MAX)?)))
    }

    fn fold_rows(&mut self, block: u32, first: u32, piece: Data) {
        self.reach(FOLD);
        let rows = &mut self.each(block).rows;
        let mut rest = rows.split_off(&first);
        rows.append(&mut rest.split_off(&first.saturating_add(FOLDED_ROWS)));
        self.let_go(rest.values().map(|row| ROW + row.weight()).sum());
        match self.hold(ROW + piece.weight()) {
            Ok(()) => drop(self.each(block).folded.insert(first, piece)),
            Err(failure) => self.lose_rows(block, failure),
        }
    }

    fn made_row(&self, row: &Row) -> Result<Data, Stop> {
        let item = self.item(&self.read_each(row.block).items, row.item)?;
        let mut gather = Gather::default();
        gather.sign(&format!("{{\"index\":{},\"item\":", row.item));
        gather.put(&item);
        gather.sign(&format!(",\"succeeded\":{},\"outputs\":{{", row.failure.is_none()));
        gather.join(&row.outputs, |gather, (name, data)| {
            gather.say(name);
            gather.sign(":");
            gather.put(data);
        });
        gather.sign("},\"error\":");
        gather.say(&row.failure.as_ref().map(|failure| &failure.message));
        gather.sign("}");
        self.scope(&Access::All).gathered(gather, ROW_BYTES_MAX)
    }

    /// All items have ended: so has the block, and gives what there is to give.
    pub(super) fn each_over(&mut self, block: u32) -> Result<(), Stop> {
        let id = &self.plan.steps[block as usize].id;
        let each = self.read_each(block);
        let numbers = [("count", each.count), ("failed_count", each.failed)];
        let mut outputs: Fields = numbers
            .into_iter()
            .map(|(name, number)| (name.to_owned(), Data::Inline(number.into())))
            .collect();
        let mut failure = each.failure(id);
        if self.keeps_rows(block) && each.lost.is_none() {
            match self.all_rows(each) {
                Err(Stop::Ask(question)) => return Err(Stop::Ask(question)),
                Err(Stop::Fail(lost)) => {
                    let message = format!("what its items gave cannot be put together: {}", lost.message);
                    failure = Some(Failure::new(lost.kind, message));
                }
                Ok(results) => drop(outputs.insert("results".to_owned(), results)),
            }
        }
        let (_, graph) = flow_of!(self, Graph);
        let each = graph.each.remove(&block).expect("BUG: a block without items");
        self.let_go(each.weight());
        let failure = failure.or_else(|| self.without_room(block, &outputs));
        let (key, since) = (Key::of_block(id), each.since);
        let told =
            News::Ended { key, step: block, failure: failure.clone(), outputs: outputs.clone(), since };
        self.news(told);
        self.block_ended(block, failure, outputs, since);
        Ok(())
    }

    /// All rows as one list, in the order of the items.
    fn all_rows(&self, each: &EachLife) -> Result<Data, Stop> {
        let mut gather = Gather::default();
        gather.sign("[");
        let pieces = (0..each.count).step_by(FOLDED_ROWS as usize);
        gather.join(pieces, |gather, first| match each.folded.get(&first) {
            Some(folded) => gather.put_items(folded),
            None => {
                let rows = each.rows.range(first..first.saturating_add(FOLDED_ROWS));
                gather.join(rows.map(|(_, row)| row), Gather::put);
            }
        });
        gather.sign("]");
        self.scope(&Access::All).gathered(gather, self.plan.limits.inline_bytes_max)
    }
}
