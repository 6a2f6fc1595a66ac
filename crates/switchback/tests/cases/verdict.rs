//! Reads one case file, plays it, once or for every kill point, and says what came of it.

use std::path::{Path, PathBuf};

use crate::case::{Action, Case};
use crate::conversation::{Play, Stop};
use crate::driver::Driver;
use crate::names::Names;
use crate::read;
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

/// What all cases of a suite share.
pub(crate) struct Judge<'a> {
    pub(crate) driver: &'a dyn Driver,
    pub(crate) known_id: &'a dyn Fn(&str) -> bool,
    /// Leaves the workspace of a failed case where it is.
    pub(crate) keep: bool,
}

impl Judge<'_> {
    pub(crate) fn judge(&self, file: &CaseFile) -> Verdict {
        let source = match std::fs::read_to_string(&file.path) {
            Ok(source) => source,
            Err(error) => return Verdict::Failed(format!("  {}: {error}\n", file.shown)),
        };
        let case = match read::case(&source, self.known_id) {
            Ok(case) => case,
            Err(flaw) => {
                return Verdict::Failed(format!("  {}:{}: {}\n", file.shown, flaw.line, flaw.message));
            }
        };
        match self.play(&case) {
            Ok(kill_points) => Verdict::Passed(kill_points),
            Err(Stop::Skipped(why)) => Verdict::Skipped(why),
            Err(Stop::Failed(failure)) => Verdict::Failed(failure.text(&case.about, &file.shown)),
        }
    }

    fn play(&self, case: &Case) -> Result<Option<usize>, Stop> {
        let group = case.conversation.iter().enumerate().find_map(|(index, step)| match &step.action {
            Action::ForEachKillPoint { of, .. } => Some((&case.conversation[..index], of.as_ref())),
            _ => None,
        });
        let Some((before, of)) = group else {
            self.once(case, Names::default(), None, |play| play.all(&case.conversation))?;
            return Ok(None);
        };
        let mut names = Names::default();
        let mut points = Vec::new();
        self.once(case, Names::default(), None, |play| {
            play.all(before)?;
            points = play.count(of)?;
            names = play.names().clone();
            Ok(())
        })?;
        self.each(case, &names, &points)?;
        Ok(Some(points.len()))
    }

    fn each(&self, case: &Case, names: &Names, points: &[String]) -> Result<(), Stop> {
        for (number, point) in (1..).zip(points) {
            let name = point.split_once(' ').map_or("", |(_, name)| name);
            let played = self.once(case, names.clone(), Some(number), |play| play.all(&case.conversation));
            played.map_err(|stop| match stop {
                Stop::Failed(mut failure) => {
                    failure.kill_point = Some(format!("at kill point {number} of {}, {name}", points.len()));
                    Stop::Failed(failure)
                }
                skipped => skipped,
            })?;
        }
        Ok(())
    }

    /// Plays in a fresh workspace and clears up, however it went.
    fn once<'c>(
        &'c self,
        case: &'c Case,
        names: Names,
        kill_point: Option<u64>,
        act: impl FnOnce(&mut Play<'c>) -> Result<(), Stop>,
    ) -> Result<(), Stop> {
        let mut play = Play::new(self.driver, case, names, kill_point)?;
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

fn with_place(failure: Failure, folder: &Path) -> Stop {
    let kept = format!("kept in {}", folder.display());
    let note = failure.note.as_ref().map_or_else(|| kept.clone(), |note| format!("{note}; {kept}"));
    Failure { note: Some(note), ..failure }.into()
}
