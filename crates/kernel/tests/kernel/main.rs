//! Table tests of the kernel: scenarios that say what comes in and what must leave, and worlds of random commands.
//! Every scenario is checked turn by turn and let happen again from every snapshot; see `drive`.

mod build;
mod drive;
mod ledger;
mod many;
mod plans;
mod random;
mod say;

mod scenarios;
