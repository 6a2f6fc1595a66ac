//! `switchback check`: all mistakes of all files, and nothing is run.

use super::arguments::CheckArguments;
use super::error::CommandError;
use super::exit::Exit;
use super::look::{Look, clean, print_json, talk};
use super::store::{surroundings, workspace};
use super::{settled, target};
use engine::library::{Definition, Library, PlaceKind, Reading};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::PathBuf;

/// Carries the command out.
pub(crate) fn check(arguments: &CheckArguments) -> Result<Exit, CommandError> {
    settled::tell()?.absent_roots().for_each(|absent| target::warn(&absent));
    let readings = match arguments.files.as_slice() {
        [] => found()?,
        files => files.iter().map(|file| target::file(file)).collect(),
    };
    let shared = shared_names(arguments)?;
    if arguments.json {
        let warning =
            |message: &String| json!({ "code": "same-name", "severity": "warning", "message": message });
        let all: Vec<Value> =
            readings.iter().flat_map(diagnostics).chain(shared.iter().map(warning)).collect();
        print_json(&json!({ "diagnostics": all }))?;
    } else {
        readings.iter().for_each(tell);
        shared.iter().for_each(|line| target::warn(line));
    }
    Ok(if readings.iter().any(Result::is_err) {
        Exit::Usage
    } else if readings.iter().flatten().any(|reading| reading.plan.is_none()) {
        Exit::Invalid
    } else {
        Exit::Succeeded
    })
}

/// Names that several files of one folder have, one of them among those that are checked.
fn shared_names(arguments: &CheckArguments) -> Result<BTreeSet<String>, CommandError> {
    let library = Library::scan(&surroundings(workspace()?));
    let all = library.definitions().filter(|definition| !definition.hides.is_empty());
    let files: Vec<PathBuf> = match arguments.files.as_slice() {
        [] => all.filter_map(|definition| definition.origin.path.clone()).collect(),
        files => files.iter().map(PathBuf::from).collect(),
    };
    Ok(files.iter().filter_map(|file| library.shared_name(file)).collect())
}

fn found() -> Result<Vec<Result<Reading, CommandError>>, CommandError> {
    let library = Library::scan(&surroundings(workspace()?));
    // What is built in can only be broken by what it calls.
    let is_built_in = |definition: &Definition| definition.origin.kind == PlaceKind::BuiltIn;
    let found = library.definitions().filter(|definition| !is_built_in(definition) || !definition.runs());
    let readings: Vec<_> = found.map(|definition| Ok(Reading::clone(&definition.reading))).collect();
    library.troubles.iter().for_each(|trouble| talk(&clean(trouble)));
    if readings.is_empty() {
        talk("no definitions were found; `switchback list --help` says where they may lie");
    }
    Ok(readings)
}

fn tell(reading: &Result<Reading, CommandError>) {
    let reading = match reading {
        Ok(reading) => reading,
        Err(error) => {
            error.print(false);
            return;
        }
    };
    target::show(reading);
    let look = Look::of_stderr();
    match &reading.plan {
        Some(plan) => {
            let (dialect, count) = (plan.dialect.as_str(), plan.steps.len());
            let plural = if count == 1 { "" } else { "s" };
            let name = clean(&reading.source.name);
            talk(&format!("{}  {name}  {dialect}, {count} step{plural}", look.green("ok")));
        }
        // The next file's mistakes stand apart.
        None => talk(""),
    }
}

fn diagnostics(reading: &Result<Reading, CommandError>) -> Vec<Value> {
    match reading {
        Ok(reading) => match reading.diagnostics.to_json(&reading.sources()) {
            Value::Array(all) => all,
            other => vec![other],
        },
        Err(error) => {
            let CommandError { code, message, hints, .. } = error;
            let hint = hints.join("\n");
            vec![json!({ "code": code, "severity": "error", "message": message, "hint": hint })]
        }
    }
}
