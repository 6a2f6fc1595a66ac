//! Transition tables as data. Each machine opens with its table; each transition names the row it follows,
//! so that the simulation can say which rows it reached.

/// One row: in state `from`, on `on`, go to `to`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Row {
    /// Which table.
    pub table: &'static str,
    /// The state before.
    pub from: &'static str,
    /// What happened.
    pub on: &'static str,
    /// The state after.
    pub to: &'static str,
}

/// All tables of the kernel.
pub fn all() -> Vec<&'static [Row]> {
    vec![
        crate::run::phase::TABLE,
        crate::run::activity::TABLE,
        crate::flow::graph::TABLE,
        crate::flow::sequence::TABLE,
        crate::flow::machine::TABLE,
    ]
}

/// Declares the rows of one table: constants to name in code, and `TABLE` with all of them.
macro_rules! table {
    ($table:literal: $($name:ident = $from:literal, $on:literal => $to:literal;)*) => {
        $(pub(super) const $name: $crate::table::Row =
            $crate::table::Row { table: $table, from: $from, on: $on, to: $to };)*
        /// The transition table of this machine.
        pub(crate) const TABLE: &[$crate::table::Row] = &[$($name),*];
    };
}
pub(crate) use table;
