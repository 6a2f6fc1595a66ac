//! Projects with the examples in them, and what git would list there.

use crate::client::{Client, Era};
use crate::world::World;
use std::path::Path;
use std::process::Command;

/// What a client of this dialect may call.
const TOOLSETS: &str = "reactive,debug,steps,blocks";

/// A project that has the examples where the tools of this dialect look first.
pub(crate) fn with_examples(names: &[&str]) -> World {
    let world = World::new();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/reactive");
    for name in names {
        let text = std::fs::read_to_string(folder.join(name)).unwrap();
        world.write(&format!("project/.aromcp/workflows/{name}"), &text);
    }
    world
}

/// A client of a server that does everything itself.
pub(crate) fn client(world: &World) -> Client {
    world.client_with(Era::Handshake, &["--toolsets", TOOLSETS])
}

/// A client of the daemon.
pub(crate) fn client_of_daemon(world: &World) -> Client {
    Client::connect(world.command("project", &["serve", "--toolsets", TOOLSETS]), Era::Stateless)
}

/// Makes the project a repository in which these files are committed and then changed.
pub(crate) fn changed_since_commit(world: &World, files: &[&str]) {
    committed(world, files, "before\n");
    for file in files {
        world.write(&format!("project/{file}"), "after\n");
    }
}

/// Makes the project a repository in which these files are committed.
pub(crate) fn committed(world: &World, files: &[&str], text: &str) {
    for file in files {
        world.write(&format!("project/{file}"), text);
    }
    git(world, &["init", "-q"]);
    git(world, &[&["add", "-f", "--"], files].concat());
    git(world, &["-c", "user.name=a", "-c", "user.email=a@b.c", "commit", "-q", "-m", "one"]);
}

fn git(world: &World, args: &[&str]) {
    let mut command = Command::new("git");
    command.args(args).current_dir(world.project()).env("HOME", world.root());
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
