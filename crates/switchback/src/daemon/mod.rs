//! The daemon: one process that keeps the house open, so that runs outlive whoever started them.
//!
//! ```text
//!  serve ── pipe ──┐                     ┌── mcp::serve      one per connection
//!                  ├── daemon.sock ──────┤
//!  run, resume ────┘   hello, welcome    └── control::serve  the backend, over the wire
//! ```
//! `reach` finds the daemon or starts it; `host` is the daemon itself; `pipe` carries MCP bytes and finds a new daemon when
//! the old one is gone; `remote` is a [`engine::Backend`] on the other side of the socket. The first line each way is
//! a hello with a number: both sides know what the other speaks before anything else is said.
//!
//! Invariant: one daemon per data directory. Not the socket decides that, nor the pid file, but the lock of the store.

mod control;
mod detach;
mod gate;
mod hello;
mod host;
mod idle;
mod kin;
mod lines;
mod listen;
mod meet;
mod missing;
mod pipe;
mod place;
mod reach;
mod reasons;
mod remote;
mod seat;
mod successor;
mod talk;
mod vigil;
mod wire;

/// The word by which this binary knows that it is a daemon.
pub(crate) const DAEMON: &str = "daemon";

pub(crate) use gate::{CODE as NOT_A_HUMAN, UNPROVEN, refused as not_a_human, unproven};
pub(crate) use hello::{Door, Hello};
pub(crate) use host::{ENDING, READY, is_said, main};
pub(crate) use kin::is_below_our_own;
pub(crate) use pipe::Pipe;
pub(crate) use place::Place;
pub(crate) use reach::{Reached, Unreachable, find, reach};
pub(crate) use remote::Remote;
pub(crate) use wire::{Attach, Halt, Passphrase, Report};
