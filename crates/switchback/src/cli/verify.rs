//! `switchback verify`: that nothing in a journal was changed, in the store or in a file.

use super::arguments::VerifyArguments;
use super::error::CommandError;
use super::exit::Exit;
use super::look::{print, print_json};
use super::store::{Looked, directory, find};
use engine::journal::{Broken, Hash, Unverified, verify_stream};
use engine::kernel::RunId;
use engine::store::VerifyError;
use engine::view::contradiction;
use serde_json::json;
use std::fs::File;
use std::io::BufReader;
use std::path::Path;

/// Carries the command out.
pub(crate) fn verify(arguments: &VerifyArguments) -> Result<Exit, CommandError> {
    let subject = &arguments.subject;
    let sound = match Path::new(subject).is_file() {
        true => file(subject)?,
        false => run(subject).map_err(|error| instead(error, subject))?,
    };
    if arguments.json {
        print_json(&json!({
            "run": sound.run,
            "workflow": sound.workflow,
            "sound": true,
            "entries": sound.entries,
            "contents": sound.contents,
            "hash": sound.hash.to_string(),
        }))?;
        return Ok(Exit::Succeeded);
    }
    let contents = match sound.contents {
        Some(0) | None => String::new(),
        Some(count) => format!(", {count} stored contents"),
    };
    let Sound { run, workflow, entries, hash, .. } = sound;
    print(&format!("{workflow}  {run}  sound: {entries} entries{contents}, hash {hash}\n"))?;
    Ok(Exit::Succeeded)
}

/// Something that lies there but is no file may have been meant.
fn instead(error: CommandError, subject: &str) -> CommandError {
    if error.code != "unknown-run" || !Path::new(subject).exists() {
        return error;
    }
    let message = format!("{subject} is no run, and no regular file either");
    CommandError::usage("not-a-file", message)
        .hint("a journal is written with: switchback show RUN --journal > run.journal")
}

/// A journal in which nothing was changed.
struct Sound {
    run: String,
    workflow: String,
    entries: u64,
    contents: Option<u64>,
    hash: Hash,
}

fn file(path: &str) -> Result<Sound, CommandError> {
    let unreadable =
        |error| CommandError::usage("unreadable-file", format!("failed to read {path}: {error}"));
    let file = File::open(path).map_err(unreadable)?;
    let verified = verify_stream(BufReader::new(file)).map_err(|error| match error {
        Unverified::Io(error) => unreadable(error),
        Unverified::Broken(broken) => CommandError::internal("journal-broken", format!("{path} is {broken}"))
            .hint("it is not the file that `switchback show RUN --journal` wrote, or it was changed since"),
    })?;
    Ok(Sound {
        run: verified.run.to_string(),
        workflow: verified.workflow,
        entries: verified.entries,
        contents: None,
        hash: verified.hash,
    })
}

fn broken(run: &RunId, broken: &Broken) -> CommandError {
    CommandError::internal("journal-broken", format!("run {run} is {broken}"))
        .hint("the store was changed by something else than switchback, or the disk is failing")
}

fn run(word: &str) -> Result<Sound, CommandError> {
    let looked = Looked::open_for(&directory()?, word)?;
    let row = find(&looked.reader, word)?;
    let sound = looked.reader.verify(&row.id).map_err(|error| match error {
        VerifyError::Broken(broken) => self::broken(&row.id, &broken),
        VerifyError::Fault(fault) => fault.into(),
        error => CommandError::usage("unknown-run", error.to_string()),
    })?;
    // The bytes are those that were written; that they still mean the same is seen by letting all of it happen again.
    if let Some(broken) = contradiction(&looked.reader, &row.id)? {
        return Err(self::broken(&row.id, &broken));
    }
    Ok(Sound {
        run: row.id.to_string(),
        workflow: row.workflow,
        entries: sound.head.seq,
        contents: Some(sound.contents),
        hash: sound.head.hash,
    })
}
