//! The evaluator: answers questions in languages that the kernel does not speak. What an expression does, it does
//! in a process of the same binary that has nothing: no files, no environment, little memory, little time. If that
//! process dies or hangs, the question has no answer, and nothing else has happened.
//!
//! ```text
//!  answer ── seat ── process ═══ pipes ═══ serve ── jinja, js, regex
//!    │        │         │                    │
//!    │        pool      what it holds        limits, values, compiled code
//!    └── once more, alone, in a fresh process
//! ```
//! Who asks waits for a seat; there are as many as cores, and runs take turns. Each process has one request in flight. Large values are
//! sent to a process once and named by digest afterwards. A process is started when it is first needed, by one
//! thread that stays (the keeper), and ended when nobody has needed it for a minute.

mod answer;
mod child;
mod deadline;
mod fields;
mod held;
mod jinja;
mod js;
mod keeper;
pub mod limits;
mod line;
mod pool;
mod process;
mod regex;
mod trouble;
mod wire;

pub use answer::Evaluator;
pub use child::serve;
pub use limits::Rules;
pub use process::Program;
