//! How blocks move: ready, running or skipped, ended; and what the graph makes of it when all have.

use super::{
    BLOCK, BROKEN, BlockLife, BlockStatus, CRASH, FAIL, FINISH, FINISH_BAD, READY, READY_BLOCK, REASON,
    START, SUCCEED, UNKNOWN, UNWANTED,
};
use crate::data::{text_weight, weight_of};
use crate::failure::{MESSAGE_BYTES_MAX, shortened};
use crate::plan::{Access, Flow};
use crate::run::life::flow_of;
use crate::run::{Key, Moment, Outcome, Owner, Stop, Task};
use crate::table::Row;
use crate::{Failure, FailureKind, Fields, News};
use std::collections::btree_map::Entry;

/// Longest reason that is held on to, for each block.
const WHY_BYTES_MAX: usize = 400;

impl Moment<'_> {
    pub(in crate::flow) fn open_graph(&mut self) {
        let (_, life) = flow_of!(self, Graph);
        let waits = (0..).zip(&life.waits);
        let first: Vec<u32> = waits.filter(|(_, waits)| **waits == 0).map(|(block, _)| block).collect();
        self.make_ready(&first);
        self.fill();
    }

    fn make_ready(&mut self, blocks: &[u32]) {
        let (_, life) = flow_of!(self, Graph);
        life.queue(blocks);
        blocks.iter().for_each(|_| self.reach(READY));
        self.carry(READY_BLOCK * blocks.len() as u64);
    }

    /// Starts ready blocks while there is room, then further items. A block takes room until it has ended. However wide the run
    /// is, no more is under way than it can hold on to.
    pub(super) fn fill(&mut self) {
        let here_max = self.life.width.unwrap_or(u32::MAX);
        let (open, left) = (self.life.activities.len(), self.left());
        let (graph, life) = flow_of!(self, Graph);
        let width_max = graph.width_max.min(here_max).min(life.rooms.width_within(left, open));
        let mut started = 0;
        while let Some(block) = life.next_ready(width_max) {
            started += 1;
            self.agenda.push_back(Task::Block(block));
        }
        while let Some((block, item)) = life.next_beside(graph, width_max) {
            self.agenda.push_back(Task::Item(block, item));
        }
        let over = life.ended as usize == graph.blocks.len();
        self.let_go(READY_BLOCK * started);
        if over {
            self.graph_ended();
        }
    }

    /// A block whose dependencies have ended, and for which there is room: runs it or skips it.
    pub(crate) fn enter_block(&mut self, block: u32) -> Result<(), Stop> {
        let (graph, life) = flow_of!(self, Graph);
        if life.each.contains_key(&block) {
            return self.each_over(block);
        }
        let Some(condition) = &graph.blocks[block as usize].condition else {
            return match self.dependencies_hold(block) {
                Ok(()) => self.start_block(block),
                Err(why) => self.skip_block(block, BROKEN, why),
            };
        };
        match self.scope(&Access::All).holds(condition) {
            Ok(true) => self.start_block(block),
            Ok(false) => self.skip_block(block, UNWANTED, "its condition does not hold".to_owned()),
            Err(Stop::Ask(question)) => Err(Stop::Ask(question)),
            Err(Stop::Fail(failure)) => {
                let message = format!("its condition cannot be evaluated: {}", failure.message);
                self.cannot_begin(block, UNKNOWN, Failure::new(failure.kind, message));
                Ok(())
            }
        }
    }

    /// A block that has crashed before there was anything to do.
    pub(super) fn cannot_begin(&mut self, block: u32, row: Row, failure: Failure) {
        self.reach(row);
        let key = Key::of_block(&self.plan.steps[block as usize].id);
        let message = failure.message.clone();
        let failure = Some(failure);
        self.news(News::Ended { key, step: block, failure, outputs: Fields::new(), since: self.now });
        self.block_over(block, BlockStatus::Crashed, Some(message), self.now);
    }

    fn dependencies_hold(&mut self, block: u32) -> Result<(), String> {
        let (graph, life) = flow_of!(self, Graph);
        for dependency in &graph.blocks[block as usize].depends_on {
            let how = match life.blocks.get(dependency).map(|life| life.status) {
                Some(BlockStatus::Succeeded) => continue,
                Some(BlockStatus::Skipped) => "was skipped",
                _ => "failed",
            };
            return Err(format!("`{}` {how}", self.plan.steps[*dependency as usize].id));
        }
        Ok(())
    }

    fn start_block(&mut self, block: u32) -> Result<(), Stop> {
        if let Flow::Graph(graph) = &self.plan.flow
            && let Some(each) = &graph.blocks[block as usize].for_each
        {
            return self.begin_each(block, each);
        }
        let key = Key::of_block(&self.plan.steps[block as usize].id);
        self.begin(Owner::Block(block), block, key)?;
        self.reach(START);
        // A block that could not begin has ended already.
        self.record(block);
        Ok(())
    }

    /// What is known of a block from now on.
    pub(super) fn record(&mut self, block: u32) -> &mut BlockLife {
        let (_, life) = flow_of!(self, Graph);
        if let Entry::Vacant(place) = life.blocks.entry(block) {
            place.insert(BlockLife::default());
            self.carry(BLOCK);
        }
        let (_, life) = flow_of!(self, Graph);
        life.blocks.get_mut(&block).expect("BUG: a block that was just recorded is gone")
    }

    fn skip_block(&mut self, block: u32, row: Row, reason: String) -> Result<(), Stop> {
        self.reach(row);
        self.news(News::Skipped { step: block, reason: reason.clone() });
        self.block_over(block, BlockStatus::Skipped, Some(reason), self.now);
        Ok(())
    }

    /// Holds on to the inputs that something reads later. They were held already, as those of the activity.
    pub(crate) fn keep_inputs(&mut self, block: u32, inputs: &Fields) {
        let kept = self.kept(block, "inputs", inputs);
        self.keep(block, kept);
    }

    /// The fields that something reads later.
    fn kept(&self, block: u32, space: &str, fields: &Fields) -> Fields {
        let keeps = &self.plan.steps[block as usize].keeps;
        let named = fields.iter().map(|(name, data)| (format!("{space}.{name}"), data));
        let kept = named.filter(|(name, _)| keeps.contains(name) || keeps.contains(space));
        kept.map(|(name, data)| (name, data.clone())).collect()
    }

    fn keep(&mut self, block: u32, kept: Fields) {
        self.carry(weight_of(&kept));
        self.record(block).kept.extend(kept);
    }

    /// Why a block that was carried out has failed all the same: what must be held of it finds no room.
    pub(crate) fn without_room(&self, block: u32, outputs: &Fields) -> Option<Failure> {
        self.room(weight_of(&self.kept(block, "outputs", outputs))).err()
    }

    pub(crate) fn block_ended(&mut self, block: u32, failure: Option<Failure>, outputs: Fields, since: u64) {
        let kept = self.kept(block, "outputs", &outputs);
        let (row, status) = match &failure {
            None => (SUCCEED, BlockStatus::Succeeded),
            Some(failure) if failure.kind.is_outcome() => (FAIL, BlockStatus::Failed),
            Some(_) => (CRASH, BlockStatus::Crashed),
        };
        self.reach(row);
        // A failed operation has outputs too, as far as there is room; so has a block with items, whatever they did.
        let (graph, _) = flow_of!(self, Graph);
        let gives = status != BlockStatus::Crashed || graph.blocks[block as usize].for_each.is_some();
        if gives && self.room(weight_of(&kept)).is_ok() {
            self.keep(block, kept);
        }
        self.block_over(block, status, failure.map(|failure| failure.message), since);
    }

    fn block_over(&mut self, block: u32, status: BlockStatus, why: Option<String>, since: u64) {
        let took_ms = (status != BlockStatus::Skipped).then(|| self.now.saturating_sub(since));
        let why = why.map(|why| shortened(why, WHY_BYTES_MAX));
        self.carry(why.as_deref().map_or(0, |why| REASON + text_weight(why)));
        let record = self.record(block);
        (record.status, record.took_ms, record.why) = (status, took_ms, why);
        let (graph, life) = flow_of!(self, Graph);
        life.rooms.leave(block);
        life.ended += 1;
        let mut ready = Vec::new();
        for dependent in &graph.blocks[block as usize].dependents {
            let waits = &mut life.waits[*dependent as usize];
            *waits -= 1;
            if *waits == 0 {
                ready.push(*dependent);
            }
        }
        self.make_ready(&ready);
        self.fill();
    }

    fn graph_ended(&mut self) {
        let (graph, life) = flow_of!(self, Graph);
        let unhandled = |(block, life): &(&u32, &BlockLife)| match life.status {
            BlockStatus::Crashed => true,
            BlockStatus::Failed => !graph.blocks[**block as usize].watched,
            _ => false,
        };
        let told = |(block, life): (&u32, &BlockLife)| {
            let why = life.why.as_deref().unwrap_or_default();
            format!("`{}` {why}", self.plan.steps[*block as usize].id)
        };
        let broken: Vec<String> = life.blocks.iter().filter(unhandled).map(told).collect();
        if broken.is_empty() {
            self.reach(FINISH);
            self.agenda.push_back(Task::Finish);
            return;
        }
        let crashed = life.blocks.values().any(|life| life.status == BlockStatus::Crashed);
        let kind = if crashed { FailureKind::Crashed } else { FailureKind::Operation };
        self.reach(FINISH_BAD);
        let failure = Failure::new(kind, shortened(broken.join("; "), MESSAGE_BYTES_MAX));
        self.close(Outcome::Failed { failure });
    }
}
