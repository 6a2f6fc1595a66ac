//! A data directory and projects of a test's own.

use crate::client::{Client, Era};
use serde_json::json;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

pub(crate) struct World {
    root: tempfile::TempDir,
    env: Vec<(String, String)>,
}

/// Two blocks, an input and an output.
pub(crate) const GREET: &str = "\
name: greet
description: Greets someone.
inputs:
  who: {type: string, required: true, description: Whom to greet}
  times: {type: integer, default: 1}
blocks:
  - {id: hello, type: Shell, inputs: {command: 'echo hello ${inputs.who}'}}
  - {id: bye, type: Shell, depends_on: [hello], inputs: {command: 'echo bye'}}
outputs:
  text: ${blocks.hello.outputs.stdout}
";

/// A question to a human, of some kind, whose answer is an output.
pub(crate) fn asker(name: &str, question: &str) -> String {
    format!(
        "name: {name}\nblocks:\n  - {{id: ask, type: Prompt, {question}}}\n\
         outputs:\n  said: \"${{blocks.ask.outputs.response}}\"\n"
    )
}

/// One block that takes this long.
pub(crate) fn sleeper(name: &str, seconds: &str) -> String {
    format!("name: {name}\nblocks:\n  - {{id: nap, type: Shell, inputs: {{command: 'sleep {seconds}'}}}}\n")
}

impl World {
    pub(crate) fn new() -> World {
        let world = World { root: tempfile::tempdir().unwrap(), env: Vec::new() };
        std::fs::create_dir(world.project()).unwrap();
        world
    }

    /// A world with some definitions.
    pub(crate) fn with(definitions: &[(&str, &str)]) -> World {
        let world = World::new();
        definitions.iter().for_each(|(name, text)| world.define(name, text));
        world
    }

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

    pub(crate) fn define(&self, name: &str, text: &str) {
        self.write(&format!("project/.switchback/workflows/{name}.yaml"), text);
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = self.root.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    /// The product, to be run in a folder of this world.
    pub(crate) fn command(&self, folder: &str, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_switchback"));
        let folder = self.root.path().join(folder);
        std::fs::create_dir_all(&folder).unwrap();
        command.args(args).current_dir(folder).env_clear().env("HOME", self.root.path());
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.env("SWITCHBACK_HOME", self.data()).env("TZ", "UTC");
        command.envs(self.env.iter().map(|(name, value)| (name, value)));
        command
    }

    /// A client of a server that does everything itself.
    pub(crate) fn client(&self) -> Client {
        self.client_with(Era::Handshake, &[])
    }

    /// A client behind which a human sits who can be asked.
    pub(crate) fn asking(&self, era: Era) -> Client {
        Client::able(self.command("project", &["serve", "--no-daemon"]), era, json!({ "elicitation": {} }))
    }

    pub(crate) fn client_with(&self, era: Era, args: &[&str]) -> Client {
        let args = [&["serve", "--no-daemon"], args].concat();
        Client::connect(self.command("project", &args), era)
    }
}

impl Drop for World {
    fn drop(&mut self) {
        if self.data().join("daemon.sock").exists() {
            let mut stop = self.command("project", &["stop", "--now"]);
            let _ = stop.stdin(Stdio::null()).stderr(Stdio::null()).status();
        }
    }
}
