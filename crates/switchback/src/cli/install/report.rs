//! What people and programs are told about a set-up: the change on stdout, the talk about it on stderr.

use super::client::Scope;
use super::entry::{self, Standing};
use super::here::Here;
use super::job::{Done, Job, Work};
use super::write;
use crate::cli::arguments::InstallArguments;
use crate::cli::error::CommandError;
use crate::cli::look::{Look, clean, print, print_json, talk};
use serde_json::{Value, json};

/// Tells what would be done, or what was.
pub(super) fn report(
    job: &Job,
    done: Option<&Done>,
    here: &Here,
    arguments: &InstallArguments,
) -> Result<(), CommandError> {
    if arguments.json {
        return print_json(&document(job, done, here));
    }
    print(&picture(job, here))?;
    if let Standing::Outdated(was) = &job.file.standing {
        talk(&format!("it takes the place of: {}", clean(was)));
    }
    let look = Look::of_stderr();
    warnings(job, here).iter().for_each(|line| talk(&format!("{}: {}", look.yellow("warning"), clean(line))));
    match (&job.work, done) {
        (Work::Nothing, _) => talk("it already starts this binary; nothing was changed"),
        (_, None) => talk(&format!("nothing was changed; to do it: {}", again(arguments))),
        (_, Some(done)) => told(job, done, here),
    }
    Ok(())
}

fn told(job: &Job, done: &Done, here: &Here) {
    let shown = here.shown(&job.file.path);
    talk(&match &job.work {
        Work::Call(_) => format!("done; {shown} has it now"),
        _ => format!("wrote {shown}"),
    });
    if let Some(backup) = &done.backup {
        talk(&format!("what was there before: {}", here.shown(backup)));
    }
    talk(&format!("next: {}", job.client.next(job.scope)));
}

fn again(arguments: &InstallArguments) -> String {
    let project = if arguments.project { " --project" } else { "" };
    format!("switchback install {}{project} --yes", arguments.client)
}

/// Which file, for whom, and the lines that change in it.
fn picture(job: &Job, here: &Here) -> String {
    let look = Look::of_stdout();
    let whom = match job.scope {
        Scope::User => "for you, in every project",
        Scope::Project => "for this project",
    };
    let new = if job.file.text.is_none() { " (a new file)" } else { "" };
    let leads = match write::followed(&job.file.path) {
        Ok(real) if real != job.file.path => format!(" -> {}", here.shown(&real)),
        _ => String::new(),
    };
    let title = look.bold(job.client.title());
    let mut text = format!("{title}, {whom}: {}{leads}{new}\n", clean(&here.shown(&job.file.path)));
    match &job.work {
        Work::Nothing => {}
        Work::Write { picture, .. } => text.push_str(&picture.text(look)),
        Work::Call(calls) => {
            for line in calls.shown() {
                text.push_str(&format!("  {}\n", look.green(&format!("$ {}", clean(&line)))));
            }
        }
    }
    text
}

fn warnings(job: &Job, here: &Here) -> Vec<String> {
    let (mut warnings, client) = (Vec::new(), job.client);
    if !job.is_there {
        let folder = here.shown(&client.folder(here));
        let (title, program) = (client.title(), client.program());
        warnings.push(format!(
            "{title} does not seem to be installed: no program `{program}`, no folder {folder}"
        ));
    }
    if let Standing::Outdated(what) | Standing::Foreign(what) = &job.file.nearer {
        warnings.push(format!(
            "for this folder Claude Code has an entry of its own, which counts for more ({what}); \
             claude mcp remove --scope local switchback takes it away"
        ));
    }
    if here.is_in_a_build() && !matches!(job.work, Work::Nothing) {
        let binary = here.binary.display();
        warnings.push(format!(
            "{binary} lies in a build folder; `cargo install --path crates/switchback` puts one where it stays"
        ));
    }
    if job.scope == Scope::Project && !matches!(job.work, Work::Nothing) {
        warnings.push(
            "the file names a path of this machine: whoever shares the project needs their own".to_owned(),
        );
    }
    warnings
}

fn document(job: &Job, done: Option<&Done>, here: &Here) -> Value {
    let (standing, was) = match &job.file.standing {
        Standing::Absent => ("absent", None),
        Standing::Current => ("current", None),
        Standing::Outdated(was) => ("outdated", Some(was)),
        Standing::Foreign(what) => ("foreign", Some(what)),
    };
    let (action, removed, added, calls) = match &job.work {
        Work::Nothing => ("none", None, None, None),
        Work::Write { picture, .. } => {
            let action = if job.file.text.is_none() { "create" } else { "change" };
            (action, Some(&picture.removed), Some(&picture.added), None)
        }
        Work::Call(calls) => ("call", None, None, Some(calls.shown())),
    };
    let wanted = entry::wanted(job.file.entry.as_ref(), job.client, here);
    json!({
        "client": job.client.name(),
        "scope": if job.scope == Scope::User { "user" } else { "project" },
        "file": job.file.path.display().to_string(),
        "command": entry::command_words(&wanted),
        "standing": standing,
        "was": was,
        "action": action,
        "removed": removed,
        "added": added,
        "calls": calls,
        "done": done.is_some(),
        "backup": done.and_then(|done| done.backup.as_ref()).map(|path| path.display().to_string()),
        "warnings": warnings(job, here),
        "next": job.client.next(job.scope),
    })
}
