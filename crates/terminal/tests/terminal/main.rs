//! Sessions with real programs. Where one is not installed its tests are left out and say so; with
//! `SWITCHBACK_REQUIRE_TOOLS=1` they fail.

mod corpus;
mod ending;
mod fuzz;
mod programs;
mod recording;
mod views;
mod waiting;
mod world;
