//! The graph flow (`blocks`): a block is ready when every dependency has ended.
//!
//! A block without a condition is skipped unless all its dependencies succeeded; with one, the condition
//! decides alone. A failed operation stops nothing. At the end a failed block that nothing looked at, and any
//! block that crashed, makes the run fail.
//!
//! A block with items is done for each of them, whatever becomes of the others (`each.rs`), and gives one row for each
//! (`rows.rs`). How many are under way at once is in `room.rs`.

mod block;
mod each;
mod read;
mod room;
mod rows;

use crate::Fields;
use crate::data::{text_weight, weight_of};
use crate::plan::{Graph, Step};
use crate::table::table;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

table! { "graph":
    READY      = "pending", "every dependency has ended"              => "ready";
    START      = "ready",   "there is room, and the rule says yes"    => "running";
    BROKEN     = "ready",   "a dependency did not succeed"            => "skipped";
    UNWANTED   = "ready",   "the condition does not hold"             => "skipped";
    UNKNOWN    = "ready",   "the condition cannot be evaluated"       => "crashed";
    EACH       = "ready",   "it is to be done for each item"          => "running";
    NO_LIST    = "ready",   "its items cannot be had"                 => "crashed";
    ITEM       = "running", "there is room for an item"               => "running";
    ITEM_DONE  = "running", "the work for an item is done"            => "running";
    ITEM_NOT   = "running", "the work for an item did not succeed"    => "running";
    FOLD       = "running", "the rows of many items become one piece" => "running";
    ROWS_LOST  = "running", "what an item gave cannot be held"        => "running";
    SUCCEED    = "running", "the work is done"                        => "succeeded";
    FAIL       = "running", "the work was done and said no"           => "failed";
    CRASH      = "running", "the work could not be carried out"       => "crashed";
    FINISH     = "all ended", "no failure is unhandled"               => "finished";
    FINISH_BAD = "all ended", "a failure is unhandled"                => "failed";
}

/// Where a graph is. Blocks that are not in `blocks` are pending.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct GraphLife {
    blocks: BTreeMap<u32, BlockLife>,
    /// Blocks that are ready and wait for room.
    ready: BTreeSet<u32>,
    ended: u32,
    /// Blocks with items, from their beginning to their end.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    each: BTreeMap<u32, each::EachLife>,
    /// For each block the dependencies that have not ended. Follows from the plan and `blocks`.
    #[serde(skip)]
    waits: Vec<u32>,
    /// How much room is taken. Follows from the plan, `ready`, `blocks` and `each`.
    #[serde(skip)]
    rooms: room::Rooms,
}

/// One block that is not pending.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct BlockLife {
    #[serde(rename = "s")]
    status: BlockStatus,
    /// How long it took.
    #[serde(rename = "t", default, skip_serializing_if = "Option::is_none")]
    took_ms: Option<u64>,
    /// Why it did not succeed.
    #[serde(rename = "w", default, skip_serializing_if = "Option::is_none")]
    why: Option<String>,
    /// The fields that something reads later.
    #[serde(rename = "k", default, skip_serializing_if = "Fields::is_empty")]
    kept: Fields,
}

/// How a block stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
enum BlockStatus {
    #[default]
    #[serde(rename = "r")]
    Running,
    #[serde(rename = "o")]
    Succeeded,
    #[serde(rename = "f")]
    Failed,
    #[serde(rename = "c")]
    Crashed,
    #[serde(rename = "s")]
    Skipped,
}

/// What a block that is not pending takes beside its data.
const BLOCK: u64 = 32;
/// What a block that is ready takes.
const READY_BLOCK: u64 = 8;
/// What a reason takes beside its text, and what kept data does.
const REASON: u64 = 6;

impl BlockLife {
    fn weight(&self) -> u64 {
        BLOCK + weight_of(&self.kept) + self.why.as_deref().map_or(0, |why| REASON + text_weight(why))
    }
}

impl GraphLife {
    pub(crate) fn new(graph: &Graph, steps: &[Step]) -> Self {
        let mut life = GraphLife::default();
        life.rebuild(graph, steps);
        life
    }

    /// Counts what each block waits for, and who takes room.
    pub(crate) fn rebuild(&mut self, graph: &Graph, steps: &[Step]) {
        let open =
            |block: &&u32| self.blocks.get(block).is_none_or(|life| life.status == BlockStatus::Running);
        let open_of = |block: &crate::plan::Block| block.depends_on.iter().filter(open).count();
        self.waits =
            graph.blocks.iter().map(|block| u32::try_from(open_of(block)).unwrap_or(u32::MAX)).collect();
        self.find_rooms(steps);
    }

    pub(crate) fn weight(&self) -> u64 {
        let blocks: u64 = self.blocks.values().map(BlockLife::weight).sum();
        let each: u64 = self.each.values().map(each::EachLife::weight).sum();
        blocks + READY_BLOCK * self.ready.len() as u64 + each
    }

    /// The run closes: lets go of what is known of items, and says what that weighed.
    pub(crate) fn close(&mut self) -> u64 {
        std::mem::take(&mut self.each).values().map(each::EachLife::weight).sum()
    }
}
