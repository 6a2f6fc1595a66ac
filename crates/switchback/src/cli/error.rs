//! The one error of the command line: a stable code for programs, a message and what to do next for people.

use super::exit::Exit;
use super::look;
use super::store::directory;
use crate::daemon::{NOT_A_HUMAN, UNPROVEN, Unreachable};
use crate::house::HouseError;
use crate::mcp::LOST;
use engine::Error;
use engine::adapters::process::NoteError;
use engine::kernel::{Refusal, RunId};
use engine::library::{FileError, NotFound};
use engine::store::{FILE, Fault, OpenError};
use engine::turn::LoadError;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::borrow::Cow;

/// Why a command was not carried out.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct CommandError {
    /// A stable name, in kebab-case.
    pub(crate) code: Cow<'static, str>,
    /// Whose business it is.
    pub(crate) kind: Kind,
    /// What is wrong.
    pub(crate) message: String,
    /// What to do next, one line each.
    pub(crate) hints: Vec<String>,
}

/// The code of an error where the engine is gone.
const STOPPED: &str = "engine-stopped";

/// Whose business an error is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Kind {
    /// Ours, or the machine's.
    Internal,
    /// That of whoever typed the command.
    Usage,
    /// That of whoever wrote the definition.
    Invalid,
    /// Nobody's: a signal came.
    Interrupted,
}

impl Kind {
    fn exit(self) -> Exit {
        match self {
            Kind::Internal => Exit::Internal,
            Kind::Usage => Exit::Usage,
            Kind::Invalid => Exit::Invalid,
            Kind::Interrupted => Exit::Interrupted,
        }
    }
}

impl CommandError {
    pub(crate) fn usage(code: &'static str, message: impl Into<String>) -> Self {
        CommandError { code: code.into(), kind: Kind::Usage, message: message.into(), hints: Vec::new() }
    }

    pub(crate) fn internal(code: &'static str, message: impl Into<String>) -> Self {
        CommandError { code: code.into(), kind: Kind::Internal, message: message.into(), hints: Vec::new() }
    }

    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }

    /// That an engine was told something of a run, and a signal came before it said what came of that.
    pub(crate) fn unheard(run: &RunId, told: &str) -> Self {
        CommandError {
            code: "interrupted".into(),
            kind: Kind::Interrupted,
            message: format!("run {run} was told to {told}, and nobody has said yet that it has"),
            hints: vec![
                format!("whether it did: switchback show {run}"),
                "whether the daemon answers at all: switchback status".to_owned(),
            ],
        }
    }

    /// Adds what was probably meant, if something is near.
    pub(crate) fn near<T: AsRef<str>>(self, near: &[T]) -> Self {
        match did_you_mean(near) {
            Some(hint) => self.hint(hint),
            None => self,
        }
    }

    /// Adds which run it was that an engine went away under, and how it goes on: it is not lost.
    pub(crate) fn of_run(self, run: &RunId) -> Self {
        if self.code != STOPPED || !self.hints.is_empty() {
            return self;
        }
        CommandError { message: format!("run {run}: {}", self.message), ..self }
            .hint("what was recorded is kept; once the reason is gone,")
            .hint(format!("go on with: switchback resume {run}"))
    }

    /// The same of a run that may not have begun.
    pub(crate) fn of_new_run(self, run: &RunId) -> Self {
        if self.code != STOPPED {
            return self;
        }
        self.hint(format!("whether its run was recorded before that: switchback show {run}"))
            .hint(format!("if it was, go on with: switchback resume {run}; if not, run it again"))
    }

    /// What is wrong and what to do, in one line.
    pub(crate) fn in_one_line(&self) -> String {
        let all: Vec<&str> = [&self.message].into_iter().chain(&self.hints).map(String::as_str).collect();
        all.join("; ")
    }

    /// Adds where the store lies.
    fn at_store(self) -> Self {
        match directory() {
            Ok(dir) => self.hint(format!("the store is {}", dir.join(FILE).display())),
            Err(_) => self,
        }
    }

    /// Says it to people, and to programs that asked for it, and gives the exit code.
    pub(crate) fn print(&self, json: bool) -> Exit {
        let look = look::Look::of_stderr();
        look::talk(&format!("{}: {}", look.red("error"), look::clean(&self.message)));
        self.hints.iter().for_each(|hint| look::talk(&format!("  {}", look::clean(hint))));
        // What stdout does not take is not said there once more.
        match json && self.code != look::NOT_WRITTEN {
            true => self.print_json(self.kind.exit()),
            false => self.kind.exit(),
        }
    }

    /// Says it to programs, and gives the exit code: another one if even that could not be said.
    pub(crate) fn print_json(&self, exit: Exit) -> Exit {
        match look::print_json(&json!({ "error": self.to_json() })) {
            Ok(()) => exit,
            Err(error) => error.print(false),
        }
    }

    pub(crate) fn to_json(&self) -> Value {
        json!({ "code": self.code, "message": self.message, "hints": self.hints })
    }
}

/// `did you mean `hello` or `help`?`
pub(crate) fn did_you_mean<T: AsRef<str>>(near: &[T]) -> Option<String> {
    let quoted: Vec<String> = near.iter().map(|name| format!("`{}`", name.as_ref())).collect();
    let (last, rest) = quoted.split_last()?;
    Some(match rest {
        [] => format!("did you mean {last}?"),
        rest => format!("did you mean {} or {last}?", rest.join(", ")),
    })
}

impl From<OpenError> for CommandError {
    fn from(error: OpenError) -> Self {
        match &error {
            OpenError::Held { dir, pid } => held(&dir.display().to_string(), *pid),
            OpenError::Fault(fault) => of_store(fault),
            OpenError::Directory { .. } => CommandError::internal("store", error.to_string())
                .hint("the data directory must be a folder that you may read and write")
                .hint("get that right, or name another one: SWITCHBACK_HOME=/some/folder"),
            OpenError::Lost(lost) => self::lost(lost.to_string()),
            OpenError::Absent(_) => CommandError::internal("store", error.to_string())
                .hint("somebody has just removed it: try again, and a new one is made"),
            OpenError::Newer { .. } => CommandError::internal("store-newer", error.to_string()),
            _ => CommandError::internal("store", error.to_string()),
        }
    }
}

/// The store was taken away, as it was told.
fn lost(told: String) -> CommandError {
    CommandError::internal(LOST, told)
        .hint("commands that were under way are ended; what they had done is not undone")
        .hint("the next command makes a new store and begins anew in it")
        .hint("if the data directory was only moved, go on with its runs there: SWITCHBACK_HOME=/where/it/is")
}

/// The name of the error that another process works in the data directory.
pub(crate) const HELD: &str = "store-owned";

fn held(dir: &str, pid: Option<u32>) -> CommandError {
    if engine::store::Owner::of(std::path::Path::new(dir)).is_some_and(|owner| owner.carries_all) {
        return CommandError::internal(
            HELD,
            format!("the daemon works in {dir}, and only one process can at a time"),
        )
        .hint("leave out --no-daemon (or SWITCHBACK_NO_DAEMON), and the daemon does it")
        .hint("or end it first: switchback stop");
    }
    let Some(pid) = pid else {
        return CommandError::internal(HELD, format!("another process works in {dir}"))
            .hint("wait until it has ended");
    };
    CommandError::internal(HELD, format!("process {pid} works in {dir}, and only one can at a time"))
        .hint(format!("wait until it has ended, or interrupt it: kill -INT {pid}"))
        .hint("what it is doing: switchback runs --all")
        .hint("or use a data directory of your own: SWITCHBACK_HOME=/some/folder")
}

impl From<Fault> for CommandError {
    fn from(fault: Fault) -> Self {
        of_store(&fault)
    }
}

/// What the store or the disk said, where the store lies, and what helps.
fn of_store(fault: &Fault) -> CommandError {
    let error = CommandError::internal(code_of_fault(fault), fault.to_string()).at_store();
    match fault {
        Fault::Busy(_) => error.hint("try again; another process was in the way"),
        Fault::Full(_) => error,
        Fault::Disk(_) => error.hint("what the system says about the disk: dmesg"),
        Fault::Denied(_) | Fault::Final(_) => error
            .hint("even to look, its folder must be on a disk that can be written, and yours to write")
            .hint("else copy the folder, and use the copy: SWITCHBACK_HOME=/some/folder"),
        Fault::Corrupt(_) => error
            .hint("keep a copy of its folder, then put a sound one in its place")
            .hint("or begin anew in another folder: SWITCHBACK_HOME=/some/folder"),
    }
}

fn code_of_fault(fault: &Fault) -> &'static str {
    match fault {
        Fault::Corrupt(_) => "store-corrupt",
        Fault::Full(_) => "disk-full",
        _ => "store",
    }
}

/// The name of the error that another run is called so already.
pub(crate) const NAME_TAKEN: &str = "name-taken";

/// The name of the error that a secret has no value.
const NO_SECRET: &str = "missing-secret";

/// The name of an error, for programs.
pub(crate) fn code_of(error: Error) -> String {
    CommandError::from(error).code.into_owned()
}

impl From<Unreachable> for CommandError {
    fn from(error: Unreachable) -> Self {
        match error {
            Unreachable::Failed(said) => said,
            Unreachable::Refused(said) => CommandError::internal("daemon-refused", said),
            Unreachable::Silent(pid) => {
                let who =
                    pid.map_or_else(|| "the daemon".to_owned(), |pid| format!("the daemon (process {pid})"));
                let pid = pid.map_or_else(|| "PID".to_owned(), |pid| pid.to_string());
                CommandError::internal("daemon-silent", format!("{who} is there and does not answer"))
                    .hint(format!("if it is stopped, let it go on: kill -CONT {pid}"))
                    .hint(format!("or end it, and the next command starts another; what is recorded is kept: kill -KILL {pid}"))
            }
            Unreachable::Starting(pid) => {
                let pid = pid.map_or_else(|| "PID".to_owned(), |pid| pid.to_string());
                let said =
                    format!("another command (process {pid}) is starting the daemon and does not go on");
                CommandError::internal("daemon-silent", said)
                    .hint(format!("if it is stopped, let it go on: kill -CONT {pid}"))
                    .hint(format!("or end it, and the next command starts one: kill -KILL {pid}"))
            }
            Unreachable::Io(what, error) => CommandError::internal("daemon", format!("{what}: {error}"))
                .hint("what is wrong with the set-up: switchback doctor")
                .hint("to do without the daemon: --no-daemon"),
        }
    }
}

impl From<HouseError> for CommandError {
    fn from(error: HouseError) -> Self {
        match error {
            HouseError::Store(error) => error.into(),
            HouseError::Fault(fault) => fault.into(),
            HouseError::Note(error) => error.into(),
            HouseError::Lock(_) => CommandError::internal("store", error.to_string()),
            HouseError::Notes(_) => CommandError::internal("process-note", error.to_string()),
            HouseError::Terminals(_) => CommandError::internal("terminal-note", error.to_string()),
        }
    }
}

impl From<LoadError> for CommandError {
    fn from(error: LoadError) -> Self {
        let code = match &error {
            LoadError::Store(fault) => return of_store(fault),
            LoadError::Diverged(_) => "diverged",
            LoadError::Behaviour { .. } => "other-behaviour",
            LoadError::Unreadable { .. } => "store-corrupt",
        };
        CommandError::internal(code, error.to_string())
    }
}

impl From<NoteError> for CommandError {
    fn from(error: NoteError) -> Self {
        let said = CommandError::internal("process-note", error.to_string());
        match &error {
            NoteError::Garbled { path } => said
                .hint("what ran here last: switchback runs --all")
                .hint(format!("then: rm '{}'", path.display())),
            _ => said,
        }
    }
}

impl From<Error> for CommandError {
    fn from(error: Error) -> Self {
        match error {
            Error::Refused(refusal) => refusal.into(),
            Error::Load(error) => error.into(),
            error @ Error::NoRun(_) => CommandError::usage("unknown-run", error.to_string()),
            error @ Error::NameTaken(_) => CommandError::usage(NAME_TAKEN, error.to_string()),
            error @ Error::KeyUsed(_) => CommandError::usage("key-used", error.to_string()),
            Error::NoSecret(missing) => CommandError::usage(NO_SECRET, missing.to_string()),
            Error::Told { code, message } if code == LOST => lost(message),
            Error::Told { code, message } if code == NO_SECRET => CommandError::usage(NO_SECRET, message),
            Error::Told { code, message } if code == NOT_A_HUMAN => CommandError::usage(NOT_A_HUMAN, message)
                .hint("open a terminal that neither an agent nor its client has started, and answer there"),
            Error::Told { code, message } if code == UNPROVEN => {
                CommandError::usage(UNPROVEN, message).hint("nothing was changed: the gate still waits")
            }
            Error::Told { code, message } => {
                CommandError { code: code.into(), ..CommandError::internal("told", message) }
            }
            Error::Lost(lost) => self::lost(lost.to_string()),
            error @ Error::Fenced => CommandError::internal("store-taken-over", error.to_string()),
            Error::Store(reason) => CommandError::internal("store", reason).at_store(),
            error @ Error::Stopped(_) => CommandError::internal(STOPPED, error.to_string()),
        }
    }
}

impl From<Refusal> for CommandError {
    fn from(refusal: Refusal) -> Self {
        CommandError::usage("refused", refusal.to_string())
    }
}

impl From<FileError> for CommandError {
    fn from(error: FileError) -> Self {
        let code = match &error {
            FileError::Absent(_) => "missing-file",
            FileError::Io { .. } => "unreadable-file",
            FileError::NotText { .. } => "not-text",
        };
        CommandError::usage(code, error.to_string())
    }
}

impl From<NotFound> for CommandError {
    fn from(error: NotFound) -> Self {
        let message = error.to_string();
        match error.near.as_slice() {
            [] => CommandError::usage("unknown-workflow", message)
                .hint("`switchback list` shows all there are; a file is named by its path: ./flow.yaml"),
            near => CommandError::usage("unknown-workflow", message).near(near),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_engine_that_stopped_says_why_and_how_to_go_on() {
        let run = RunId::new("mossy-otter-41");
        let stopped = || CommandError::from(Error::Stopped("the disk is full".to_owned()));
        let error = stopped().of_run(&run).of_run(&run);
        assert_eq!(error.message, "run mossy-otter-41: the engine has stopped: the disk is full");
        assert_eq!(error.hints[1..], ["go on with: switchback resume mossy-otter-41"]);
        let error = stopped().of_new_run(&run);
        assert!(error.hints[0].ends_with("switchback show mossy-otter-41"), "{:?}", error.hints);
        let other = CommandError::from(Error::NoRun(run.clone())).of_run(&run).of_new_run(&run);
        assert!(other.hints.is_empty());
    }
}
