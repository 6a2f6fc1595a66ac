//! The command line: one file a command. stdout is data, stderr is talk.
//!
//! ```text
//!  arguments ── command ──┬── library ── plan ──┐
//!                         └── desk (the store, owned) ── follow ── lines on stderr, the result on stdout
//!                             or a reader (the store, looked at)
//! ```
//! Commands that only look (`check`, `list`, `runs`, `show`, `verify`) open the store for reading, start nothing and
//! work while another process owns it. Views come from the engine; here they only get words and colours.

mod answer;
mod arguments;
mod aside;
mod attach;
mod cancel;
mod check;
mod daemon;
mod desk;
mod doctor;
mod error;
mod exit;
mod follow;
mod given;
mod hidden;
mod init;
mod inline;
mod install;
mod keyring;
mod lines;
mod list;
mod look;
mod painter;
mod proof;
mod result;
mod resume;
mod run;
mod runs;
mod secret;
mod serve;
mod settled;
mod sheet;
mod show;
mod still;
mod store;
mod table;
mod target;
mod terminals;
mod time;
mod typed;
pub(crate) mod undecided;
mod verify;

pub(crate) use desk::recovered;
pub(crate) use error::{CommandError, HELD, NAME_TAKEN, code_of};
pub(crate) use look::{talk, typable};

use arguments::{Arguments, ServeArguments, Verb};
use clap::Parser;
use exit::Exit;
use std::io::{IsTerminal, Write};
use std::process::ExitCode;

/// Runs the command that was typed.
pub(crate) fn main() -> ExitCode {
    let json = std::env::args_os().any(|argument| argument == "--json");
    let exit = match Arguments::try_parse() {
        Ok(arguments) => said(carry_out(arguments.verb), json),
        // Whoever starts it without a word and without a terminal is an MCP client.
        Err(_) if is_bare() => said(serve::serve(&ServeArguments::default()), json),
        Err(error) => usage(&error, json),
    };
    aside::settle();
    exit.into()
}

fn said(done: Result<Exit, CommandError>, json: bool) -> Exit {
    done.unwrap_or_else(|error| error.print(json))
}

fn is_bare() -> bool {
    std::env::args_os().len() == 1 && !std::io::stdin().is_terminal()
}

fn carry_out(verb: Verb) -> Result<Exit, CommandError> {
    match verb {
        Verb::Init(arguments) => init::init(&arguments),
        Verb::Run(arguments) => run::run(&arguments),
        Verb::Check(arguments) => check::check(&arguments),
        Verb::List(arguments) => list::list(&arguments),
        Verb::Runs(arguments) => runs::runs(&arguments),
        Verb::Show(arguments) => show::show(&arguments),
        Verb::Cancel(arguments) => cancel::cancel(&arguments),
        Verb::Resume(arguments) => resume::resume(&arguments),
        Verb::Answer(arguments) => answer::answer(&arguments),
        Verb::Terminals(arguments) => terminals::terminals(&arguments),
        Verb::Attach(arguments) => attach::attach(&arguments),
        Verb::Verify(arguments) => verify::verify(&arguments),
        Verb::Status(arguments) => daemon::status(&arguments),
        Verb::Stop(arguments) => daemon::stop(&arguments),
        Verb::Restart(arguments) => daemon::restart(&arguments),
        Verb::Serve(arguments) => serve::serve(&arguments),
        Verb::Install(arguments) => install::install(&arguments),
        Verb::Secret(arguments) => secret::secret(&arguments),
        Verb::Proof(arguments) => proof::proof(&arguments),
        Verb::Doctor(arguments) => doctor::doctor(&arguments),
    }
}

/// Help and version are answers; all else is a mistake in what was typed.
fn usage(error: &clap::Error, json: bool) -> Exit {
    use clap::error::ErrorKind;
    let told = error.print().and_then(|()| std::io::stdout().flush());
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => match look::written(told) {
            Ok(()) => Exit::Succeeded,
            Err(error) => error.print(false),
        },
        _ if json => CommandError::usage("usage", whole(error)).print_json(Exit::Usage),
        _ => Exit::Usage,
    }
}

/// All that is wrong with what was typed, without the lines on usage that follow it.
fn whole(error: &clap::Error) -> String {
    let text = error.to_string();
    let said = text.strip_prefix("error: ").unwrap_or(&text);
    let said = said.split("\n\nUsage:").next().unwrap_or(said);
    said.split("\n\nFor more information").next().unwrap_or(said).trim().to_owned()
}
