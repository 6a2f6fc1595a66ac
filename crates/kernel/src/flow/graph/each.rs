//! A block that is done for each item of a list. Each item is an activity of its own, and none cares what became of
//! another; the block has ended when all have.
//!
//! From its beginning to its end the block has one place among those that run at once, and its items pass it on. An
//! item beyond the first that is open takes a place of its own, one that no ready block wants.

use super::{EACH, GraphLife, ITEM, ITEM_DONE, ITEM_NOT, NO_LIST};
use crate::flow::rows::{Listed, Row, Rows, Worst};
use crate::language::kind;
use crate::plan::{Access, Each, Graph};
use crate::run::life::{FlowLife, flow_of};
use crate::run::{Key, Moment, Owner, Stop, Task};
use crate::{Data, Failure, FailureKind, Fields, News};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// A block with items.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(from = "Stored", into = "Stored")]
pub(in crate::flow) struct EachLife {
    pub(super) items: Data,
    pub(super) count: u32,
    /// The next item to begin.
    next: u32,
    /// Items that have begun and not ended.
    pub(super) open: u32,
    pub(super) since: u64,
    /// Items that did not succeed.
    pub(super) failed: u32,
    /// The one that the block's failure is told by.
    pub(super) worst: Option<Worst>,
    /// What items gave, where something reads it later.
    pub(in crate::flow) rows: Rows,
}

/// A block with items as snapshots have it.
#[derive(Clone, Serialize, Deserialize)]
struct Stored {
    items: Data,
    count: u32,
    next: u32,
    open: u32,
    since: u64,
    failed: u32,
    worst: Option<Worst>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    rows: BTreeMap<u32, Data>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    folded: BTreeMap<u32, Data>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    lost: Option<Failure>,
}

impl From<Stored> for EachLife {
    fn from(stored: Stored) -> Self {
        let Stored { items, count, next, open, since, failed, worst, rows, folded, lost } = stored;
        EachLife { items, count, next, open, since, failed, worst, rows: Rows { rows, folded, lost } }
    }
}

impl From<EachLife> for Stored {
    fn from(life: EachLife) -> Self {
        let EachLife { items, count, next, open, since, failed, worst, rows } = life;
        let Rows { rows, folded, lost } = rows;
        Stored { items, count, next, open, since, failed, worst, rows, folded, lost }
    }
}

/// What a block with items takes beside its data.
const EACH_BLOCK: u64 = 320;

impl EachLife {
    fn new(items: Data, count: u32, since: u64) -> Self {
        let (worst, rows) = (None, Rows::default());
        EachLife { items, count, next: 0, open: 0, since, failed: 0, worst, rows }
    }

    pub(super) fn weight(&self) -> u64 {
        let worst = self.worst.as_ref().map_or(0, Worst::weight);
        EACH_BLOCK + self.items.weight() + worst + self.rows.weight()
    }

    fn begin_next(&mut self) -> u32 {
        let item = self.next;
        self.next += 1;
        self.open += 1;
        item
    }

    /// How the block ended.
    pub(super) fn failure(&self, id: &str) -> Option<Failure> {
        if let Some(lost) = &self.rows.lost {
            let message = format!("what its items gave cannot be held: {}", lost.message);
            return Some(Failure::new(lost.kind, message));
        }
        let Worst { item, failure } = self.worst.as_ref()?;
        let (failed, count, why) = (self.failed, self.count, &failure.message);
        let message = format!("{failed} of {count} items failed: `{id}[{item}]` {why}");
        Some(Failure::new(failure.kind, message))
    }
}

impl GraphLife {
    /// Begins an item in a place that no block wants: of the block that has the fewest open.
    pub(super) fn next_beside(&mut self, graph: &Graph, here_max: u32) -> Option<(u32, u32)> {
        let rooms = &self.rooms;
        let wants = |(block, each): &(&u32, &mut EachLife)| {
            let planned = graph.blocks[**block as usize].for_each.as_ref();
            let width_max = planned.and_then(|planned| planned.width_max).unwrap_or(u32::MAX);
            each.next < each.count && each.open < width_max && rooms.has_place(**block, here_max)
        };
        let each = self.each.iter_mut().filter(wants);
        let (block, each) = each.min_by_key(|(block, each)| (each.open, **block))?;
        self.rooms.take(*block);
        Some((*block, each.begin_next()))
    }
}

impl Moment<'_> {
    pub(super) fn begin_each(&mut self, block: u32, each: &Each) -> Result<(), Stop> {
        let life = match self.items_of(each) {
            Err(Stop::Ask(question)) => return Err(Stop::Ask(question)),
            Err(Stop::Fail(failure)) => {
                self.cannot_begin(block, NO_LIST, failure);
                return Ok(());
            }
            Ok((items, count)) => EachLife::new(items, count, self.now),
        };
        self.reach(EACH);
        self.carry(life.weight());
        self.record(block);
        let (_, graph) = flow_of!(self, Graph);
        graph.each.insert(block, life);
        self.go_on_with(block);
        self.fill();
        Ok(())
    }

    /// The items of a block, and how many there are.
    fn items_of(&self, each: &Each) -> Result<(Data, u32), Stop> {
        let scope = self.scope(&Access::All);
        let items = scope.data(&each.items)?;
        let count = match scope.value_of(&items)? {
            Value::Array(list) => u32::try_from(list.len()).unwrap_or(u32::MAX),
            other => return Err(format!("`for_each` needs a list, and this is {}", kind(other)).into()),
        };
        let max = self.plan.limits.items_max;
        if count > max {
            let message = format!("`for_each` has {count} items; at most {max} are allowed");
            return Err(Failure::new(FailureKind::Limit, message).into());
        }
        self.room(EACH_BLOCK + items.weight())?;
        Ok((items, count))
    }

    /// The next item in the block's own place, or the end of the block.
    fn go_on_with(&mut self, block: u32) {
        let each = self.each(block);
        let task =
            if each.next < each.count { Task::Item(block, each.begin_next()) } else { Task::Block(block) };
        self.agenda.push_back(task);
    }

    /// An item for which there is room.
    pub(crate) fn enter_item(&mut self, block: u32, item: u32) -> Result<(), Stop> {
        let key = Key::of_item(&self.plan.steps[block as usize].id, item);
        let data = match self.item(&self.read_each(block).items, item) {
            Err(Stop::Ask(question)) => return Err(Stop::Ask(question)),
            // Whoever makes the inputs says why.
            Err(Stop::Fail(_)) => Data::Inline(Value::Null),
            Ok(data) => data,
        };
        let before = self.turn.news.len();
        self.begin(Owner::Item(block, item), block, key.clone())?;
        self.reach(ITEM);
        let told = News::Item { key, step: block, index: item, item: data };
        self.turn.news.insert(before, told);
        Ok(())
    }

    /// What `each` means to an activity, if it is one of an item.
    pub(crate) fn each_of(&self, owner: Owner) -> Result<Option<Fields>, Stop> {
        let Owner::Item(block, index) = owner else { return Ok(None) };
        let item = self.item(&self.read_each(block).items, index)?;
        Ok(Some(Fields::from([("item".into(), item), ("index".into(), Data::Inline(index.into()))])))
    }

    pub(in crate::flow) fn each(&mut self, block: u32) -> &mut EachLife {
        let (_, graph) = flow_of!(self, Graph);
        graph.each.get_mut(&block).expect("BUG: an item of a block without items")
    }

    /// The work for an item is over.
    pub(crate) fn item_ended(&mut self, block: u32, item: u32, failure: Option<Failure>, outputs: Fields) {
        self.reach(if failure.is_none() { ITEM_DONE } else { ITEM_NOT });
        if self.keeps_rows(block) {
            return self.keep_later(Row { of: Listed::Block(block), item, failure, outputs });
        }
        self.item_over(block, item, failure);
    }

    /// Nothing more is to be done for an item.
    pub(in crate::flow) fn item_over(&mut self, block: u32, item: u32, failure: Option<Failure>) {
        if let Some(failure) = failure {
            self.blame(block, item, failure);
        }
        let each = self.each(block);
        each.open -= 1;
        if each.open == 0 {
            return self.go_on_with(block);
        }
        let (_, graph) = flow_of!(self, Graph);
        graph.rooms.leave(block);
        self.fill();
    }

    fn blame(&mut self, block: u32, item: u32, failure: Failure) {
        let each = self.each(block);
        each.failed += 1;
        let (more, less) = Worst::new(item, failure).replace(&mut each.worst);
        self.carry(more);
        self.let_go(less);
    }

    /// The run closes: tells of the blocks that were not done for all their items.
    pub(crate) fn stop_each(&mut self) {
        let FlowLife::Graph(graph) = &self.life.flow else { return };
        let stopped: Vec<(u32, u64)> = graph.each.iter().map(|(block, each)| (*block, each.since)).collect();
        for (step, since) in stopped {
            let key = Key::of_block(&self.plan.steps[step as usize].id);
            let failure = Some(Failure::new(FailureKind::Cancelled, "the run closed"));
            self.news(News::Ended { key, step, failure, outputs: Fields::new(), since });
        }
    }
}
