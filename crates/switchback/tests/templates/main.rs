//! The workflows that come with the binary, each run with the real tools it is for: Python, git, Node.
//!
//! ```text
//!  tools (installed once) ── world ── switchback run NAME ── one JSON document ── what must have come of it
//! ```
//! Where a tool cannot be had the tests that need it are skipped, and say so; with SWITCHBACK_REQUIRE_TOOLS=1 that is a
//! failure. Nothing here needs a network once pip has been able to fetch the tools.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on says so by its panic")]

mod asked;
#[path = "../clients/bounded.rs"]
mod bounded;
mod checked;
mod ci;
#[expect(dead_code, reason = "it knows more than is asked of it here")]
#[path = "../mcp/client.rs"]
mod client;
mod commits;
mod environments;
mod examples;
mod files;
mod git;
mod linted;
mod node;
mod python;
mod told;
mod tools;
mod world;
