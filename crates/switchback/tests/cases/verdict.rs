//! Plays one case at one door, once or for every kill point, and says what came of it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;

use crate::case::{Action, Case, KillPoints, Step, Who};
use crate::conversation::{Play, Stop};
use crate::driver::Driver;
use crate::kills::Kills;
use crate::names::Names;
use crate::report::Failure;

/// What came of a case.
pub(crate) enum Verdict {
    /// With the number of kill points it was played for, if it has such a group.
    Passed(Option<usize>),
    /// With the whole report.
    Failed(String),
    /// With the reason.
    Skipped(String),
}

/// A file and the name it goes by.
#[derive(Clone)]
pub(crate) struct CaseFile {
    pub(crate) name: String,
    /// The path that reports show.
    pub(crate) shown: String,
    pub(crate) path: PathBuf,
}

/// Plays cases at one door.
pub(crate) struct Judge<'a> {
    pub(crate) driver: &'a Driver,
    /// Leaves the workspace of a failed case where it is.
    pub(crate) keep: bool,
}

impl Judge<'_> {
    pub(crate) fn judge(&self, file: &CaseFile, case: &Case) -> Verdict {
        match self.play(case) {
            Ok(kill_points) => Verdict::Passed(kill_points),
            Err(Stop::Skipped(why)) => Verdict::Skipped(why),
            Err(Stop::Failed(failure)) => Verdict::Failed(failure.text(&case.about, &file.shown)),
        }
    }

    fn play(&self, case: &Case) -> Result<Option<usize>, Stop> {
        let group = case.conversation.iter().enumerate().find_map(|(index, step)| match &step.action {
            Action::ForEachKillPoint(group) => Some((&case.conversation[..index], group)),
            _ => None,
        });
        let Some((before, group)) = group else {
            self.once(case, Names::default(), Kills::default(), |play| play.all(&case.conversation))?;
            return Ok(None);
        };
        let (names, points) = self.count(case, before, group)?;
        self.each(case, group, &names, &points)?;
        Ok(Some(points.len()))
    }

    fn count<'c>(
        &'c self,
        case: &'c Case,
        before: &'c [Step],
        group: &'c KillPoints,
    ) -> Result<(Names, Vec<String>), Stop> {
        let (mut names, mut points) = (Names::default(), Vec::new());
        let kills = Kills::of(group.who, None);
        self.once(case, Names::default(), kills, |play| {
            play.all(before)?;
            points = play.count(group)?;
            names = play.names().clone();
            Ok(())
        })?;
        Ok((names, points))
    }

    /// Plays for all points, some at a time, and returns the first that did not go well.
    fn each(&self, case: &Case, group: &KillPoints, names: &Names, points: &[String]) -> Result<(), Stop> {
        let next = AtomicUsize::new(0);
        let stops: Mutex<BTreeMap<usize, Stop>> = Mutex::default();
        thread::scope(|scope| {
            for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
                scope.spawn(|| {
                    loop {
                        let index = next.fetch_add(1, Ordering::Relaxed);
                        if index >= points.len() || !lock(&stops).is_empty() {
                            break;
                        }
                        if let Err(stop) = self.at_point(case, group.who, names, (index, points)) {
                            lock(&stops).insert(index, stop);
                        }
                    }
                });
            }
        });
        stops
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner)
            .pop_first()
            .map_or(Ok(()), |(_, stop)| Err(stop))
    }

    fn at_point(
        &self,
        case: &Case,
        who: Who,
        names: &Names,
        (index, points): (usize, &[String]),
    ) -> Result<(), Stop> {
        let number = index as u64 + 1;
        let name = points[index].split_once(' ').map_or("", |(_, name)| name);
        let kills = Kills::of(who, Some(number));
        let played = self.once(case, names.clone(), kills, |play| play.all(&case.conversation));
        played.map_err(|stop| match stop {
            Stop::Failed(mut failure) => {
                failure.kill_point = Some(format!("at kill point {number} of {}, {name}", points.len()));
                Stop::Failed(failure)
            }
            skipped => skipped,
        })
    }

    /// Plays in a fresh workspace and clears up, however it went.
    fn once<'c>(
        &'c self,
        case: &'c Case,
        names: Names,
        kills: Kills,
        act: impl FnOnce(&mut Play<'c>) -> Result<(), Stop>,
    ) -> Result<(), Stop> {
        let mut play = Play::new(self.driver, case, names, kills)?;
        let mut acted = act(&mut play);
        if let Err(Stop::Failed(failure)) = &mut acted {
            failure.outputs.extend(play.overheard());
        }
        let closed = play.close();
        match acted.and(closed) {
            Err(Stop::Failed(failure)) if self.keep => Err(with_place(*failure, &play.keep())),
            ended => ended,
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn with_place(failure: Failure, folder: &Path) -> Stop {
    let kept = format!("kept in {}", folder.display());
    let note = failure.note.as_ref().map_or_else(|| kept.clone(), |note| format!("{note}; {kept}"));
    Failure { note: Some(note), ..failure }.into()
}
