//! One trial: a seed, a fresh store, a world. A panic of ours or of the engine is a broken promise like any other.

use crate::faults::Fault;
use crate::watch::Violation;
use crate::world::{Seen, World};
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

/// What became of a seed.
pub(crate) struct Trial {
    pub(crate) seed: u64,
    pub(crate) result: Result<Seen, Violation>,
    pub(crate) trace: Vec<String>,
}

thread_local! {
    static PANIC: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Keeps what a panic says for the report instead of printing it.
pub(crate) fn silence_panics() {
    std::panic::set_hook(Box::new(|info| {
        PANIC.with_borrow_mut(|text| *text = info.to_string());
    }));
}

/// Tries a seed.
pub(crate) fn attempt(seed: u64, fault: Option<Fault>, trace: bool) -> Trial {
    let shared = Path::new("/dev/shm");
    let home = if shared.is_dir() { tempfile::tempdir_in(shared) } else { tempfile::tempdir() };
    let home = home.expect("a temporary folder");
    let mut world = World::new(seed, home.path(), fault, trace);
    let result = catch_unwind(AssertUnwindSafe(|| world.live())).unwrap_or_else(|_| {
        let detail = PANIC.with_borrow_mut(std::mem::take);
        Err(Violation { invariant: "nothing panics", detail })
    });
    Trial { seed, result, trace: world.into_trace() }
}
