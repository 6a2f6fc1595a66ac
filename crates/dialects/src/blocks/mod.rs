//! The `blocks` dialect: a graph of blocks with `${...}` references.

pub mod shell;
