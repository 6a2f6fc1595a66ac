//! The binary: hands the command line to `cli` and gives its exit code to the system. Nothing else.

mod cli;
mod house;
mod mcp;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::main()
}
