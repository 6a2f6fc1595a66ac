//! What a word on the command line means: a file, or a workflow of the library.

use super::error::CommandError;
use super::look::{Look, clean, talk};
use super::store::{surroundings, workspace};
use engine::dialects::diagnostic;
use engine::dialects::near::near;
use engine::kernel::Plan;
use engine::library::{FileError, Order, Reading, Shelf, looks_like_a_file, read_file};
use std::path::Path;

/// How many files are named where none has a near name.
const NAMED_MAX: usize = 5;

const BY_NAME: &str = "`switchback list` shows the workflows that can be named without a file";

/// Reads the definition that a word means.
pub(crate) fn read(word: &str) -> Result<Reading, CommandError> {
    if looks_like_a_file(word) {
        return file(word);
    }
    let shelf = Shelf::new(surroundings(workspace()?));
    let library = shelf.library(Order::Plain);
    match library.find(word) {
        Ok(definition) => {
            told(&library.doubts(word, &definition.reading), &definition.reading);
            Ok(Reading::clone(&definition.reading))
        }
        Err(_) if Path::new(word).is_file() => file(word),
        Err(error) => match beside(word) {
            Some(path) => Err(CommandError::usage("unknown-workflow", error.to_string())
                .hint(format!("there is a file {path} here: name it by its path"))),
            None => Err(error.into()),
        },
    }
}

/// The definition in this folder whose file has this name.
fn beside(word: &str) -> Option<String> {
    let files = ["yaml", "yml", "json"].map(|ending| format!("./{word}.{ending}"));
    files.into_iter().find(|file| Path::new(file).is_file())
}

/// Reads a file, linked to what it calls; one that is not there gets a near name of its folder.
pub(crate) fn file(word: &str) -> Result<Reading, CommandError> {
    let path = Path::new(word);
    let around = surroundings(workspace()?);
    let reading = read_file(path, word, &around).map_err(|error| match error {
        FileError::Absent(_) => absent(error.into(), path),
        error => error.into(),
    })?;
    if reading.calls.is_empty() {
        return Ok(reading);
    }
    let shelf = Shelf::new(around);
    let reading = shelf.link(reading);
    told(&shelf.library(Order::Plain).doubts_below(&reading), &reading);
    Ok(reading)
}

/// Says which broken files a run has passed over, before it goes on.
pub(crate) fn tell(plan: &Plan, folder: &str) {
    let shelf = Shelf::new(surroundings(folder.into()));
    // It was started by a name on the command line, or by a tool.
    let mut doubts = shelf.library(Order::Plain).doubts_of(plan);
    let more = shelf.library(Order::Blocks).doubts_of(plan);
    doubts.extend(more);
    doubts.dedup();
    doubts.iter().for_each(|doubt| warn(doubt));
}

/// Says what is passed over, unless what is shown of the definition says it.
fn told(doubts: &[String], reading: &Reading) {
    let is_shown = |doubt: &String| reading.diagnostics.iter().any(|one| one.message == *doubt);
    doubts.iter().filter(|doubt| !is_shown(doubt)).for_each(|doubt| warn(doubt));
}

/// Says to people that something may not be as they think.
pub(crate) fn warn(line: &str) {
    talk(&format!("{}: {}", Look::of_stderr().yellow("warning"), clean(line)));
}

/// What to do where a file is not there: near names of its folder, else what lies there.
fn absent(error: CommandError, path: &Path) -> CommandError {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries.flatten(),
        Err(_) if !folder.exists() => {
            return error.hint(format!("there is no folder {} either", folder.display())).hint(BY_NAME);
        }
        Err(why) => return error.hint(format!("{} cannot be looked into: {why}", folder.display())),
    };
    let mut names: Vec<String> = entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    let beside = |name: &str| path.with_file_name(name).display().to_string();
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let near: Vec<String> = near(name, names.iter().map(String::as_str)).into_iter().map(beside).collect();
    if !near.is_empty() {
        return error.near(&near);
    }
    names.retain(|name| looks_like_a_file(name));
    names.sort();
    let more = names.len().saturating_sub(NAMED_MAX);
    let named: Vec<String> = names.iter().take(NAMED_MAX).map(|name| beside(name)).collect();
    let error = match (named.is_empty(), more) {
        (true, _) => error,
        (false, 0) => error.hint(format!("there are {}", named.join(", "))),
        (false, more) => error.hint(format!("there are {} and {more} more", named.join(", "))),
    };
    error.hint(BY_NAME)
}

/// Shows what is wrong or doubtful.
pub(crate) fn show(reading: &Reading) {
    if !reading.diagnostics.is_empty() {
        let look = Look::of_stderr();
        let look = diagnostic::Look { colour: look.colour, width: look.width };
        talk(&reading.diagnostics.render(&reading.sources(), look));
    }
}
