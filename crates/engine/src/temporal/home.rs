//! A home: where effects on processes, files and terminals are carried out. It polls a task queue of its own
//! and does not know the run: it is given work with an id and tells how it ended.
//!
//! An activity here only *attends* to an effect. The effect is done once, whatever becomes of the activity:
//!
//! | the home finds | it does |
//! |---|---|
//! | no note | notes it, begins, waits for the end |
//! | a note, and the work is alive | waits for the same end (a run that continued as new asks again) |
//! | a note, and no work | says `Interrupted`: the kernel's `on_interrupt` decides |
//! | an end | tells it again |

use super::ledger::{Key, Ledger, Note};
use futures::future::BoxFuture;
use kernel::effect::Perform;
use kernel::event::Report;
use kernel::{Failure, FailureKind, Fields};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use temporalio_macros::activities;
use temporalio_sdk::activities::{ActivityContext, ActivityError};
use tokio::sync::watch;

/// How long a home may be silent about an effect before it counts as gone.
pub(super) const SILENCE_MAX: Duration = Duration::from_secs(3);
const BEAT: Duration = Duration::from_millis(800);

/// Turns true when the work should stop.
pub type Stop = watch::Receiver<bool>;

/// Carries work out.
pub trait Hands: Send + Sync + 'static {
    /// Carries work out and says how it ended; when told to stop it still says so.
    fn perform(&self, key: &Key, work: Perform, stop: Stop) -> BoxFuture<'static, Report>;
}

/// Work, and where the answer belongs.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Job {
    key: Key,
    work: Perform,
}

impl Job {
    pub(super) fn new(key: Key, work: Perform) -> Self {
        Job { key, work }
    }
}

/// What a home says of an effect.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Word {
    /// It ended like this.
    Ended(Report),
    /// It was begun and is gone: neither done nor undone.
    Interrupted,
}

/// A home with its hands and its notes.
pub struct Home {
    hands: Box<dyn Hands>,
    ledger: Ledger,
    alive: Mutex<BTreeMap<Key, Work>>,
}

struct Work {
    end: watch::Receiver<Option<Report>>,
    stop: watch::Sender<bool>,
}

#[activities]
impl Home {
    /// Attends to an effect until it has ended.
    #[activity(name = "perform")]
    pub(crate) async fn perform(
        self: Arc<Self>,
        ctx: ActivityContext,
        job: Job,
    ) -> Result<Word, ActivityError> {
        match self.attend(job)? {
            Attended::Alive(end) => until_ended(&ctx, end).await,
            Attended::Known(word) => Ok(word),
        }
    }

    /// Stops an effect and attends to it until it has ended; one that has not begun never will.
    #[activity(name = "stop")]
    pub(crate) async fn stop(self: Arc<Self>, ctx: ActivityContext, key: Key) -> Result<Word, ActivityError> {
        match self.halt(&key)? {
            Attended::Alive(end) => until_ended(&ctx, end).await,
            Attended::Known(word) => Ok(word),
        }
    }
}

/// Waits for the end, and says meanwhile that the home is there.
async fn until_ended(
    ctx: &ActivityContext,
    mut end: watch::Receiver<Option<Report>>,
) -> Result<Word, ActivityError> {
    loop {
        let ended = async { end.wait_for(Option::is_some).await.map(|report| report.clone()) };
        tokio::select! {
            report = ended => return Ok(report.ok().flatten().map_or(Word::Interrupted, Word::Ended)),
            // Nobody listens any more: the run continued as new, or is over. The SDK does not say which, so
            // the work goes on; whoever wants it stopped says so with `stop`.
            () = ctx.cancelled() => return Err(ActivityError::cancelled()),
            () = tokio::time::sleep(BEAT) => ctx.record_heartbeat(()).await?,
        }
    }
}

enum Attended {
    Alive(watch::Receiver<Option<Report>>),
    Known(Word),
}

impl Home {
    /// Opens a home whose notes lie in a folder.
    pub fn open(notes: &Path, hands: impl Hands) -> io::Result<Self> {
        Ok(Home { hands: Box::new(hands), ledger: Ledger::open(notes)?, alive: Mutex::default() })
    }

    fn attend(self: &Arc<Self>, job: Job) -> io::Result<Attended> {
        let mut alive = self.alive();
        if let Some(work) = alive.get(&job.key) {
            return Ok(Attended::Alive(work.end.clone()));
        }
        match self.ledger.begin(&job.key)? {
            Note::Fresh => {
                let (work, end) = self.begin(&job);
                alive.insert(job.key, work);
                Ok(Attended::Alive(end))
            }
            Note::Begun => Ok(Attended::Known(Word::Interrupted)),
            Note::Ended(report) => Ok(Attended::Known(Word::Ended(report))),
        }
    }

    fn halt(&self, key: &Key) -> io::Result<Attended> {
        if let Some(work) = self.alive().get(key) {
            work.stop.send_replace(true);
            return Ok(Attended::Alive(work.end.clone()));
        }
        let failure = Failure::new(FailureKind::Cancelled, "withdrawn before it was done");
        let report = self.ledger.end(key, Report::Failed { failure, outputs: Fields::new() })?;
        Ok(Attended::Known(Word::Ended(report)))
    }

    /// Sets the work going on its own, so that it outlives the activity that asked first.
    fn begin(self: &Arc<Self>, job: &Job) -> (Work, watch::Receiver<Option<Report>>) {
        let (tell, end) = watch::channel(None);
        let (stop, stopped) = watch::channel(false);
        let work = self.hands.perform(&job.key, job.work.clone(), stopped);
        let (home, key) = (Arc::clone(self), job.key.clone());
        tokio::spawn(async move {
            let report = work.await;
            // A note that cannot be written leaves the effect begun: nobody is told an end that may be lost.
            tell.send_replace(home.ledger.end(&key, report).ok());
            home.alive().remove(&key);
        });
        (Work { end: end.clone(), stop }, end)
    }

    fn alive(&self) -> MutexGuard<'_, BTreeMap<Key, Work>> {
        self.alive.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures::FutureExt;
    use kernel::plan::Adapter;
    use kernel::{EffectId, RunId};

    /// Ends when it is told to stop, and not before.
    struct Stubborn;

    impl Hands for Stubborn {
        fn perform(&self, _key: &Key, work: Perform, mut stop: Stop) -> BoxFuture<'static, Report> {
            async move {
                let _ = stop.wait_for(|stop| *stop).await;
                Report::Done { outputs: work.inputs }
            }
            .boxed()
        }
    }

    fn job() -> Job {
        let id = EffectId::new("build#1");
        let key = Key { run: RunId::new("r"), effect: id.clone() };
        let (inputs, secrets) = (Fields::new(), BTreeMap::new());
        let (step, adapter) = ("build".to_owned(), Adapter::Noop);
        Job::new(key, Perform { id, step, adapter, inputs, secrets, timeout_ms: None })
    }

    async fn end_of(attended: Attended) -> Word {
        match attended {
            Attended::Known(word) => word,
            Attended::Alive(mut end) => {
                Word::Ended(end.wait_for(Option::is_some).await.unwrap().clone().unwrap())
            }
        }
    }

    #[tokio::test]
    async fn work_is_begun_once_and_told_to_all_who_ask() {
        let folder = tempfile::tempdir().unwrap();
        let home = Arc::new(Home::open(folder.path(), Stubborn).unwrap());
        let (first, second) = (home.attend(job()).unwrap(), home.attend(job()).unwrap());
        assert_eq!(home.alive().len(), 1);

        let stopped = end_of(home.halt(&job().key).unwrap()).await;
        assert_eq!(stopped, Word::Ended(Report::Done { outputs: Fields::new() }));
        assert_eq!([end_of(first).await, end_of(second).await], [stopped.clone(), stopped.clone()]);
        assert_eq!(end_of(home.attend(job()).unwrap()).await, stopped);
    }

    #[tokio::test]
    async fn a_home_that_came_back_says_that_work_was_interrupted() {
        let folder = tempfile::tempdir().unwrap();
        let before = Arc::new(Home::open(folder.path(), Stubborn).unwrap());
        before.attend(job()).unwrap();
        let after = Arc::new(Home::open(folder.path(), Stubborn).unwrap());
        assert_eq!(end_of(after.attend(job()).unwrap()).await, Word::Interrupted);
        assert!(after.alive().is_empty());
    }

    #[tokio::test]
    async fn work_that_was_stopped_before_it_began_never_begins() {
        let folder = tempfile::tempdir().unwrap();
        let home = Arc::new(Home::open(folder.path(), Stubborn).unwrap());
        let stopped = end_of(home.halt(&job().key).unwrap()).await;
        assert_eq!(end_of(home.attend(job()).unwrap()).await, stopped);
        assert!(home.alive().is_empty());
    }
}
