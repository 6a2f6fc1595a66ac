//! Plays the steps of one case at one door in one fresh workspace, up to the first that is not as expected.

mod taking;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::time::Duration;

use rustix::process::Signal;

use crate::answer::Answer;
use crate::case::{Action, Ask, Case, Connect, KillPoints, Request, SignalName, Step, Target, Who};
use crate::clients::Clients;
use crate::daemons;
use crate::doors::Door;
use crate::driver::{Driver, Setting};
use crate::kills::{Armed, Kills};
use crate::mcp::Waiting;
use crate::names::Names;
use crate::process::{End, Running};
use crate::report::Failure;
use crate::said::{self, Said};
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

/// What goes on while the conversation continues.
enum Pending {
    Command(Running),
    Call(Waiting),
    Said(Said),
}

/// One play of a case.
pub(crate) struct Play<'a> {
    driver: &'a Driver,
    case: &'a Case,
    workspace: Workspace,
    names: Names,
    background: BTreeMap<String, Pending>,
    clients: Clients,
    kills: Kills,
    /// Clients whose server is to die at some point.
    doomed: BTreeSet<String>,
    asked: usize,
}

impl<'a> Play<'a> {
    pub(crate) fn new(
        driver: &'a Driver,
        case: &'a Case,
        mut names: Names,
        kills: Kills,
    ) -> Result<Self, Stop> {
        let workspace = Workspace::create(&case.files).map_err(failure)?;
        names.bind("workspace", workspace.folder().display().to_string().into());
        let (background, clients) = (BTreeMap::new(), Clients::default());
        Ok(Self {
            driver,
            case,
            workspace,
            names,
            background,
            clients,
            kills,
            doomed: BTreeSet::new(),
            asked: 0,
        })
    }

    /// Plays all steps. A group that is repeated for each kill point is played for the present one.
    pub(crate) fn all(&mut self, steps: &'a [Step]) -> Result<(), Stop> {
        for step in steps {
            match &step.action {
                Action::ForEachKillPoint(group) => self.all(&group.steps)?,
                _ => self.step(step).map_err(|stop| at(stop, step))?,
            }
        }
        Ok(())
    }

    /// Plays a group's measure without killing anything and returns the kill points that were passed.
    pub(crate) fn count(&mut self, group: &'a KillPoints) -> Result<Vec<String>, Stop> {
        let log = self.workspace.capture("kill-points");
        self.kills.counted = Some(log.clone());
        self.all(&group.of)?;
        self.kills.counted = None;
        match std::fs::read_to_string(log) {
            Ok(points) => Ok(points.lines().map(str::to_owned).collect()),
            Err(_) if group.who == Who::Command => Err(Stop::Skipped(NO_KILL_POINTS.to_owned())),
            Err(_) => Err(failure(format!("no {} passed a kill point", group.who.word()))),
        }
    }

    /// Ends what still runs. After a good play nothing may but a daemon, which ends when it is told to.
    pub(crate) fn close(&mut self) -> Result<(), Stop> {
        let forgotten: Vec<String> = self.background.keys().cloned().collect();
        for (_, pending) in std::mem::take(&mut self.background) {
            if let Pending::Command(running) = pending {
                running.end(self.workspace.root());
            }
        }
        let closed = self.clients.close();
        daemons::stop_all(self.driver, &self.workspace);
        let left = strays::end_remaining(self.workspace.root());
        if let Some(name) = forgotten.first() {
            return Err(failure(format!("`{name}` was started and never awaited")));
        }
        if !left.is_empty() {
            return Err(failure(format!("still running: {}", left.join("; "))));
        }
        closed.map_err(failure)?;
        self.kills.unreached().map_or(Ok(()), |note| Err(failure(note)))
    }

    /// Returns what those in the background have said, for the report of a failure beside them.
    pub(crate) fn overheard(&self) -> Vec<(String, String)> {
        let mut heard = Vec::new();
        for (name, pending) in &self.background {
            if let Pending::Command(running) = pending {
                let (stdout, stderr) = running.said().unwrap_or_default();
                heard.push((format!("stdout of `{name}`"), stdout));
                heard.push((format!("stderr of `{name}`"), stderr));
            }
        }
        heard.extend(self.clients.overheard());
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
            Action::Write(files) => self.workspace.write(files).map_err(failure),
            Action::Await { name, limit, check } => {
                let pending = self.background.remove(name).ok_or_else(|| unknown(name))?;
                let answer = self.wait(pending, *limit)?;
                self.take(check, answer, Some(&0.into()))
            }
            Action::Signal { name, signal } => self.signal(name, signal_of(*signal)),
            Action::Connect(connect) => self.connect(connect),
            Action::Disconnect(name) => match self.clients.disconnect(name).map_err(failure)? {
                End::Exit(0) => Ok(()),
                end => Err(failure(format!("`{name}` ended with {}", end.to_json()))),
            },
            Action::CancelCall(name) => match self.background.remove(name) {
                Some(Pending::Call(waiting)) => self.clients.cancel(&waiting).map_err(failure),
                _ => Err(failure(format!("no call goes on as `{name}`"))),
            },
            Action::ForEachKillPoint(_) => unreachable!("BUG: the reader refuses nested groups"),
        }
    }

    fn ask(&mut self, ask: &Ask) -> Result<(), Stop> {
        let log = self.workspace.capture(&format!("kill-points-{}", self.asked + 1));
        let armed = self.kills.arm(ask.kill_at, log);
        let pending = self.put(ask, armed.env.clone())?;
        if let Some(name) = &ask.background {
            self.background.insert(name.clone(), pending);
            return Ok(());
        }
        let answer = self.wait(pending, ask.limit)?;
        if self.is_doomed(ask) {
            return self.take_if_said(&ask.check, answer);
        }
        match armed {
            Armed { dies_at: Some((number, log)), .. } => self.take_killed(&ask.check, answer, number, log),
            // Whoever spoke with a process that died says so in its own way.
            Armed { .. } if ask.kill_at.is_some() => self.take(&ask.check, answer, None),
            Armed { .. } => self.take(&ask.check, answer, Some(&0.into())),
        }
    }

    /// Whether the question went to a server that dies at some point.
    fn is_doomed(&self, ask: &Ask) -> bool {
        matches!(&ask.target, Target::Request(request) if self.doomed.contains(&request.client))
    }

    /// Puts a question, with tools where this door has only those.
    fn put(&mut self, ask: &Ask, env: Vec<(String, String)>) -> Result<Pending, Stop> {
        match &ask.target {
            Target::Request(request) => self.request(request).map(Pending::Call),
            Target::Run(args) if self.is_said(args) => {
                self.first_client()?;
                let args = args.iter().map(|arg| self.names.fill(arg)).collect::<Result<Vec<_>, _>>();
                let args = args.map_err(failure)?;
                let said = said::begin(&args, &mut self.clients, &self.workspace);
                said.map(Pending::Said).map_err(failure)
            }
            target => {
                let driver = self.driver;
                let env = ask.env.iter().cloned().chain(env).collect();
                driver.start(target, &self.setting(env)).map(Pending::Command).map_err(failure)
            }
        }
    }

    /// A conversation that names no tools is held with tools at a door that has only those.
    fn is_said(&self, args: &[String]) -> bool {
        let over_mcp = matches!(self.driver.door, Door::Mcp(_));
        let speaks_mcp = self.case.steps().any(Step::is_mcp);
        over_mcp && !speaks_mcp && said::can_say(args)
    }

    fn wait(&mut self, pending: Pending, limit: Duration) -> Result<Answer, Stop> {
        match pending {
            Pending::Command(running) => {
                running.wait(limit, self.workspace.root()).map(Answer::Command).map_err(failure)
            }
            Pending::Call(waiting) => waiting.wait(limit).map(Answer::Reply).map_err(failure),
            Pending::Said(said) => said.end(&mut self.clients, limit).map(Answer::Command).map_err(failure),
        }
    }

    fn connect(&mut self, connect: &Connect) -> Result<(), Stop> {
        let log = self.workspace.capture(&format!("kill-points-{}", self.asked + 1));
        let armed = self.kills.arm(connect.kill_at, log);
        let driver = self.driver;
        let mut clients = std::mem::take(&mut self.clients);
        let env = connect.env.iter().cloned().chain(armed.env).collect();
        let reply = clients.connect(driver, connect, &self.setting(env));
        self.clients = clients;
        let reply = Answer::Reply(reply.map_err(failure)?);
        match connect.kill_at {
            Some(_) => {
                self.doomed.insert(connect.name.clone());
                self.take_if_said(&connect.check, reply)
            }
            None => self.take(&connect.check, reply, None),
        }
    }

    fn request(&mut self, request: &Request) -> Result<Waiting, Stop> {
        if request.client == crate::case::FIRST_CLIENT {
            self.first_client()?;
        }
        let params = self.names.fill_value(&request.params).map_err(failure)?;
        self.clients.send(&Request { params, ..request.clone() }).map_err(failure)
    }

    fn first_client(&mut self) -> Result<(), Stop> {
        match self.clients.has(crate::case::FIRST_CLIENT) {
            true => Ok(()),
            false => self.connect(&Connect::plain(crate::case::FIRST_CLIENT)),
        }
    }

    fn signal(&mut self, name: &str, signal: Signal) -> Result<(), Stop> {
        match self.background.get(name) {
            Some(Pending::Command(running)) => running.signal(signal).map_err(failure),
            _ if self.clients.has(name) => self.clients.signal(name, signal).map_err(failure),
            _ => Err(unknown(name)),
        }
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
}

fn at(stop: Stop, step: &Step) -> Stop {
    match stop {
        Stop::Failed(mut failure) => {
            failure.place.get_or_insert((step.line, step.describe()));
            Stop::Failed(failure)
        }
        skipped => skipped,
    }
}

fn signal_of(name: SignalName) -> Signal {
    match name {
        SignalName::Int => Signal::INT,
        SignalName::Term => Signal::TERM,
        SignalName::Kill => Signal::KILL,
    }
}

fn unknown(name: &str) -> Stop {
    failure(format!("nothing goes on as `{name}`"))
}

fn failure(note: impl ToString) -> Stop {
    Failure::note(note.to_string()).into()
}
