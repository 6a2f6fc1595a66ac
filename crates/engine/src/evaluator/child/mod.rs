//! The evaluator's process, seen from inside. It takes away from itself what it does not need, then reads requests
//! and writes answers until nobody asks any more. All work is done on one thread with a large stack, the dropping of
//! values among it.

mod confine;
mod values;
mod work;

use super::limits::STACK_BYTES;
use std::io;
use std::process::ExitCode;

/// Answers what is asked on stdin until it is closed. For a process that does nothing else.
pub fn serve() -> ExitCode {
    match confine::confine().and_then(|()| on_large_stack(work::serve)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("the evaluator stops: {error}");
            ExitCode::FAILURE
        }
    }
}

fn on_large_stack(work: fn() -> io::Result<()>) -> io::Result<()> {
    let thread = std::thread::Builder::new().name("evaluator".into()).stack_size(STACK_BYTES).spawn(work)?;
    thread.join().unwrap_or_else(|_| Err(io::Error::other("it panicked")))
}
