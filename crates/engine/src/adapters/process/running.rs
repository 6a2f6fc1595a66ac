//! A command that was started, with all that must be ended, read or removed when it is over.
//!
//! Invariant: its note exists from before its start until its tree is gone. Dropped before that, it is killed
//! on the spot, and a thread of its own sees to the rest.

use std::collections::BTreeMap;
use std::io;
use std::time::Duration;

use rustix::process::{Signal, WaitOptions, kill_process_group, waitpid};
use tokio::time::{Instant, sleep, timeout};

use super::captured::Captured;
use super::exit::Exit;
use super::job::Job;
use super::launch::{Launch, Stdio};
use super::members::{Reach, Roots, can_look, group_exists};
use super::note::Leader;
use super::notes::{Note, Notes};
use super::outcome::{NotStarted, Reason};
use super::pipes::Pipes;
use super::reason::{explain, explain_note};
use super::spawn::spawn;
use super::tree::{self, TreeEnd};
use crate::{births, kill_point};

/// How long background processes of a command that exited may go on writing, or leave its group, before they are ended.
const DRAIN: Duration = Duration::from_millis(200);

/// How often is looked whether they have left.
const LOOK_AGAIN: Duration = Duration::from_millis(5);

/// A started command.
pub(super) struct Running {
    pub(super) exit: Exit,
    pub(super) pipes: Pipes,
    roots: Roots,
    /// `None` once the tree is gone.
    note: Option<Note>,
}

impl Running {
    /// Notes and starts the command. If it is not started, no note is left.
    pub(super) fn start(job: &Job, notes: &Notes) -> Result<Running, NotStarted> {
        if !can_look() {
            return Err(NotStarted::new(
                Reason::System,
                "/proc is not mounted here, and without it a command could not be ended: mount it",
            ));
        }
        let note = notes.create(&job.note).map_err(|error| explain_note(job, &error))?;
        kill_point("process noted");
        let (leader, exit, pipes) = match launch(job, &note) {
            Ok(started) => started,
            Err(reason) => {
                note.remove();
                return Err(reason);
            }
        };
        kill_point("process started");
        let marker = note.marker.clone();
        let roots =
            Roots { leader, marker, group_is_ours: true, reach: Reach::Descendants, known: BTreeMap::new() };
        Ok(Running { exit, pipes, roots, note: Some(note) })
    }

    /// Ends what a command that exited has left in its group.
    pub(super) async fn end_leftovers(&mut self, grace: Duration) -> TreeEnd {
        if !group_exists(self.roots.leader.pid) {
            return self.over(TreeEnd::of_nobody());
        }
        let until = Instant::now() + DRAIN;
        let _ = timeout(DRAIN, self.pipes.read_to_end()).await;
        // What leaves the group on purpose may be about to, and nobody tells when it has.
        while group_exists(self.roots.leader.pid) && Instant::now() < until {
            sleep(LOOK_AGAIN).await;
        }
        if !group_exists(self.roots.leader.pid) {
            return self.over(TreeEnd::of_nobody());
        }
        let group = Roots { reach: Reach::Group, ..self.roots.clone() };
        self.end(group, grace).await
    }

    /// Ends the command and all its descendants.
    pub(super) async fn end_tree(&mut self, grace: Duration) -> TreeEnd {
        self.end(self.roots.clone(), grace).await
    }

    /// Ends the processes while their last words are read: one that waits for a full pipe could not end.
    async fn end(&mut self, roots: Roots, grace: Duration) -> TreeEnd {
        let end = tokio::select! {
            end = tree::end(roots, grace) => end,
            never = self.pipes.pump() => match never {},
        };
        if end.is_gone() && !self.exit.is_reaped {
            self.exit.wait().await;
        }
        self.over(end)
    }

    fn over(&mut self, end: TreeEnd) -> TreeEnd {
        kill_point("process ended");
        if let Some(note) = self.note.take_if(|_| end.is_gone()) {
            note.remove();
        }
        end
    }

    /// Gives what was kept of stdout and stderr.
    pub(super) fn finish(mut self) -> (Captured, Captured) {
        self.pipes.drain();
        self.pipes.finish()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let Some(note) = self.note.take() else { return };
        tree::kill_now(&self.roots);
        let (roots, is_reaped) = (self.roots.clone(), self.exit.is_reaped);
        // If no thread can be had, the note stays and the next recovery does this.
        let _ = std::thread::Builder::new()
            .name("process-end".into())
            .spawn(move || see_off(roots, note, is_reaped));
    }
}

/// Ends the tree for an owner that went away, and takes the status of its leader.
fn see_off(roots: Roots, note: Note, is_reaped: bool) -> io::Result<()> {
    let leader = roots.leader.pid;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let end = runtime.block_on(tree::end(roots, Duration::ZERO));
    if end.is_gone() {
        note.remove();
    }
    if !is_reaped {
        waitpid(Some(leader), WaitOptions::empty())?;
    }
    Ok(())
}

fn launch(job: &Job, note: &Note) -> Result<(Leader, Exit, Pipes), NotStarted> {
    let launch = Launch::prepare(job, &note.marker)?;
    execute(job, &launch, note).map_err(|error| explain(job, &error))
}

fn execute(job: &Job, launch: &Launch, note: &Note) -> io::Result<(Leader, Exit, Pipes)> {
    let (stdio, stdout, stderr) = Stdio::open()?;
    let pipes = Pipes::new(stdout, stderr, job.output, &job.mask)?;
    let leader = births::bear(|| spawn(launch, &stdio, note))?;
    match Exit::of(leader.pid) {
        Ok(exit) => Ok((leader, exit, pipes)),
        // Its end could not be heard of, so it must not begin.
        Err(error) => {
            let _ = kill_process_group(leader.pid, Signal::KILL);
            waitpid(Some(leader.pid), WaitOptions::empty())?;
            Err(error)
        }
    }
}
