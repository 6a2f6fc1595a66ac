//! The keyring of the system, asked through the system's own program: `secret-tool` where there is a session bus, `security` on
//! macOS. Names stand on its command line; values come through a pipe and are held by nobody else.
//!
//! | it says | then |
//! |---|---|
//! | a value | that is it, to the last byte |
//! | none of this name | the next place is looked at |
//! | not installed, no bus, locked, no answer in time | the same, and the reason is told if nobody has it |
//!
//! Invariant: nobody waits longer than two seconds for it, and where it did not answer it is left alone for a minute.

mod ask;
mod secret_tool;
mod security;
#[cfg(test)]
mod tests;

use super::secret::{BYTES_MAX, Secret, Unfit, is_name};
use ask::{Said, Tool, Unanswered};
use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// How long a run waits for it.
const ANSWER_MAX: Duration = Duration::from_secs(2);

/// How long a person may take to unlock it who puts something into it.
const PATIENCE_MAX: Duration = Duration::from_secs(60);

/// How long it is left alone where it did not answer.
const REST: Duration = Duration::from_secs(60);

/// What its entries have in common.
const SERVICE: &str = "switchback";

/// What its program gets of our environment.
const PASSED: [&str; 5] = ["HOME", "USER", "LOGNAME", "DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR"];

/// The keyring of the system, or none.
#[derive(Debug, Default)]
pub struct Keyring {
    around: Option<Around>,
    /// Looked for once.
    tool: OnceLock<Option<Tool>>,
    /// Until when it is left alone.
    rests: Mutex<Option<Instant>>,
}

/// Where it is looked for.
#[derive(Debug)]
struct Around {
    kind: Kind,
    /// The folders with programs.
    path: OsString,
    env: Vec<(String, OsString)>,
}

/// Which program speaks for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    SecretTool,
    Security,
}

impl Kind {
    fn program(self) -> &'static str {
        match self {
            Kind::SecretTool => "secret-tool",
            Kind::Security => "security",
        }
    }
}

/// What the keyring said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Asked {
    /// The value.
    Found(Secret),
    /// It has none of this name.
    Nothing,
    /// What it has cannot be a secret, for this reason.
    Unfit(String),
    /// It cannot be asked.
    Trouble(Trouble),
}

/// Why the keyring does not do what it is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// Nobody said that it should be asked.
    Unasked,
    /// Its program, which is named, is not there.
    NotInstalled(&'static str),
    /// There is no session bus, so there is no way to it.
    NoBus,
    /// It is locked.
    Locked,
    /// It did not answer in time.
    Silent,
    /// It cannot be used in this way, and this is what helps.
    Unable(String),
    /// Its program failed, and said this.
    Failed(String),
}

impl fmt::Display for Trouble {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Trouble::Unasked => out.write_str("is not asked here"),
            Trouble::NotInstalled(program) => write!(out, "`{program}` is not installed"),
            Trouble::NoBus => out.write_str("there is no session bus to reach one by"),
            Trouble::Locked => out.write_str("it is locked"),
            Trouble::Silent => out.write_str("it did not answer in time"),
            Trouble::Unable(why) => out.write_str(why),
            Trouble::Failed(said) => write!(out, "it cannot be used: {said}"),
        }
    }
}

impl std::error::Error for Trouble {}

/// What lies in the keyring.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Names {
    /// The names of its entries, in order.
    pub names: Vec<String>,
    /// Whether one of them cannot be read until it is unlocked.
    pub locked: bool,
}

impl Keyring {
    /// The keyring of whoever this process belongs to.
    pub fn here() -> Keyring {
        let kind = if cfg!(target_os = "macos") { Kind::Security } else { Kind::SecretTool };
        let env = PASSED.iter().filter_map(|name| Some(((*name).to_owned(), std::env::var_os(name)?)));
        Keyring::of(kind, std::env::var_os("PATH").unwrap_or_default(), env.collect())
    }

    fn of(kind: Kind, path: OsString, env: Vec<(String, OsString)>) -> Keyring {
        Keyring { around: Some(Around { kind, path, env }), ..Keyring::default() }
    }

    /// Asks for a secret. It waits for another process, but never longer than two seconds.
    pub fn find(&self, name: &str) -> Asked {
        let resting = *self.rests();
        if resting.is_some_and(|until| Instant::now() < until) {
            return Asked::Trouble(Trouble::Silent);
        }
        match self.value(name, Instant::now() + ANSWER_MAX) {
            Ok(Some(value)) if value.len() > BYTES_MAX => Asked::Unfit(Unfit::Long.to_string()),
            Ok(Some(value)) => match String::from_utf8(value).map(|text| Secret::new(&text)) {
                Ok(Ok(secret)) => Asked::Found(secret),
                Ok(Err(unfit)) => Asked::Unfit(unfit.to_string()),
                Err(_) => Asked::Unfit("is not UTF-8 text".to_owned()),
            },
            Ok(None) => Asked::Nothing,
            Err(trouble) => {
                *self.rests() = (trouble == Trouble::Silent).then(|| Instant::now() + REST);
                Asked::Trouble(trouble)
            }
        }
    }

    fn value(&self, name: &str, deadline: Instant) -> Result<Option<Vec<u8>>, Trouble> {
        let (kind, tool) = self.tool()?;
        if !is_name(name) {
            return Ok(None);
        }
        match kind {
            Kind::SecretTool => secret_tool::value(tool, name, deadline),
            Kind::Security => security::value(tool, name, deadline),
        }
    }

    /// What it holds, by name.
    pub fn names(&self) -> Result<Names, Trouble> {
        match self.tool()? {
            (Kind::SecretTool, tool) => secret_tool::names(tool, None, Instant::now() + ANSWER_MAX),
            (Kind::Security, _) => {
                Err(Trouble::Unable("macOS finds secrets by name and lists none".to_owned()))
            }
        }
    }

    /// Ends whatever is being asked anywhere in this process, for those who are about to end.
    pub fn give_up() {
        ask::give_up();
    }

    /// Puts a secret into it. A person may be asked to unlock it.
    pub fn set(&self, name: &str, secret: &Secret) -> Result<(), Trouble> {
        let deadline = Instant::now() + PATIENCE_MAX;
        match self.tool()? {
            (Kind::SecretTool, tool) => secret_tool::set(tool, name, secret, deadline)?,
            (Kind::Security, _) => return Err(security::by_hand(name)),
        }
        match self.value(name, deadline)? {
            Some(kept) if kept == secret.expose().as_bytes() => Ok(()),
            _ => Err(Trouble::Failed("it does not give back what was put into it".to_owned())),
        }
    }

    /// Takes a secret out of it; gives whether there was one. A person may be asked to unlock it.
    pub fn remove(&self, name: &str) -> Result<bool, Trouble> {
        let deadline = Instant::now() + PATIENCE_MAX;
        match self.tool()? {
            _ if !is_name(name) => Ok(false),
            (Kind::SecretTool, tool) => secret_tool::remove(tool, name, deadline),
            (Kind::Security, tool) => security::remove(tool, name, deadline),
        }
    }

    fn tool(&self) -> Result<(Kind, &Tool), Trouble> {
        let around = self.around.as_ref().ok_or(Trouble::Unasked)?;
        let found = self.tool.get_or_init(|| {
            let program = program(&around.path, around.kind.program())?;
            Some(Tool { program, env: around.env.clone() })
        });
        let tool = found.as_ref().ok_or(Trouble::NotInstalled(around.kind.program()))?;
        if around.kind == Kind::SecretTool && !has_bus(&around.env) {
            return Err(Trouble::NoBus);
        }
        Ok((around.kind, tool))
    }

    fn rests(&self) -> std::sync::MutexGuard<'_, Option<Instant>> {
        self.rests.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The first program of this name in the folders of a PATH.
fn program(path: &OsString, name: &str) -> Option<PathBuf> {
    let absolute = |folder: &PathBuf| folder.is_absolute();
    let mut found = std::env::split_paths(path).filter(absolute).map(|folder| folder.join(name));
    found.find(|file| rustix::fs::access(file, rustix::fs::Access::EXEC_OK).is_ok() && file.is_file())
}

/// Whether there is a session bus: without one the program would try to start its own.
fn has_bus(env: &[(String, OsString)]) -> bool {
    let of = |name: &str| env.iter().find(|(known, value)| known == name && !value.is_empty());
    of("DBUS_SESSION_BUS_ADDRESS").is_some()
        || of("XDG_RUNTIME_DIR").is_some_and(|(_, folder)| Path::new(folder).join("bus").exists())
}

impl From<Unanswered> for Trouble {
    fn from(unanswered: Unanswered) -> Trouble {
        match unanswered {
            Unanswered::Late => Trouble::Silent,
            Unanswered::NotStarted(error) => Trouble::Failed(error.to_string()),
        }
    }
}

/// That a program failed, with the last line it said about it.
fn failed(said: &Said) -> Trouble {
    let text = String::from_utf8_lossy(&said.err);
    let line = text.lines().map(str::trim).rfind(|line| !line.is_empty()).unwrap_or_default();
    let line = ["secret-tool: ", "security: "].iter().find_map(|own| line.strip_prefix(own)).unwrap_or(line);
    match (line, said.code) {
        ("", Some(code)) => Trouble::Failed(format!("its program exited with {code} and said nothing")),
        ("", None) => Trouble::Failed("its program was ended by a signal".to_owned()),
        (line, _) => Trouble::Failed(line.chars().take(200).collect()),
    }
}
