//! Starts the child. Nearly all `unsafe` code of the adapter is here.
//!
//! Linux: `clone(CLONE_VM | CLONE_VFORK)`, which is what `posix_spawn` is made of. The child borrows the
//! memory of the server until it executes, so a start costs the same whatever the server's size; a fork
//! copies page tables (measured, `sh -c true`: 30 MB 2.3 times, 1 GB 30 times as long). `posix_spawn` itself
//! cannot write a note, close all descriptors on every libc, or give every signal its default.
//!
//! Elsewhere: fork and exec of the standard library, with the same steps between them.

mod child;
#[cfg(not(target_os = "linux"))]
mod fork;
#[cfg(target_os = "linux")]
mod linux;

#[cfg(not(target_os = "linux"))]
pub(super) use fork::{spawn, start_time};
#[cfg(target_os = "linux")]
pub(super) use linux::spawn;
