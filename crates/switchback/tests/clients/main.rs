//! Real clients, in the versions that `python/requirements.txt` and `node/package.json` pin: the SDKs that agents are built
//! with and Inspector, against the real binary, in every era that each of them speaks.
//!
//! ```text
//!  install (once) ── world ── script of ours in the SDK ── switchback serve ── daemon
//!                               └── one JSON document ── scene: what must have been seen
//! ```
//! A script says what it saw and judges nothing, so that every SDK is judged by the same lines. Where the clients cannot be
//! installed the tests are skipped, and say so; with SWITCHBACK_REQUIRE_CLIENTS=1 that is a failure.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on says so by its panic")]

mod bounded;
mod inspector;
mod install;
mod scene;
mod seen;
mod world;

use install::Client;

/// One test for each scene that is played with a client in an era.
macro_rules! play {
    ($($conversation:ident: $client:expr, $era:literal, [$($scene:ident),*];)*) => {
        $(mod $conversation {
            use super::*;

            $(#[test]
            fn $scene() {
                scene::$scene::play($client, $era);
            })*
        })*
    };
}

play! {
    python_2025_06_18: Client::Python, "2025-06-18", [look, work, ask, cancel, reconnect, crash, plan];
    python_2025_11_25: Client::Python, "2025-11-25", [look, work, ask, cancel];
    python_2026_07_28: Client::Python, "2026-07-28", [look, work, ask, cancel, reconnect, crash, plan];
    python_pinned: Client::Python, "pinned", [work, ask];
    typescript_2025_06_18: Client::TypeScript, "2025-06-18", [look, work, ask, cancel, reconnect, crash];
    typescript_2025_11_25: Client::TypeScript, "2025-11-25", [look, work, ask, cancel];
    typescript_2026_07_28: Client::TypeScript, "2026-07-28", [look, work, ask, cancel, reconnect, crash];
    typescript_pinned: Client::TypeScript, "pinned", [work, ask];
    typescript_1: Client::TypeScript1, "2025-11-25", [look, work, ask, cancel, reconnect, crash];
}
