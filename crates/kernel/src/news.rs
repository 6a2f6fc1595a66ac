//! What a turn changed, for views: derived while applying, never stored. Views fold news; a run holds no log.

use crate::command::Caller;
use crate::run::Outcome;
use crate::{Data, Digest, Failure, Fields, RunId};
use serde::{Deserialize, Serialize};

/// Something a person would want to know.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum News {
    /// An attempt at a step began.
    Began {
        /// The activity: the step with its lane and round.
        key: String,
        /// The step.
        step: u32,
        /// Which attempt.
        attempt: u32,
        /// What it was given.
        inputs: Fields,
    },
    /// An attempt is the run of another workflow.
    Nested {
        /// The activity.
        key: String,
        /// That run.
        child: RunId,
        /// The name by which the workflow was called.
        workflow: String,
    },
    /// A block is done for an item; told before its first attempt.
    Item {
        /// The activity of the item.
        key: String,
        /// The step.
        step: u32,
        /// Which item.
        index: u32,
        /// The item.
        item: Data,
    },
    /// Someone is asked; after a result that did not hold, again.
    Offered {
        /// The activity.
        key: String,
    },
    /// A submitted result is being checked.
    Checking {
        /// The activity.
        key: String,
    },
    /// An attempt failed and another will follow.
    Retrying {
        /// The activity.
        key: String,
        /// The attempt that failed.
        attempt: u32,
        /// Why.
        failure: Failure,
        /// When the next one begins.
        due: u64,
    },
    /// An attempt was interrupted.
    Interrupted {
        /// The activity.
        key: String,
        /// The attempt.
        attempt: u32,
    },
    /// A submitted result did not hold.
    Unverified {
        /// The activity.
        key: String,
        /// Why.
        failure: Failure,
    },
    /// A step ended.
    Ended {
        /// The activity.
        key: String,
        /// The step.
        step: u32,
        /// Why it failed, if it did.
        failure: Option<Failure>,
        /// What it gave.
        outputs: Fields,
        /// When its first attempt began.
        since: u64,
    },
    /// A block will not run.
    Skipped {
        /// The step.
        step: u32,
        /// Why.
        reason: String,
    },
    /// A change of the state from outside could not be made; nothing changed.
    NotUpdated {
        /// Why.
        failure: Failure,
    },
    /// Fields of the state were written; told where the state has layers.
    Changed {
        /// The fields, those that followed among them.
        fields: Vec<String>,
        /// Who wrote them.
        by: ChangedBy,
        /// The version of the state since then, counted from one.
        version: u64,
    },
    /// A field was computed.
    Computed {
        /// The field.
        field: String,
        /// The fields whose change made it be computed.
        trigger: String,
        /// Names its input; nothing where nobody could be asked.
        input: Option<Digest>,
        /// What it is now; nothing where it is not set.
        output: Option<Data>,
        /// How long it took, in microseconds.
        took_us: u64,
        /// Why it could not be computed.
        error: Option<String>,
    },
    /// Something went on that somebody should look at.
    Warned {
        /// The step it belongs to.
        step: Option<String>,
        /// What.
        message: String,
    },
    /// A point was noted, to come back to.
    Marked {
        /// The step it belongs to.
        step: Option<String>,
        /// Why.
        reason: String,
        /// Who asked.
        by: Caller,
    },
    /// The lane of a task began.
    LaneBegan {
        /// The lane.
        lane: u32,
        /// The step that has the tasks.
        step: u32,
        /// The task.
        task_id: String,
        /// Which attempt, counted from one.
        attempt: u32,
        /// Which item.
        index: u32,
        /// The item.
        item: Data,
        /// What the task was given.
        context: Fields,
    },
    /// The lane of a task ended.
    LaneEnded {
        /// The lane.
        lane: u32,
        /// The step that has the tasks.
        step: u32,
        /// The task.
        task_id: String,
        /// Why it failed, if it did.
        failure: Option<Failure>,
        /// Whether it will be begun again.
        again: bool,
    },
    /// A state of a machine that has variables was left.
    Left {
        /// The activity.
        key: String,
        /// The step.
        step: u32,
        /// What it gave, and how it ended.
        result: Fields,
        /// The variables that it changed.
        variables: Fields,
        /// How the next state was chosen, and which; nothing where there is none.
        way: Option<(Way, u32)>,
    },
    /// The run closes.
    Closing {
        /// How it will have ended.
        outcome: Outcome,
    },
    /// The run has ended.
    Over {
        /// How.
        outcome: Outcome,
        /// What did not report back before the deadline of closing.
        abandoned: Vec<String>,
    },
}

/// How the next state of a machine was chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Way {
    /// By this transition of the state.
    Transition(u32),
    /// By what it says of a time-out.
    TimedOut,
    /// By what it says of any other failure.
    Failed,
}

/// Who changed the state.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChangedBy {
    /// The run itself: its first values, what was collected.
    Run,
    /// A step of it, by name.
    Step(String),
    /// Somebody outside.
    Caller(Caller),
}
