//! `switchback show`: one run, step by step, and what to do next; or its journal as a file.

use super::arguments::ShowArguments;
use super::error::CommandError;
use super::exit::Exit;
use super::lines::{Lines, paint};
use super::look::{Look, clean, print, print_json, talk, written};
use super::result::{advice, document, output};
use super::store::{Looked, directory, find};
use super::time;
use crate::ends::Output;
use engine::journal;
use engine::kernel::{Outcome, Status};
use engine::store::{ExportError, RunRow};
use engine::view::{Detail, Values, View};

/// How much of the digest of a plan is shown.
const DIGEST_CHARS: usize = 8;

/// Carries the command out.
pub(crate) fn show(arguments: &ShowArguments) -> Result<Exit, CommandError> {
    let looked = Looked::open_for(&directory()?, &arguments.run)?;
    let row = find(&looked.reader, &arguments.run)?;
    if arguments.journal {
        return journal(&looked, &row);
    }
    let view = looked.view(&row)?;
    let values = Values(&looked.reader);
    if arguments.json {
        print_json(&document(&view, values, Detail::Whole)?)?;
        return Ok(Exit::Succeeded);
    }
    print(&page(&view, Look::of_stdout()))?;
    let outputs = view.outputs(values)?;
    if !outputs.is_empty() {
        print("\n")?;
        outputs.iter().try_for_each(|(name, value)| print(&output(name, value)))?;
    }
    advice(&view).iter().for_each(|line| talk(line));
    Ok(Exit::Succeeded)
}

fn journal(looked: &Looked, row: &RunRow) -> Result<Exit, CommandError> {
    match looked.reader.export(&row.id, std::io::BufWriter::new(Output::lock())) {
        Ok(_) => Ok(Exit::Succeeded),
        Err(ExportError::File(journal::ExportError::Io(error))) => {
            written(Err(error)).map(|()| Exit::Succeeded)
        }
        Err(error) => Err(CommandError::internal("journal-broken", format!("run {} is {error}", row.id))),
    }
}

/// The head, one line a step, and why it failed.
fn page(view: &View, look: Look) -> String {
    let (now, lines) = (time::now(), Lines::shown(look, view));
    let mut text = format!("{}\n", head(view, look, now));
    for line in view.lines() {
        lines.shown_step(view, line, now).iter().for_each(|line| text.push_str(&format!("{line}\n")));
    }
    if let Status::Ended(Outcome::Failed { .. }) = view.status {
        text.push_str(&format!("failed: {}\n", super::result::why(view)));
    }
    if let Status::Ended(Outcome::Cancelled { reason }) = &view.status {
        text.push_str(&format!("cancelled: {}\n", clean(reason)));
    }
    text
}

fn head(view: &View, look: Look, now: u64) -> String {
    let word = view.word();
    let (steps, ended) =
        (view.lines().len(), view.lines().iter().filter(|line| line.state.is_over()).count());
    let how = match &view.status {
        Status::Ended(_) => {
            let took = time::took(view.at.saturating_sub(view.since));
            format!(" in {took}, {} ago", time::ago(now.saturating_sub(view.at)))
        }
        _ => format!(", {ended} of {steps} steps, started {}", time::clock(view.since, now)),
    };
    let plan: String = view.plan.digest().to_string().chars().take(DIGEST_CHARS).collect();
    let name = look.bold(&clean(&view.plan.name));
    let rest = look.dim(&format!("{} @ plan {plan}", clean(&view.workspace)));
    format!("{name}  {}  {}{how}   {rest}", view.run, paint(look, word, word))
}
