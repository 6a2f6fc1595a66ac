//! A data directory and a project of a test's own, the real binary in them, and everything that it ever said.

use serde_json::{Value, json};
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Output, Stdio};

pub(crate) struct World {
    root: tempfile::TempDir,
    env: Vec<(String, String)>,
}

impl World {
    pub(crate) fn new() -> World {
        let world = World { root: tempfile::tempdir().unwrap(), env: Vec::new() };
        fs::create_dir(world.project()).unwrap();
        world
    }

    /// A variable of whoever uses the product here.
    pub(crate) fn env(mut self, name: &str, value: &str) -> World {
        self.env.push((name.to_owned(), value.to_owned()));
        self
    }

    pub(crate) fn root(&self) -> &Path {
        self.root.path()
    }

    pub(crate) fn project(&self) -> PathBuf {
        self.root.path().join("project")
    }

    pub(crate) fn data(&self) -> PathBuf {
        self.root.path().join("data")
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = self.project().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub(crate) fn define(&self, name: &str, text: &str) {
        self.write(&format!(".switchback/workflows/{name}.yaml"), text);
    }

    /// The product, to be run in the project.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_switchback"));
        command.args(args).current_dir(self.project()).env_clear().env("HOME", self.root.path());
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default()).env("LANG", "C.UTF-8");
        command.env("SWITCHBACK_HOME", self.data()).env("TZ", "UTC").stdin(Stdio::null());
        command.envs(self.env.iter().map(|(name, value)| (name, value)));
        command
    }

    pub(crate) fn run(&self, args: &[&str]) -> Output {
        self.command(args).output().unwrap()
    }

    /// Puts a value away, by way of stdin.
    pub(crate) fn set(&self, name: &str, value: &str) -> Output {
        self.feed(&["secret", "set", name], value)
    }

    /// Runs the product with something on stdin.
    pub(crate) fn feed(&self, args: &[&str], value: &str) -> Output {
        let mut command = self.command(args);
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(value.as_bytes()).unwrap();
        child.wait_with_output().unwrap()
    }

    /// A client on stdio; what its server says on stderr goes into a file of this name.
    pub(crate) fn connect(&self, log: &str) -> Client {
        let log = fs::File::create(self.root.path().join(log)).unwrap();
        let mut command = self.command(&["serve"]);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(log).spawn().unwrap();
        let (stdin, stdout) = (child.stdin.take(), BufReader::new(child.stdout.take().unwrap()));
        let mut client = Client { child, stdin, stdout, said: Vec::new(), last: 0 };
        let about = json!({ "name": "test-client", "version": "1" });
        client.ask(
            "initialize",
            json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": about }),
        );
        client.say(json!({ "jsonrpc": "2.0", "method": "notifications/initialized", "params": {} }));
        client
    }
}

impl Drop for World {
    fn drop(&mut self) {
        self.run(&["stop", "--now"]);
    }
}

/// A connection, and every line that came through it.
pub(crate) struct Client {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
    pub(crate) said: Vec<u8>,
    last: u64,
}

impl Client {
    fn say(&mut self, message: Value) {
        let stdin = self.stdin.as_mut().unwrap();
        stdin.write_all(format!("{message}\n").as_bytes()).unwrap();
    }

    /// Asks, and gives the whole message that answers.
    pub(crate) fn ask(&mut self, method: &str, params: Value) -> Value {
        self.last += 1;
        self.say(json!({ "jsonrpc": "2.0", "id": self.last, "method": method, "params": params }));
        loop {
            let mut line = Vec::new();
            self.stdout.read_until(b'\n', &mut line).unwrap();
            assert!(!line.is_empty(), "the server went away");
            self.said.extend_from_slice(&line);
            let message: Value = serde_json::from_slice(&line).unwrap();
            if message["id"] == self.last {
                return message;
            }
        }
    }

    /// Calls a tool with a token, so that progress is told, and gives what it says as data.
    pub(crate) fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let token = format!("token-{}", self.last);
        let params = json!({ "name": tool, "arguments": arguments, "_meta": { "progressToken": token } });
        self.ask("tools/call", params)["result"]["structuredContent"].clone()
    }

    /// Hangs up and gives all that was said.
    pub(crate) fn hang_up(mut self) -> Vec<u8> {
        drop(self.stdin.take());
        self.child.wait().unwrap();
        std::mem::take(&mut self.said)
    }
}
