//! One step of a run as people see it.

use kernel::{Data, Failure, FailureKind, Fields, RunId};

/// How a step stands.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum State {
    /// It has not begun.
    #[default]
    Pending,
    /// It is being done.
    Running,
    /// Someone is to answer it.
    Waiting,
    /// An attempt failed, and another will follow.
    Resting,
    /// It was cut off: it may or may not have happened.
    Interrupted,
    /// It was done.
    Succeeded,
    /// It was done and said no.
    Failed,
    /// It could not be done.
    Crashed,
    /// It will not be done.
    Skipped,
    /// It was stopped because the run closed.
    Cancelled,
}

impl State {
    /// Returns how a step stands that has ended.
    pub(super) fn ended(failure: Option<&Failure>) -> Self {
        match failure.map(|failure| failure.kind) {
            None => Self::Succeeded,
            Some(kind) if kind.is_outcome() => Self::Failed,
            Some(FailureKind::Cancelled) => Self::Cancelled,
            Some(_) => Self::Crashed,
        }
    }

    /// Returns the word for its status.
    pub const fn status(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Running | Self::Resting => "running",
            Self::Waiting => "waiting",
            Self::Interrupted => "interrupted",
            Self::Succeeded | Self::Failed => "completed",
            Self::Crashed => "failed",
            Self::Skipped => "skipped",
            Self::Cancelled => "cancelled",
        }
    }

    /// Returns the word for the outcome of its operation.
    pub const fn outcome(self) -> &'static str {
        match self {
            Self::Succeeded => "success",
            Self::Failed => "failure",
            _ => "n/a",
        }
    }

    /// Tells whether nothing more will happen to it.
    pub const fn is_over(self) -> bool {
        !matches!(self, Self::Pending | Self::Running | Self::Waiting | Self::Resting | Self::Interrupted)
    }
}

/// What became of a step. Of a step that is done several times, the last time.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Line {
    /// Its id.
    pub id: String,
    /// How it stands.
    pub state: State,
    /// Which attempt is the last; 0 if none has begun.
    pub attempt: u32,
    /// When its first attempt began.
    pub started_at: Option<u64>,
    /// How long it took, rests between attempts included.
    pub duration_ms: Option<u64>,
    /// When the next attempt begins.
    pub due: Option<u64>,
    /// Why it failed, was skipped or cut off.
    pub reason: Option<String>,
    /// What the last attempt was given.
    pub inputs: Fields,
    /// What it gave.
    pub outputs: Fields,
    /// The run of another workflow that the last attempt is, if it is one.
    pub nested: Option<Nested>,
    /// A line for each item that it was begun for, where it is done for each of some.
    pub items: Option<Vec<Line>>,
    /// The item that this line is about, if it is one of those.
    pub item: Option<Data>,
}

impl Line {
    /// Returns the lines of what is really done: of the items, where it is done for each of some.
    pub fn parts(&self) -> &[Line] {
        self.items.as_deref().unwrap_or(std::slice::from_ref(self))
    }
}

/// The run of another workflow.
#[derive(Debug, Clone, PartialEq)]
pub struct Nested {
    /// The name by which the workflow was called.
    pub workflow: String,
    /// The run; none where it could not be started.
    pub run: Option<RunId>,
}
