//! The evaluator's process, seen from inside. It takes away from itself what it does not need, then reads requests
//! and writes answers until nobody asks any more. All work is done on one thread with a large stack, the dropping of
//! values among it.

mod confine;
mod values;
mod work;

use super::limits::STACK_BYTES;
use crate::kill_point::role;
use crate::log::say;
use std::any::Any;
use std::io;
use std::process::ExitCode;

/// Answers what is asked on stdin until it is closed. For a process that does nothing else.
pub fn serve() -> ExitCode {
    role("evaluator");
    // A panic is told with the answer; nobody reads along while the process lives, so nothing is written.
    std::panic::set_hook(Box::new(|_| {}));
    match confine::confine().and_then(|()| on_large_stack(work::serve)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            say(format_args!("the evaluator stops: {error}"));
            ExitCode::FAILURE
        }
    }
}

fn on_large_stack(work: fn() -> io::Result<()>) -> io::Result<()> {
    let thread = std::thread::Builder::new().name("evaluator".into()).stack_size(STACK_BYTES).spawn(work)?;
    thread.join().unwrap_or_else(|failure| Err(io::Error::other(said(&*failure).to_owned())))
}

/// What is said of an expression on which the engine itself failed: it has no value.
pub(super) fn broken(failure: &(dyn Any + Send)) -> String {
    format!("the engine failed on this ({}): write it in another way", said(failure))
}

/// What a panic said.
fn said(failure: &(dyn Any + Send)) -> &str {
    let text = failure.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| failure.downcast_ref::<&str>().copied()).unwrap_or("it did not say why")
}
