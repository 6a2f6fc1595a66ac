//! One trial: a seed, a fresh store, a world. A panic of ours or of the engine is a broken promise like any other.

use crate::faults::Fault;
use crate::watch::Violation;
use crate::world::{Seen, World};
use engine::store::Store;
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use tempfile::TempDir;

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

/// Most worlds that share a store, one after the other. Opening one takes longer than living a small world.
const WORLDS_MAX: u32 = 32;

/// A data directory in which worlds live, each with a workspace of its own.
pub(crate) struct House {
    dir: TempDir,
    /// The store between two worlds.
    store: Option<Store>,
    lived: u32,
}

impl House {
    pub(crate) fn new() -> Self {
        let shared = Path::new("/dev/shm");
        let dir = if shared.is_dir() { tempfile::tempdir_in(shared) } else { tempfile::tempdir() };
        House { dir: dir.expect("a temporary folder"), store: None, lived: 0 }
    }

    /// Tries a seed.
    pub(crate) fn attempt(&mut self, seed: u64, fault: Option<Fault>, trace: bool) -> Trial {
        if self.lived >= WORLDS_MAX {
            *self = House::new();
        }
        self.lived += 1;
        let mut world = World::new(seed, self.dir.path(), self.store.take(), fault, trace);
        let result = catch_unwind(AssertUnwindSafe(|| world.live())).unwrap_or_else(|_| {
            let detail = PANIC.with_borrow_mut(std::mem::take);
            Err(Violation { invariant: "nothing panics", detail })
        });
        let (store, trace) = world.over();
        self.store = store;
        if result.is_err() {
            self.lived = WORLDS_MAX;
        }
        Trial { seed, result, trace }
    }
}
