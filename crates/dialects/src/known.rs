//! What is known of other workflows while one is read. Those that it calls by constant names are linked to it: their
//! inputs and outputs are checked at the place of the call, and their plans are pinned.
//!
//! Whoever has a library implements [`Known`]. Nothing here looks anywhere.

use crate::text::Source;
use kernel::{Digest, Plan};
use std::sync::Arc;

/// The longest name by which a workflow can be called.
pub const NAME_BYTES_MAX: usize = 128;

/// Knows other workflows.
pub trait Known {
    /// Says what a name means to the workflow that is read. It is asked only for names that can be called.
    fn workflow(&self, name: &str) -> Callee;

    /// Gives the text of a file that another one imports. `from` is the [`Import::Found::id`] of the file that does so, and
    /// nothing for the definition that is read. The path is as written, relative to the workflows folder that the file lies
    /// in, else to the folder of the file itself.
    fn import(&self, _from: Option<&str>, _path: &str) -> Import {
        Import::Unasked
    }

    /// Tells how many files stand between the definition that a person asked for and the one that is read.
    fn depth(&self) -> usize {
        0
    }
}

/// What a path among the imports of a file means.
#[derive(Debug, Clone, Default)]
pub enum Import {
    /// Nobody looked: there is no library.
    #[default]
    Unasked,
    /// A file.
    Found {
        /// What names it once and for all, mostly its resolved path: two ways to one file give the same.
        id: String,
        /// Its text, under the name that diagnostics print.
        source: Source,
    },
    /// Nothing.
    Absent {
        /// The places that were looked at.
        looked: Vec<String>,
        /// Files that are near.
        near: Vec<String>,
    },
    /// A file that cannot be read, or must not be.
    Refused {
        /// Why, as the rest of "it ...": `lies outside of the workflows folder`.
        why: String,
    },
}

/// What a name means.
#[derive(Debug, Clone, Default)]
pub enum Callee {
    /// Nobody looked: it is found when it is called.
    #[default]
    Unasked,
    /// A workflow.
    Found {
        /// Its plan, linked as well.
        plan: Arc<Plan>,
        /// The digest of the plan.
        digest: Digest,
        /// Broken files that have this name as well and come first, one sentence each.
        passed_over: Vec<String>,
    },
    /// Nothing.
    Absent {
        /// Names that are near.
        near: Vec<String>,
    },
    /// A workflow that cannot run.
    Broken {
        /// The first thing that is wrong with it, and where.
        why: String,
    },
    /// A workflow that calls the one that is read, perhaps through others.
    Circle {
        /// The names, from the one that is read to itself.
        names: Vec<String>,
    },
    /// Workflows call workflows, deeper than they may.
    TooDeep {
        /// The names, from the one that is read on.
        names: Vec<String>,
        /// How deep they may.
        depth_max: u32,
    },
    /// It calls more workflows than it may, all below it included.
    TooMany {
        /// How many it may call.
        count_max: usize,
    },
}

/// Knows nothing: what is called is found when it is called.
#[derive(Debug, Clone, Copy)]
pub struct Nobody;

impl Known for Nobody {
    fn workflow(&self, _name: &str) -> Callee {
        Callee::Unasked
    }
}

/// Tells whether a workflow can be called by a name. Each dialect has a rule of its own for the names it gives; this
/// is the union of them, and nothing that could be a path.
pub fn is_callable(name: &str) -> bool {
    let inner = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b':' | b'.' | b'-');
    name.len() <= NAME_BYTES_MAX
        && name.starts_with(|first: char| first.is_ascii_alphanumeric())
        && name.bytes().all(inner)
        && !name.contains("..")
}
