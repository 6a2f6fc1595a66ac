//! `switchback install` and `switchback doctor` through the real binary, each test in a home folder of its own.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on says where")]

mod claude_code;
mod doctor;
mod every_client;
mod files;
mod home;
mod refused;
