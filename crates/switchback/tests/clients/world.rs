//! A project and a data directory of a test's own, and clients in them. Whatever is left at the end is ended with it.

use crate::bounded::{self, Ended};
use crate::install::{Client, Installed};
use crate::seen::Seen;
use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

/// How long a client may take.
const PATIENCE: Duration = Duration::from_secs(60);

const WORKFLOWS: [(&str, &str); 6] = [
    ("asks", include_str!("workflows/asks.yaml")),
    ("greet", include_str!("workflows/greet.yaml")),
    ("breaks", include_str!("workflows/breaks.yaml")),
    ("waits", include_str!("workflows/waits.yaml")),
    ("doubts", include_str!("workflows/doubts.yaml")),
    ("interactive-planning", include_str!("../../../../examples/steps/interactive-planning.yaml")),
];

const SCRIPTS: [(&str, &str); 3] = [
    ("conversation.py", include_str!("python/conversation.py")),
    ("conversation.mjs", include_str!("node/conversation.mjs")),
    ("sdks.mjs", include_str!("node/sdks.mjs")),
];

pub(crate) struct World {
    root: tempfile::TempDir,
    client: Client,
    installed: Installed,
}

impl World {
    /// A world for a client; nothing if there is no such client here.
    pub(crate) fn of(client: Client) -> Option<World> {
        let installed = client.installed()?;
        let root = tempfile::tempdir().unwrap();
        let workflows = root.path().join("project/.switchback/workflows");
        fs::create_dir_all(&workflows).unwrap();
        for (name, text) in WORKFLOWS {
            fs::write(workflows.join(format!("{name}.yaml")), text).unwrap();
        }
        for (name, text) in SCRIPTS {
            fs::write(root.path().join(name), text).unwrap();
        }
        if client != Client::Python {
            std::os::unix::fs::symlink(&installed.packages, root.path().join("node_modules")).unwrap();
        }
        Some(World { root, client, installed })
    }

    /// A file or folder beside the project.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    /// A conversation in an era, and what was seen in it.
    pub(crate) fn converse(&self, scene: &str, era: &str) -> Seen {
        let mut command = self.client_command();
        match self.client {
            Client::Python => {
                command.arg(self.path("conversation.py")).env("PYTHONPATH", &self.installed.packages)
            }
            Client::TypeScript => command.arg(self.path("conversation.mjs")).arg("client"),
            Client::TypeScript1 => command.arg(self.path("conversation.mjs")).arg("sdk"),
            Client::Inspector => panic!("BUG: Inspector is asked, it does not converse"),
        };
        let ended = self.run(command.args([scene, era]));
        match (ended.code(), serde_json::from_str(&ended.stdout)) {
            (Some(0), Ok(document)) => Seen(document),
            _ => panic!("{:?} in {era} did not end well: {}", self.client, self.told(&ended)),
        }
    }

    /// The program that runs the client, to be run in the project.
    pub(crate) fn client_command(&self) -> Command {
        let mut command = Command::new(&self.installed.program);
        command.current_dir(self.path("project")).env_clear();
        command.env("HOME", self.root.path()).env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.env("SWITCHBACK_HOME", self.path("home")).env("TZ", "UTC");
        command.env("SWITCHBACK_BINARY", env!("CARGO_BIN_EXE_switchback"));
        command
    }

    pub(crate) fn run(&self, command: &mut Command) -> Ended {
        bounded::run(command, PATIENCE).unwrap()
    }

    /// All that is known of how something ended.
    pub(crate) fn told(&self, Ended { status, stdout, stderr }: &Ended) -> String {
        let how = status.map_or_else(|| format!("not within {PATIENCE:?}"), |status| status.to_string());
        let log = fs::read_to_string(self.path("home/daemon.log")).unwrap_or_default();
        format!("{how}\n--- stdout\n{stdout}\n--- stderr\n{stderr}\n--- log of the daemon\n{log}")
    }
}

impl Drop for World {
    fn drop(&mut self) {
        let mut stop = Command::new(env!("CARGO_BIN_EXE_switchback"));
        stop.args(["stop", "--now"]).env("SWITCHBACK_HOME", self.path("home"));
        let ended = self.run(&mut stop);
        if !std::thread::panicking() {
            assert_eq!(ended.code(), Some(0), "{}", self.told(&ended));
        }
    }
}
