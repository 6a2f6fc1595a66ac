//! Sets Claude Code up through its own program: its file is its living state, which running sessions write too, and only
//! the program knows how they share it. Nothing is started before the person said yes.

use super::client::Client;
use super::entry::{self, NAME};
use super::here::Here;
use crate::cli::error::CommandError;
use crate::cli::look::clean;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};
use std::time::Duration;

/// How long one call may take.
const CALL_MAX: Duration = Duration::from_secs(60);

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
        let runtime =
            tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(|error| {
                CommandError::internal("not-started", format!("failed to start a program: {error}"))
            })?;
        for (line, shown) in self.lines.iter().zip(self.shown()) {
            let output = runtime.block_on(self.call(line, folder));
            match output {
                Ok(output) if output.status.success() => {}
                Ok(output) => return Err(refused(&shown, &output)),
                Err(error) => {
                    return Err(CommandError::internal(
                        "client-refused",
                        format!("failed to run `{shown}`: {error}"),
                    ));
                }
            }
        }
        Ok(())
    }

    async fn call(&self, line: &[String], folder: &Path) -> std::io::Result<Output> {
        let mut command = tokio::process::Command::new(&self.program);
        command.args(line).current_dir(folder).stdin(Stdio::null()).kill_on_drop(true);
        match tokio::time::timeout(self.call_max, command.output()).await {
            Ok(output) => output,
            Err(_) => Err(std::io::Error::other(format!("it took longer than {:?}", self.call_max))),
        }
    }
}

fn refused(shown: &str, output: &Output) -> CommandError {
    let said = [&output.stderr, &output.stdout].map(|bytes| String::from_utf8_lossy(bytes).trim().to_owned());
    let message = format!("`{shown}` did not succeed ({})", output.status);
    let error = CommandError::internal("client-refused", message);
    said.iter().filter(|text| !text.is_empty()).fold(error, |error, text| error.hint(clean(text)))
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
        let calls = |seconds: &str, call_max| Calls {
            program: PathBuf::from("/bin/sh"),
            lines: vec![vec!["-c".to_owned(), format!("exec sleep {seconds}")]],
            call_max,
        };
        assert!(calls("0", CALL_MAX).make(Path::new("/")).is_ok());
        let error = calls("30", Duration::from_millis(50)).make(Path::new("/")).unwrap_err();
        assert!(error.message.ends_with("it took longer than 50ms"), "{}", error.message);
    }
}
