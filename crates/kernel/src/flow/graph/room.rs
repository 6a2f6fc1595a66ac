//! Room: how many blocks and items are under way at once. The width of a run is for what its machine does; called runs have as much
//! again, and what only waits for someone or for the clock has room of its own. So open questions stop no work.
//!
//! A block takes a place from its beginning to its end. Its items pass that on; every open one beyond the first takes another.

use super::{BlockStatus, GraphLife};
use crate::plan::{Step, Work};
use std::collections::BTreeSet;

/// How many may wait at once, however narrow the run is: each is held on to.
pub(crate) const WAITING_MAX: u32 = 32;

/// What one that is under way takes, and what may come of it that is held on to: mostly less.
const BEGUN_BYTES: u64 = 768;
const RESULT_BYTES: u64 = 512;

/// So many are under way even where there is hardly room: what does not fit then is told.
const NARROW: u32 = 8;

/// In which room a block is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Room {
    /// What the machine does.
    Machine,
    /// Runs that were called, each with a width of its own.
    Children,
    /// What waits for an answer or for the clock.
    Waiting,
}

impl Room {
    const ALL: [Room; 3] = [Room::Machine, Room::Children, Room::Waiting];

    fn of(step: &Step) -> Room {
        match step.work {
            Work::Server { .. } | Work::Make { .. } => Room::Machine,
            Work::Child { .. } => Room::Children,
            Work::Action { .. } | Work::Wait { .. } => Room::Waiting,
        }
    }

    fn places(self, width_max: u32) -> u32 {
        match self {
            Room::Machine | Room::Children => width_max,
            Room::Waiting => width_max.max(WAITING_MAX),
        }
    }
}

/// Who is in which room, and who wants to be. All of it follows from the plan and the blocks.
#[derive(Clone, Debug, Default)]
pub(super) struct Rooms {
    of: Vec<Room>,
    ready: [BTreeSet<u32>; Room::ALL.len()],
    taken: [u32; Room::ALL.len()],
}

impl PartialEq for Rooms {
    /// What it follows from is compared. A run that closes gives nobody a place any more, and does not count on.
    fn eq(&self, _: &Rooms) -> bool {
        true
    }
}

impl Rooms {
    fn is_free(&self, room: Room, width_max: u32) -> bool {
        self.taken[room as usize] < room.places(width_max)
    }

    /// How many may be under way so that there is room for each, in so many bytes, and for what comes of those that are open.
    pub(super) fn width_within(&self, bytes: u64, open: usize) -> u32 {
        let (taken, open) = (self.taken.iter().sum::<u32>(), u32::try_from(open).unwrap_or(u32::MAX));
        let later = u64::from(taken.saturating_sub(open));
        let promised = u64::from(open) * RESULT_BYTES + later * (BEGUN_BYTES + RESULT_BYTES);
        let more = bytes.saturating_sub(promised) / (BEGUN_BYTES + RESULT_BYTES);
        taken.saturating_add(u32::try_from(more).unwrap_or(u32::MAX)).max(NARROW)
    }

    /// Whether a block could have one more place.
    pub(super) fn has_place(&self, block: u32, width_max: u32) -> bool {
        self.is_free(self.of[block as usize], width_max)
    }

    pub(super) fn take(&mut self, block: u32) {
        self.taken[self.of[block as usize] as usize] += 1;
    }

    pub(super) fn leave(&mut self, block: u32) {
        self.taken[self.of[block as usize] as usize] -= 1;
    }
}

impl GraphLife {
    /// Counts who is where.
    pub(super) fn find_rooms(&mut self, steps: &[Step]) {
        let mut rooms = Rooms { of: steps.iter().map(Room::of).collect(), ..Rooms::default() };
        for block in &self.ready {
            rooms.ready[rooms.of[*block as usize] as usize].insert(*block);
        }
        for (block, _) in self.blocks.iter().filter(|(_, life)| life.status == BlockStatus::Running) {
            let places = self.each.get(block).map_or(1, |each| each.open.max(1));
            rooms.taken[rooms.of[*block as usize] as usize] += places;
        }
        self.rooms = rooms;
    }

    /// These wait for room from now on.
    pub(super) fn queue(&mut self, blocks: &[u32]) {
        for block in blocks {
            self.ready.insert(*block);
            let room = self.rooms.of[*block as usize];
            self.rooms.ready[room as usize].insert(*block);
        }
    }

    /// The first block that is ready and for which there is room: it takes its place.
    pub(super) fn next_ready(&mut self, width_max: u32) -> Option<u32> {
        let free = Room::ALL.into_iter().filter(|room| self.rooms.is_free(*room, width_max));
        let block = free.filter_map(|room| self.rooms.ready[room as usize].first().copied()).min()?;
        let room = self.rooms.of[block as usize];
        self.rooms.ready[room as usize].remove(&block);
        self.ready.remove(&block);
        self.rooms.take(block);
        Some(block)
    }
}
