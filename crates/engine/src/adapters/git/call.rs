//! One call of git after another, through the process adapter: noted, in a group of its own, bounded in time and output.

use super::repository::text;
use super::trouble::Trouble;
use crate::adapters::process::{self, Ended, Job, NoteSpec, Notes, Outcome, Script, Stop, Stops};
use crate::adapters::shell::said_at_length;
use crate::kill_point;
use crate::turn::Home;
use kernel::RunId;
use kernel::effect::Perform;
use std::collections::BTreeMap;
use std::future::{Future, pending};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How long is waited before another try, where another git holds a lock that git itself does not wait for.
pub(super) const RESTS: [Duration; 5] = [
    Duration::from_millis(20),
    Duration::from_millis(50),
    Duration::from_millis(100),
    Duration::from_millis(200),
    Duration::from_millis(400),
];

/// How long it may take to put things back after a failure.
const CLEANUP: Duration = Duration::from_secs(10);

/// How much of git's own words is told: which file is in its way stands at their beginning.
const TOLD_CHARS_MAX: usize = 2000;

/// What git gets beside the run's environment: nobody is asked, nothing is opened, and what it says can be read.
const ENV: [(&str, &str); 11] = [
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_ASKPASS", "true"),
    ("SSH_ASKPASS", "true"),
    ("SSH_ASKPASS_REQUIRE", "never"),
    ("GCM_INTERACTIVE", "never"),
    ("GIT_EDITOR", "true"),
    ("GIT_SEQUENCE_EDITOR", "true"),
    ("GIT_PAGER", "cat"),
    ("PAGER", "cat"),
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("LC_ALL", "C"),
];

/// Settings for one call: git waits for the locks of refs, and starts no helper that would outlive it.
const SETTINGS: [&str; 6] = [
    "-c",
    "core.filesRefLockTimeout=2000",
    "-c",
    "core.packedRefsTimeout=2000",
    "-c",
    "core.fsmonitor=false",
];

/// Settings for the look at what a worktree holds: git sees what is there, however little its owner lets it compare otherwise.
const SEEING: [&str; 6] =
    ["-c", "core.checkStat=default", "-c", "core.trustctime=true", "-c", "core.untrackedCache=false"];

/// Where names differ by their case, `NOTES` beside `notes` is another file.
const CASE: [&str; 2] = ["-c", "core.ignorecase=false"];

/// Calls git for one effect.
pub(super) struct Git<'a> {
    /// The run's folder, where it is called.
    pub(super) folder: PathBuf,
    env: BTreeMap<String, String>,
    umask: Option<u32>,
    note: NoteSpec,
    notes: &'a Notes,
    stops: Stops,
    until: Option<Instant>,
}

/// What git said.
#[derive(Debug)]
pub(super) struct Said {
    /// Its exit code.
    pub(super) code: i32,
    /// Its standard output.
    pub(super) stdout: String,
    /// What is told of it where that was not good.
    words: String,
}

impl<'a> Git<'a> {
    pub(super) fn new(
        run: &RunId,
        home: &Home,
        perform: &Perform,
        notes: &'a Notes,
        stops: Stops,
    ) -> Git<'a> {
        let mut env = BTreeMap::clone(&home.env);
        env.extend(ENV.map(|(name, value)| (name.to_owned(), value.to_owned())));
        Git {
            folder: home.folder.clone(),
            env,
            umask: home.umask,
            note: NoteSpec { run: run.to_string(), effect: perform.id.to_string() },
            notes,
            stops,
            until: perform.timeout_ms.and_then(|ms| Instant::now().checked_add(Duration::from_millis(ms))),
        }
    }

    /// Where the server keeps its own data.
    pub(super) fn data(&self) -> &Path {
        self.notes.data()
    }

    /// Calls git with these arguments.
    pub(super) async fn call(&self, arguments: &[&str]) -> Result<Said, Trouble> {
        self.bounded(arguments, self.stops.clone(), self.left()?).await
    }

    /// What differs in a worktree from what its branch has, each with a mark before its path. It is that folder which is looked at,
    /// whatever the worktree's own settings say.
    pub(super) async fn changes(&self, known: &Path, worktree: &Path) -> Result<Vec<String>, Trouble> {
        let case = if knows_case(worktree) { CASE.as_slice() } else { &[] };
        let (known, worktree) = (text(known)?, text(worktree)?);
        let place = ["--git-dir", known, "--work-tree", worktree, "-C", worktree];
        let wanted = [
            "status",
            "--porcelain=v1",
            "-z",
            "--untracked-files=all",
            "--ignore-submodules=none",
            "--no-renames",
        ];
        let arguments = [SEEING.as_slice(), case, &place, &wanted].concat();
        let said = self.must(&arguments).await?;
        Ok(said.split('\0').filter(|change| !change.is_empty()).map(str::to_owned).collect())
    }

    /// Calls git, and takes anything but success as trouble.
    pub(super) async fn must(&self, arguments: &[&str]) -> Result<String, Trouble> {
        let said = self.call(arguments).await?;
        if said.code == 0 { Ok(said.stdout) } else { Err(said.trouble()) }
    }

    /// Whether git says yes.
    pub(super) async fn agrees(&self, arguments: &[&str]) -> Result<bool, Trouble> {
        Ok(self.call(arguments).await?.code == 0)
    }

    /// Puts something back: whatever ended the work before does not end this, but its time is short.
    pub(super) async fn put_back(&self, arguments: &[&str]) -> Result<Said, Trouble> {
        self.bounded(arguments, Stops::never(), Some(CLEANUP)).await
    }

    async fn bounded(
        &self,
        arguments: &[&str],
        stops: Stops,
        time: Option<Duration>,
    ) -> Result<Said, Trouble> {
        let args = SETTINGS.iter().chain(arguments).map(|argument| (*argument).to_owned()).collect();
        let script = Script::Shell { program: "git".to_owned(), args };
        let mut job = Job::new(script, &self.folder, self.note.clone());
        (job.env, job.umask, job.timeout) = (self.env.clone(), self.umask, time);
        kill_point("before git");
        let outcome = process::run(&job, self.notes, stops).await;
        kill_point("git ended");
        read(outcome, arguments)
    }

    /// Waits for something, unless the work is to be stopped before.
    pub(super) async fn before_stop<T>(&mut self, wanted: impl Future<Output = T>) -> Result<T, Trouble> {
        let left = self.left()?;
        tokio::select! {
            biased;
            stop = self.stops.first() => Err(stop.into()),
            got = wanted => Ok(got),
            () = elapsed(left) => Err(Trouble::TimedOut),
        }
    }

    /// Lets a little time pass.
    pub(super) async fn rest(&mut self, time: Duration) -> Result<(), Trouble> {
        self.before_stop(tokio::time::sleep(time)).await
    }

    /// The time that is left, if there is a bound.
    fn left(&self) -> Result<Option<Duration>, Trouble> {
        let Some(until) = self.until else { return Ok(None) };
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() { Err(Trouble::TimedOut) } else { Ok(Some(left)) }
    }
}

impl Said {
    /// What a refusal is told as.
    pub(super) fn trouble(self) -> Trouble {
        let says = |words: &str| self.words.contains(words);
        // For the lock of a ref, or of all that are packed, git itself has waited.
        let has_waited = says("cannot lock ref") || says("/packed-refs.lock': File exists");
        let is_locked = (says(".lock': File exists") && !has_waited) || says("could not lock config file");
        if is_locked { Trouble::Locked(self.words) } else { Trouble::Refused(self.words) }
    }
}

/// Whether the file system of a worktree tells names apart by their case alone.
fn knows_case(worktree: &Path) -> bool {
    let identity = |name: &str| {
        let found = worktree.join(name).symlink_metadata().ok()?;
        Some((found.dev(), found.ino()))
    };
    identity(".git") != identity(".GIT")
}

/// The words by which a call is told: what git is to do, and not where.
fn named<'a>(mut arguments: &[&'a str]) -> Vec<&'a str> {
    while let [option, rest @ ..] = arguments
        && option.starts_with('-')
    {
        let has_value = ["--git-dir", "--work-tree", "-C", "-c"].contains(option);
        arguments = if has_value { rest.get(1..).unwrap_or_default() } else { rest };
    }
    arguments.iter().take_while(|word| !word.starts_with("--")).take(2).copied().collect()
}

fn read(outcome: Outcome, arguments: &[&str]) -> Result<Said, Trouble> {
    let named = named(arguments).join(" ");
    let told = |how: String| said_at_length(format!("`git {named}` {how}"), &outcome.stderr, TOLD_CHARS_MAX);
    match &outcome.ended {
        Ended::Exited(_) if outcome.stdout.dropped > 0 => {
            Err(Trouble::Crashed(told("said more than can be read".to_owned())))
        }
        Ended::Exited(code) => Ok(Said {
            code: *code,
            stdout: outcome.stdout.text(),
            words: told(format!("exited with {code}")),
        }),
        Ended::Signalled(signal) => Err(Trouble::Refused(told(format!("was ended by signal {signal}")))),
        Ended::TimedOut => Err(Trouble::TimedOut),
        Ended::Cancelled => Err(Trouble::Cancelled),
        Ended::Interrupted => Err(Trouble::Interrupted),
        Ended::NotStarted(why) => Err(Trouble::Crashed(format!("could not be started: {why}"))),
    }
}

impl From<Stop> for Trouble {
    fn from(stop: Stop) -> Trouble {
        match stop {
            Stop::Cancel => Trouble::Cancelled,
            Stop::Shutdown => Trouble::Interrupted,
        }
    }
}

async fn elapsed(left: Option<Duration>) {
    match left {
        Some(left) => tokio::time::sleep(left).await,
        None => pending().await,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_git_has_waited_for_is_not_waited_for_again() {
        let trouble =
            |words: &str| Said { code: 128, stdout: String::new(), words: words.to_owned() }.trouble();
        for words in [
            "fatal: Unable to create '/r/.git/index.lock': File exists.",
            "error: could not lock config file .git/config: File exists",
        ] {
            assert_eq!(trouble(words), Trouble::Locked(words.to_owned()));
        }
        for words in [
            "fatal: cannot lock ref 'refs/heads/b': Unable to create '/r/.git/refs/heads/b.lock': File exists.",
            "error: Unable to create '/r/.git/packed-refs.lock': File exists.",
            "fatal: not a git repository",
        ] {
            assert_eq!(trouble(words), Trouble::Refused(words.to_owned()));
        }
    }

    #[test]
    fn a_call_is_told_by_what_git_is_to_do() {
        let status = [
            "-c",
            "core.trustctime=true",
            "--git-dir",
            "/r/.git",
            "--work-tree",
            "/r",
            "-C",
            "/r",
            "status",
            "--porcelain=v1",
            "-z",
        ];
        assert_eq!(named(&status), ["status"]);
        assert_eq!(named(&["--literal-pathspecs", "-C", "/r", "ls-files"]), ["ls-files"]);
        assert_eq!(named(&["worktree", "add", "--quiet", "--", "x"]), ["worktree", "add"]);
        assert!(named(&["--git-dir"]).is_empty());
    }
}
