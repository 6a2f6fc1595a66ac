//! What a session is opened with. Plain values; what is wrong with them is said when it is opened.

use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::recording::Recording;
use crate::size::Size;

/// What programs are told about the screen unless the environment says otherwise: every system knows this one.
pub(crate) const TERM_DEFAULT: &str = "xterm-256color";

/// The cells that a screen may keep above itself, whatever its width: a cell takes 24 bytes.
const HISTORY_CELLS_MAX: usize = 600_000;

/// A program in a terminal of its own.
#[derive(Debug, Clone, PartialEq)]
pub struct Spec {
    /// The program: a name that is looked up in the `PATH` of the environment below, or a path.
    pub program: String,
    /// Where a name is looked up instead, if its own environment must not say so.
    pub path: Option<String>,
    /// Its arguments, without its name.
    pub args: Vec<String>,
    /// The folder it starts in.
    pub folder: PathBuf,
    /// The whole environment: nothing is inherited. `TERM` is added where it is missing.
    pub environment: BTreeMap<String, String>,
    /// The size it begins with.
    pub size: Size,
    /// How much is kept of what has left the screen.
    pub scrollback: Scrollback,
    /// Where it is recorded, if it is.
    pub recording: Option<Recording>,
    /// How many files it may have open, where that is less than this process may.
    pub files_max: Option<u64>,
    /// Which rights the files do not get that it makes; without it, as this process has it.
    pub umask: Option<u32>,
}

impl Spec {
    /// Makes a session of one program with an empty environment and the default bounds.
    pub fn new(program: impl Into<String>, folder: impl Into<PathBuf>) -> Spec {
        Spec {
            program: program.into(),
            path: None,
            args: Vec::new(),
            folder: folder.into(),
            environment: BTreeMap::new(),
            size: Size::default(),
            scrollback: Scrollback::default(),
            recording: None,
            files_max: None,
            umask: None,
        }
    }
}

/// How much is kept of what has left the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scrollback {
    /// Lines; on a very wide screen fewer, so that memory is bounded as well.
    pub lines_max: usize,
}

impl Scrollback {
    /// Tells how many lines are kept on a screen of this size.
    pub(crate) fn lines(self, size: Size) -> usize {
        self.lines_max.min(HISTORY_CELLS_MAX / usize::from(size.columns()))
    }
}

impl Default for Scrollback {
    fn default() -> Scrollback {
        Scrollback { lines_max: 5_000 }
    }
}
