//! The binary: hands the command line to `cli` and gives its exit code to the system. The processes that it starts of
//! itself, the daemon and its evaluators, are told by their first word and never see the command line's rules.
#![warn(clippy::print_stdout, clippy::print_stderr, reason = "they panic where nobody reads")]

mod cli;
mod daemon;
mod ends;
mod house;
mod mcp;
mod settings;
mod signals;

use engine::kill_point::role;
use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    signals::settle();
    let words: Vec<_> = std::env::args_os().skip(1).take(2).collect();
    match words.as_slice() {
        // Whoever types it, and means something else by the second word, gets no daemon for it.
        [word, dir] if word == daemon::DAEMON && Path::new(dir).is_absolute() => daemon::main(Path::new(dir)),
        [word] if word == house::EVALUATOR => {
            role("evaluator");
            engine::evaluator::serve()
        }
        _ => cli::main(),
    }
}
