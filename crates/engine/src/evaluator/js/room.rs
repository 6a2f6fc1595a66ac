//! The engine of one evaluation: how much memory, stack and time it has.

use super::surroundings::SURROUNDINGS;
use crate::evaluator::limits::{JS_MEMORY_BYTES_MAX, JS_STACK_BYTES, JS_TIME};
use rquickjs::context::intrinsic::{Date, Eval, Json, MapSet, Promise, RegExp, RegExpCompiler};
use rquickjs::{Context, Ctx, Error, Function, Persistent, Runtime};
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
    /// The next engine, which nobody has used.
    static AHEAD: RefCell<Option<Engine>> = const { RefCell::new(None) };
}

/// Takes down the engine that was left, and makes the next one where there was one. Whoever waits for an answer need not wait
/// for this.
pub(in crate::evaluator) fn sweep() {
    if let Some(left) = LEFT.take() {
        drop(left);
        AHEAD.set(Engine::new().ok());
    }
}

/// An engine that has seen nothing but what furnishes it.
struct Engine {
    /// What furnishes it. Invariant: it goes before the engine does.
    furnishing: Persistent<Function<'static>>,
    context: Context,
}

impl Engine {
    fn new() -> Result<Self, Error> {
        let runtime = Runtime::new()?;
        runtime.set_memory_limit(JS_MEMORY_BYTES_MAX);
        runtime.set_max_stack_size(JS_STACK_BYTES);
        runtime.set_gc_threshold(GARBAGE_BYTES);
        let context = Context::custom::<Parts>(&runtime)?;
        let furnishing = context.with(|ctx| {
            let furnishing: Function<'_> = ctx.eval(SURROUNDINGS)?;
            Ok::<_, Error>(Persistent::save(&ctx, furnishing))
        })?;
        Ok(Engine { furnishing, context })
    }
}

/// An engine with nothing in it yet. When it is left it stays until the next is made or somebody sweeps.
pub(super) struct Room {
    furnishing: RefCell<Option<Persistent<Function<'static>>>>,
    context: Context,
    was_late: Rc<Cell<bool>>,
}

impl Room {
    /// An engine that stops when its time is up.
    pub(super) fn open(until: Instant) -> Result<Self, String> {
        drop(LEFT.take());
        let used_up = used() + JS_TIME;
        let full = |_| "there is no memory for an engine: make smaller values".to_owned();
        let Engine { furnishing, context } = AHEAD.take().map_or_else(Engine::new, Ok).map_err(full)?;
        let was_late = Rc::new(Cell::new(false));
        let late = Rc::clone(&was_late);
        context.runtime().set_interrupt_handler(Some(Box::new(move || {
            late.set(late.get() || used() >= used_up || Instant::now() >= until);
            late.get()
        })));
        Ok(Room { furnishing: RefCell::new(Some(furnishing)), context, was_late })
    }

    /// What furnishes it. It is there once.
    pub(super) fn furnishing<'js>(&self, ctx: &Ctx<'js>) -> Result<Function<'js>, Error> {
        self.furnishing.take().ok_or(Error::Unknown)?.restore(ctx)
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
