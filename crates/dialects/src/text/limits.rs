//! Every limit on a definition's text, in one place. Each has a test at its edge.

/// The bytes a definition may have.
pub const FILE_BYTES_MAX: usize = 1024 * 1024;

/// The lists and mappings that may stand inside each other; the root counts as one.
pub const DEPTH_MAX: usize = 64;

/// The nodes of a tree: every scalar, list and mapping, keys included. An alias counts with all that it
/// repeats, and so does an anchor, whose node is kept a second time.
pub const NODES_MAX: usize = 100_000;

/// The bytes that anchors and aliases may repeat, together.
pub const REPEATED_BYTES_MAX: usize = 1024 * 1024;

/// The characters of a key, as far as a parser looks for its colon.
pub const KEY_CHARS_MAX: usize = 1024;

/// The mistakes a loader collects before it gives up on a text.
pub const MISTAKES_MAX: usize = 100;
