//! Tests of the engine from outside: the local backend over a real store, real processes and the clock.

mod driver;
mod local;
mod plans;
