//! `switchback init`: a first workflow in this project, to be tried and changed. What is there already is never touched.

use super::arguments::InitArguments;
use super::error::CommandError;
use super::exit::Exit;
use super::look::{print_json, talk};
use super::store::workspace;
use serde_json::json;
use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::Path;

/// Where it is written, in the project.
const FILE: &str = ".switchback/workflows/hello.yaml";
const TEXT: &str = include_str!("init/hello.yaml");
const TRY: &str = "switchback run hello -i who=Ada";

/// Carries the command out.
pub(crate) fn init(arguments: &InitArguments) -> Result<Exit, CommandError> {
    let written = write(&workspace()?.join(FILE))?;
    if arguments.json {
        print_json(&json!({ "file": FILE, "written": written, "next": TRY }))?;
        return Ok(Exit::Succeeded);
    }
    match written {
        true => talk(&format!("wrote {FILE}   three blocks and an approval")),
        false => talk(&format!("{FILE} is there already and stays as it is")),
    }
    talk(&format!("try it:  {TRY}"));
    Ok(Exit::Succeeded)
}

/// Writes the file unless something has its name, and says whether it did.
fn write(path: &Path) -> Result<bool, CommandError> {
    let failed = |error: std::io::Error| {
        CommandError::internal("not-written", format!("failed to write {}: {error}", path.display()))
    };
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(failed)?;
    }
    let file = match OpenOptions::new().write(true).create_new(true).open(path) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => return Ok(false),
        file => file.map_err(failed)?,
    };
    // Half a workflow is worse than none.
    fill(file).map_err(|error| {
        let _ = std::fs::remove_file(path);
        failed(error)
    })?;
    Ok(true)
}

fn fill(mut file: File) -> std::io::Result<()> {
    file.write_all(TEXT.as_bytes())?;
    file.sync_all()
}
