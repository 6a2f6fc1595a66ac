//! Numbered places at which a test may end the process, as a power cut would.
//!
//! Without the feature `kill-points` a call compiles to nothing. With it every call counts one up, over all
//! threads of the process. `SWITCHBACK_KILL_AT=N` ends the process by SIGKILL at the Nth call, and
//! `SWITCHBACK_KILL_LOG=path` makes each call append `N name` to that file, which is how the case runner learns
//! how many there are. A point decides nothing and changes nothing: the code around it reads as if it were absent.

/// Marks a place where a test may end the process.
#[cfg(not(feature = "kill-points"))]
#[inline(always)]
pub fn kill_point(_name: &'static str) {}

/// Counts one up, writes it down if asked to, and ends the process if this is the chosen point.
#[cfg(feature = "kill-points")]
pub fn kill_point(name: &'static str) {
    use std::sync::atomic::{AtomicU64, Ordering};
    static COUNT: AtomicU64 = AtomicU64::new(0);

    let number = COUNT.fetch_add(1, Ordering::SeqCst) + 1;
    let wish = armed::wish();
    if let Some(path) = &wish.log {
        armed::append(path, number, name);
    }
    if wish.at == Some(number) {
        armed::end_process();
    }
}

#[cfg(feature = "kill-points")]
mod armed {
    use std::fs::OpenOptions;
    use std::io::Write;
    use std::path::{Path, PathBuf};
    use std::sync::OnceLock;

    use rustix::process::{Signal, getpid, kill_process};

    /// What the environment asked for, read once.
    pub(super) struct Wish {
        pub(super) at: Option<u64>,
        pub(super) log: Option<PathBuf>,
    }

    pub(super) fn wish() -> &'static Wish {
        static WISH: OnceLock<Wish> = OnceLock::new();
        WISH.get_or_init(|| Wish {
            at: std::env::var("SWITCHBACK_KILL_AT").ok().and_then(|text| text.parse().ok()),
            log: std::env::var_os("SWITCHBACK_KILL_LOG").map(PathBuf::from),
        })
    }

    /// Writes one whole line by one write, so that lines of two threads never mix.
    pub(super) fn append(path: &Path, number: u64, name: &str) {
        let written = OpenOptions::new()
            .create(true)
            .append(true)
            .open(path)
            .and_then(|mut file| file.write_all(format!("{number} {name}\n").as_bytes()));
        assert!(written.is_ok(), "failed to write kill point {number} to {}", path.display());
    }

    pub(super) fn end_process() -> ! {
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
    use std::process::{Command, ExitStatus};

    use super::kill_point;

    /// Passes three points when it is started by the test below, and none otherwise.
    #[test]
    fn passes_three_points() {
        if std::env::var_os("SWITCHBACK_KILL_LOG").is_some() {
            ["first", "second", "third"].into_iter().for_each(kill_point);
        }
    }

    fn end_and_log(at: u32) -> (ExitStatus, String) {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("log");
        let status = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "kill_point::tests::passes_three_points"])
            .env("SWITCHBACK_KILL_AT", at.to_string())
            .env("SWITCHBACK_KILL_LOG", &log)
            .output()
            .unwrap()
            .status;
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
}
