//! The scenarios by what they show. Each is a test of its own; together they must reach every row of every table.

mod action;
mod child;
mod closing;
mod data;
mod foreign;
mod forks;
mod graph;
mod limits;
mod machine;
mod refusals;
mod sequence;
mod state;
mod work;

/// A scenario and its name.
pub(crate) type Scenario = (&'static str, fn());

/// Makes each function a test and lists all of them.
macro_rules! scenarios {
    ($($(#[$doc:meta])* fn $name:ident() $body:block)*) => {
        pub(super) const ALL: &[crate::scenarios::Scenario] = &[$((stringify!($name), $name)),*];
        $($(#[$doc])* #[test] fn $name() $body)*
    };
}
use scenarios;

fn all() -> impl Iterator<Item = &'static Scenario> {
    let rooms = [
        action::ALL,
        child::ALL,
        closing::ALL,
        data::ALL,
        foreign::ALL,
        forks::ALL,
        graph::ALL,
        limits::ALL,
        machine::ALL,
        refusals::ALL,
        sequence::ALL,
        state::ALL,
        work::ALL,
    ];
    rooms.into_iter().flatten()
}

#[test]
fn every_row_of_every_table_is_reached() {
    all().for_each(|(_, scenario)| scenario());
    let unreached: Vec<String> = crate::drive::REACHED.with_borrow(|reached| {
        let rows = kernel::table::all().into_iter().flatten().filter(|row| !reached.contains(row));
        rows.map(|row| format!("{}: {} -- {} -> {}", row.table, row.from, row.on, row.to)).collect()
    });
    assert!(unreached.is_empty(), "unreached:\n{}", unreached.join("\n"));
}

#[test]
fn the_rows_of_a_table_differ() {
    for table in kernel::table::all() {
        let mut rows = table.to_vec();
        rows.sort();
        rows.dedup();
        assert_eq!(rows.len(), table.len());
    }
}
