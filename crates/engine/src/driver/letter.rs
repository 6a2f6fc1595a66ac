//! Every message into and out of the driver, in one place.

use crate::answers::{Called, Patience};
use crate::backend::{Progress, Standing, Start};
use crate::turn::{Content, Home, Reply};
use kernel::effect::Perform;
use kernel::{Answer, Command, Effect, EffectId, Fields, Outcome, Question, RunId};
use std::sync::Arc;

/// What comes in.
pub enum Letter {
    /// Start a run that a caller asked for.
    Start {
        /// What it takes.
        start: Box<Start>,
        /// Told when it is committed, or refused.
        reply: Option<Reply>,
    },
    /// Find the run that a caller asked to start, if it was started before; a new one cannot be.
    StartedBefore {
        /// What it would take.
        start: Box<Start>,
        /// Why no run is started now.
        otherwise: crate::backend::Error,
        /// Told at once.
        reply: Option<Reply>,
    },
    /// Start the child of a run; one that is there already is carried on.
    StartChild {
        /// The child.
        child: RunId,
        /// The run that waits for it, and the effect it waits for.
        parent: (RunId, EffectId),
        /// Its plan, or why there is none.
        plan: Result<Called, String>,
        /// What it is given.
        inputs: Fields,
        /// How many runs are above it.
        depth: u32,
    },
    /// Cancel the child of a run; one that never was has ended.
    CancelChild {
        /// The child.
        child: RunId,
        /// The run that waits for its end, and the effect it waits for.
        parent: (RunId, EffectId),
        /// Why.
        reason: String,
    },
    /// Tell the parent of a run how it ended; the run hears when that is recorded.
    TellParent {
        /// The run that ended.
        child: RunId,
        /// The run that waits for its end, and the effect it waits for.
        parent: (RunId, EffectId),
        /// How it ended.
        outcome: Outcome,
    },
    /// Ask something of a run.
    Command {
        /// The run.
        run: RunId,
        /// What is asked.
        command: Command,
        /// Large data that the command names.
        contents: Vec<Content>,
        /// Told when it is committed, or refused.
        reply: Option<Reply>,
    },
    /// The answers to the questions of a run's turn.
    Answers {
        /// The run.
        run: RunId,
        /// The answers, in the order of the questions.
        answers: Vec<Answer>,
        /// Large data that the answers name.
        contents: Vec<Content>,
    },
    /// Carry a run on: what is open is asked for again, what was interrupted is told.
    Recover {
        /// The run.
        run: RunId,
        /// Told when it is under way.
        reply: Option<Reply>,
    },
    /// Where does a run stand?
    Query {
        /// The run.
        run: RunId,
        /// Told at once.
        reply: Box<dyn FnOnce(Result<Standing, crate::backend::Error>) + Send>,
    },
}

/// What goes out.
#[derive(Clone, Debug)]
pub enum Parcel {
    /// Please do.
    Effect {
        /// The run that asks.
        run: RunId,
        /// Where it belongs.
        home: Arc<Home>,
        /// What is asked.
        effect: Effect,
    },
    /// Please answer.
    Ask {
        /// The run that asks.
        run: RunId,
        /// What is asked.
        questions: Vec<Question>,
        /// How long all of the turn may take.
        patience: Arc<Patience>,
    },
    /// Please take away what is left: whoever worked on this died with the server, and the run knows it.
    Died {
        /// The run that had asked.
        run: RunId,
        /// Where it belongs.
        home: Arc<Home>,
        /// What was asked.
        perform: Perform,
    },
    /// A turn was committed.
    Progress(Progress),
}
