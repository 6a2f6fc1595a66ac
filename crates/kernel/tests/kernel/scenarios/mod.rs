//! The scenarios by what they show. Each is a test of its own; together they must reach every row of every table.

mod action;
mod attempts;
mod books;
mod causes;
mod child;
mod claim;
mod closing;
mod compute;
mod data;
mod each;
mod ends;
mod foreign;
mod forks;
mod graph;
mod layers;
mod limits;
mod machine;
mod machine_variables;
mod machine_ways;
mod make;
mod outside;
mod refusals;
mod rounds;
mod rows;
mod sequence;
mod sizes;
mod spread;
mod state;
mod tasks;
mod within;
mod work;

/// A scenario and its name.
pub(crate) type Scenario = (&'static str, fn());

/// Lists the scenarios of a room, each of which is a test of its own as well.
macro_rules! scenarios {
    ($($name:ident),* $(,)?) => {
        pub(super) const ALL: &[crate::scenarios::Scenario] = &[$((stringify!($name), $name)),*];
    };
}
use scenarios;

fn all() -> impl Iterator<Item = &'static Scenario> {
    let rooms = [
        action::ALL,
        attempts::ALL,
        books::ALL,
        causes::ALL,
        child::ALL,
        claim::ALL,
        closing::ALL,
        compute::ALL,
        data::ALL,
        each::ALL,
        ends::ALL,
        foreign::ALL,
        forks::ALL,
        graph::ALL,
        layers::ALL,
        limits::ALL,
        machine::ALL,
        machine_variables::ALL,
        machine_ways::ALL,
        make::ALL,
        outside::ALL,
        refusals::ALL,
        rounds::ALL,
        rows::ALL,
        sequence::ALL,
        sizes::ALL,
        spread::ALL,
        state::ALL,
        tasks::ALL,
        within::ALL,
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
fn every_test_of_a_room_is_listed() {
    let sources = [
        include_str!("action.rs"),
        include_str!("attempts.rs"),
        include_str!("books.rs"),
        include_str!("causes.rs"),
        include_str!("child.rs"),
        include_str!("claim.rs"),
        include_str!("closing.rs"),
        include_str!("compute.rs"),
        include_str!("data.rs"),
        include_str!("each.rs"),
        include_str!("ends.rs"),
        include_str!("foreign.rs"),
        include_str!("forks.rs"),
        include_str!("graph.rs"),
        include_str!("layers.rs"),
        include_str!("limits.rs"),
        include_str!("machine.rs"),
        include_str!("machine_variables.rs"),
        include_str!("machine_ways.rs"),
        include_str!("make.rs"),
        include_str!("outside.rs"),
        include_str!("refusals.rs"),
        include_str!("rounds.rs"),
        include_str!("rows.rs"),
        include_str!("sequence.rs"),
        include_str!("sizes.rs"),
        include_str!("spread.rs"),
        include_str!("state.rs"),
        include_str!("tasks.rs"),
        include_str!("within.rs"),
        include_str!("work.rs"),
    ];
    let tests: usize = sources.iter().map(|source| source.matches("#[test]\n").count()).sum();
    assert_eq!(tests, all().count());
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
