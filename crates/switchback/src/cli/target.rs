//! What a word on the command line means: a file, or a workflow of the library.

use super::error::CommandError;
use super::look::{Look, talk};
use super::store::workspace;
use engine::dialects::diagnostic;
use engine::dialects::near::near;
use engine::library::{FileError, Order, Reading, Shelf, Surroundings, looks_like_a_file, read_file};
use std::path::Path;

/// Reads the definition that a word means.
pub(crate) fn read(word: &str) -> Result<Reading, CommandError> {
    if looks_like_a_file(word) {
        return file(word);
    }
    let shelf = Shelf::new(Surroundings::here(workspace()?));
    match shelf.find(Order::Plain, word) {
        Ok(definition) => Ok(Reading::clone(&definition.reading)),
        Err(_) if Path::new(word).is_file() => file(word),
        Err(error) => Err(error.into()),
    }
}

/// Reads a file, linked to what it calls; one that is not there gets a near name of its folder.
pub(crate) fn file(word: &str) -> Result<Reading, CommandError> {
    let path = Path::new(word);
    let reading = read_file(path, word).map_err(|error| match error {
        FileError::Absent(_) => CommandError::from(error).near(&neighbours(path)),
        error => error.into(),
    })?;
    Ok(match reading.calls.is_empty() {
        true => reading,
        false => Shelf::new(Surroundings::here(workspace()?)).link(reading),
    })
}

fn neighbours(path: &Path) -> Vec<String> {
    let Some(name) = path.file_name().and_then(|name| name.to_str()) else { return Vec::new() };
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let names: Vec<String> = entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    let near = near(name, names.iter().map(String::as_str)).into_iter();
    near.map(|name| path.with_file_name(name).display().to_string()).collect()
}

/// Shows what is wrong or doubtful.
pub(crate) fn show(reading: &Reading) {
    if !reading.diagnostics.is_empty() {
        let look = Look::of_stderr();
        let look = diagnostic::Look { colour: look.colour, width: look.width };
        talk(&reading.diagnostics.render(std::slice::from_ref(&reading.source), look));
    }
}
