//! A small client of MCP over stdio, the runner's own: lines of JSON, both eras, any number of calls in flight.
//!
//! It is written from the specification and shares nothing with the product, so that the two can only agree by being right.

mod connection;
mod human;
mod inbox;
mod words;

pub(crate) use connection::{Connection, Opening};
pub(crate) use inbox::Waiting;
