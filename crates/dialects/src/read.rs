//! The one door for definitions of every dialect: text in, a plan or diagnostics out.

use crate::blocks;
use crate::detect::detect;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::known::{Known, Nobody};
use crate::text::{Node, Source, load};
use kernel::Plan;
use kernel::plan::Dialect;

/// A definition that can run.
#[derive(Debug, Clone, PartialEq)]
pub struct Read {
    /// The plan.
    pub plan: Plan,
    /// What is doubtful about it.
    pub warnings: Diagnostics,
}

/// Reads a definition of whatever dialect, by itself: what it calls is found when it is called.
pub fn read(source: &Source) -> Result<Read, Diagnostics> {
    read_with(source, &Nobody)
}

/// Reads a definition of whatever dialect, and links it to the workflows that it calls by constant names.
pub fn read_with(source: &Source, known: &dyn Known) -> Result<Read, Diagnostics> {
    let root = load(source).map_err(Diagnostics::from)?;
    match detect(source, &root).map_err(|diagnostic| Diagnostics::from(vec![*diagnostic]))? {
        Dialect::Blocks => blocks::read(source, &root, known),
        other => Err(Diagnostics::from(vec![unsupported(source, &root, other)])),
    }
}

fn unsupported(source: &Source, root: &Node, dialect: Dialect) -> Diagnostic {
    let body = crate::detect::body(root);
    let key = ["kind", "states", "steps"].into_iter().find_map(|key| body.entry(key));
    let span = key.map_or(body.place(), |(key, _)| key.place());
    let message = format!("the dialect `{}` is not part of this version", dialect.as_str());
    Diagnostic::error("unsupported-dialect", source, span, message)
        .hint("this version runs `blocks`: a list of blocks under the key `blocks`")
}
