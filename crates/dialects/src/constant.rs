//! Values that are known when a file is read: what is made of constants only is a constant.

use crate::text::{Kind, Node};
use kernel::plan::Expr;
use serde_json::{Map, Value};

/// The lists and mappings of one value that may stand inside each other. Each is up to three levels of the
/// plan's JSON form, and JSON readers stop at 128.
pub(crate) const VALUE_DEPTH_MAX: usize = 24;

/// How many lists and mappings stand inside each other.
pub(crate) fn depth(node: &Node) -> usize {
    match &node.kind {
        Kind::Scalar(_) => 0,
        Kind::List(items) => 1 + items.iter().map(depth).max().unwrap_or(0),
        Kind::Map(entries) => 1 + entries.iter().map(|(_, item)| depth(item)).max().unwrap_or(0),
    }
}

/// A list of constants is a constant.
pub(crate) fn list(items: Vec<Expr>) -> Expr {
    if items.iter().all(|item| matches!(item, Expr::Const(_))) {
        return Expr::Const(items.into_iter().map(constant).collect());
    }
    Expr::List(items)
}

/// A mapping of constants is a constant.
pub(crate) fn object(fields: Vec<(String, Expr)>) -> Expr {
    if fields.iter().all(|(_, item)| matches!(item, Expr::Const(_))) {
        let constants = fields.into_iter().map(|(name, item)| (name, constant(item)));
        return Expr::Const(Value::Object(constants.collect::<Map<_, _>>()));
    }
    Expr::Object(fields)
}

fn constant(expr: Expr) -> Value {
    match expr {
        Expr::Const(value) => value,
        _ => Value::Null,
    }
}
