//! Numbered places at which a test may end the process, as a power cut would.
//!
//! Without the feature `kill-points` a call compiles to nothing. With it every call counts one up, over all
//! threads, in processes of one role:
//!
//! ```text
//! SWITCHBACK_KILL_WHO=daemon   which processes count and die: `command` (if not said), `daemon`, `pipe`, `evaluator`
//! SWITCHBACK_KILL_LOG=path     each call appends `N name`; the count goes on from there, so that a process that
//!                              takes the place of one that died does not die at the same number
//! SWITCHBACK_KILL_AT=N         the Nth call ends its process by SIGKILL
//! ```
//!
//! A process says its [`role`] before it does anything else, and whoever starts one with an environment of its own gives
//! it what [`passed_on`] returns. A point decides nothing and changes nothing: the code around it reads as if it were
//! absent.

/// Marks a place where a test may end the process.
#[cfg(not(feature = "kill-points"))]
#[inline(always)]
pub fn kill_point(_name: &'static str) {}

/// Says what this process is, where it is not the command that somebody typed.
#[cfg(not(feature = "kill-points"))]
#[inline(always)]
pub fn role(_name: &'static str) {}

/// Returns the variables that reach a process which inherits no environment: none.
#[cfg(not(feature = "kill-points"))]
#[inline(always)]
pub fn passed_on() -> Vec<(&'static str, std::ffi::OsString)> {
    Vec::new()
}

#[cfg(feature = "kill-points")]
pub use armed::{kill_point, passed_on, role};

#[cfg(feature = "kill-points")]
mod armed {
    use std::ffi::OsString;
    use std::fs::OpenOptions;
    use std::io::{self, Read, Write};
    use std::path::{Path, PathBuf};
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicU64, Ordering};

    use rustix::process::{Signal, getpid, kill_process};

    const AT: &str = "SWITCHBACK_KILL_AT";
    const LOG: &str = "SWITCHBACK_KILL_LOG";
    const WHO: &str = "SWITCHBACK_KILL_WHO";
    const COMMAND: &str = "command";

    static ROLE: OnceLock<&'static str> = OnceLock::new();

    /// Counts one up, writes it down if asked to, and ends the process if this is the chosen point.
    pub fn kill_point(name: &'static str) {
        static COUNT: AtomicU64 = AtomicU64::new(0);

        let wish = wish();
        if wish.who != *ROLE.get().unwrap_or(&COMMAND) {
            return;
        }
        let number = match &wish.log {
            Some(path) => append(path, name).unwrap_or_else(|error| {
                panic!("failed to write kill point `{name}` to {}: {error}", path.display())
            }),
            None => COUNT.fetch_add(1, Ordering::SeqCst) + 1,
        };
        if wish.at == Some(number) {
            end_process();
        }
    }

    /// Says what this process is, where it is not the command that somebody typed. It is said once, and first.
    pub fn role(name: &'static str) {
        let said = *ROLE.get_or_init(|| name);
        assert_eq!(said, name, "BUG: a process has one role");
    }

    /// Returns the variables that reach a process which inherits no environment.
    pub fn passed_on() -> Vec<(&'static str, OsString)> {
        [AT, LOG, WHO].into_iter().filter_map(|name| Some((name, std::env::var_os(name)?))).collect()
    }

    /// What the environment asked for, read once.
    struct Wish {
        at: Option<u64>,
        log: Option<PathBuf>,
        who: String,
    }

    fn wish() -> &'static Wish {
        static WISH: OnceLock<Wish> = OnceLock::new();
        WISH.get_or_init(|| Wish {
            at: std::env::var(AT).ok().and_then(|text| text.parse().ok()),
            log: std::env::var_os(LOG).map(PathBuf::from),
            who: std::env::var(WHO).unwrap_or_else(|_| COMMAND.to_owned()),
        })
    }

    /// Writes one line after those of all processes of this role, and returns its number.
    fn append(path: &Path, name: &str) -> io::Result<u64> {
        let mut file = OpenOptions::new().create(true).read(true).append(true).open(path)?;
        // The lock goes with the file, also when the process is ended.
        file.lock()?;
        let mut lines = String::new();
        file.read_to_string(&mut lines)?;
        let number = lines.lines().count() as u64 + 1;
        file.write_all(format!("{number} {name}\n").as_bytes())?;
        Ok(number)
    }

    fn end_process() -> ! {
        let sent = kill_process(getpid(), Signal::KILL);
        assert!(sent.is_ok(), "BUG: a process may always end itself");
        // Another thread may take the signal: this one must not go a step further meanwhile.
        loop {
            std::thread::park();
        }
    }
}

#[cfg(test)]
#[cfg(feature = "kill-points")]
mod tests {
    use std::os::unix::process::ExitStatusExt;
    use std::path::Path;
    use std::process::{Command, ExitStatus};

    use super::{kill_point, passed_on, role};

    /// Passes three points when it is started by a test below, and none otherwise.
    #[test]
    fn passes_three_points() {
        if let Ok(name) = std::env::var("KILL_POINT_TEST_ROLE") {
            if name == "daemon" {
                role("daemon");
            }
            ["first", "second", "third"].into_iter().for_each(kill_point);
        }
    }

    /// Starts a process of a role whose points are counted for `who`.
    fn pass(role: &str, who: Option<&str>, at: u32, log: Option<&Path>) -> ExitStatus {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", "kill_point::tests::passes_three_points"]);
        command.env("KILL_POINT_TEST_ROLE", role).env("SWITCHBACK_KILL_AT", at.to_string());
        command.envs(log.map(|log| ("SWITCHBACK_KILL_LOG", log)));
        command.envs(who.map(|who| ("SWITCHBACK_KILL_WHO", who)));
        command.output().unwrap().status
    }

    fn end_and_log(at: u32) -> (ExitStatus, String) {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("log");
        let status = pass("command", None, at, Some(&log));
        (status, std::fs::read_to_string(log).unwrap())
    }

    #[test]
    fn ends_the_process_at_the_chosen_point() {
        let (status, log) = end_and_log(2);
        assert_eq!(status.signal(), Some(9));
        assert_eq!(log, "1 first\n2 second\n");
    }

    #[test]
    fn a_point_that_is_never_reached_ends_nothing() {
        let (status, log) = end_and_log(4);
        assert!(status.success());
        assert_eq!(log, "1 first\n2 second\n3 third\n");
    }

    #[test]
    fn without_a_log_each_process_counts_for_itself() {
        assert_eq!(pass("command", None, 3, None).signal(), Some(9));
        assert_eq!(pass("command", None, 3, None).signal(), Some(9));
    }

    #[test]
    fn only_processes_of_the_chosen_role_count_and_die() {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("log");
        assert!(pass("daemon", None, 1, Some(&log)).success());
        assert!(pass("command", Some("daemon"), 1, Some(&log)).success());
        assert!(pass("daemon", Some("pipe"), 1, Some(&log)).success());
        assert!(!log.exists());
        assert_eq!(pass("daemon", Some("daemon"), 1, Some(&log)).signal(), Some(9));
        assert_eq!(pass("command", Some("command"), 2, Some(&log)).signal(), Some(9));
    }

    #[test]
    fn a_process_that_takes_the_place_of_one_that_died_counts_on() {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("log");
        assert_eq!(pass("daemon", Some("daemon"), 2, Some(&log)).signal(), Some(9));
        assert!(pass("daemon", Some("daemon"), 2, Some(&log)).success());
        let said = std::fs::read_to_string(log).unwrap();
        assert_eq!(said, "1 first\n2 second\n3 first\n4 second\n5 third\n");
    }

    #[test]
    fn what_is_passed_on_is_what_was_said() {
        let known = ["SWITCHBACK_KILL_AT", "SWITCHBACK_KILL_LOG", "SWITCHBACK_KILL_WHO"];
        let said = known.iter().filter(|name| std::env::var_os(name).is_some()).count();
        assert_eq!(passed_on().len(), said);
        assert!(passed_on().iter().all(|(name, _)| known.contains(name)));
    }
}
