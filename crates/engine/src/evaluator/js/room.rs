//! The engine of one evaluation: how much memory, stack and time it has.

use crate::evaluator::limits::{JS_MEMORY_BYTES_MAX, JS_STACK_BYTES, JS_TIME};
use rquickjs::context::intrinsic::{Date, Eval, Json, MapSet, Promise, RegExp, RegExpCompiler};
use rquickjs::{Context, Ctx, Runtime};
use rustix::time::{ClockId, clock_gettime};
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::{Duration, Instant};

/// What the language has. There are no weak references, because they tell when memory is collected; no proxies and no
/// typed arrays, because no transform needs them and the engine is smaller without.
type Parts = (Eval, RegExpCompiler, RegExp, Json, MapSet, Promise, Date);

/// Garbage is looked for when so much is in use: what most evaluations make goes with their engine.
const GARBAGE_BYTES: usize = 32 * 1024 * 1024;

thread_local! {
    /// The last engine, which nobody needs any more.
    static LEFT: RefCell<Option<Context>> = const { RefCell::new(None) };
}

/// Takes down the engine that was left. Whoever waits for an answer need not wait for this.
pub(in crate::evaluator) fn sweep() {
    drop(LEFT.take());
}

/// An engine with nothing in it yet. When it is left it stays until the next is made or somebody sweeps.
pub(super) struct Room {
    context: Context,
    was_late: Rc<Cell<bool>>,
}

impl Room {
    /// Makes an engine that stops when its time is up.
    pub(super) fn open(until: Instant) -> Result<Self, String> {
        sweep();
        let used_up = used() + JS_TIME;
        let full = |_| "there is no memory for an engine: make smaller values".to_owned();
        let runtime = Runtime::new().map_err(full)?;
        runtime.set_memory_limit(JS_MEMORY_BYTES_MAX);
        runtime.set_max_stack_size(JS_STACK_BYTES);
        runtime.set_gc_threshold(GARBAGE_BYTES);
        let was_late = Rc::new(Cell::new(false));
        let late = Rc::clone(&was_late);
        runtime.set_interrupt_handler(Some(Box::new(move || {
            late.set(late.get() || used() >= used_up || Instant::now() >= until);
            late.get()
        })));
        let context = Context::custom::<Parts>(&runtime).map_err(full)?;
        Ok(Room { context, was_late })
    }

    /// Works in it.
    pub(super) fn with<T>(&self, work: impl FnOnce(&Ctx<'_>) -> T) -> T {
        self.context.with(|ctx| work(&ctx))
    }

    /// Whether it was stopped because its time was up.
    pub(super) fn was_late(&self) -> bool {
        self.was_late.get()
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        LEFT.set(Some(self.context.clone()));
    }
}

/// The processor time that this thread has used.
fn used() -> Duration {
    Duration::try_from(clock_gettime(ClockId::ThreadCPUTime)).unwrap_or_default()
}
