//! Carries one job out: start, follow, settle.
//!
//! One task does it all. It waits for the exit, the time-out and the stops while it reads the pipes.

use std::future::pending;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use super::job::{Job, Stop, Stops};
use super::notes::Notes;
use super::outcome::{Ended, Outcome};
use super::running::Running;

/// Runs the job and gives what became of it; it never fails otherwise.
///
/// Dropping the future kills what it started.
pub async fn run(job: &Job, notes: &Notes, mut stops: Stops) -> Outcome {
    let clock = Clock::start();
    if let Some(stop) = stops.already() {
        return clock.outcome(stop.into());
    }
    let mut running = match Running::start(job, notes) {
        Ok(running) => running,
        Err(reason) => return clock.outcome(Ended::NotStarted(reason)),
    };
    let ended = follow(&mut running, job.timeout, &mut stops).await;
    let outcome = clock.outcome(ended);
    match outcome.ended {
        Ended::Exited(_) | Ended::Signalled(_) => running.end_leftovers(job.grace).await,
        _ => running.end_tree(job.grace).await,
    }
    let (stdout, stderr) = running.finish();
    Outcome { stdout, stderr, ..outcome }
}

/// Waits for whatever ends the command first; an exit wins over a stop that comes at the same moment.
async fn follow(running: &mut Running, timeout: Option<Duration>, stops: &mut Stops) -> Ended {
    tokio::select! {
        biased;
        ended = running.exit.wait() => ended,
        stop = stops.first() => stop.into(),
        () = elapsed(timeout) => Ended::TimedOut,
        never = running.pipes.pump() => match never {},
    }
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
            started_at_ms: milliseconds(self.wall.duration_since(UNIX_EPOCH).unwrap_or_default()),
        }
    }
}

fn milliseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
