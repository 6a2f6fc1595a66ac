//! Effects that have left and have not landed. Each is one Temporal operation; when it lands it is a command.
//!
//! Flights are polled in the order in which they left, on every wake, so that a replay hears of them in the same
//! order. None of them follows the workflow's own cancellation: only the kernel withdraws.

use super::desk::{Called, Desk};
use super::home::{Home, Job, SILENCE_MAX, Word};
use super::host::{Host, at_the_desk, now};
use super::ledger::Key;
use super::seed::{Origin, Seed};
use super::worker::queue_of;
use futures::FutureExt;
use futures::future::LocalBoxFuture;
use kernel::command::Caller;
use kernel::effect::Perform;
use kernel::event::Report;
use kernel::{Command, Effect, EffectId, Failure, FailureKind, Fields, OpenKind, Run, RunId};
use std::future::{Future, poll_fn};
use std::task::Poll;
use std::time::Duration;
use temporalio_sdk::{
    ActivityOptions, ChildWorkflowOptions, ParentClosePolicy, SignalWorkflowOptions,
    StartChildWorkflowExecutionFailedCause, TimerOptions, TimerResult, WorkflowCancellationToken,
    WorkflowContext, WorkflowIdReusePolicy, WorkflowSignalError,
};
use temporalio_workflow::ChildWorkflowStartError;

/// An effect is never given up by Temporal: the plan's time-outs and the home's silence decide.
const WORK_MAX: Duration = Duration::from_secs(10 * 365 * 24 * 3600);
const REST: Duration = Duration::from_millis(500);

/// All effects in flight.
pub(super) struct Flights<'c> {
    ctx: &'c WorkflowContext<Host>,
    open: Vec<Flight<'c>>,
}

struct Flight<'c> {
    id: EffectId,
    kind: Kind,
    token: WorkflowCancellationToken,
    landing: LocalBoxFuture<'c, Option<Command>>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Work,
    Timer,
    Other,
}

impl<'c> Flights<'c> {
    pub(super) fn new(ctx: &'c WorkflowContext<Host>) -> Self {
        Flights { ctx, open: Vec::new() }
    }

    /// Lets an effect leave.
    pub(super) fn leave(&mut self, effect: Effect) {
        let ctx = self.ctx;
        match effect {
            Effect::Offer(_) => {}
            Effect::Perform(work) => {
                let (id, token) = (work.id.clone(), WorkflowCancellationToken::new());
                self.add(id, Kind::Work, token, perform(ctx, work));
            }
            Effect::Withdraw { id } => self.withdraw(&id),
            Effect::StartTimer { id, due } => {
                let token = WorkflowCancellationToken::new();
                self.add(id.clone(), Kind::Timer, token.clone(), timer(ctx, id, due, token));
            }
            Effect::StartChild { id, child, workflow, plan, inputs, depth } => {
                let parent = (ctx.state(|host| host.run.id().clone()), id.clone());
                let origin = Origin::New { id: child, parent: Some(parent), depth, inputs };
                self.other(id, start_child(ctx, Called { workflow, plan }, origin));
            }
            Effect::CancelChild { id, child, reason } => {
                self.other(id.clone(), cancel_child(ctx, id, child, reason));
            }
            Effect::TellParent { parent, effect, outcome } => {
                let child = ctx.state(|host| host.run.id().clone());
                let command = Command::EndChild { effect: effect.clone(), child, outcome };
                self.other(effect, tell(ctx, parent, command));
            }
        }
    }

    /// Stops work at the home; how it ended is told all the same.
    pub(super) fn stop(&mut self, id: EffectId) {
        self.other(id.clone(), stop(self.ctx, id));
    }

    /// Waits for the next flight that lands with something to say.
    pub(super) async fn next(&mut self) -> Command {
        poll_fn(|task| {
            let mut position = 0;
            while let Some(flight) = self.open.get_mut(position) {
                match flight.landing.as_mut().poll(task) {
                    Poll::Pending => position += 1,
                    Poll::Ready(command) => {
                        self.open.remove(position);
                        if let Some(command) = command {
                            return Poll::Ready(command);
                        }
                    }
                }
            }
            Poll::Pending
        })
        .await
    }

    fn withdraw(&mut self, id: &EffectId) {
        let kind = self.open.iter().find(|flight| flight.id == *id).map(|flight| flight.kind);
        match kind {
            Some(Kind::Work) => self.stop(id.clone()),
            Some(Kind::Timer) => {
                self.open.iter().filter(|flight| flight.id == *id).for_each(|flight| flight.token.cancel());
            }
            Some(Kind::Other) | None => {}
        }
    }

    fn other(&mut self, id: EffectId, landing: impl Future<Output = Option<Command>> + 'c) {
        self.add(id, Kind::Other, WorkflowCancellationToken::new(), landing);
    }

    fn add(
        &mut self,
        id: EffectId,
        kind: Kind,
        token: WorkflowCancellationToken,
        landing: impl Future<Output = Option<Command>> + 'c,
    ) {
        self.open.push(Flight { id, kind, token, landing: landing.boxed_local() });
    }
}

/// Options of an activity at the home. A home that falls silent is asked again, by Temporal and without end.
fn at_home(ctx: &WorkflowContext<Host>) -> ActivityOptions {
    ActivityOptions::with_start_to_close_timeout(WORK_MAX)
        .heartbeat_timeout(SILENCE_MAX)
        .task_queue(queue_of(&ctx.state(|host| host.home.clone())))
        .cancellation_token(WorkflowCancellationToken::new())
        .build()
}

fn key_of(ctx: &WorkflowContext<Host>, effect: EffectId) -> Key {
    Key { run: ctx.state(|host| host.run.id().clone()), effect }
}

async fn perform(ctx: &WorkflowContext<Host>, work: Perform) -> Option<Command> {
    let effect = work.id.clone();
    let job = Job::new(key_of(ctx, effect.clone()), work);
    let said = ctx.execute_activity(Home::perform, job, at_home(ctx)).await;
    Some(said.map_or_else(|error| unsaid(&effect, &error), |word| heard(&effect, word)))
}

async fn stop(ctx: &WorkflowContext<Host>, effect: EffectId) -> Option<Command> {
    let said = ctx.execute_activity(Home::stop, key_of(ctx, effect.clone()), at_home(ctx)).await;
    Some(said.map_or_else(|error| unsaid(&effect, &error), |word| heard(&effect, word)))
}

fn heard(effect: &EffectId, word: Word) -> Command {
    match word {
        Word::Ended(report) => Command::Report { effect: effect.clone(), report },
        Word::Interrupted => Command::Interrupt { effect: effect.clone() },
    }
}

/// The activity itself failed: nobody knows what became of the effect.
fn unsaid(effect: &EffectId, _error: &dyn std::error::Error) -> Command {
    Command::Interrupt { effect: effect.clone() }
}

async fn timer(
    ctx: &WorkflowContext<Host>,
    id: EffectId,
    due: u64,
    token: WorkflowCancellationToken,
) -> Option<Command> {
    let rest = Duration::from_millis(due.saturating_sub(now(ctx)));
    let options = TimerOptions::builder(rest).cancellation_token(token).summary(id.to_string()).build();
    match ctx.timer(options).await {
        TimerResult::Fired => Some(Command::Fire { timer: id }),
        TimerResult::Cancelled => None,
    }
}

/// Starts a child, or reports at once that there is none. A child that is there already is the one that is meant. It is
/// abandoned, in Temporal's words: it tells its end itself, to whichever Temporal run its parent then is.
async fn start_child(ctx: &WorkflowContext<Host>, called: Called, origin: Origin) -> Option<Command> {
    let Origin::New { id: child, parent, .. } = &origin else { unreachable!("BUG: a child is new") };
    let (child, effect) = (child.clone(), parent.as_ref().map(|(_, effect)| effect.clone())?);
    let started = match plan_child(ctx, called, origin).await {
        Ok(seed) => start(ctx, child.clone(), seed).await,
        Err(reason) => Err(reason),
    };
    let failure = Failure::new(FailureKind::Crashed, started.err()?);
    Some(Command::Report { effect, report: Report::Failed { failure, outputs: Fields::new() } })
}

/// Finds the child's plan and asks the kernel whether the child can start, before anything is started.
async fn plan_child(ctx: &WorkflowContext<Host>, called: Called, origin: Origin) -> Result<Seed, String> {
    let found = ctx.execute_local_activity(Desk::plan, called, at_the_desk()).await;
    let plan = found.map_err(|error| error.to_string())??;
    let (home, turns_max) = ctx.state(|host| (host.home.clone(), host.turns_max));
    let seed = Seed { plan, home, turns_max, behaviour: kernel::BEHAVIOUR, origin };
    let (run, start) = seed.clone().grow();
    let refused = start.and_then(|start| Run::admit(&run, start, now(ctx)).err());
    refused.map_or(Ok(seed), |refusal| Err(refusal.to_string()))
}

async fn start(ctx: &WorkflowContext<Host>, child: RunId, seed: Seed) -> Result<(), String> {
    let options = ChildWorkflowOptions::builder()
        .workflow_id(child.to_string())
        .parent_close_policy(ParentClosePolicy::Abandon)
        .id_reuse_policy(WorkflowIdReusePolicy::RejectDuplicate)
        .cancellation_token(WorkflowCancellationToken::new())
        .build();
    match ctx.start_child_workflow(Host::run, seed, options).await {
        Ok(_) => Ok(()),
        Err(ChildWorkflowStartError::StartFailed {
            cause: StartChildWorkflowExecutionFailedCause::WorkflowAlreadyExists,
            ..
        }) => Ok(()),
        Err(error) => Err(error.to_string()),
    }
}

/// Tells a child to close until it has taken it or has ended by itself. A child whose start is still under way is
/// not found at first. The command is signalled: Temporal's own cancel request would reword the reason.
async fn cancel_child(
    ctx: &WorkflowContext<Host>,
    id: EffectId,
    child: RunId,
    reason: String,
) -> Option<Command> {
    let cancel = Command::Cancel { reason, by: Caller::Server };
    while ctx.state(|host| host.run.open().iter().any(|open| open.kind == OpenKind::Child && open.id == id)) {
        if deliver(ctx, &child, cancel.clone()).await.is_ok() {
            break;
        }
        rest(ctx).await;
    }
    None
}

/// Tells the parent until the server has taken the message; a parent that is gone needs no telling.
async fn tell(ctx: &WorkflowContext<Host>, parent: RunId, command: Command) -> Option<Command> {
    loop {
        match deliver(ctx, &parent, command.clone()).await {
            Ok(()) | Err(WorkflowSignalError::NotFound(_)) => return Some(Command::Acknowledge),
            Err(_) => rest(ctx).await,
        }
    }
}

/// Sends a command to another run, whichever Temporal run it is in.
async fn deliver(
    ctx: &WorkflowContext<Host>,
    to: &RunId,
    command: Command,
) -> Result<(), WorkflowSignalError> {
    let options =
        SignalWorkflowOptions::builder().cancellation_token(WorkflowCancellationToken::new()).build();
    ctx.external_workflow(to.to_string(), None).signal(Host::deliver, command, options).await
}

async fn rest(ctx: &WorkflowContext<Host>) {
    let detached = WorkflowCancellationToken::new();
    ctx.timer(TimerOptions::builder(REST).cancellation_token(detached).build()).await;
}
