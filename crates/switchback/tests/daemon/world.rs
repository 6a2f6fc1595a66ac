//! A data directory and a project of a test's own, and the real binary in them. Whatever daemon is left at the end of a test
//! is ended with it.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

/// How long anything here may take.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

/// What someone does who has seen a text, and then types.
pub(crate) type Reaction<'a> = &'a dyn Fn() -> &'a str;

pub(crate) struct World {
    root: tempfile::TempDir,
    home: PathBuf,
}

impl World {
    pub(crate) fn new() -> World {
        World::with_home("home")
    }

    /// A world whose data directory has this name.
    pub(crate) fn with_home(name: &str) -> World {
        let root = tempfile::tempdir().unwrap();
        let home = root.path().canonicalize().unwrap().join(name);
        std::fs::create_dir(root.path().join("project")).unwrap();
        World { root, home }
    }

    pub(crate) fn home(&self) -> &Path {
        &self.home
    }

    pub(crate) fn project(&self) -> PathBuf {
        self.root.path().join("project")
    }

    /// Writes a definition of one Shell block into the project.
    pub(crate) fn define(&self, name: &str, command: &str) {
        let folder = self.project().join(".switchback/workflows");
        std::fs::create_dir_all(&folder).unwrap();
        let block = json!({ "id": "only", "type": "Shell", "inputs": { "command": command } });
        let outputs = json!({ "text": "${blocks.only.outputs.stdout}" });
        let definition = json!({ "name": name, "blocks": [block], "outputs": outputs });
        std::fs::write(folder.join(format!("{name}.json")), definition.to_string()).unwrap();
    }

    /// The product, to be run in the project.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_switchback"));
        command.args(args).current_dir(self.project()).env_clear();
        command.env("HOME", self.root.path()).env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.env("SWITCHBACK_HOME", &self.home).env("TZ", "UTC").stdin(Stdio::null());
        command
    }

    /// A shell in the project, with the environment of the product.
    pub(crate) fn shell(&self, script: &str) -> Command {
        let like = self.command(&[]);
        let mut shell = Command::new("/bin/sh");
        shell.args(["-c", script]).current_dir(self.project()).env_clear().stdin(Stdio::null());
        shell.envs(like.get_envs().filter_map(|(name, value)| Some((name, value?))));
        shell
    }

    /// The product on a terminal, at which someone types each text once they have seen another; how it ended, and all that was
    /// shown. Nothing where the system has no `script` to make a terminal.
    pub(crate) fn typed(&self, args: &[&str], texts: &[(&str, &str)]) -> Option<(Option<i32>, String)> {
        let texts: Vec<_> = texts.iter().map(|(wanted, text)| (*wanted, move || *text)).collect();
        let texts: Vec<_> = texts.iter().map(|(wanted, text)| (*wanted, text as Reaction)).collect();
        self.reacted(args, &texts)
    }

    /// The same with someone who does something once they have seen a text, and types what comes of it.
    pub(crate) fn reacted(
        &self,
        args: &[&str],
        texts: &[(&str, Reaction<'_>)],
    ) -> Option<(Option<i32>, String)> {
        let has_script = Command::new("script").arg("--version").stdout(Stdio::null()).status();
        if !has_script.is_ok_and(|status| status.success()) {
            return skipped("there is no `script` of util-linux here to make a terminal");
        }
        let words: Vec<String> = args.iter().map(|word| format!("'{word}'")).collect();
        let line = format!("exec '{}' {}", env!("CARGO_BIN_EXE_switchback"), words.join(" "));
        let like = self.command(&[]);
        let mut script = Command::new("script");
        script.args(["-qec", &line, "/dev/null"]).current_dir(self.project()).env_clear();
        script.envs(like.get_envs().filter_map(|(name, value)| Some((name, value?))));
        script.env("TERM", "xterm").env("NO_COLOR", "1");
        let mut script = script.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (mut keys, mut screen) = (script.stdin.take().unwrap(), script.stdout.take().unwrap());
        let (mut shown, mut from) = (Vec::new(), 0);
        for (wanted, text) in texts {
            while !String::from_utf8_lossy(&shown[from..]).contains(wanted) {
                let mut byte = [0];
                let read = screen.read(&mut byte).unwrap();
                assert!(read > 0, "never shown: {wanted} in {}", String::from_utf8_lossy(&shown));
                shown.extend(byte);
            }
            from = shown.len();
            keys.write_all(text().as_bytes()).unwrap();
        }
        screen.read_to_end(&mut shown).unwrap();
        let code = script.wait().unwrap().code();
        Some((code, String::from_utf8_lossy(&shown).replace('\r', "")))
    }

    pub(crate) fn run(&self, args: &[&str]) -> Output {
        self.command(args).output().unwrap()
    }

    pub(crate) fn json(&self, args: &[&str]) -> Value {
        let output = self.run(args);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{args:?}: {error}\n{said}"))
    }

    /// The process of the daemon, if one runs.
    pub(crate) fn daemon(&self) -> Option<i32> {
        let status = self.json(&["status", "--json"]);
        status["daemon"]["pid"].as_i64().map(|pid| i32::try_from(pid).unwrap())
    }

    /// The socket of the daemon.
    pub(crate) fn socket(&self) -> PathBuf {
        self.home.join("daemon.sock")
    }

    /// Says hello and gives the welcome.
    pub(crate) fn greet(&self, hello: &Value) -> (Value, BufReader<UnixStream>) {
        let mut stream = UnixStream::connect(self.socket()).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.write_all(format!("{hello}\n").as_bytes()).unwrap();
        let mut reader = BufReader::new(stream);
        let mut line = String::new();
        reader.read_line(&mut line).unwrap();
        (serde_json::from_str(&line).unwrap(), reader)
    }

    /// A hello of this version of the product.
    pub(crate) fn hello(&self) -> Value {
        let client = json!({ "workspace": self.project(), "env": {} });
        json!({ "hello": 1, "version": env!("CARGO_PKG_VERSION"), "door": "control", "client": client })
    }
}

impl Drop for World {
    fn drop(&mut self) {
        self.run(&["stop", "--now"]);
    }
}

/// Waits until something holds; a test that waits for ever says for what.
#[track_caller]
pub(crate) fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !holds() {
        assert!(Instant::now() < deadline, "never: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

pub(crate) fn is_alive(pid: i32) -> bool {
    let pid = rustix::process::Pid::from_raw(pid).unwrap();
    rustix::process::test_kill_process(pid).is_ok()
}

pub(crate) fn kill(pid: i32) {
    let pid = rustix::process::Pid::from_raw(pid).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
    until("the killed process is gone", || rustix::process::test_kill_process(pid).is_err());
}

/// Says that a test is skipped to whoever watches; where all tools must be there it is a failure.
fn skipped<T>(reason: &str) -> Option<T> {
    let test = std::thread::current().name().unwrap_or_default().to_owned();
    assert!(std::env::var_os("SWITCHBACK_REQUIRE_TOOLS").is_none(), "{test} must run, and cannot: {reason}");
    std::io::stderr().write_all(format!("\n{test}: SKIPPED, {reason}\n").as_bytes()).unwrap();
    None
}
