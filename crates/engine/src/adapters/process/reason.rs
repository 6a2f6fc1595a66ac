//! Turns an error number of the system into a reason a person can act on.
//!
//! The number alone does not say what was missing, so the job is looked at again. This runs only after a
//! start has failed. Values of the environment never enter a text: they may be secrets.

use std::io;
use std::path::Path;

use rustix::fs::{Access, AtFlags, CWD, accessat};
use rustix::io::Errno;

use super::job::{Job, Script};
use super::outcome::{NotStarted, Reason};
use crate::adapters::full::is_full;

/// Says why the job could not be started, given what the system answered.
pub(super) fn explain(job: &Job, error: &io::Error) -> NotStarted {
    match Errno::from_io_error(error) {
        Some(Errno::TOOBIG) => too_long(job),
        Some(Errno::AGAIN | Errno::NOMEM | Errno::MFILE | Errno::NFILE) => busy(error),
        Some(Errno::NOENT | Errno::NOTDIR | Errno::ACCESS | Errno::LOOP | Errno::NAMETOOLONG) => {
            folder(&job.dir).unwrap_or_else(|| program(job, error))
        }
        Some(Errno::PERM | Errno::NOEXEC | Errno::ISDIR) => program(job, error),
        // Nothing else of a start needs room on a disk.
        Some(Errno::NOSPC | Errno::DQUOT) => explain_note(job, error),
        _ => NotStarted::new(Reason::System, format!("the system did not start the command: {error}")),
    }
}

/// Says why a note could not be made for the job.
pub(super) fn explain_note(job: &Job, error: &io::Error) -> NotStarted {
    let (run, effect) = (&job.note.run, &job.note.effect);
    if error.kind() == io::ErrorKind::AlreadyExists {
        let text = format!(
            "a process of effect {effect} of run {run} is noted already: wait for its end, or restart the \
             server, which ends it"
        );
        return NotStarted::new(Reason::AlreadyNoted, text);
    }
    let text = format!(
        "the process of effect {effect} of run {run} could not be noted beside the store ({error}): make \
         room in the data directory and check its permissions"
    );
    NotStarted::new(if is_full(error) { Reason::Full } else { Reason::System }, text)
}

fn folder(dir: &Path) -> Option<NotStarted> {
    let shown = dir.display();
    match dir.metadata() {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {}
        Err(_) => {
            let text =
                format!("folder {shown} does not exist: create it, or correct the step's working folder");
            return Some(NotStarted::new(Reason::FolderMissing, text));
        }
        Ok(metadata) if !metadata.is_dir() => {
            let text = format!("{shown} is not a folder: correct the step's working folder");
            return Some(NotStarted::new(Reason::FolderMissing, text));
        }
        Ok(_) if accessat(CWD, dir, Access::EXEC_OK, AtFlags::EACCESS).is_ok() => return None,
        Ok(_) => {}
    }
    let text = format!(
        "folder {shown} may not be entered by the user of the server: change its permissions, or choose \
         another working folder for the step"
    );
    Some(NotStarted::new(Reason::FolderDenied, text))
}

fn program(job: &Job, error: &io::Error) -> NotStarted {
    let name = match &job.script {
        Script::Sh(_) => "/bin/sh",
        Script::Shell { program, .. } => program,
    };
    let exists = !name.contains('/') || job.dir.join(name).exists();
    match Errno::from_io_error(error) {
        Some(Errno::NOENT | Errno::NOTDIR) if exists => NotStarted::new(
            Reason::ProgramMissing,
            format!(
                "the interpreter of {name} does not exist: install the one its first line (#!) names, or \
                 correct that line"
            ),
        ),
        Some(Errno::NOENT | Errno::NOTDIR) => NotStarted::new(
            Reason::ProgramMissing,
            format!("program {name} does not exist: install it, or correct its path in the step"),
        ),
        Some(Errno::NOEXEC) => NotStarted::new(
            Reason::ProgramInvalid,
            format!(
                "{name} is not a program this system can execute: begin a script with a line such as \
                 #!/bin/sh, or build the program for this machine"
            ),
        ),
        _ => NotStarted::new(
            Reason::ProgramDenied,
            format!("{name} may not be executed ({error}): make it executable (chmod +x)"),
        ),
    }
}

fn busy(error: &io::Error) -> NotStarted {
    let text = format!(
        "the system has no room for another process ({error}): try again when others have ended, or raise \
         the server's limits (ulimit -u, ulimit -n)"
    );
    NotStarted::new(Reason::Busy, text)
}

fn too_long(job: &Job) -> NotStarted {
    let command: usize = match &job.script {
        Script::Sh(script) => script.len(),
        Script::Shell { program, args } => program.len() + args.iter().map(String::len).sum::<usize>(),
    };
    let environment: usize = job.env.iter().map(|(name, value)| name.len() + value.len() + 2).sum();
    let longest = job.env.iter().max_by_key(|(_, value)| value.len());
    let longest = longest.map_or(String::new(), |(name, value)| {
        format!("; its longest variable is {name} with {} bytes", value.len())
    });
    let text = format!(
        "the command and its environment are too long for the system: the command has {command} bytes, the \
         environment {environment}{longest} (Linux takes 131071 bytes in one argument or variable): pass \
         large values through a file"
    );
    NotStarted::new(Reason::TooLong, text)
}
