//! Kill points in one play: which processes count them, and whether the chosen one was reached.

use std::path::{Path, PathBuf};

use crate::case::{KillAt, Who};

/// What a play does with kill points.
#[derive(Default)]
pub(crate) struct Kills {
    /// Which processes count and die; the command itself where nothing is said.
    who: Option<Who>,
    /// The point that a repeated group has come to.
    point: Option<u64>,
    /// Where points are counted while nothing is killed.
    pub(crate) counted: Option<PathBuf>,
    due: Vec<Due>,
}

/// A point that must have been reached when the play is over.
struct Due {
    number: u64,
    log: PathBuf,
}

/// What a process is given so that it counts, and dies.
pub(crate) struct Armed {
    pub(crate) env: Vec<(String, String)>,
    /// The point at which the command itself must die.
    pub(crate) dies_at: Option<(u64, PathBuf)>,
}

impl Kills {
    /// Counts or kills processes of one kind; `point` is the one that a repeated group has come to.
    pub(crate) fn of(who: Who, point: Option<u64>) -> Self {
        Self { who: Some(who), point, ..Self::default() }
    }

    fn who(&self) -> Who {
        self.who.unwrap_or(Who::Command)
    }

    /// Returns what a process is given. `log` is a place of its own for the points it passes.
    pub(crate) fn arm(&mut self, kill_at: Option<KillAt>, log: PathBuf) -> Armed {
        let number = match (kill_at, &self.counted) {
            (None, None) => return Armed { env: Vec::new(), dies_at: None },
            (None, Some(log)) => return Armed { env: self.env(log, None), dies_at: None },
            (Some(KillAt::Number(number)), _) => number,
            (Some(KillAt::Each), _) => self.point.unwrap_or(0),
        };
        let env = self.env(&log, Some(number));
        if self.who() == Who::Command {
            return Armed { env, dies_at: Some((number, log)) };
        }
        self.due.push(Due { number, log });
        Armed { env, dies_at: None }
    }

    /// Returns what is wrong if a process that had to die did not.
    pub(crate) fn unreached(&self) -> Option<String> {
        let who = self.who().word();
        self.due.iter().find_map(|Due { number, log }| {
            let passed = std::fs::read_to_string(log).unwrap_or_default().lines().count() as u64;
            let note = format!("kill point {number} of the {who} was not reached: there were {passed}");
            (passed < *number).then_some(note)
        })
    }

    fn env(&self, log: &Path, number: Option<u64>) -> Vec<(String, String)> {
        let mut env = vec![("SWITCHBACK_KILL_LOG".to_owned(), log.display().to_string())];
        env.extend(number.map(|number| ("SWITCHBACK_KILL_AT".to_owned(), number.to_string())));
        if self.who() != Who::Command {
            env.push(("SWITCHBACK_KILL_WHO".to_owned(), self.who().word().to_owned()));
        }
        env
    }
}
