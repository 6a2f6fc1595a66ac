//! Every bound of the evaluator in one place.

use std::num::NonZero;
use std::time::Duration;

/// How long one request may take.
pub const DEADLINE: Duration = Duration::from_secs(5);

/// How long all questions of one turn may take together: none is begun later.
pub const TURN: Duration = Duration::from_secs(20);

/// How long a process may be idle before it is ended.
pub const IDLE: Duration = Duration::from_secs(60);

/// All memory of a process, its program and stacks among it.
pub const MEMORY_BYTES_MAX: u64 = 512 * 1024 * 1024;

/// The stack on which expressions are compiled, evaluated and dropped. A chain of operators is as deep as it is long.
pub const STACK_BYTES: usize = 64 * 1024 * 1024;

/// Processor time of one request, in whole seconds: what the deadline would miss.
pub const CPU_SECONDS_MAX: u64 = 7;

/// Descriptors of a process; it needs its three streams and one more.
pub const FILES_MAX: u64 = 16;

/// The longest expression or text.
pub const SOURCE_BYTES_MAX: usize = 16 * 1024;

/// Most expressions of one question.
pub const EXPRESSIONS_MAX: usize = 4_096;

/// Most questions of one request: each takes a few milliseconds, and a request has its deadline.
pub const QUESTIONS_MAX: usize = 200;

/// Most steps of the engine that one expression may take.
pub const FUEL: u64 = 1_000_000;

/// Memory of an engine for JavaScript. What it has no room for is an error there, before the process has no room.
pub const JS_MEMORY_BYTES_MAX: usize = 128 * 1024 * 1024;

/// The stack of an engine for JavaScript: a part of [`STACK_BYTES`]. What is nested deeper takes the square of it in time.
pub const JS_STACK_BYTES: usize = 4 * 1024 * 1024;

/// Processor time of one evaluation of JavaScript.
pub const JS_TIME: Duration = Duration::from_secs(1);

/// How long all JavaScript of a request may take, so that what is late is told before the request is.
pub const JS_TIME_OF_ALL: Duration = Duration::from_secs(4);

/// The largest value of one expression, in its JSON form.
pub const OUTPUT_BYTES_MAX: usize = 1024 * 1024;

/// The largest values of one request together.
pub const OUTPUTS_BYTES_MAX: usize = 4 * 1024 * 1024;

/// The longest sentence about one expression.
pub const WORDS_BYTES_MAX: usize = 1_024;

/// The largest request, the values sent along with it among it.
pub const REQUEST_BYTES_MAX: usize = 32 * 1024 * 1024;

/// The largest answer. All values and sentences of a well-behaved process fit.
pub const ANSWER_BYTES_MAX: usize = 16 * 1024 * 1024;

/// A value that weighs more travels by digest.
pub const INLINE_BYTES_MAX: u64 = 4 * 1024;

/// The values a process keeps between requests, in their JSON form.
pub const HELD_BYTES_MAX: usize = 8 * 1024 * 1024;

/// Compiled expressions that a process keeps, and the length of their sources together.
pub const COMPILED_MAX: usize = 256;
/// See [`COMPILED_MAX`].
pub const COMPILED_BYTES_MAX: usize = 1024 * 1024;

/// What of a dead process's last words is read.
pub const LAST_WORDS_BYTES_MAX: usize = 4 * 1024;

/// The bounds that whoever makes an evaluator may choose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules {
    /// How long one request may take.
    pub deadline: Duration,
    /// How long all questions of one turn may take together: none is begun later.
    pub turn: Duration,
    /// How long a process may be idle before it is ended.
    pub idle: Duration,
    /// Most processes at once, at least one.
    pub processes_max: NonZero<usize>,
}

impl Default for Rules {
    fn default() -> Self {
        let cores = std::thread::available_parallelism().map_or(2, NonZero::get);
        let processes_max = NonZero::new(cores).unwrap_or(NonZero::<usize>::MIN).max(TWO);
        Rules { deadline: DEADLINE, turn: TURN, idle: IDLE, processes_max }
    }
}

/// With two, a question that hangs leaves a way for the others.
const TWO: NonZero<usize> = NonZero::<usize>::MIN.saturating_add(1);
