//! Whose places are looked into first. The tools of a source find what that source's own server would have found.

use super::place::PlaceKind;
use kernel::plan::Dialect;

/// The order in which places are looked into, and with it the dialect that wins among equal names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Order {
    /// That of design.md: the command line and all tools of our own.
    #[default]
    Plain,
    /// The tools of `blocks`: the folders in `WORKFLOWS_TEMPLATE_PATHS`, later ones win.
    Blocks,
    /// The tools of `steps`: `./workflows`.
    Steps,
    /// The tools of `reactive`: `./.aromcp/workflows`, then `~/.aromcp/workflows`.
    Reactive,
    /// The tools of `states`: `./.terminal_control_workflows`.
    States,
}

impl Order {
    /// Every order, each at its own position.
    pub const ALL: [Order; 5] = [Order::Plain, Order::Blocks, Order::Steps, Order::Reactive, Order::States];

    /// The dialect that these tools are of.
    pub const fn dialect(self) -> Option<Dialect> {
        match self {
            Order::Plain => None,
            Order::Blocks => Some(Dialect::Blocks),
            Order::Steps => Some(Dialect::Steps),
            Order::Reactive => Some(Dialect::Reactive),
            Order::States => Some(Dialect::States),
        }
    }

    /// The order in which the calls of a dialect are looked up.
    pub(super) const fn of_calls(dialect: Dialect) -> Order {
        match dialect {
            Dialect::Reactive => Order::Reactive,
            _ => Order::Blocks,
        }
    }

    /// How early a kind of place comes; among equals the plain order holds.
    pub(super) fn rank(self, kind: PlaceKind) -> u8 {
        match kind {
            PlaceKind::Own => 0,
            PlaceKind::Source(dialect) if Some(dialect) == self.dialect() => 1,
            PlaceKind::Source(_) => 2,
            PlaceKind::BuiltIn => 3,
        }
    }
}
