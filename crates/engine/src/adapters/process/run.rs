//! Carries one job out: start, follow, settle.
//!
//! One task does it all. It waits for the exit, the time-out and the stops while it reads the pipes.

use std::future::pending;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use super::job::{Job, Stop, Stops};
use super::notes::Notes;
use super::outcome::{Ended, Outcome, Reason};
use super::running::Running;
use super::tree::TreeEnd;
use crate::adapters::full::{FULL_PATIENCE, FULL_PAUSE};
use crate::adapters::mounts::may_stand_still;

/// Runs the job and gives what became of it; it never fails otherwise.
///
/// Dropping the future kills what it started.
pub async fn run(job: &Job, notes: &Notes, stops: Stops) -> Outcome {
    Begun::begin_beside(job, notes, stops).await.follow(job, notes).await
}

/// A job that was begun: it runs, or is over already. Dropping it kills what was started.
pub struct Begun {
    clock: Clock,
    stops: Stops,
    running: Result<Running, Ended>,
}

impl Begun {
    /// Starts the job, inside a runtime. The calling thread waits until the program runs, which takes no longer than
    /// to wake another thread for it.
    pub fn begin(job: &Job, notes: &Notes, stops: Stops) -> Begun {
        let clock = Clock::start();
        let running = match stops.already() {
            Some(stop) => Err(stop.into()),
            None => Running::start(job, notes).map_err(Ended::NotStarted),
        };
        Begun { clock, stops, running }
    }

    /// The same where its folder may not answer: whoever waits for that longer than the job may take, or than it is wanted, goes on
    /// without it, and what begins after all is killed.
    pub async fn begin_beside(job: &Job, notes: &Notes, stops: Stops) -> Begun {
        if !may_stand_still(&job.dir) {
            return Begun::begin(job, notes, stops);
        }
        let (clock, mut wanted) = (Clock::start(), stops.clone());
        let (its, noted, hears) = (job.clone(), notes.clone(), stops.clone());
        let begins = tokio::task::spawn_blocking(move || Begun::begin(&its, &noted, hears));
        let ended = tokio::select! {
            biased;
            begun = begins => {
                return begun.unwrap_or_else(|broken| std::panic::resume_unwind(broken.into_panic()));
            }
            stop = wanted.first() => stop.into(),
            () = elapsed(job.timeout) => Ended::TimedOut,
        };
        Begun { clock, stops, running: Err(ended) }
    }

    /// Follows the job to its end.
    pub async fn follow(self, job: &Job, notes: &Notes) -> Outcome {
        let Begun { clock, mut stops, running } = self;
        match with_room(running, job, notes, &mut stops).await {
            Ok(running) => to_its_end(running, job, &clock, &mut stops).await,
            Err(ended) => clock.outcome(ended),
        }
    }
}

/// A job for which there was no room on the disk, begun again as long as the store itself would be patient.
async fn with_room(
    mut running: Result<Running, Ended>,
    job: &Job,
    notes: &Notes,
    stops: &mut Stops,
) -> Result<Running, Ended> {
    let deadline = Instant::now() + FULL_PATIENCE;
    while matches!(&running, Err(Ended::NotStarted(why)) if why.reason == Reason::Full)
        && Instant::now() < deadline
    {
        running = tokio::select! {
            biased;
            stop = stops.first() => Err(stop.into()),
            () = tokio::time::sleep(FULL_PAUSE) => Running::start(job, notes).map_err(Ended::NotStarted),
        };
    }
    running
}

async fn to_its_end(mut running: Running, job: &Job, clock: &Clock, stops: &mut Stops) -> Outcome {
    let ended = follow(&mut running, job.timeout, stops).await;
    let outcome = clock.outcome(ended);
    let TreeEnd { left, .. } = match outcome.ended {
        Ended::Exited(_) | Ended::Signalled(_) => running.end_leftovers(job.grace).await,
        _ => running.end_tree(job.grace).await,
    };
    let (stdout, stderr) = running.finish();
    Outcome { stdout, stderr, left, ..outcome }
}

/// Waits for whatever ends the command first; an exit wins over a stop that comes at the same moment, and over a time-out that
/// is noticed later than it came: a process that was stopped itself hears of its timers first.
async fn follow(running: &mut Running, timeout: Option<Duration>, stops: &mut Stops) -> Ended {
    let ended = tokio::select! {
        biased;
        ended = running.exit.wait() => ended,
        stop = stops.first() => stop.into(),
        () = elapsed(timeout) => Ended::TimedOut,
        never = running.pipes.pump() => match never {},
    };
    if running.exit.is_reaped { ended } else { running.exit.take().unwrap_or(ended) }
}

async fn elapsed(timeout: Option<Duration>) {
    match timeout {
        Some(timeout) => tokio::time::sleep(timeout).await,
        None => pending().await,
    }
}

impl From<Stop> for Ended {
    fn from(stop: Stop) -> Ended {
        match stop {
            Stop::Cancel => Ended::Cancelled,
            Stop::Shutdown => Ended::Interrupted,
        }
    }
}

/// When the job was started, by both clocks.
struct Clock {
    wall: SystemTime,
    steady: Instant,
}

impl Clock {
    fn start() -> Clock {
        Clock { wall: SystemTime::now(), steady: Instant::now() }
    }

    /// Makes the outcome of a job that ends now and has said nothing.
    fn outcome(&self, ended: Ended) -> Outcome {
        Outcome {
            ended,
            stdout: Default::default(),
            stderr: Default::default(),
            duration_ms: milliseconds(self.steady.elapsed()),
            left: Vec::new(),
            started_at_ms: milliseconds(self.wall.duration_since(UNIX_EPOCH).unwrap_or_default()),
        }
    }
}

fn milliseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
