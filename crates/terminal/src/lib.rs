//! Terminals: a program in a PTY, and a true screen.
//!
//! A [`Session`] is a value that others hold. One thread of its own reads what the program writes, keeps the screen, writes the
//! recording and answers what programs ask of a terminal; whoever waits is woken by output and never polls. Nothing here knows
//! of runs, daemons or tools, and nothing needs an async runtime: calls that wait are plain calls with a deadline and can be
//! called off.
//!
//! Text that leaves is clean: no escape bytes, no control characters but line breaks, no blanks at the ends of lines.

mod error;
mod keys;
mod near;
mod output;
mod program;
mod pty;
mod recording;
mod screen;
mod session;
mod size;
mod spec;
mod turns;
mod view;
mod wait;

pub use error::{EndError, OpenError, ResizeError, SendError};
pub use keys::{KeyError, Keys};
pub use output::Piece;
pub use recording::{Recorded, Recording};
pub use screen::{Cursor, Emulator, Modes, Screen};
pub use session::{CallOff, Exit, Foreground, Input, Looks, Sent, Session, Settle};
pub use size::Size;
pub use spec::{Scrollback, Spec};
pub use view::{Content, Mode};
pub use wait::{Group, Match, Outcome, Pattern, PatternError, Waited};
