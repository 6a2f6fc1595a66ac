//! Sets Claude Code up through its own program: its file is its living state, which running sessions write too, and only
//! the program knows how they share it. Nothing is started before the person said yes.

use super::client::Client;
use super::entry::{self, NAME};
use super::here::Here;
use crate::cli::error::CommandError;
use crate::cli::look::clean;
use engine::adapters::process::{self, Ended, Job, NoteSpec, Notes, Outcome, Script, Stops};
use serde_json::Value;
use std::ffi::OsString;
use std::fs::DirBuilder;
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;

/// How long one call may take.
const CALL_MAX: Duration = Duration::from_secs(30);

/// Calls of a client's program, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Calls {
    program: PathBuf,
    /// The arguments of each.
    lines: Vec<Vec<String>>,
    /// How long one of them may take.
    call_max: Duration,
}

impl Calls {
    /// The calls that bring an entry about; the program refuses a name that is taken, so an older one goes first.
    pub(super) fn of(program: PathBuf, old: Option<&Value>, here: &Here) -> Calls {
        let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        let wanted = entry::wanted(old, Client::ClaudeCode, here);
        let lines = match old {
            None => {
                let mut add = words(&["mcp", "add", "--scope", "user", NAME, "--"]);
                add.extend(entry::command_words(&wanted));
                vec![add]
            }
            Some(_) => {
                let mut add = words(&["mcp", "add-json", "--scope", "user", NAME]);
                add.push(wanted.to_string());
                vec![words(&["mcp", "remove", "--scope", "user", NAME]), add]
            }
        };
        Calls { program, lines, call_max: CALL_MAX }
    }

    /// The calls as a person would type them.
    pub(super) fn shown(&self) -> Vec<String> {
        let name = self.program.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let typed = |line: &Vec<String>| line.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ");
        self.lines.iter().map(|line| format!("{name} {}", typed(line))).collect()
    }

    /// Makes the calls, and stops at the first that fails.
    pub(super) fn make(&self, folder: &Path) -> Result<(), CommandError> {
        let failed =
            |error| CommandError::internal("not-started", format!("failed to start a program: {error}"));
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(failed)?;
        let notes = Folder::new().map_err(failed)?;
        let kept = Notes::open(&notes.0).map_err(failed)?;
        for (number, (line, shown)) in self.lines.iter().zip(self.shown()).enumerate() {
            let note = NoteSpec { run: "install".to_owned(), effect: number.to_string() };
            let outcome = runtime.block_on(call(&self.job(line, folder, note), &kept)).map_err(failed)?;
            self.judge(&shown, &outcome)?;
        }
        Ok(())
    }

    fn job(&self, line: &[String], folder: &Path, note: NoteSpec) -> Job {
        let program = self.program.to_string_lossy().into_owned();
        let mut job = Job::new(Script::Shell { program, args: line.to_vec() }, folder, note);
        let text =
            |(name, value): (OsString, OsString)| Some((name.into_string().ok()?, value.into_string().ok()?));
        job.env = std::env::vars_os().filter_map(text).collect();
        job.timeout = Some(self.call_max);
        job
    }

    fn judge(&self, shown: &str, outcome: &Outcome) -> Result<(), CommandError> {
        let message = match &outcome.ended {
            Ended::Exited(0) => return Ok(()),
            Ended::Exited(code) => format!("`{shown}` did not succeed (exit code {code})"),
            Ended::Signalled(signal) => format!("`{shown}` was ended by signal {signal}"),
            Ended::TimedOut => format!("`{shown}` took longer than {:?}, and was ended", self.call_max),
            Ended::Cancelled | Ended::Interrupted => format!("`{shown}` was interrupted, and was ended"),
            Ended::NotStarted(why) => format!("failed to run `{shown}`: {why}"),
        };
        let said = [&outcome.stderr, &outcome.stdout].map(|said| said.text().trim().to_owned());
        let error = CommandError::internal("client-refused", message);
        let error =
            said.iter().filter(|text| !text.is_empty()).fold(error, |error, text| error.hint(clean(text)));
        let by_hand = self.shown().into_iter().map(|line| format!("  {line}"));
        Err(by_hand.fold(error.hint("by hand it is:"), CommandError::hint))
    }
}

/// Carries one call out. Ctrl-C and SIGTERM end it, too.
async fn call(job: &Job, notes: &Notes) -> io::Result<Outcome> {
    let (stop, stopped) = watch::channel(false);
    let mut terminated = signal(SignalKind::terminate())?;
    let mut interrupted = signal(SignalKind::interrupt())?;
    let running = process::run(job, notes, Stops::new(stopped.clone(), stopped));
    tokio::pin!(running);
    tokio::select! {
        outcome = &mut running => return Ok(outcome),
        _ = terminated.recv() => {}
        _ = interrupted.recv() => {}
    }
    stop.send_replace(true);
    Ok(running.await)
}

/// A folder for as long as the calls take: what is started is noted in it.
struct Folder(PathBuf);

impl Folder {
    fn new() -> io::Result<Folder> {
        let path = std::env::temp_dir().join(format!("switchback-install-{}", std::process::id()));
        DirBuilder::new().mode(0o700).create(&path)?;
        Ok(Folder(path))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // One that stays is empty but for notes of what is over.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A word as a shell takes it for one.
pub(super) fn quoted(word: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "-_./=:,@%+".contains(letter);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use std::fs::OpenOptions;
    use std::io::Read;
    use std::os::unix::fs::OpenOptionsExt;

    #[test]
    fn calls_read_as_they_are_typed() {
        let here = Here { called: PathBuf::from("/my bin/switchback"), ..Here::within(Path::new("/h")) };
        let calls = |old: Option<&Value>| Calls::of(PathBuf::from("/usr/bin/claude"), old, &here).shown();
        assert_eq!(calls(None), ["claude mcp add --scope user switchback -- '/my bin/switchback' serve"]);
        let old = json!({ "command": "/old/switchback", "args": ["serve"], "env": { "A": "it's" } });
        assert_eq!(
            calls(Some(&old)),
            [
                "claude mcp remove --scope user switchback".to_owned(),
                "claude mcp add-json --scope user switchback \
                 '{\"command\":\"/my bin/switchback\",\"args\":[\"serve\"],\"env\":{\"A\":\"it'\\''s\"}}'"
                    .to_owned(),
            ]
        );
    }

    #[test]
    fn a_call_has_its_time_and_no_more() {
        let calls = |script: String, call_max| Calls {
            program: PathBuf::from("/bin/sh"),
            lines: vec![vec!["-c".to_owned(), script]],
            call_max,
        };
        assert!(calls("exec sleep 0".to_owned(), CALL_MAX).make(Path::new("/")).is_ok());
        // What it started goes with it: nobody is left to write.
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let nonblock = i32::try_from(rustix::fs::OFlags::NONBLOCK.bits()).unwrap();
        let mut reader = OpenOptions::new().read(true).custom_flags(nonblock).open(&pipe).unwrap();
        // Only Linux shows what has left the group.
        let away = if cfg!(target_os = "linux") { "setsid" } else { "" };
        let script = format!("{away} sh -c 'echo up; exec sleep 300' > {} 2>&1 & sleep 300", pipe.display());
        let error = calls(script, Duration::from_secs(2)).make(Path::new("/")).unwrap_err();
        assert!(error.message.ends_with("took longer than 2s, and was ended"), "{}", error.message);
        assert_eq!(error.hints[0], "by hand it is:", "{:?}", error.hints);
        let mut said = String::new();
        reader.read_to_string(&mut said).unwrap();
        assert_eq!(said, "up\n");
    }
}
