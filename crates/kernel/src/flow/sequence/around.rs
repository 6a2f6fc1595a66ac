//! What stands around a place in a lane: items of loops and of forks with their fields and numbers, failures that were
//! caught, what tasks were given. Read where the state has layers.

use super::{ERROR, SequenceLife, Turns};
use crate::run::{Item, of_item};
use crate::{Data, Fields};
use std::fmt::Write;

/// What the name of a task is called where it can be read.
const TASK_ID: &str = "task_id";

impl SequenceLife {
    /// What a bare name means in a lane, innermost first, and then in the lane it was forked from.
    pub(crate) fn around(&self, lane: u32, name: &str, part: Item) -> Option<Data> {
        let lane = self.lanes.get(&lane)?;
        let framed = lane.stack.iter().rev().find_map(|frame| match &frame.turns {
            Turns::Foreach(each) => {
                of_item(name, part, &each.variable, &each.item, each.next.saturating_sub(1))
            }
            Turns::Caught { error, .. } if name == ERROR => Some(error.clone()),
            _ => None,
        });
        let of_task = || {
            let (task, (_, index)) = (lane.task.as_ref()?, lane.parent?);
            if name == TASK_ID {
                return Some(Data::Inline(task.id.as_str().into()));
            }
            of_item(name, part, &task.variable, lane.variables.get(&task.variable)?, index)
        };
        framed
            .or_else(|| lane.variables.get(name).cloned())
            .or_else(of_task)
            .or_else(|| self.around(lane.parent?.0, name, part))
    }

    /// What a task was given under a name, if the lane is inside of one.
    pub(crate) fn given(&self, lane: u32, name: &str) -> Option<&Data> {
        let lane = self.lanes.get(&lane)?;
        let given = lane.task.as_ref().and_then(|_| lane.variables.get(name));
        given.or_else(|| self.given(lane.parent?.0, name))
    }

    /// All that tasks were given that the lane is inside of.
    pub(crate) fn all_given(&self, lane: u32) -> Fields {
        let Some(lane) = self.lanes.get(&lane) else { return Fields::new() };
        let mut given = lane.parent.map_or_else(Fields::new, |(parent, _)| self.all_given(parent));
        if lane.task.is_some() {
            given.extend(lane.variables.clone());
        }
        given
    }

    /// Says where a lane is, in a text that is another one after each of its moves.
    pub(crate) fn place(&self, lane: u32) -> String {
        let mut place = format!("{lane}");
        let Some(lane) = self.lanes.get(&lane) else { return place };
        for frame in &lane.stack {
            let round = match &frame.turns {
                Turns::While { rounds } => *rounds,
                Turns::Foreach(each) => each.next,
                Turns::Once | Turns::Try { .. } | Turns::Again { .. } | Turns::Caught { .. } => 0,
            };
            let _ = write!(place, ":{}.{}.{round}", frame.body, frame.position);
        }
        let (begun, jumps) = (lane.begun.values().sum::<u32>(), lane.jumps.values().sum::<u32>());
        let _ = write!(place, "+{begun}+{jumps}");
        place
    }
}
