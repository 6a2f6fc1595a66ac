//! What must have been seen, one file for each scene. It is the same for every client and era, but for what is said here.

pub(crate) mod ask;
pub(crate) mod cancel;
pub(crate) mod crash;
pub(crate) mod look;
pub(crate) mod plan;
pub(crate) mod reconnect;
pub(crate) mod work;

/// The version that an era agrees on. One that is pinned asks for it without asking first what there is.
pub(crate) fn version(era: &str) -> &str {
    if era == "pinned" { "2026-07-28" } else { era }
}
