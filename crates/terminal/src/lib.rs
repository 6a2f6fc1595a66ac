//! Terminals: a PTY and a true screen. Empty until terminals come; the crate stands here so that its one promise, to use
//! nothing of ours, is kept by the compiler from the first day.
