//! The sequence flow (`steps`, `reactive`): lanes, each a stack of positions in nested bodies.
//!
//! A lane moves by itself through nodes that need nobody (branches, loops, writes), until it comes to a step,
//! a fork, or its end. Every loop and every goto has a bound, and so has what one turn may take: loops in loops
//! multiply.
//!
//! ```text
//!  lane 0   body 0: a ── fork ──────────── join ── b      lane.rs: nodes and steps
//!  lane 1           body 1: └ while: c, c ┘               loops.rs: while, foreach, break, goto
//!  lane 2           body 1: └ c ──────────┘               fork.rs: lanes and their join
//! ```
//! A lane can also wait for a child run of each item (`spread.rs`).
//!
//! A node may be a step of the definition (`within.rs`): it then has rights, a condition and a line of its own.

mod around;
mod attempt;
mod books;
mod end;
mod fork;
mod lane;
mod loops;
mod spread;
mod task;
mod within;

pub use spread::Spreading;
pub use task::{Forking, TaskStage, TaskState};

use crate::data::{text_weight, weight_of};
use crate::table::table;
use crate::{Data, Failure, Fields};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

table! { "sequence":
    STEP       = "moving",  "a step"                          => "busy";
    STEP_DONE  = "busy",    "the step succeeded"              => "moving";
    STEP_PASS  = "busy",    "it failed, and may"              => "moving";
    STEP_TAKE  = "busy",    "it said no, and that counts"     => "moving";
    STEP_FAIL  = "busy",    "it failed, and may not"          => "run fails";
    PASS       = "moving",  "a step whose when does not hold" => "moving";
    SET        = "moving",  "a change of state"               => "moving";
    BRANCH     = "moving",  "a branch"                        => "moving";
    ROUND      = "moving",  "a loop, another round"           => "moving";
    LOOP_OVER  = "moving",  "a loop, no more rounds"          => "moving";
    LOOP_BOUND = "moving",  "a loop or goto past its bound"   => "run fails";
    BREAK      = "moving",  "break"                           => "moving";
    GOTO       = "moving",  "goto"                            => "moving";
    SPREAD     = "moving",  "a child for each item"           => "spread";
    SPREAD_NONE = "moving", "a child for each item, of none"  => "moving";
    ITEM       = "spread",  "an item, and room"               => "spread";
    ITEM_DONE  = "spread",  "the child of an item is done"    => "spread";
    ITEM_NOT   = "spread",  "the child did not succeed"       => "spread";
    FOLD_ROWS  = "spread",  "many rows become one piece"      => "spread";
    ROWS_GONE  = "spread",  "what a child gave cannot be held" => "spread";
    SPREAD_OVER = "spread", "the last item ended"             => "moving";
    SPREAD_FAIL = "spread", "the last ended, some had failed" => "run fails";
    ELSE       = "busy",    "it failed, and changes follow"   => "busy";
    ELSE_NOT   = "busy",    "it failed, and they cannot"      => "busy";
    LEAVE      = "moving",  "a loop at its bound, to be left" => "moving";
    TRY        = "moving",  "a body that may fail"            => "moving";
    CATCH      = "any",     "a failure, and what follows it"  => "moving";
    CATCH_NONE = "any",     "a failure that may be"           => "moving";
    RAISE      = "moving",  "what was caught fails again"     => "run fails";
    WARN       = "moving",  "a warning"                       => "moving";
    EXIT       = "moving",  "exit"                            => "run ends";
    GIVE       = "moving",  "a value for the one who forked"  => "moving";
    FORK       = "moving",  "a fork with items"               => "joining";
    FORK_NONE  = "moving",  "a fork without items"            => "moving";
    NEXT_LANE  = "joining", "a lane ended, items are left"    => "joining";
    JOIN       = "joining", "the last lane ended"             => "moving";
    JOIN_FAIL  = "joining", "the last ended, one had failed"  => "run fails";
    CROWDED    = "joining", "there is room for no lane"       => "run fails";
    TASK       = "joining", "a task, and room"                => "joining";
    TASK_LATER = "joining", "a lane failed, to begin again"   => "joining";
    TASK_AGAIN = "joining", "all ended, some begin again"     => "joining";
    TASK_FAIL  = "any",     "something in a task failed"      => "lane over";
    LANE_FAIL  = "busy",    "a step of a forked lane failed"  => "lane over";
    LANE_OVER  = "moving",  "the end of a forked lane"        => "lane over";
    FAIL       = "moving",  "fail"                            => "run fails";
    RETURN     = "moving",  "return"                          => "run ends";
    OVER       = "moving",  "the end of the first lane"       => "run ends";
}

/// Where a sequence is.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct SequenceLife {
    lanes: BTreeMap<u32, Lane>,
    next: u32,
    /// The highest number that a step has had in lanes of a task, by the task's name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    numbers: BTreeMap<String, u32>,
}

/// One line of progress.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Lane {
    /// The lane it was forked from, and which item it has.
    parent: Option<(u32, u32)>,
    stack: Vec<Frame>,
    /// The item it was forked for, by name.
    variables: Fields,
    /// How often each step was begun.
    begun: BTreeMap<u32, u32>,
    /// How often each goto was taken, by its place.
    jumps: BTreeMap<String, u32>,
    /// How the step it was busy with ended. Never held between turns.
    ended: Option<(Option<Failure>, Fields)>,
    /// How often that step was tried, and whether what it changes of the state was changed already. Never held between turns.
    #[serde(skip)]
    tried: u32,
    #[serde(skip)]
    written: bool,
    /// What failed where it stands, and is still to be noted. Never held between turns.
    #[serde(skip)]
    failing: Option<Failure>,
    /// The lanes that it joined and that failed, where they may begin again. Never held between turns.
    #[serde(skip)]
    joined: Option<Join>,
    busy: bool,
    join: Option<Join>,
    gives: Option<Data>,
    /// The children it waits for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    spread: Option<spread::SpreadLife>,
    /// The task that it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    task: Option<task::LaneTask>,
}

/// A position in a body.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Frame {
    body: u32,
    position: u32,
    turns: Turns,
}

/// Whether a body is one of a loop.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Turns {
    Once,
    While {
        rounds: u32,
    },
    Foreach(Foreach),
    /// A body that may fail, and what is done then.
    Try {
        catch: Option<u32>,
    },
    /// A body in which what fails is done again, and how many times that is left.
    Again {
        catch: u32,
        left: u32,
    },
    /// What is done after a failure, which it reads as `error`.
    Caught {
        failure: Failure,
        error: Data,
        /// Where what failed stands below it, and is done again.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        again: Option<Box<DoneAgain>>,
    },
}

/// What is done again after a failure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct DoneAgain {
    /// The lanes that were joined, where some of them are to begin again.
    join: Option<Join>,
}

impl Turns {
    fn is_loop(&self) -> bool {
        matches!(self, Turns::While { .. } | Turns::Foreach(_))
    }
}

/// A loop over items.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Foreach {
    items: Data,
    count: u32,
    next: u32,
    /// The item of this round, and what it is called.
    variable: String,
    item: Data,
}

/// Lanes a lane waits for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Join {
    items: Data,
    count: u32,
    next: u32,
    open: u32,
    results: Vec<Option<Data>>,
    failure: Option<Failure>,
    /// The tasks that the lanes are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    tasks: Option<Box<task::TaskLives>>,
}

/// What a failure is called where it can be read.
const ERROR: &str = "error";

/// Most nodes that lanes may pass in one turn. It takes about a second.
const TURN_MOVES_MAX: u32 = 1_000_000;
/// The same where the state has layers: what a move writes may have others computed.
const LAYERED_MOVES_MAX: u32 = 20_000;

/// What each of these takes beside its data.
const LANE: u64 = 180;
const FRAME: u64 = 64;
const FOREACH: u64 = 110;
const CATCHES: u64 = 24;
const CAUGHT: u64 = 80;
const COUNT: u64 = 24;
const JOIN_BASE: u64 = 120;
const RESULT: u64 = 14;

impl Frame {
    fn weight(&self) -> u64 {
        FRAME
            + match &self.turns {
                Turns::Once | Turns::While { .. } => 0,
                Turns::Try { .. } | Turns::Again { .. } => CATCHES,
                Turns::Caught { failure, error, again } => {
                    let join = again.as_ref().and_then(|again| again.join.as_ref()).map_or(0, Join::weight);
                    CAUGHT + text_weight(&failure.message) + error.weight() + join
                }
                Turns::Foreach(each) => {
                    FOREACH + text_weight(&each.variable) + each.items.weight() + each.item.weight()
                }
            }
    }
}

impl Join {
    fn weight(&self) -> u64 {
        let given: u64 = self.results.iter().flatten().map(Data::weight).sum();
        let failure = self.failure.as_ref().map_or(0, |failure| text_weight(&failure.message));
        let tasks = self.tasks.as_ref().map_or(0, |tasks| tasks.weight());
        JOIN_BASE + self.items.weight() + RESULT * self.results.len() as u64 + given + failure + tasks
    }
}

impl Lane {
    fn weight(&self) -> u64 {
        let stack: u64 = self.stack.iter().map(Frame::weight).sum();
        let jumps: u64 = self.jumps.keys().map(|place| COUNT + text_weight(place)).sum();
        let gives = self.gives.as_ref().map_or(0, Data::weight);
        let join = self.join.as_ref().map_or(0, Join::weight);
        let waits = join + self.spread.as_ref().map_or(0, spread::SpreadLife::weight);
        let held = stack + weight_of(&self.variables) + COUNT * self.begun.len() as u64 + jumps + gives;
        LANE + held + waits + self.task.as_ref().map_or(0, task::LaneTask::weight)
    }
}

impl SequenceLife {
    pub(crate) fn weight(&self) -> u64 {
        let numbers: u64 = self.numbers.keys().map(|task| COUNT + text_weight(task)).sum();
        numbers + self.lanes.values().map(Lane::weight).sum::<u64>()
    }

    /// The run closes: lets go of all lanes, and says what they weighed.
    pub(super) fn close(&mut self) -> u64 {
        let weight = self.weight();
        self.lanes.clear();
        self.numbers.clear();
        weight
    }

    /// A variable of a lane, innermost loop first, or of one it was forked from.
    pub(crate) fn variable(&self, lane: u32, name: &str) -> Option<&Data> {
        let lane = self.lanes.get(&lane)?;
        let looped = lane.stack.iter().rev().find_map(|frame| match &frame.turns {
            Turns::Foreach(each) if each.variable == name => Some(&each.item),
            Turns::Caught { error, .. } if name == ERROR => Some(error),
            _ => None,
        });
        looped.or_else(|| lane.variables.get(name)).or_else(|| self.variable(lane.parent?.0, name))
    }

    fn lane(&mut self, lane: u32) -> &mut Lane {
        self.lanes.get_mut(&lane).expect("BUG: no such lane")
    }

    fn top(&mut self, lane: u32) -> &mut Frame {
        self.lane(lane).stack.last_mut().expect("BUG: a lane without a position")
    }
}

/// What a node did to its lane.
enum Moved {
    /// Go on with what stands at the position now.
    On,
    /// Wait.
    Busy,
    /// The lane is over.
    Over,
}
