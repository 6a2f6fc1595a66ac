//! A moment: all that a transition may touch. What is still to be done within the turn stands on its agenda.

use super::phase::Phase;
use super::{Life, Outcome, Stop, Turn};
use crate::event::Change;
use crate::news::ChangedBy;
use crate::plan::{Access, Plan};
use crate::table::Row;
use crate::{Answer, Digest, Effect, EffectId, Failure, FailureKind, Fields, News, Question};
use std::collections::{BTreeMap, VecDeque};

/// Something still to be done within the turn.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Task {
    /// Set the first values of the state and let the flow begin.
    Open,
    /// A block whose dependencies have ended.
    Block(u32),
    /// A block for which there is an item and room.
    Item(u32, u32),
    /// A child for which there is an item and room: of this lane, of which item.
    Child(u32, u32),
    /// What an item gave is to be kept.
    Row(Box<crate::flow::Row>),
    /// A lane that can move.
    Lane(u32),
    /// A machine that must choose its next state.
    Choose,
    /// The machine enters a state.
    Enter(u32),
    /// Evaluate the outputs and close with success.
    Finish,
    /// The next cleanup step.
    Cleanup,
    /// Changes of the state from outside.
    Update(Box<Update>),
    /// Check a submitted result.
    Check(String),
    /// An action whose time is its end.
    Resume(String),
}

/// Changes of the state from outside.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Update {
    pub(super) values: Fields,
    pub(super) changes: Vec<Change>,
    pub(super) by: ChangedBy,
}

/// All that a transition may touch.
pub(crate) struct Moment<'m> {
    pub(crate) plan: &'m Plan,
    pub(crate) life: &'m mut Life,
    pub(crate) turn: &'m mut Turn,
    pub(crate) agenda: &'m mut VecDeque<Task>,
    pub(crate) answers: &'m BTreeMap<Digest, Answer>,
    pub(crate) now: u64,
    /// How many nodes lanes have passed in this turn.
    pub(crate) moves: &'m mut u32,
    /// How many bytes evaluators have made in this turn.
    pub(crate) made: u64,
    #[cfg(feature = "faults")]
    pub(crate) planted: crate::fault::Planted,
}

impl Moment<'_> {
    /// Works off one task; gives the questions that must be answered first, if there are some.
    pub(super) fn work_off(&mut self, task: &Task) -> Option<Vec<Question>> {
        // Once the run closes, nothing of its flow goes on; cleanup does.
        if self.life.phase != Phase::Running
            && !matches!(task, Task::Cleanup | Task::Check(_) | Task::Resume(_))
        {
            return None;
        }
        let done = match task {
            _ if self.has_made_too_much() => Err(too_much_made().into()),
            Task::Open => self.open_flow(),
            Task::Block(block) => self.enter_block(*block),
            Task::Item(block, item) => self.enter_item(*block, *item),
            Task::Child(lane, item) => self.enter_child(*lane, *item),
            Task::Row(row) => self.keep_row(row),
            Task::Lane(lane) => self.move_lane(*lane),
            Task::Choose => self.choose(),
            Task::Enter(state) => self.enter_state(*state),
            Task::Finish => self.finish(),
            Task::Cleanup => self.next_cleanup(),
            Task::Update(update) => {
                let Update { values, changes, by } = &**update;
                self.update_from_outside(values, changes, by)
            }
            Task::Check(key) => self.check_result(key),
            Task::Resume(key) => self.resume(key),
        };
        match done {
            Ok(()) => None,
            Err(Stop::Ask(questions)) => Some(questions),
            Err(Stop::Fail(failure)) => {
                self.close(Outcome::Failed { failure });
                None
            }
        }
    }

    /// Whether evaluators have made more in this turn than one may, where the state has layers.
    fn has_made_too_much(&self) -> bool {
        let is_running = self.life.phase == Phase::Running;
        is_running && self.plan.state.is_layered() && self.made > TURN_BYTES_MAX
    }

    /// Notes which row of a transition table was followed.
    pub(crate) fn reach(&mut self, row: Row) {
        self.turn.rows.push(row);
    }

    /// Asks something of the world.
    pub(crate) fn effect(&mut self, effect: Effect) {
        self.turn.effects.push(effect);
    }

    /// Asks to be woken.
    pub(crate) fn timer(&mut self, id: EffectId, due: u64) {
        self.effect(Effect::StartTimer { id, due });
    }

    /// Withdraws an effect. One that was asked for in this very turn does not leave at all; says whether it had left.
    pub(crate) fn withdraw(&mut self, id: EffectId) -> bool {
        let left = !self.take_back(&id);
        if left {
            self.effect(Effect::Withdraw { id });
        }
        left
    }

    /// Takes an effect back that was asked for in this very turn; says whether there was one.
    pub(crate) fn take_back(&mut self, id: &EffectId) -> bool {
        let before = self.turn.effects.len();
        self.turn.effects.retain(|effect| effect.begins() != Some(id));
        self.turn.effects.len() < before
    }

    /// Tells views.
    pub(crate) fn news(&mut self, news: News) {
        self.turn.news.push(news);
    }

    /// The time so many milliseconds from now.
    pub(crate) fn after(&self, ms: u64) -> u64 {
        self.now.saturating_add(ms)
    }

    /// What can be read now, by someone who may read this much of the state.
    pub(crate) fn scope<'s>(&'s self, access: &'s Access) -> super::scope::Scope<'s> {
        super::scope::Scope::new(self.plan, self.life, self.answers, access)
    }
}

/// What evaluators may make in one turn of a run whose state has layers.
const TURN_BYTES_MAX: u64 = 16 * 1024 * 1024;

fn too_much_made() -> Failure {
    let max = TURN_BYTES_MAX / 1024 / 1024;
    let message =
        format!("expressions made more than {max} MiB of values at once, without a step between them");
    Failure::new(FailureKind::Limit, message)
}
