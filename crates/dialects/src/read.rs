//! The one door for definitions of every dialect: text in, a plan or diagnostics out.

use crate::detect::detect;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::known::{Known, Nobody};
use crate::text::{Node, Source, load};
use crate::{blocks, steps};
use kernel::Plan;
use kernel::plan::Dialect;
use std::sync::Arc;

/// A definition that can run.
#[derive(Debug, Clone, PartialEq)]
pub struct Read {
    /// The plan.
    pub plan: Plan,
    /// The plans of its own tasks, which it names by their digests.
    pub tasks: Vec<Arc<Plan>>,
    /// What is doubtful about it.
    pub warnings: Diagnostics,
}

/// What is said about reading beside the text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct ReadOptions {
    /// Steps of `steps` may read what they use, declared or not; each such field is a warning.
    pub infer_needs_state: bool,
    /// Shell steps of `steps` are carried out by the server.
    pub server_shell: bool,
}

/// Reads a definition of whatever dialect, by itself: what it calls is found when it is called.
pub fn read(source: &Source) -> Result<Read, Diagnostics> {
    read_with(source, &Nobody, ReadOptions::default())
}

/// Reads a definition of whatever dialect, and links it to the workflows that it calls by constant names.
pub fn read_with(source: &Source, known: &dyn Known, options: ReadOptions) -> Result<Read, Diagnostics> {
    let root = load(source).map_err(Diagnostics::from)?;
    match detect(source, &root).map_err(|diagnostic| Diagnostics::from(vec![*diagnostic]))? {
        Dialect::Blocks => blocks::read(source, &root, known),
        Dialect::Steps => steps::read(source, &root, options),
        other => Err(Diagnostics::from(vec![unsupported(source, &root, other)])),
    }
}

fn unsupported(source: &Source, root: &Node, dialect: Dialect) -> Diagnostic {
    let body = crate::detect::body(root);
    let key = ["kind", "states", "steps"].into_iter().find_map(|key| body.entry(key));
    let span = key.map_or(body.place(), |(key, _)| key.place());
    let message = format!("the dialect `{}` is not part of this version", dialect.as_str());
    Diagnostic::error("unsupported-dialect", source, span, message)
        .hint("this version runs `blocks`, a list of blocks under the key `blocks`, and checks `steps`")
}
