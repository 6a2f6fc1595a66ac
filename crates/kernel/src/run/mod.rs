//! A run: one execution of a plan, as a plain value that can be saved, loaded and compared.
//!
//! `admit` (admit.rs) only reads. `apply` (here) is total: it lets the event happen (`happen`), then works off
//! the agenda until nothing is left to do or a question must be answered first. All that a transition may
//! touch is in [`Moment`]; flows and activities are written as methods of it.

pub(crate) mod activity;
mod admit;
mod happen;
pub(crate) mod life;
mod open;
pub(crate) mod phase;
mod scope;
mod state;
mod status;

pub use life::{Outcome, Snapshot};
pub use open::{Open, OpenKind};
pub use status::{Status, Waiting};

pub(crate) use activity::Owner;
pub(crate) use life::Life;
pub(crate) use scope::Stop;

use crate::fault::Planted;
use crate::plan::{Flow, Plan};
use crate::table::Row;
use crate::{Answer, BEHAVIOUR, Digest, Effect, EffectId, Event, News, Question, RunId};
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

/// One execution of a plan.
#[derive(Clone, Debug)]
pub struct Run {
    plan: Arc<Plan>,
    life: Life,
    turning: Option<Turning>,
    planted: Planted,
}

/// What one event gave.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Turn {
    /// To be answered with [`Run::answer`] before the turn is whole. Empty when it is.
    pub questions: Vec<Question>,
    /// What may leave once the turn is committed.
    pub effects: Vec<Effect>,
    /// What changed, for views.
    pub news: Vec<News>,
    /// The rows of transition tables that were followed.
    pub rows: Vec<Row>,
}

impl Turn {
    /// The digest of the questions and effects, by which a replay is compared.
    pub fn digest(&self, asked: &[Question]) -> Digest {
        Digest::of_json(&(asked, &self.effects))
    }
}

/// A turn that waits for answers.
#[derive(Clone, Debug, Default)]
struct Turning {
    now: u64,
    agenda: VecDeque<Task>,
    answers: BTreeMap<Digest, Answer>,
    asked: Vec<Question>,
    turn: Turn,
}

/// Something still to be done within the turn.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Task {
    /// Set the first values of the state and let the flow begin.
    Open,
    /// A block whose dependencies have ended.
    Block(u32),
    /// A lane that can move.
    Lane(u32),
    /// A lane that waits for others, and can fork one more.
    Fork(u32),
    /// A machine that must choose its next state.
    Choose,
    /// The machine enters a state.
    Enter(u32),
    /// Evaluate the outputs and close with success.
    Finish,
    /// The next cleanup step.
    Cleanup,
    /// Changes of the state from outside.
    Update(crate::Fields),
    /// Check a submitted result.
    Check(String),
}

/// All that a transition may touch.
pub(crate) struct Moment<'m> {
    pub(crate) plan: &'m Plan,
    pub(crate) life: &'m mut Life,
    pub(crate) turn: &'m mut Turn,
    pub(crate) agenda: &'m mut VecDeque<Task>,
    pub(crate) answers: &'m BTreeMap<Digest, Answer>,
    pub(crate) now: u64,
    pub(crate) planted: Planted,
}

impl Run {
    /// A run that has not started. `parent` names who waits for its end.
    pub fn new(plan: Arc<Plan>, id: RunId, parent: Option<(RunId, EffectId)>, depth: u32) -> Self {
        let life = Life::new(&plan, id, parent, depth);
        Run { plan, life, turning: None, planted: Planted::default() }
    }

    /// Continues from a snapshot of the same plan.
    pub fn restore(plan: Arc<Plan>, snapshot: Snapshot) -> Self {
        let mut life = snapshot.0;
        life.rebuild(&plan);
        Run { plan, life, turning: None, planted: Planted::default() }
    }

    /// What must be saved to continue from here. Only between turns.
    pub fn snapshot(&self) -> Snapshot {
        assert!(self.turning.is_none(), "BUG: a run was saved in the middle of a turn");
        Snapshot(self.life.clone())
    }

    /// Plants a fault, to see that the simulation finds it.
    #[cfg(feature = "faults")]
    pub fn plant(&mut self, planted: Planted) {
        self.planted = planted;
    }

    /// The plan.
    pub fn plan(&self) -> &Arc<Plan> {
        &self.plan
    }

    /// The run's name.
    pub fn id(&self) -> &RunId {
        &self.life.id
    }

    /// Who waits for its end: the parent and the parent's effect.
    pub fn parent(&self) -> Option<&(RunId, EffectId)> {
        self.life.parent.as_ref()
    }

    /// The number of the behaviour it is pinned to.
    pub fn behaviour(&self) -> u32 {
        self.life.behaviour
    }

    /// Whether this kernel can move it.
    pub fn supported(&self) -> bool {
        self.life.behaviour == BEHAVIOUR
    }

    /// What the run holds, in bytes: near the size of its snapshot.
    pub fn weight(&self) -> u64 {
        self.life.held
    }

    /// Lets an admitted event happen. If the turn has questions, [`Run::answer`] must follow.
    pub fn apply(&mut self, event: Event) -> Turn {
        assert!(self.turning.is_none(), "BUG: an event was applied in the middle of a turn");
        let mut turning = Turning { now: event.at, ..Turning::default() };
        self.life.at = event.at;
        self.moment(&mut turning).happen(event.fact);
        self.go_on(turning)
    }

    /// Gives the answers to the questions of the turn, in their order.
    pub fn answer(&mut self, answers: Vec<Answer>) -> Turn {
        let mut turning = self.turning.take().expect("BUG: answers without a question");
        let asked = std::mem::take(&mut turning.asked);
        assert_eq!(asked.len(), answers.len(), "BUG: as many answers as questions");
        turning.answers.extend(asked.iter().map(Question::digest).zip(answers));
        self.go_on(turning)
    }

    /// Whether the run waits for answers in the middle of a turn.
    pub fn is_turning(&self) -> bool {
        self.turning.is_some()
    }

    fn moment<'m>(&'m mut self, turning: &'m mut Turning) -> Moment<'m> {
        Moment {
            plan: &self.plan,
            life: &mut self.life,
            turn: &mut turning.turn,
            agenda: &mut turning.agenda,
            answers: &turning.answers,
            now: turning.now,
            planted: self.planted,
        }
    }

    fn go_on(&mut self, mut turning: Turning) -> Turn {
        let overtakes = matches!(self.plan.flow, Flow::Graph(_));
        let mut deferred = VecDeque::new();
        let mut questions: Vec<Question> = Vec::new();
        while let Some(task) = turning.agenda.pop_front() {
            let Some(question) = self.moment(&mut turning).work_off(task.clone()) else { continue };
            deferred.push_back(task);
            if !questions.contains(&question) {
                questions.push(question);
            }
            if !overtakes {
                break;
            }
        }
        if questions.is_empty() {
            self.moment(&mut turning).settle();
            if turning.agenda.is_empty() {
                return turning.turn;
            }
            return self.go_on(turning);
        }
        deferred.append(&mut turning.agenda);
        turning.agenda = deferred;
        turning.asked.clone_from(&questions);
        let asking = Turn { questions, ..Turn::default() };
        self.turning = Some(turning);
        asking
    }
}

impl Moment<'_> {
    /// Works off one task; gives the question that must be answered first, if there is one.
    fn work_off(&mut self, task: Task) -> Option<Question> {
        // Once the run closes, nothing of its flow goes on.
        if self.life.phase != phase::Phase::Running && task != Task::Cleanup {
            return None;
        }
        let done = match task {
            Task::Open => self.open_flow(),
            Task::Block(block) => self.enter_block(block),
            Task::Lane(lane) => self.move_lane(lane),
            Task::Fork(lane) => self.fork_next(lane),
            Task::Choose => self.choose(),
            Task::Enter(state) => self.enter_state(state),
            Task::Finish => self.finish(),
            Task::Cleanup => self.next_cleanup(),
            Task::Update(values) => self.update_from_outside(&values),
            Task::Check(key) => self.check_result(&key),
        };
        match done {
            Ok(()) => None,
            Err(Stop::Ask(question)) => Some(question),
            Err(Stop::Fail(failure)) => {
                self.close(Outcome::Failed { failure });
                None
            }
        }
    }

    pub(crate) fn reach(&mut self, row: Row) {
        self.turn.rows.push(row);
    }

    pub(crate) fn effect(&mut self, effect: Effect) {
        self.turn.effects.push(effect);
    }

    pub(crate) fn news(&mut self, news: News) {
        self.turn.news.push(news);
    }
}
