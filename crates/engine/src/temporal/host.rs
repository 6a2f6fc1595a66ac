//! The one workflow. It holds a run, takes turns with it and lets its effects leave; nothing else moves.
//!
//! Everything that reaches the run lies in one queue of mail first, so that turns follow one another even
//! where an answer of the desk is awaited in the middle of one. Temporal commits the commands of a workflow task
//! together with the events that caused them: an effect never leaves before its turn is recorded.

use super::desk::{Desk, Kept, PATIENCE};
use super::flight::Flights;
use super::seed::{Origin, Seed};
use futures::FutureExt;
use kernel::command::Caller;
use kernel::effect::Action;
use kernel::{Answer, Command, Effect, OpenKind, Outcome, Question, Refusal, Run};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, VecDeque};
use std::pin::pin;
use std::time::{Duration, UNIX_EPOCH};
use temporalio_macros::{workflow, workflow_methods};
use temporalio_sdk::workflows::{join_all, select};
use temporalio_sdk::{
    ApplicationFailure, ContinueAsNewOptions, LocalActivityOptions, SyncWorkflowContext, TimerOptions,
    WaitConditionOptions, WorkflowCancellationToken, WorkflowContext, WorkflowContextView, WorkflowResult,
    WorkflowTermination,
};

type AnyError = Box<dyn std::error::Error + Send + Sync>;

/// What is due after a command was taken.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Next {
    /// The actions that are open.
    pub actions: Vec<Action>,
    /// How the run ended, if it has.
    pub outcome: Option<Outcome>,
}

/// A command, and how long its sender will wait for something to be due.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Submission {
    pub(super) command: Command,
    pub(super) wait_ms: u64,
}

/// A run inside Temporal.
#[workflow]
pub(crate) struct Host {
    pub(super) run: Run,
    pub(super) home: String,
    pub(super) turns_max: u64,
    behaviour: u32,
    mail: VecDeque<Mail>,
    tickets: u64,
    verdicts: BTreeMap<u64, Result<(), String>>,
    turns: u64,
    /// A new Temporal run is wanted; whoever waits here answers at once.
    leaving: bool,
}

/// A command on its way to the run.
struct Mail {
    command: Command,
    /// Where the sender waits for the verdict, if anyone does.
    ticket: Option<u64>,
}

#[workflow_methods]
impl Host {
    /// Begins or continues a run.
    #[init]
    pub(crate) fn new(_ctx: &WorkflowContextView, seed: Seed) -> Self {
        let (home, turns_max, behaviour) = (seed.home.clone(), seed.turns_max.max(1), seed.behaviour);
        let (run, start) = seed.grow();
        let mail = start.map(|command| Mail { command, ticket: None }).into_iter().collect();
        Host {
            run,
            home,
            turns_max,
            behaviour,
            mail,
            tickets: 0,
            verdicts: BTreeMap::new(),
            turns: 0,
            leaving: false,
        }
    }

    /// Takes turns until the run is over or continues as new.
    #[run(name = "switchback")]
    pub(crate) async fn run(ctx: &mut WorkflowContext<Self>) -> WorkflowResult<Outcome> {
        let ctx = &*ctx;
        fit(ctx).await;
        let mut flights = Flights::new(ctx);
        ask_again(ctx, &mut flights);
        let mut cancelled = pin!(ctx.cancelled());
        loop {
            while let Some(mail) = ctx.state_mut(|host| host.mail.pop_front()) {
                let verdict = take_turn(ctx, mail.command, &mut flights).await;
                ctx.state_mut(|host| host.turned(mail.ticket, verdict));
            }
            let over = ctx.state(Host::over);
            if (over.is_some() || ctx.state(|host| host.leaving)) && ctx.all_handlers_finished() {
                return match over {
                    Some(outcome) => end(outcome),
                    None => continue_as_new(ctx),
                };
            }
            let ready = |host: &Host| {
                let may_go = host.leaving || host.over().is_some();
                !host.mail.is_empty() || (may_go && ctx.all_handlers_finished()) || wants_to_leave(ctx, host)
            };
            let command = select! {
                command = flights.next().fuse() => Some(command),
                _ = ctx.wait_condition_with_options(ready, patiently()) => None,
                reason = cancelled => Some(cancel(reason)),
            };
            ctx.state_mut(|host| {
                host.mail.extend(command.map(|command| Mail { command, ticket: None }));
                host.leaving |= wants_to_leave(ctx, host);
            });
        }
    }

    /// Refuses what is not due, and leaves no trace. In the middle of a turn nobody can tell yet.
    #[update_validator(submit)]
    fn admit(&self, _ctx: &WorkflowContextView, sent: &Submission) -> Result<(), AnyError> {
        if self.run.is_turning() {
            return Ok(());
        }
        // The SDK tells a validator no time; that of the last turn refuses nothing too much.
        let admitted = self.run.admit(sent.command.clone(), self.run.at());
        admitted.map(drop).map_err(|refusal| refusal.to_string().into())
    }

    /// Takes a command and answers with what is due next. Two updates of one workflow task are both validated
    /// before either is handled, so the verdict is that of the turn.
    #[update(name = "submit")]
    pub(crate) async fn submit(ctx: &mut WorkflowContext<Self>, sent: Submission) -> Result<Next, AnyError> {
        let ticket = ctx.state_mut(|host| host.post(sent.command));
        ctx.wait_condition_with_options(|host| host.verdicts.contains_key(&ticket), patiently()).await?;
        ctx.state_mut(|host| host.verdicts.remove(&ticket)).unwrap_or(Ok(()))?;
        until_due(ctx, Duration::from_millis(sent.wait_ms)).await;
        Ok(ctx.state(|host| Next { actions: host.actions(), outcome: host.run.outcome().cloned() }))
    }

    /// A command that nobody waits for: a child's end.
    #[signal(name = "deliver")]
    pub(crate) fn deliver(&mut self, _ctx: &mut SyncWorkflowContext<Self>, command: Command) {
        self.mail.push_back(Mail { command, ticket: None });
    }

    /// The run as it stands, for whoever wants to look at it with the kernel's own eyes.
    #[query(name = "load")]
    pub(crate) fn load(&self, _ctx: &WorkflowContextView) -> Option<Seed> {
        (!self.run.is_turning()).then(|| self.seed())
    }
}

impl Host {
    fn post(&mut self, command: Command) -> u64 {
        self.tickets += 1;
        self.mail.push_back(Mail { command, ticket: Some(self.tickets) });
        self.tickets
    }

    fn turned(&mut self, ticket: Option<u64>, verdict: Result<(), Refusal>) {
        self.turns += u64::from(verdict.is_ok());
        if let Some(ticket) = ticket {
            self.verdicts.insert(ticket, verdict.map_err(|refusal| refusal.to_string()));
        }
    }

    /// How the run ended, once everybody who must know does.
    fn over(&self) -> Option<Outcome> {
        let outcome = self.run.outcome()?;
        self.run.open().is_empty().then(|| outcome.clone())
    }

    fn actions(&self) -> Vec<Action> {
        let open = self.run.open().into_iter();
        open.filter_map(|open| if let Effect::Offer(action) = open.effect { Some(action) } else { None })
            .collect()
    }

    fn seed(&self) -> Seed {
        let origin = Origin::Continued { snapshot: Box::new(self.run.snapshot()) };
        let (plan, home) = (self.run.plan().clone(), self.home.clone());
        Seed { plan, home, turns_max: self.turns_max, behaviour: self.behaviour, origin }
    }
}

/// A run of another behaviour is left alone: its task fails, changes nothing, and waits for a worker that fits.
async fn fit(ctx: &WorkflowContext<Host>) {
    let (mine, its) = (kernel::BEHAVIOUR, ctx.state(|host| host.behaviour));
    if mine != its {
        ctx.force_task_fail(format!("this worker has behaviour {mine}, and the run wants {its}"));
        std::future::pending::<()>().await;
    }
}

/// After a continue-as-new: asks for everything that is open as if for the first time. Whoever has it knows the
/// effect by its id.
fn ask_again<'c>(ctx: &'c WorkflowContext<Host>, flights: &mut Flights<'c>) {
    for open in ctx.state(|host| host.run.open()) {
        match open.kind {
            OpenKind::Interrupted => {}
            OpenKind::Stopping => flights.stop(open.id),
            OpenKind::Perform { .. }
            | OpenKind::Action
            | OpenKind::Timer
            | OpenKind::Child
            | OpenKind::Parent => flights.leave(open.effect),
        }
    }
}

/// One turn: one event, the answers it needs, then its effects leave.
async fn take_turn<'c>(
    ctx: &'c WorkflowContext<Host>,
    command: Command,
    flights: &mut Flights<'c>,
) -> Result<(), Refusal> {
    let at = now(ctx).max(ctx.state(|host| host.run.at()));
    let admitted = ctx.state(|host| host.run.admit(command, at));
    if let Err(Refusal::TooEarly { timer, due }) = &admitted {
        flights.leave(Effect::StartTimer { id: timer.clone(), due: *due });
    }
    let event = admitted?;
    let mut turn = ctx.state_mut(|host| host.run.apply(event));
    while !turn.questions.is_empty() {
        let answers = join_all(turn.questions.into_iter().map(|question| ask(ctx, question))).await;
        turn = ctx.state_mut(|host| host.run.answer(answers));
    }
    turn.effects.into_iter().for_each(|effect| flights.leave(effect));
    Ok(())
}

async fn ask(ctx: &WorkflowContext<Host>, question: Question) -> Answer {
    match ctx.execute_local_activity(Desk::answer, question, at_the_desk()).await {
        Ok(kept) => Kept::answer(kept),
        Err(error) => Answer::Unanswered(error.to_string()),
    }
}

/// Options of everything that is asked at the desk: it goes on while the run closes.
pub(super) fn at_the_desk() -> LocalActivityOptions {
    LocalActivityOptions::builder()
        .schedule_to_close_timeout(PATIENCE)
        .cancellation_token(WorkflowCancellationToken::new())
        .build()
}

/// Waits until something is due, the run is over or the time is up. A timer is set only where there is a wait.
async fn until_due(ctx: &WorkflowContext<Host>, wait: Duration) {
    let due = |host: &Host| {
        !host.run.is_turning() && (host.leaving || !host.actions().is_empty() || host.over().is_some())
    };
    if wait.is_zero() || ctx.state(due) {
        return;
    }
    let token = WorkflowCancellationToken::new();
    let mut up = pin!(ctx.timer(TimerOptions::builder(wait).cancellation_token(token.clone()).build()));
    select! {
        _ = ctx.wait_condition_with_options(due, patiently()) => token.cancel(),
        _ = up => {}
    }
}

/// Milliseconds since 1970, as the workflow task says.
pub(super) fn now(ctx: &WorkflowContext<Host>) -> u64 {
    let time = ctx.workflow_time().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    time.map_or(0, |time| u64::try_from(time.as_millis()).unwrap_or(u64::MAX))
}

/// A wait that a cancel request does not end: a run closes in its own time.
fn patiently() -> WaitConditionOptions {
    WaitConditionOptions::builder().cancellation_token(WorkflowCancellationToken::new()).build()
}

fn cancel(reason: Option<String>) -> Command {
    Command::Cancel { reason: reason.unwrap_or_default(), by: Caller::Server }
}

fn wants_to_leave(ctx: &WorkflowContext<Host>, host: &Host) -> bool {
    !host.leaving && (ctx.continue_as_new_suggested() || host.turns >= host.turns_max)
}

fn continue_as_new(ctx: &WorkflowContext<Host>) -> WorkflowResult<Outcome> {
    match ctx.continue_as_new(ctx.state(Host::seed), ContinueAsNewOptions::default())? {}
}

/// Ends the workflow in the words that Temporal has for it.
fn end(outcome: Outcome) -> WorkflowResult<Outcome> {
    match &outcome {
        Outcome::Succeeded { .. } => Ok(outcome),
        Outcome::Cancelled { .. } => Err(WorkflowTermination::cancelled_with_details(outcome)),
        Outcome::Failed { failure } => {
            let failed = ApplicationFailure::builder(failure.message.clone()).non_retryable(true);
            Err(failed.details(outcome).build().into())
        }
    }
}
