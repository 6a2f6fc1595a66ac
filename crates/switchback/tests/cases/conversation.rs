//! Plays the steps of one case in one fresh workspace, up to the first that is not as expected.

use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;

use rustix::process::Signal;
use serde_json::Value;

use crate::case::{Action, Ask, Case, Check, KillAt, SignalName, Step, Target};
use crate::driver::{Driver, Setting};
use crate::examine::{self, Examiner};
use crate::names::Names;
use crate::process::{Answer, End, Running};
use crate::report::Failure;
use crate::strays;
use crate::workspace::Workspace;

/// Why a play ended before its last step.
pub(crate) enum Stop {
    Failed(Box<Failure>),
    Skipped(String),
}

impl From<Failure> for Stop {
    fn from(failure: Failure) -> Self {
        Self::Failed(Box::new(failure))
    }
}

const NO_KILL_POINTS: &str = "the binary has no kill points: add --features kill-points";

/// One play of a case.
pub(crate) struct Play<'a> {
    driver: &'a dyn Driver,
    case: &'a Case,
    workspace: Workspace,
    names: Names,
    background: BTreeMap<String, Running>,
    asked: usize,
    kill_point: Option<u64>,
}

impl<'a> Play<'a> {
    pub(crate) fn new(
        driver: &'a dyn Driver,
        case: &'a Case,
        mut names: Names,
        kill_point: Option<u64>,
    ) -> Result<Self, Stop> {
        let workspace = Workspace::create(&case.files).map_err(|error| Failure::note(io_note(error)))?;
        names.bind("workspace", workspace.folder().display().to_string().into());
        let background = BTreeMap::new();
        Ok(Self { driver, case, workspace, names, background, asked: 0, kill_point })
    }

    /// Plays all steps. A group that is repeated for each kill point is played for the present one.
    pub(crate) fn all(&mut self, steps: &'a [Step]) -> Result<(), Stop> {
        for step in steps {
            match &step.action {
                Action::ForEachKillPoint { steps, .. } => self.all(steps)?,
                _ => self.step(step).map_err(|stop| at(stop, step))?,
            }
        }
        Ok(())
    }

    /// Plays a command without killing it and returns the kill points it passed.
    pub(crate) fn count(&mut self, of: &Step) -> Result<Vec<String>, Stop> {
        let Action::Ask(ask) = &of.action else { unreachable!("BUG: the reader refuses it") };
        let log = self.workspace.capture("kill-points");
        let env = vec![("SWITCHBACK_KILL_LOG".to_owned(), log.display().to_string())];
        let answer = self.put(ask, env).map_err(|stop| at(stop, of))?;
        self.take(&ask.check, answer, 0.into()).map_err(|stop| at(stop, of))?;
        match std::fs::read_to_string(log) {
            Ok(points) => Ok(points.lines().map(str::to_owned).collect()),
            Err(_) => Err(Stop::Skipped(NO_KILL_POINTS.to_owned())),
        }
    }

    /// Ends what still runs. After a good play nothing may.
    pub(crate) fn close(&mut self) -> Result<(), Stop> {
        let forgotten: Vec<String> = self.background.keys().cloned().collect();
        for (_, running) in std::mem::take(&mut self.background) {
            running.end(self.workspace.root());
        }
        let left = strays::end_remaining(self.workspace.root());
        match (forgotten.first(), left.is_empty()) {
            (Some(name), _) => Err(Failure::note(format!("`{name}` was started and never awaited")).into()),
            (None, false) => Err(Failure::note(format!("still running: {}", left.join("; "))).into()),
            (None, true) => Ok(()),
        }
    }

    /// Returns what the commands in the background have said, for the report of a failure beside them.
    pub(crate) fn overheard(&self) -> Vec<(String, String)> {
        let mut heard = Vec::new();
        for (name, running) in &self.background {
            let (stdout, stderr) = running.said().unwrap_or_default();
            heard.push((format!("stdout of `{name}`"), stdout));
            heard.push((format!("stderr of `{name}`"), stderr));
        }
        heard
    }

    pub(crate) fn names(&self) -> &Names {
        &self.names
    }

    pub(crate) fn keep(self) -> PathBuf {
        self.workspace.keep()
    }

    fn step(&mut self, step: &Step) -> Result<(), Stop> {
        match &step.action {
            Action::Ask(ask) => self.ask(ask),
            Action::Write(files) => {
                self.workspace.write(files).map_err(|error| Failure::note(io_note(error)).into())
            }
            Action::Await { name, limit, check } => {
                let running = self.background.remove(name).ok_or_else(|| self.unknown(name))?;
                let answer = running.wait(*limit, self.workspace.root());
                self.take(check, answer.map_err(|error| Failure::note(io_note(error)))?, 0.into())
            }
            Action::Signal { name, signal } => {
                let running = self.background.get(name).ok_or_else(|| self.unknown(name))?;
                running.signal(signal_of(*signal)).map_err(|error| Failure::note(io_note(error)).into())
            }
            Action::ForEachKillPoint { .. } => unreachable!("BUG: the reader refuses nested groups"),
        }
    }

    fn ask(&mut self, ask: &Ask) -> Result<(), Stop> {
        if let Some(name) = &ask.background {
            let driver = self.driver;
            let running = driver.start(ask, self.setting(Vec::new())).map_err(Failure::note)?;
            self.background.insert(name.clone(), running);
            return Ok(());
        }
        let number = match ask.kill_at {
            None => {
                let answer = self.put(ask, Vec::new())?;
                return self.take(&ask.check, answer, 0.into());
            }
            Some(KillAt::Number(number)) => Some(number),
            Some(KillAt::Each) => self.kill_point,
        };
        self.ask_and_kill(ask, number.unwrap_or(0))
    }

    fn ask_and_kill(&mut self, ask: &Ask, number: u64) -> Result<(), Stop> {
        let log = self.workspace.capture(&format!("kill-points-{}", self.asked));
        let env = vec![
            ("SWITCHBACK_KILL_AT".to_owned(), number.to_string()),
            ("SWITCHBACK_KILL_LOG".to_owned(), log.display().to_string()),
        ];
        let answer = self.put(ask, env)?;
        if answer.end != End::Signal(9) {
            let points =
                std::fs::read_to_string(log).map_err(|_| Stop::Skipped(NO_KILL_POINTS.to_owned()))?;
            let note = format!("kill point {number} was not reached: there were {}", points.lines().count());
            let failure = Failure::difference(Vec::new(), answer, Vec::new());
            return Err(Failure { note: Some(note), ..failure }.into());
        }
        self.take(&ask.check, answer, "SIGKILL".into())
    }

    fn put(&mut self, ask: &Ask, env: Vec<(String, String)>) -> Result<Answer, Stop> {
        let driver = self.driver;
        driver.ask(ask, self.setting(env)).map_err(|trouble| Failure::note(trouble).into())
    }

    fn setting(&mut self, env: Vec<(String, String)>) -> Setting<'_> {
        self.asked += 1;
        Setting {
            workspace: &self.workspace,
            names: &self.names,
            env: self.case.env.iter().cloned().chain(env).collect(),
            capture: format!("{:03}", self.asked),
        }
    }

    /// Holds an answer against the expectation and remembers what is to be remembered.
    fn take(&mut self, check: &Check, answer: Answer, exit: Value) -> Result<(), Stop> {
        let mut examiner = Examiner::new(&self.names, &self.workspace);
        examiner.answer(check, &answer, &exit).map_err(Failure::note)?;
        let Examiner { mismatches, files, .. } = examiner;
        if !mismatches.is_empty() {
            return Err(Failure::difference(mismatches, answer, files).into());
        }
        for (name, source) in &check.remember {
            match examine::remembered(source, &answer) {
                Some(value) => self.names.bind(name, value),
                None => {
                    let note = format!("there is nothing to remember as `{name}`");
                    return Err(Failure {
                        note: Some(note),
                        ..Failure::difference(Vec::new(), answer, Vec::new())
                    }
                    .into());
                }
            }
        }
        Ok(())
    }

    fn unknown(&self, name: &str) -> Stop {
        Failure::note(format!("no command runs in the background as `{name}`")).into()
    }
}

fn at(stop: Stop, step: &Step) -> Stop {
    match stop {
        Stop::Failed(mut failure) => {
            failure.place.get_or_insert((step.line, describe(step)));
            Stop::Failed(failure)
        }
        skipped => skipped,
    }
}

fn describe(step: &Step) -> String {
    match &step.action {
        Action::Ask(Ask { target: Target::Run(args), .. }) => format!("switchback {}", args.join(" ")),
        Action::Ask(Ask { target: Target::Shell(text), .. }) => {
            format!("shell: {}", text.lines().next().unwrap_or_default())
        }
        Action::Write(files) => {
            let paths: Vec<&str> = files.iter().map(|(path, _)| path.as_str()).collect();
            format!("write {}", paths.join(", "))
        }
        Action::Await { name, .. } => format!("await {name}"),
        Action::Signal { name, .. } => format!("signal {name}"),
        Action::ForEachKillPoint { .. } => "for each kill point".to_owned(),
    }
}

fn signal_of(name: SignalName) -> Signal {
    match name {
        SignalName::Int => Signal::INT,
        SignalName::Term => Signal::TERM,
        SignalName::Kill => Signal::KILL,
    }
}

fn io_note(error: io::Error) -> String {
    error.to_string()
}
